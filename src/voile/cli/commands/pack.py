"""`voile pack`: the zip for recipients, with a release folder and a guide beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Folder, Json, Plugins, with_table_options
from voile.cli.inputs import load_plugins
from voile.cli.terminal import print_json


@with_table_options
def pack(
    release: Folder,
    out: Annotated[
        Path | None, typer.Option(help="The zip to write; beside the folder and of its name by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the zip if it exists.")] = False,
    *,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Pack a release for the people who receive it: the folder, and beside it a guide (READ_ME.html).

    The guide is made from the folder alone: what each column means, what is promised and against whom, how to verify,
    how to count, and what not to do. A folder that does not keep what it claims is not packed.
    """
    from voile.flow.guide.packing import READ_ME
    from voile.flow.guide.packing import pack as pack_release

    load_plugins(plugin)
    archive = pack_release(release, out, force=force)
    if as_json:
        print_json({"out": str(archive), "guide": READ_ME, "bytes": archive.stat().st_size})
        return
    typer.echo(f"{archive}: the release, and a guide for its recipients ({READ_ME}).")

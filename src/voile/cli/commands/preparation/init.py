"""`voile init`: a commented spec.toml from an inspection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json, ReadOptions, Source, with_table_options
from voile.cli.spec_flags import combine_reading
from voile.cli.terminal import print_json
from voile.cli.unused_options import refuse_unused_reading
from voile.errors import SpecError, hide_credentials


@with_table_options
def init(
    source: Source,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("spec.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    *,
    read_options: ReadOptions,
    as_json: Json = False,
) -> None:
    """Write a first spec.toml for a table: every column with its suggested role and the reason, for you to decide."""
    from voile.flow.explore.inspect import inspect
    from voile.flow.explore.spec_draft import draft_spec
    from voile.io.text_files import write_texts

    refuse_unused_reading(read_options, source)
    if out.exists() and not force:
        raise SpecError(
            f"{out.name!r} exists already.", code="spec.out", hint="Name another file with --out, or add --force."
        )
    inspection = inspect(source, **read_options)
    reading = combine_reading(inspection.list_reading(), read_options)
    write_texts({out: draft_spec(inspection, hide_credentials(Path(source).name), reading)})
    roles = inspection.roles()
    body = {"out": str(out), "roles": roles, "undecided": inspection.undecided()}
    if as_json:
        print_json(body)
        return
    counts = ", ".join(f"{len(names)} {role}" for role, names in roles.items())
    typer.echo(f"{out}: {counts}, {len(inspection.undecided())} to be decided. Read it before you publish with it.")

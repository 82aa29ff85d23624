"""`voile report`: the attacks, the losses and the verdict on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.commands.audit import attacked
from voile.cli.commands.measure import measured
from voile.cli.flags import Adversaries, Data, Engine, Folder, Json, Plugins, Reading, Trees, reads
from voile.cli.inputs import open_plugins, open_table, opened
from voile.cli.terminal import say_json, steps


@reads
def report(
    release: Folder,
    out: Annotated[Path | None, typer.Option(help="The page; DIR/report.html by default.")] = None,
    adversary: Adversaries = None,
    data: Data = None,
    external: Annotated[Path | None, typer.Option(help="A register of the population.")] = None,
    hierarchies: Trees = None,
    *,
    reading: Reading,
    place: Engine,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about a release, and the same as JSON."""
    with steps("load", "attack", "measure", "write") as step:
        from voile.flow.report.report import report as reporting

        open_plugins(plugin)
        step("load")
        loaded, verdict = opened(release, place, step.part)
        table = None if data is None else open_table(loaded, data, hierarchies, reading, None, place, step.part)
        step("attack")
        found = attacked(loaded, None, table, external, hierarchies, adversary=adversary)
        step("measure")
        losses = measured(loaded, None, table) if table is not None else None
        step("write")
        page = reporting(loaded, found, losses, verdict)
        written = page.save(out or release / "report.html")
    say_json({"report": str(written), **page.as_json()}) if as_json else typer.echo(f"Report: {written}")

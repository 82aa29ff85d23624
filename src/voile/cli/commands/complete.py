"""`voile complete`: plain tables with exact values, drawn from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import EngineOptions, Folder, Json, Plugins, with_table_options
from voile.cli.inputs import load_plugins, open_release
from voile.cli.output_files import Force, refuse_existing
from voile.cli.terminal import print_json, step_bar


@with_table_options
def complete(
    release: Folder,
    out: Annotated[Path, typer.Option(help="The file for the tables, below each other; .parquet or .csv.")],
    force: Force = False,
    draws: Annotated[int, typer.Option(help="How many tables to draw; at least 2.")] = 20,
    seed: Annotated[int | None, typer.Option(help="A whole number; another one gives other tables.")] = None,
    *,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Draw plain tables with exact values that agree with every published cell, to analyse with any tool.

    All tables go into one file, with their number in the column `_draw`. Analyse each alike, and pool what you find.
    """
    refuse_existing(out, force=force)
    with step_bar("load", "draw", "write") as step:
        load_plugins(plugin)
        step("load")
        opened, _ = open_release(release, engine_options, step.part)
        step("draw")
        tables = opened.complete(draws, key=seed)
        step("write")
        path = tables.save(out)
    body = {"out": str(path), "draws": draws, "rows": tables.rows.people, "assumptions": list(tables.assumptions)}
    if as_json:
        print_json(body)
        return
    typer.echo(f"Wrote {draws} tables of {tables.rows.people:,} rows to {path}.")
    for sentence in tables.assumptions:
        typer.echo(sentence)

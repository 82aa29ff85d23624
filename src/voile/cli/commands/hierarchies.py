"""`voile hierarchies`: automatic hierarchies, as files that a person can edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json, Reading, names, pair, reads
from voile.cli.terminal import say_json


@reads
def hierarchies(
    source: Annotated[str, typer.Argument(metavar="INPUT")],
    out: Annotated[Path, typer.Option(help="The folder for the files.")],
    quasi: Annotated[str | None, typer.Option(metavar="a,b,c", help="The columns; all by default.")] = None,
    recipe: Annotated[list[str] | None, typer.Option(help="COLUMN=RECIPE, e.g. zip=prefixes:5,3,1.")] = None,
    force: Annotated[bool, typer.Option(help="Replace files of the same name.")] = False,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Write an automatic hierarchy for each column to a file that a person can edit."""
    from voile.flow.read.read import load_frame, read
    from voile.io.hierarchy_files import write_hierarchies
    from voile.tables.schema import Schema

    frame = load_frame(source, None, **reading)
    wanted = names(quasi) if quasi else frame.columns
    recipes = {**dict.fromkeys(wanted, "auto"), **dict(pair(item) for item in recipe or ())}
    # with missing="value" no value is lost; the row of the missing one itself is not for editing
    columns = read(frame, Schema(quasi=wanted, hierarchies=recipes, missing="value")).columns.quasi
    made = {column.name: (column.hierarchy, len(column.domain.values)) for column in columns}
    paths = write_hierarchies(out, {name: tree.rows()[:size] for name, (tree, size) in made.items() if tree}, force)
    heights = {name: tree.height for name, (tree, _) in made.items() if tree}
    if as_json:
        say_json({"out": str(out), "heights": heights})
    else:
        for path, height in zip(paths, heights.values(), strict=True):
            typer.echo(f"{path}: {height} levels above the leaves")

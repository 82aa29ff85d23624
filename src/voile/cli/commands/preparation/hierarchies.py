"""`voile hierarchies`: automatic hierarchies, as files that a person can edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json, ReadOptions, Source, drop_unset, parse_pair, split_names, with_table_options
from voile.cli.terminal import print_json
from voile.cli.unused_options import refuse_unused_reading
from voile.plugins.counted_nouns import count_noun


@with_table_options
def hierarchies(
    source: Source,
    out: Annotated[Path, typer.Option(help="The folder for the files.")],
    quasi: Annotated[
        str | None, typer.Option(metavar="a,b,c", help="The columns; by default all but identifiers.")
    ] = None,
    recipe: Annotated[list[str] | None, typer.Option(help="COLUMN=RECIPE, e.g. zip=prefixes:5,3,1.")] = None,
    force: Annotated[bool, typer.Option(help="Replace files of the same name.")] = False,
    *,
    read_options: ReadOptions,
    as_json: Json = False,
) -> None:
    """Write an automatic hierarchy for each column to a file that a person can edit.

    A file lists every value of its column. Columns that may tell who somebody is are left out unless --quasi or
    --recipe names them.
    """
    from voile.engines.base import Source
    from voile.engines.memory import load_frame
    from voile.flow.explore.column_profiles import list_identifiers
    from voile.flow.read.read import read
    from voile.io.conversions.column_readings import refuse_questions
    from voile.io.hierarchy_files import write_hierarchies
    from voile.tables.schema import Schema

    refuse_unused_reading(read_options, source)
    merge = read_options.get("merge", ())
    options = {name: value for name, value in read_options.items() if name != "merge"}
    table_source = Source(source, **options)
    frame = load_frame(table_source, Schema(quasi=split_names(quasi)) if quasi else None)
    refuse_questions(table_source.record.columns)
    asked = dict(map(parse_pair, recipe or ()))
    left_out = (
        [] if quasi else [name for name in list_identifiers(frame, table_source.record.titles) if name not in asked]
    )
    names = [name for name in frame.columns if name not in left_out]
    recipes = {**dict.fromkeys(names, "auto"), **asked}
    # with missing="value" every value is listed; the last line, of the missing value itself, is not for editing
    columns = read(
        frame.select(names), Schema(quasi=names, hierarchies=recipes, missing="value"), merge=merge
    ).columns.quasi
    built = {column.name: (column.hierarchy, len(column.domain.values)) for column in columns}
    lines = {name: tree.rows()[:size] for name, (tree, size) in built.items() if tree}
    paths = write_hierarchies(out, lines, force)
    heights = {name: tree.height for name, (tree, _) in built.items() if tree}
    unlisted = {name: tree.unlisted for name, (tree, _) in built.items() if tree and tree.unlisted}
    sources = {name: tree.source for name, (tree, _) in built.items() if tree and tree.source}
    if as_json:
        found = drop_unset(sources=sources or None, unlisted=unlisted or None, left_out=left_out or None)
        print_json({"out": str(out), "heights": heights, **found})
    else:
        for path, (name, height) in zip(paths, heights.items(), strict=True):
            source_text = f", from {sources[name]}" if name in sources else ""
            odd = f"; {count_noun(unlisted[name], 'value')} not in it" if name in unlisted else ""
            typer.echo(f"{path}: {count_noun(height, 'level')} above the leaves{source_text}{odd}")
        if left_out:
            typer.echo(f"Left out, since they may tell who somebody is (--quasi names columns): {', '.join(left_out)}")

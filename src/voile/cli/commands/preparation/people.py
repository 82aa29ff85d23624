"""`voile people`: what each number of rows per person would cost."""

from __future__ import annotations

from typing import Annotated

import typer

from voile.cli.flags import (
    EngineOptions,
    Json,
    KeyFile,
    Models,
    Plugins,
    ReadOptions,
    SchemaOptions,
    Source,
    SpecFile,
    parse_numbers,
    with_table_options,
)
from voile.cli.inputs import load_plugins
from voile.cli.spec_flags import combine_spec, read_requested
from voile.cli.terminal import print_json, progress_bar
from voile.cli.unused_options import refuse_unused


@with_table_options
def people(
    source: Source,
    spec: SpecFile = None,
    model: Models = None,
    method: Annotated[str | None, typer.Option(help="A method that generalizes; mondrian by default.")] = None,
    choices: Annotated[
        str | None, typer.Option(metavar="1,2,5", help="Numbers of rows per person; 1, 2, 3, 5, 8 ... by default.")
    ] = None,
    key_file: KeyFile = None,
    *,
    schema_options: SchemaOptions,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Show what each number of rows per person would cost: rows left out, groups and loss. Nothing is published."""
    with progress_bar() as step:
        from voile.flow.explore.rows_per_person import compare_rows_per_person
        from voile.tables.secret_key import Key

        load_plugins(plugin)
        limit = schema_options.get("rows_per_person")
        refuse_unused("several numbers of rows per person are compared (--choices)", {"rows-per-person": limit})
        key = Key.read(key_file) if key_file else None
        numbers = parse_numbers("choices", choices, int) if choices else None
        combined = combine_spec(spec, schema_options, model, method, read_options, engine_options)
        request, data = read_requested(combined, source, step)
        comparison = compare_rows_per_person(data, request.policy, request.method, numbers, key=key, progress=step)
    print_json(comparison.as_json()) if as_json else typer.echo(str(comparison))

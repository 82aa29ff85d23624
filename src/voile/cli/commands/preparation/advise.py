"""`voile advise`: which column costs most, and what would help."""

from __future__ import annotations

import typer

from voile.cli.flags import (
    EngineOptions,
    Json,
    Models,
    Plugins,
    ReadOptions,
    SchemaOptions,
    Source,
    SpecFile,
    with_table_options,
)
from voile.cli.inputs import load_plugins
from voile.cli.spec_flags import read_requested
from voile.cli.terminal import print_json, progress_bar


@with_table_options
def advise(
    source: Source,
    spec: SpecFile = None,
    model: Models = None,
    *,
    schema_options: SchemaOptions,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Show which column costs most, and what leaving it out or coarsening it would give. Only sizes of groups are
    looked at, and nothing is published."""
    with progress_bar() as step:
        from voile.flow.explore.advise import advise as advise_on_columns

        load_plugins(plugin)
        request, data = read_requested(source, spec, schema_options, model, None, read_options, engine_options, step)
        advice = advise_on_columns(data, request.policy)
    print_json(advice.as_json()) if as_json else typer.echo(str(advice))

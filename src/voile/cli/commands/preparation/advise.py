"""`voile advise`: which column costs most, and what would help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import (
    EngineOptions,
    Json,
    Models,
    Plugins,
    ReadOptions,
    SchemaOptions,
    Source,
    with_table_options,
)
from voile.cli.inputs import load_plugins
from voile.cli.spec_flags import combine_spec
from voile.cli.terminal import print_json, progress_bar
from voile.cli.unused_options import refuse_unused_reading


@with_table_options
def advise(
    source: Source,
    spec: Annotated[Path | None, typer.Option(help="A spec.toml; flags win over it.")] = None,
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
        from voile.engines.selection import choose_engine
        from voile.flow.explore.advise import advise as advise_on_columns
        from voile.flow.prepare.prepare import prepare_as_asked
        from voile.flow.read.read import read
        from voile.flow.request.request import read_request

        load_plugins(plugin)
        combined = combine_spec(spec, schema_options, model, None, read_options, engine_options)
        refuse_unused_reading(combined.read, source)
        request = read_request(combined)
        step(0, None, "read")
        engine, person = choose_engine(source, request.engine), request.schema.person
        table, reading = prepare_as_asked(source, combined.prepare, request.read, person=person, engine=engine)
        data = read(table, request.schema, **reading, engine=engine)
        advice = advise_on_columns(data, request.policy)
    print_json(advice.as_json()) if as_json else typer.echo(str(advice))

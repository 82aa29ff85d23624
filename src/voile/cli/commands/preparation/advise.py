"""`voile advise`: what to promise for an audience, which column costs most, and what would help."""

from __future__ import annotations

from dataclasses import replace

import typer

from voile.cli.flags import (
    EngineOptions,
    ForAudience,
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
from voile.cli.spec_flags import combine_spec, read_requested
from voile.cli.terminal import print_json, progress_bar
from voile.cli.unused_options import refuse_unused

ANY_PROMISE = ({"model": "k-anonymity", "k": 2},)  # a request names a promise; the recommended one takes its place


@with_table_options
def advise(
    source: Source,
    spec: SpecFile = None,
    model: Models = None,
    audience: ForAudience = None,
    *,
    schema_options: SchemaOptions,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Show what to promise for an audience (--for), with reasons and the table's own numbers for k; and which column
    costs most, and what leaving it out or coarsening it would give. Nothing is published.

    Costs are judged by the sizes of groups alone. The promise about secret columns follows from how common their most
    frequent value is.
    """
    with progress_bar() as step:
        from voile.flow.explore.advise import advise as advise_on_columns
        from voile.flow.recommend.recommend import recommend

        load_plugins(plugin)
        combined = combine_spec(spec, schema_options, model, None, read_options, engine_options)
        if audience is not None:
            refuse_unused("the promise is recommended", {"model": model})
            combined = replace(combined, policy=ANY_PROMISE)
        request, data = read_requested(combined, source, step)
        step(0, None, "weigh")
        found = recommend(data, audience) if audience is not None else None
        advice = advise_on_columns(data, found.policy if found is not None else request.policy)
    if as_json:
        print_json({**advice.as_json(), **({"recommendation": found.as_json()} if found is not None else {})})
        return
    if found is not None:
        typer.echo(f"{found}\n")
    typer.echo(str(advice))

"""`voile measure`: what a release costs the people who analyse it."""

from __future__ import annotations

from typing import Annotated

import typer

from voile.cli.flags import (
    EngineOptions,
    Folder,
    HierarchyFolder,
    Json,
    Person,
    Plugins,
    ReadOptions,
    RequiredData,
    with_table_options,
)
from voile.cli.inputs import load_plugins, open_release, open_table
from voile.cli.terminal import print_json, show_losses, step_bar
from voile.cli.unused_options import refuse_unused_person, refuse_unused_reading


@with_table_options
def measure(
    release: Folder,
    data: RequiredData,
    person: Person = None,
    measure: Annotated[list[str] | None, typer.Option(help="E.g. query-error:queries=10000; all by default.")] = None,
    hierarchies: HierarchyFolder = None,
    *,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Measure what analysts lose by working with a release."""
    from voile.flow.measure.measure import measure as run_measures
    from voile.measures.base import Measure
    from voile.plugins.parameters import parse_short_form
    from voile.plugins.registry import build_plugin, narrow_type

    refuse_unused_reading(read_options, data)
    with step_bar("load", "measure") as step:
        load_plugins(plugin)
        step("load")
        opened, _ = open_release(release, engine_options, step.part)
        refuse_unused_person(opened, person)
        table = open_table(opened, data, hierarchies, read_options, engine_options, step.part, person=person)
        step("measure")
        measures = [narrow_type(Measure, build_plugin("measures", *parse_short_form(text))) for text in measure or ()]
        losses = run_measures(table, opened, measures or None)
    print_json(losses.as_json()) if as_json else show_losses(losses)

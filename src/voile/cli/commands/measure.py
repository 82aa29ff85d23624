"""`voile measure`: what a release costs those who analyse it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.flags import Engine, Folder, Json, NeededData, Plugins, Reading, Trees, reads
from voile.cli.inputs import open_plugins, open_release, open_table
from voile.cli.terminal import say_json, show_losses, steps

if TYPE_CHECKING:
    from voile.releases.release import Release
    from voile.results import Losses
    from voile.tables.microdata import Microdata


@reads
def measure(
    release: Folder,
    data: NeededData,
    measure: Annotated[list[str] | None, typer.Option(help="E.g. query-error:queries=10000; all by default.")] = None,
    hierarchies: Trees = None,
    *,
    reading: Reading,
    place: Engine,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Measure what analysts lose."""
    with steps("load", "measure") as step:
        open_plugins(plugin)
        step("load")
        loaded = open_release(release, place, step.part)
        table = open_table(loaded, data, hierarchies, reading, None, place, step.part)
        step("measure")
        losses = measured(loaded, measure, table)
    say_json(losses.as_json()) if as_json else show_losses(losses)


def measured(release: Release, measures: list[str] | None, data: Microdata) -> Losses:
    """What the named measures say, or all of them."""
    from voile.flow.measure.measure import measure
    from voile.measures.base import Measure
    from voile.plugins.parameters import parse_short_form
    from voile.plugins.registry import build_plugin, narrow_type

    chosen = (
        [narrow_type(Measure, build_plugin("measures", *parse_short_form(text))) for text in measures]
        if measures
        else None
    )
    return measure(data, release, chosen)

"""Measure: what analysts lose, compared with the original table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from voile.adversaries.prior_posterior import replace_by_indicator
from voile.flow.checking.people_check import require_people_of
from voile.measures.base import ByGroup, Measure
from voile.plugins.registry import build_plugin, narrow_type, registered_classes
from voile.releases.release import Release
from voile.releases.release_pieces import lies_in_pieces, split_into_pieces
from voile.results import Loss, Losses
from voile.tables.microdata import Microdata


def measure(data: Microdata, release: Release, measures: Sequence[Measure] | None = None) -> Losses:
    """Run measures; by default every registered one with its default knobs."""
    require_people_of(release, data)
    chosen = measures if measures is not None else list_measures()
    data = match_release(data, release)
    return Losses(tuple(_measure_loss(data, release, item) for item in chosen))


def _measure_loss(data: Microdata, release: Release, measure: Measure) -> Loss:
    """Measure piece by piece if the release lies in pieces and the measure allows it; else bring it into memory."""
    if isinstance(measure, ByGroup) and lies_in_pieces(release):
        return measure.measure_pieces(data, release, split_into_pieces(release).mapper(measure.name))
    return measure(data, release)


def match_release(data: Microdata, release: Release) -> Microdata:
    """Reduce sensitive columns to what the release shows: "protected or not", if it shows no more than that."""
    for claim in release.certificate.claims:
        entry = next((entry for entry in release.described("sensitive") if entry["name"] == claim["column"]), None)
        if entry is not None and entry.get("indicator") is True:
            target, protect = data.columns[str(entry["name"])], tuple(claim["parameters"]["protect"])
            labels = tuple(entry["domain"]["values"])
            columns, rows = replace_by_indicator(data.columns, data.rows, target, protect, labels)
            weighted = data.withheld_weight
            if weighted is not None:
                shown_weights = replace_by_indicator(data.columns, weighted.rows, target, protect, labels)[1]
                weighted = weighted._replace(rows=shown_weights)
            data = replace(data.with_rows(rows, columns), withheld_weight=weighted)
    return data


def list_measures() -> list[Measure]:
    """All registered measures with their default knobs, except those that are only measured on request."""
    measures = [narrow_type(Measure, build_plugin("measures", name, {})) for name in registered_classes("measures")]
    return [measure for measure in measures if not measure.on_request]

"""Measure: what analysts lose, compared with the table that the release was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from voile.adversaries.prior import INDICATOR
from voile.adversaries.prior_posterior import indicated
from voile.measures.base import ByGroup, Measure
from voile.plugins.registry import build_plugin, registered_classes
from voile.releases.release import Release
from voile.releases.release_pieces import in_pieces, pieces_of
from voile.results import Loss, Losses
from voile.tables.microdata import Microdata


def measure(data: Microdata, release: Release, measures: Sequence[Measure] | None = None) -> Losses:
    """Run measures; by default every registered one with its default knobs."""
    chosen = measures if measures is not None else every_measure()
    data = as_shown(data, release)
    return Losses(tuple(_loss(data, release, one) for one in chosen))


def _loss(data: Microdata, release: Release, one: Measure) -> Loss:
    """Piece by piece where the release lies in parts and the measure allows it; else it is brought into memory."""
    if isinstance(one, ByGroup) and in_pieces(release):
        return one.over(data, release, pieces_of(release).over(one.name))
    return one(data, release)


def as_shown(data: Microdata, release: Release) -> Microdata:
    """The table with sensitive columns as the release shows them: "protected or not" where it shows no more."""
    for claim in release.certificate.claims:
        entry = next((entry for entry in release.described("sensitive") if entry["name"] == claim["column"]), None)
        if entry is not None and tuple(entry["domain"].get("values", ())) == INDICATOR:
            target, protect = data.columns[str(entry["name"])], tuple(claim["parameters"]["protect"])
            columns, rows = indicated(data.columns, data.rows, target, protect)
            data = replace(data, columns=columns, rows=rows)
    return data


def every_measure() -> list[Measure]:
    found = [build_plugin("measures", name, {}) for name in registered_classes("measures")]
    return [one for one in found if isinstance(one, Measure)]

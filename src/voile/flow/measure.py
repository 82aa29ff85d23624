"""Measure: what analysts lose, compared with the table that the release was made from."""

from __future__ import annotations

from collections.abc import Sequence

from voile.core.measure import Measure
from voile.core.microdata import Microdata
from voile.core.plugin import build, registered
from voile.core.release import Release
from voile.core.results import Losses


def measure(data: Microdata, release: Release, measures: Sequence[Measure] | None = None) -> Losses:
    """Run measures; by default every registered one with its default knobs."""
    chosen = measures if measures is not None else every_measure()
    return Losses(tuple(one(data, release) for one in chosen))


def every_measure() -> list[Measure]:
    found = [build("measures", name, {}) for name in registered("measures")]
    return [one for one in found if isinstance(one, Measure)]

"""Discernibility: everybody pays for the people whom they cannot be told apart from.

The sum of squared group sizes plus, for every withheld row, the size of the table; divided by the square of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.measures.base import ByGroup, Outline, View
from voile.releases.release import Release
from voile.results import Loss


@dataclass(frozen=True)
class Discernibility(ByGroup):
    """DM over n squared."""

    name: ClassVar[str] = "discernibility"

    def summarize(self, view: View) -> tuple[int, float]:
        sizes = view.release.sizes
        return view.release.people, float(np.dot(sizes.astype(np.float64), sizes))

    def combine(self, table: Outline, release: Release, found: Sequence[tuple[int, float]]) -> Loss:
        total = float(table.total)
        withheld = max(table.total - sum(people for people, _ in found), 0)
        raw = sum(squares for _, squares in found) + withheld * total
        return Loss(self.name, "Discernibility (DM / n²)", raw / total**2, {"DM": raw}, "0 to 1")

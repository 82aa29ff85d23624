"""Discernibility: everybody pays for the people they cannot be told from.

The sum of squared group sizes plus, for every withheld row, the size of the table; divided by the square of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.core.measure import Measure, View
from voile.core.microdata import Microdata
from voile.core.release import Release
from voile.core.results import Loss


@dataclass(frozen=True)
class Discernibility(Measure):
    """DM over n squared."""

    name: ClassVar[str] = "discernibility"

    def __call__(self, data: Microdata, release: Release) -> Loss:
        view = View(data, release)
        total = float(view.total)
        raw = float(np.dot(release.sizes.astype(np.float64), release.sizes)) + view.withheld * total
        return Loss(self.name, "Discernibility (DM / n²)", raw / total**2, {"DM": raw}, "0 to 1")

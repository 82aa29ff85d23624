"""Normalized certainty penalty: how wide the published cells are.

A number costs the width of its range over the width of the column, a category the other values it may be over the
other values there are; an untouched cell costs 0 and `*` costs 1. GCP is the mean over all quasi-identifier cells of
the table, a withheld row counting 1. A bucketized release shows the quasi-identifier as it is and costs 0 here: what
it loses is the link to the sensitive column, which QueryError and Divergence see.
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
class Certainty(Measure):
    """GCP, and its part for each column."""

    name: ClassVar[str] = "certainty"

    def __call__(self, data: Microdata, release: Release) -> Loss:
        view = View(data, release)
        parts = dict.fromkeys(view.names, 0.0)
        for name, (cells, cell) in view.cells.items():
            parts[name] = float(np.dot(cells.loss(view.seen(name))[cell], release.sizes))
        parts = {name: (lost + view.withheld) / view.total for name, lost in parts.items()}
        return Loss(self.name, "Certainty penalty (GCP)", float(np.mean(list(parts.values()))), parts, "0 to 1")

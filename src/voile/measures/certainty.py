"""Normalized certainty penalty: how wide the published cells are.

A number costs the width of its range over the width of the column, a category the number of other values it may be
over the number of other values there are; an unchanged cell costs 0 and `*` costs 1. GCP is the mean over all
quasi-identifier cells of the table, in which a withheld row counts 1. A bucketized release shows exact
quasi-identifiers and costs 0 here: what it loses is the link to the sensitive column, which QueryError and Divergence
measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.measures.base import ByGroup, Outline, View, mean_costs
from voile.releases.release import Release
from voile.results import Loss


@dataclass(frozen=True)
class Certainty(ByGroup):
    """GCP, and its part for each column."""

    name: ClassVar[str] = "certainty"

    def summarize(self, view: View) -> tuple[int, dict[str, float]]:
        costs = dict.fromkeys(view.names, 0.0)
        for name, (cells, cell) in view.cells.items():
            costs[name] = float(np.dot(cells.loss(view.seen(name))[cell], view.release.sizes))
        return view.release.people, costs

    def combine(self, table: Outline, release: Release, found: Sequence[tuple[int, Mapping[str, float]]]) -> Loss:
        parts = mean_costs(table, found)
        return Loss(self.name, "Certainty penalty (GCP)", float(np.mean(list(parts.values()))), parts, "0 to 1")

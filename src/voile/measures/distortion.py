"""Distortion: how far up their hierarchy the cells were moved.

A value moved h levels up in a hierarchy of height H costs h/H. A range of numbers outside a hierarchy costs its width
over the column's, a set of categories without a hierarchy its share of the other values. The loss is the mean
over all cells, in which a withheld row counts 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.measures.base import ByGroup, Outline, View, mean_costs
from voile.releases.cells.cells import Cells
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.hierarchy import Hierarchy


@dataclass(frozen=True)
class Distortion(ByGroup):
    """Mean of h/H over the quasi-identifier cells."""

    name: ClassVar[str] = "distortion"

    def summarize(self, view: View) -> tuple[int, dict[str, float]]:
        costs = dict.fromkeys(view.names, 0.0)
        for name, (cells, cell) in view.cells.items():
            above = view.data.columns[name].hierarchy
            cost = cells.loss(view.seen(name)) if above is None else count_levels_up(cells, above) / above.height
            costs[name] = float(np.dot(cost[cell], view.release.sizes))
        return view.release.people, costs

    def combine(self, table: Outline, release: Release, found: Sequence[tuple[int, Mapping[str, float]]]) -> Loss:
        parts = mean_costs(table, found)
        return Loss(self.name, "Distortion", float(np.mean(list(parts.values()))), parts, "0 to 1")


def count_levels_up(cells: Cells, hierarchy: Hierarchy) -> np.ndarray:
    """Return, for each cell, the lowest level at which all its values share a node."""
    matrix = cells.matrix
    level_of = np.full(len(cells), hierarchy.height, dtype=np.int64)
    open_cells = np.ones(len(cells), dtype=bool)
    filled = np.diff(matrix.indptr) > 0
    for level in range(hierarchy.height + 1):
        nodes = hierarchy.maps[level][matrix.indices]
        alike = np.zeros(len(cells), dtype=bool)
        starts = matrix.indptr[:-1][filled]
        alike[filled] = np.maximum.reduceat(nodes, starts) == np.minimum.reduceat(nodes, starts)
        level_of[open_cells & alike] = level
        open_cells &= ~alike
    return level_of


def distortion(levels: Sequence[int], heights: Sequence[int]) -> float:
    """Return the mean of h/H over cells.

    >>> distortion([1, 0], [2, 1])
    0.25
    """
    return float(np.mean(np.asarray(levels) / np.asarray(heights)))

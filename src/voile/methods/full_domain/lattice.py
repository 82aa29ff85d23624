"""The lattice of level vectors over the people of one table: their groups at each vector, and what each vector loses.

Nothing here looks at sensitive values, so anybody who has the quasi-identifiers can compute it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile import kernels
from voile.methods.steering.column_cells import weigh_losses
from voile.releases.cells.cells import node_cells
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Column, Columns

Vector = tuple[int, ...]  # for each quasi-identifier column a level, counted from its finest one

TIE = 1e-12  # losses that differ by no more than this are equal


def list_levels(column: Column) -> range:
    """Return the levels at which a column may be shown."""
    assert column.hierarchy is not None
    steer, height = column.steer, column.hierarchy.height
    return range(steer.finest, (height if steer.coarsest is None else steer.coarsest) + 1)


class Lattice:
    """The level vectors of a table; the first columns of the table are the quasi-identifiers."""

    def __init__(self, columns: Columns, table: Histogram) -> None:
        self.columns, self.table = columns, table
        self.weights = table.counts.astype(np.int64)
        self.maps, self.losses = [], []
        for position, column in enumerate(columns.quasi):
            assert column.hierarchy is not None
            occurs = np.bincount(table.codes[:, position], minlength=column.size) > 0
            levels = list_levels(column)
            cells = [node_cells(column.domain, column.hierarchy, h) for h in levels]
            self.maps.append([column.hierarchy.maps[h] for h in levels])
            self.losses.append([weigh_losses(column, cell, occurs) for cell in cells])
        self.importance = sum(column.steer.weight for column in columns.quasi)
        self.heights = tuple(len(maps) for maps in self.maps)

    def number_groups(self, vector: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the group of each cell at a vector, and one cell of each group."""
        nodes = [self.maps[j][level][self.table.codes[:, j]] for j, level in enumerate(vector)]
        return kernels.distinct_rows.rank_rows(nodes, self.node_counts(range(len(vector)), vector))

    def node_counts(self, subset: Sequence[int], vector: Sequence[int]) -> list[int]:
        """Return how many nodes each of some columns has at its level."""
        return [len(self.losses[j][level]) for j, level in zip(subset, vector, strict=True)]

    def cell_losses(self, vector: Sequence[int], cells: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return what a person of each cell, or of some, loses at a vector: the columns' weighted mean penalty."""
        penalties = [self.losses[j][h][self.maps[j][h][self.table.codes[cells, j]]] for j, h in enumerate(vector)]
        return np.asarray(sum(penalties) / self.importance)

    def bound_losses(self) -> np.ndarray:
        """Return, for every vector, its loss if nothing is withheld: a lower bound, since a withheld row counts 1."""
        bound = np.zeros(self.heights)
        for j, maps in enumerate(self.maps):
            people = np.bincount(self.table.codes[:, j], weights=self.weights, minlength=len(maps[0]))
            # numpy adds up on one thread, where a dot product of so few numbers would wake several
            level = [float((self.losses[j][h][maps[h]] * people).sum()) / self.table.total for h in range(len(maps))]
            bound += np.array(level).reshape([-1 if j == i else 1 for i in range(len(self.maps))])
        return bound / self.importance

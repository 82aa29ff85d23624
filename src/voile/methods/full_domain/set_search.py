"""The search for a level vector that keeps the promise for each of several sets of columns.

Whoever knows the columns of one set sees groups of people with the same nodes in that set. These groups only grow when
columns are left out, and when levels rise, so the prunings of the lattice hold for each set.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from voile import kernels
from voile.methods.full_domain.lattice import Vector
from voile.methods.full_domain.lattice_search import LatticeSearch
from voile.models.policy import Policy
from voile.tables.group_counts import tally
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


class SetSearch(LatticeSearch):
    """The lattice over one table, in which every set of columns is judged by itself. Nobody is withheld."""

    def __init__(self, columns: Columns, policy: Policy, table: Histogram) -> None:
        super().__init__(columns, policy, table, 0)
        names = [column.name for column in columns.quasi]
        self.sets = [[names.index(name) for name in members] for members in columns.quasi_sets]
        self.judged_subsets = [tuple(members) for members in self.sets]

    def _list_subsets(self, size: int) -> Iterator[tuple[int, ...]]:
        known = {subset for members in self.sets for subset in itertools.combinations(sorted(members), size)}
        return iter(sorted(known))

    def _judge_groups(self, vector: Vector) -> tuple[np.ndarray, np.ndarray]:
        """Return the group of each cell by all columns, and which of them pass: those whose groups by each set hold."""
        group, first = self.number_groups(vector)
        passes = np.ones(len(first), dtype=bool)
        for members in self.sets:
            levels = [vector[j] for j in members]
            nodes = [self.maps[j][level][self.table.codes[:, j]] for j, level in zip(members, levels, strict=True)]
            seen, shown = kernels.distinct_rows.rank_rows(nodes, self.node_counts(members, levels))
            sizes = np.bincount(seen, weights=self.weights, minlength=len(shown)).astype(np.int64)
            tallies = {}
            for column in self.policy.columns_read(self.columns):
                value = self.table.column(column.name)
                totals = np.bincount(value, weights=self.weights, minlength=column.size).astype(np.int64)
                tallies[column.name] = tally(column, seen, value, self.weights, len(shown), totals)
            passes &= self.policy.holds(self.columns, tallies, sizes)[seen[first]]
        return group, passes

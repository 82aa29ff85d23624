"""The search for the level vector that loses least.

The level vectors (one hierarchy level per column) form a lattice. The search first rules out the vectors whose groups
are too small, by Incognito's two prunings: a vector that fails on some columns fails on more columns, and whatever
holds at a vector holds above it. Then it tries the others in rising order of a lower bound on their loss. Rows of
groups that fail may be withheld, up to a limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from voile import kernels
from voile.methods.full_domain.cell_blanks import blank_cells
from voile.methods.full_domain.lattice import TIE, Lattice, Vector
from voile.models.policy import Policy
from voile.tables.group_counts import tally
from voile.tables.row_protocol import WITHHELD, Histogram
from voile.tables.schema import Columns

UNKNOWN, HOLDS, FAILS = 0, 1, -1  # what is known about a vector


SUBSETS = 3  # Incognito's pruning looks at up to this many columns at a time; more costs more than it saves


class LatticeSearch(Lattice):
    """The lattice over one table: which vectors hold, and what they lose."""

    def __init__(self, columns: Columns, policy: Policy, table: Histogram, limit: int) -> None:
        super().__init__(columns, table)
        self.policy, self.limit = policy, limit
        self.rollups: dict[Vector, tuple[np.ndarray, np.ndarray]] = {}  # cells and weights of a subset, by vector
        self.rolled_up: tuple[int, ...] = ()  # the subset of the columns that `rollups` are about
        self.bound = self.bound_losses()
        self.judged_subsets = [tuple(range(len(self.heights)))]  # the columns by which people are grouped

    def find_best(self) -> Vector | None:
        """Return the vector of least loss, or None; ties go to the lexicographically least vector."""
        bound = self.bound
        status = self._prune()
        monotone = self.policy.sizes_suffice or (self.policy.monotone and self.limit == 0)
        # withholding is not monotone for models that read values: a failing group may spoil a good one above it
        best_vector: Vector | None = None
        least = np.inf
        number = np.arange(bound.size).reshape(bound.shape)  # in lexicographic order

        def may_be_better() -> np.ndarray:
            before_best = number < (number[best_vector] if best_vector is not None else 0)
            return np.asarray((bound < least - TIE) | ((bound <= least + TIE) & before_best))

        for vector in _walk(status, bound, may_be_better, monotone):
            loss = self._compute_loss(vector)
            status[vector] = HOLDS if loss < np.inf else FAILS
            if loss < least - TIE or (best_vector is not None and loss <= least + TIE and vector < best_vector):
                best_vector, least = vector, min(loss, least)
        return best_vector

    def group_cells(self, vector: Vector) -> np.ndarray:
        """Return the group of each cell at a vector; cells of failing groups are WITHHELD."""
        group, passes = self._judge_groups(vector)
        return np.where(passes[group], group, WITHHELD)

    def blank_cells(self, vector: Vector) -> np.ndarray:
        """Return the group of each cell at a vector, where people of failing groups share groups with blank cells; only
        those for whom that is not enough are WITHHELD."""
        nodes = [self.maps[j][level][self.table.codes[:, j]] for j, level in enumerate(vector)]
        sizes = self.node_counts(range(len(vector)), vector)
        # a blank is coarser than any level, so a column with a coarsest level has none
        costs = {j: c.steer.weight for j, c in enumerate(self.columns.quasi) if c.steer.coarsest is None}
        plain = self.group_cells(vector)
        group = blank_cells(plain, nodes, sizes, costs, self._judge_cells)
        while True:  # models that compare a group with the published people judge all groups again
            published = np.flatnonzero(group != WITHHELD)
            failing = ~self._judge_cells(published, group[published], published)[group[published]]
            if not failing.any():
                return group if int(self.weights[group == WITHHELD].sum()) <= self.limit else plain
            group[published[failing]] = WITHHELD

    def _judge_cells(self, cells: np.ndarray, group: np.ndarray, everybody: np.ndarray | None = None) -> np.ndarray:
        """Return whether each group of some cells holds, in comparison with the people of other cells, by default
        all."""
        weights, groups = self.weights[cells], int(group.max(initial=-1)) + 1
        sizes = np.bincount(group, weights=weights, minlength=groups).astype(np.int64)
        tallies = {}
        compared = slice(None) if everybody is None else everybody
        for column in self.policy.columns_read(self.columns):
            value = self.table.column(column.name)
            totals = np.bincount(value[compared], self.weights[compared], column.size).astype(np.int64)
            tallies[column.name] = tally(column, group, value[cells], weights, groups, totals)
        return np.asarray(self.policy.holds(self.columns, tallies, sizes))

    def count_failing(self) -> int:
        """Count the people whose groups fail even at the coarsest levels."""
        top = tuple(height - 1 for height in self.heights)
        group, passes = self._judge_groups(top)
        return int(self.weights[~passes[group]].sum())

    def _prune(self) -> np.ndarray:
        """Mark the vectors that cannot hold because groups on a few columns alone are too small (Incognito)."""
        columns = range(len(self.heights))
        status: dict[tuple[int, ...], np.ndarray] = {}
        for size in range(1, min(SUBSETS, len(self.heights)) + 1):
            for subset in self._list_subsets(size):
                subset_status = self._inherit_failures(subset, status)
                for vector in _walk(subset_status, np.zeros(subset_status.shape), lambda: np.array(True), True):
                    if self._sizes_suffice(subset, vector):
                        subset_status[tuple(slice(level, None) for level in vector)] = HOLDS  # and above it
                    else:
                        subset_status[vector] = FAILS
                status[subset] = subset_status
        lattice_status = np.zeros(self.heights, dtype=np.int8)
        for subset, subset_status in status.items():
            shape = [self.heights[j] if j in subset else 1 for j in columns]
            lattice_status = np.where(subset_status.reshape(shape) == FAILS, np.int8(FAILS), lattice_status)
        return lattice_status

    def _list_subsets(self, size: int) -> Iterator[tuple[int, ...]]:
        """List the columns that an adversary may know together, some at a time."""
        return itertools.combinations(range(len(self.heights)), size)

    def _inherit_failures(self, subset: tuple[int, ...], status: dict[tuple[int, ...], np.ndarray]) -> np.ndarray:
        """Mark the vectors that fail already on one column less: a vector that fails on some columns fails on more."""
        subset_status = np.zeros([self.heights[j] for j in subset], dtype=np.int8)
        for position in range(len(subset) if len(subset) > 1 else 0):
            smaller = status[subset[:position] + subset[position + 1 :]]
            subset_status = np.where(np.expand_dims(smaller, position) == FAILS, np.int8(FAILS), subset_status)
        return subset_status

    def _sizes_suffice(self, subset: tuple[int, ...], vector: Vector) -> bool:
        """Return whether at most `limit` rows are in groups that are too small, by a subset of the columns."""
        weights = self._count_nodes(subset, vector)
        return int(weights[weights < self.policy.smallest()].sum()) <= self.limit

    def _count_nodes(self, subset: tuple[int, ...], vector: Vector) -> np.ndarray:
        """Return how many people each combination of nodes has, rolled up from the smallest finer count."""
        if self.rolled_up != subset:  # every vector is above the lowest one
            self.rollups.clear()
            self.rolled_up = subset
            self._roll_up(subset, (0,) * len(subset), self.table.codes[:, list(subset)], self.weights)
        finer = [v for v in self.rollups if all(a <= b for a, b in zip(v, vector, strict=True))]
        return self._roll_up(subset, vector, *self.rollups[min(finer, key=lambda v: len(self.rollups[v][1]))])

    def _roll_up(self, subset: tuple[int, ...], vector: Vector, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return how many people each combination of nodes has, and remember it where it is much smaller."""
        nodes = [self.maps[j][level][codes[:, i]] for i, (j, level) in enumerate(zip(subset, vector, strict=True))]
        first, totals = kernels.distinct_rows.merge_rows(nodes, self.node_counts(subset, vector), weights)
        if not self.rollups or 2 * len(totals) < len(weights):
            self.rollups[vector] = codes[first], totals
        return totals

    def _judge_groups(self, vector: Vector) -> tuple[np.ndarray, np.ndarray]:
        """Return the group of each cell, and which groups pass.

        Models that compare a group with the whole table compare it with the published rows: after some groups are
        withheld, the others are judged again.
        """
        group, first = self.number_groups(vector)
        sizes = np.bincount(group, weights=self.weights, minlength=len(first)).astype(np.int64)
        passes = np.ones(len(first), dtype=bool)
        while True:
            is_published = passes[group]
            tallies = {}
            for column in self.policy.columns_read(self.columns):
                value = self.table.column(column.name)
                totals = np.bincount(value, weights=self.weights * is_published, minlength=column.size).astype(np.int64)
                tallies[column.name] = tally(column, group, value, self.weights, len(first), totals)
            failing = passes & ~self.policy.holds(self.columns, tallies, sizes)
            passes &= ~failing
            if not failing.any() or int(sizes[~passes].sum()) > self.limit:
                return group, passes

    def _compute_loss(self, vector: Vector) -> float:
        """Return the weighted mean certainty penalty over all cells, a withheld row counting 1; infinite if too many
        rows would be withheld."""
        if not all(self._sizes_suffice(subset, tuple(vector[j] for j in subset)) for subset in self.judged_subsets):
            return float("inf")
        group, passes = self._judge_groups(vector)
        cells = np.flatnonzero(~passes[group])
        weights = self.weights[cells]
        withheld = int(weights.sum())
        if withheld > self.limit or withheld == self.table.total:
            return float("inf")
        saved = float((self.cell_losses(vector, cells) * weights).sum())
        return float(self.bound[vector]) + (withheld - saved) / self.table.total


def _walk(
    status: np.ndarray, bound: np.ndarray, may_be_better: Callable[[], np.ndarray], monotone: bool
) -> Iterator[Vector]:
    """Yield vectors to decide until none is left that may be better than the best so far; the caller sets `status`.

    In a monotone lattice the middle of the unknown vectors comes next, because a failure settles all vectors below it.
    Otherwise every vector comes, the one with the lowest bound first.
    """
    heights = np.indices(status.shape).sum(axis=0).ravel()
    while True:
        unknown = np.flatnonzero((status == UNKNOWN) & may_be_better())
        if not len(unknown):
            return
        rank = heights if monotone else bound.ravel()
        position = unknown[np.argsort(rank[unknown], kind="stable")[len(unknown) // 2 if monotone else 0]]
        vector = tuple(int(level) for level in np.unravel_index(position, status.shape))
        yield vector
        if monotone and status[vector] == FAILS:
            status[tuple(slice(None, level + 1) for level in vector)] = FAILS

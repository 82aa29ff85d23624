"""Full-domain recoding: one level of the hierarchy for each column, the same for everybody.

The level vectors form a lattice. The search finds every vector that the group sizes allow, by Incognito's two prunings
(a vector that fails on some columns fails on more; what holds at a vector holds above it), and then, in rising order of
a lower bound on their loss, the one that loses least. Rows of groups that fail may be withheld up to a limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, Unsatisfiable, option
from voile.methods.base import CompletesHierarchies, ExplainsRefusals, Method, RefusedSteps, Settings
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.cell_choice import level_cells
from voile.releases.cells import node_cells
from voile.releases.release import Release
from voile.releases.shapes.generalized import show_boxes
from voile.tables.group_counts import tally
from voile.tables.row_protocol import WITHHELD, Histogram, Rows, Table
from voile.tables.schema import Columns

LARGEST_LATTICE = 2_000_000
SUBSETS = 3  # Incognito's pruning looks at this many columns at a time; more costs more than it saves


@dataclass(frozen=True)
class FullDomain(CompletesHierarchies, ExplainsRefusals, Method):
    """Global recoding over the lattice of hierarchy levels.

    Claim: every group satisfies every model of the policy.
    Against: the adversaries that the models name; not one who knows that a lower vector failed (minimality).
    Needs: a hierarchy for every quasi-identifier column; columns without one get an automatic one.
    Why: every group of the chosen vector is judged by the policy; groups that fail are withheld, up to `suppression`.
    Source: LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005).
    """

    name: ClassVar[str] = "full-domain"
    tried: ClassVar[Settings] = ({}, {"suppression": 0.01}, {"suppression": 0.05})

    suppression: float = knob(0.0, low=0, high=1)

    def complete_hierarchies(self, columns: Columns, rows: Table) -> Columns:
        counts = {}
        for column in columns.quasi:
            table = rows.histogram([column.name])
            counts[column.name] = np.zeros(column.size, dtype=np.int64)
            counts[column.name][table.codes[:, 0]] = table.counts
        return columns.with_hierarchies(counts)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        vectors = 1
        for column in columns.quasi:
            vectors *= column.hierarchy.height + 1 if column.hierarchy else 1
        if vectors > LARGEST_LATTICE:
            raise PolicyError(
                f"The lattice has {vectors} level vectors, more than {LARGEST_LATTICE}.",
                code="policy.lattice",
                hint=f"Give fewer columns or flatter hierarchies, or use {option('method', 'mondrian')}.",
            )

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        quasi = [column.name for column in columns.quasi]
        table = rows.histogram([*quasi, *(column.name for column in policy.columns_read(columns))])
        limit = int(self.suppression * table.total + 1e-9)
        search = _Search(columns, policy, table, limit)
        best = search.best()
        if best is None:
            raise self._out_of_reach(columns, rows, policy)
        return rows.place(table, search.groups(best))

    def show(self, columns: Columns, rows: Rows) -> Release:
        """Each column at the lowest level at which every group has one node."""
        shown = {}
        for column in columns.quasi:
            assert column.hierarchy is not None
            starts, members = rows.list_codes(column.name)
            for level in range(column.hierarchy.height + 1):
                nodes = column.hierarchy.maps[level][members]
                if np.array_equal(np.maximum.reduceat(nodes, starts[:-1]), np.minimum.reduceat(nodes, starts[:-1])):
                    shown[column.name] = level_cells(column, level, rows)
                    break
        return show_boxes(columns, rows, shown)

    def refused_steps(
        self, columns: Columns, table: Histogram, group: np.ndarray, smallest: int
    ) -> RefusedSteps | None:
        """Each column one level lower, for everybody; not known where rows were withheld or the levels do not fit."""
        if self.suppression > 0:
            return None
        steps, shown = [], []
        for column in columns.quasi:
            assert column.hierarchy is not None
            codes = table.column(column.name)
            level = 0
            while not _alike(column.hierarchy.maps[level][codes], group):
                level += 1
            shown.append(column.hierarchy.maps[level][codes])
            if level:
                steps.append(column.hierarchy.maps[level - 1][codes])
        _, first = kernels.distinct_rows.rank_rows(shown, [column.size + 1 for column in columns.quasi])
        if len(first) != len(np.unique(group)):
            return None  # the groups are not those of a level vector: these are not the publisher's hierarchies
        return RefusedSteps(np.stack(steps, axis=1) if steps else np.zeros((len(group), 0), dtype=np.int64), whole=True)

    def _out_of_reach(self, columns: Columns, rows: Rows, policy: Policy) -> Unsatisfiable:
        policy.require_whole(columns, rows.tally_values(columns), rows.total)
        hint = f"Raise the suppression limit, or use {option('method', 'mondrian')}."
        return Unsatisfiable(
            "No level vector of the hierarchies satisfies the policy.",
            code="unsatisfiable.lattice",
            hint=hint,
            best=hint,
        )


def _alike(nodes: np.ndarray, group: np.ndarray) -> bool:
    """Whether every group has one node."""
    groups = int(group.max(initial=-1)) + 1
    low, high = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    np.minimum.at(low, group, nodes)
    np.maximum.at(high, group, nodes)
    return bool((low >= high).all())


class _Search:
    """The lattice over one table: which vectors hold, what they lose."""

    def __init__(self, columns: Columns, policy: Policy, table: Histogram, limit: int) -> None:
        self.columns, self.policy, self.table, self.limit = columns, policy, table, limit
        self.weights = table.counts.astype(np.int64)
        self.maps, self.losses = [], []
        for number, column in enumerate(columns.quasi):
            assert column.hierarchy is not None
            codes = table.codes[:, number]
            seen = np.bincount(codes, minlength=column.size) > 0
            cells = [node_cells(column.domain, column.hierarchy, h) for h in range(column.hierarchy.height + 1)]
            self.maps.append([column.hierarchy.maps[h] for h in range(column.hierarchy.height + 1)])
            self.losses.append([cell.loss(seen) for cell in cells])
        self.heights = tuple(len(maps) for maps in self.maps)
        self.rolled: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}

    def best(self) -> tuple[int, ...] | None:
        """The vector of least loss; ties go to the lexicographically least."""
        bound = self._bounds()
        status = self._pruned()
        along = self.policy.sizes_suffice or (self.policy.monotone and self.limit == 0)
        # withholding is not monotone for models of values: a failing group may spoil a good one above it
        chosen: tuple[int, ...] | None = None
        least = np.inf
        for vector in _walk(status, bound, lambda: least, along):  # noqa: B023 - the walk must see the newest `least`
            loss = self._loss(vector)
            status[vector] = 1 if loss < np.inf else -1
            if loss < least - 1e-12 or (chosen is not None and abs(loss - least) <= 1e-12 and vector < chosen):
                chosen, least = vector, min(loss, least)
        return chosen

    def groups(self, vector: tuple[int, ...]) -> np.ndarray:
        """The group of each cell at a vector; failing groups are WITHHELD."""
        group, kept = self._judged(vector)
        return np.where(kept[group], group, WITHHELD)

    def _pruned(self) -> np.ndarray:
        """Vectors that cannot hold (-1) because groups on a few columns alone are too small: Incognito's pruning."""
        columns = range(len(self.heights))
        status: dict[tuple[int, ...], np.ndarray] = {}
        for size in range(1, min(SUBSETS, len(self.heights)) + 1):
            for some in itertools.combinations(columns, size):
                self.rolled.clear()
                known = self._from_parts(some, status)
                for vector in _walk(known, np.zeros(known.shape), lambda: np.inf, True):
                    if self._sized(some, vector):
                        known[tuple(slice(level, None) for level in vector)] = 1  # what holds, holds above
                    else:
                        known[vector] = -1
                status[some] = known
        whole = np.zeros(self.heights, dtype=np.int8)
        for some, known in status.items():
            shape = [self.heights[j] if j in some else 1 for j in columns]
            whole = np.where(known.reshape(shape) < 0, np.int8(-1), whole)
        return whole

    def _from_parts(self, some: tuple[int, ...], status: dict[tuple[int, ...], np.ndarray]) -> np.ndarray:
        """A vector that fails on some columns fails on more."""
        known = np.zeros([self.heights[j] for j in some], dtype=np.int8)
        for left_out in range(len(some) if len(some) > 1 else 0):
            part = status[some[:left_out] + some[left_out + 1 :]]
            known = np.where(np.expand_dims(part, left_out) < 0, np.int8(-1), known)
        return known

    def _sized(self, some: tuple[int, ...], vector: tuple[int, ...]) -> bool:
        """Whether at most `limit` rows are in groups that are too small, looking at some columns only."""
        _, weights = self._counted(some, vector)
        return int(weights[weights < self.policy.smallest()].sum()) <= self.limit

    def _counted(self, some: tuple[int, ...], vector: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """A leaf of each distinct node combination and the weights, rolled up from the smallest finer count."""
        finer = [v for v in self.rolled if all(a <= b for a, b in zip(v, vector, strict=True))]
        if finer:
            codes, weights = self.rolled[min(finer, key=lambda v: len(self.rolled[v][1]))]
        else:
            codes, weights = self.table.codes[:, list(some)], self.weights
        nodes = [self.maps[j][level][codes[:, i]] for i, (j, level) in enumerate(zip(some, vector, strict=True))]
        first, totals = kernels.distinct_rows.merge_rows(nodes, self._node_counts(some, vector), weights)
        if 2 * len(totals) < len(weights):
            self.rolled[vector] = codes[first], totals
        return codes[first], totals

    def _node_counts(self, some: Sequence[int], vector: Sequence[int]) -> list[int]:
        return [len(self.losses[j][level]) for j, level in zip(some, vector, strict=True)]

    def _group(self, vector: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        nodes = [self.maps[j][level][self.table.codes[:, j]] for j, level in enumerate(vector)]
        return kernels.distinct_rows.rank_rows(nodes, self._node_counts(range(len(vector)), vector))

    def _judged(self, vector: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The group of each cell, and which groups are kept.

        Models that compare with the whole table are judged against the rows that are published: after groups are
        withheld the rest is judged again.
        """
        group, first = self._group(vector)
        sizes = np.bincount(group, weights=self.weights, minlength=len(first)).astype(np.int64)
        kept = np.ones(len(first), dtype=bool)
        while True:
            shown = kept[group]
            tallies = {}
            for column in self.policy.columns_read(self.columns):
                value = self.table.column(column.name)
                totals = np.bincount(value, weights=self.weights * shown, minlength=column.size).astype(np.int64)
                tallies[column.name] = tally(column, group, value, self.weights, len(first), totals)
            failing = kept & ~self.policy.holds(self.columns, tallies, sizes)
            kept &= ~failing
            if not failing.any() or int(sizes[~kept].sum()) > self.limit:
                return group, kept

    def _loss(self, vector: tuple[int, ...]) -> float:
        """Mean certainty penalty over all cells, a withheld row counting 1; infinite where too many are withheld."""
        group, kept = self._judged(vector)
        shown = kept[group]
        lost = int(self.weights[~shown].sum())
        total = int(self.weights.sum())
        if lost > self.limit or lost == total:
            return float("inf")
        weights = self.weights[shown]
        parts = [
            float(np.dot(self.losses[j][level][self.maps[j][level][self.table.codes[shown, j]]], weights))
            for j, level in enumerate(vector)
        ]
        return (sum(parts) / len(parts) + lost) / total

    def _bounds(self) -> np.ndarray:
        """For every vector its loss without withholding: a lower bound, since a withheld row counts 1."""
        bound = np.zeros(self.heights)
        total = self.weights.sum()
        for j, maps in enumerate(self.maps):
            codes = self.table.codes[:, j]
            level = [float(np.dot(self.losses[j][h][maps[h][codes]], self.weights) / total) for h in range(len(maps))]
            bound += np.array(level).reshape([-1 if j == i else 1 for i in range(len(self.maps))])
        return bound / len(self.maps)


def _walk(status: np.ndarray, bound: np.ndarray, least: Callable[[], float], along: bool) -> Iterator[tuple[int, ...]]:
    """Vectors to decide, until every one whose bound is below the least loss is decided; the caller sets `status`.

    Along a monotone lattice the middle of what is unknown is asked for, because a failure settles all that lies below.
    Otherwise every vector is asked for, the lowest bound first.
    """
    heights = np.indices(status.shape).sum(axis=0).ravel()
    while True:
        unknown = np.flatnonzero((status.ravel() == 0) & (bound.ravel() < least()))
        if not len(unknown):
            return
        rank = heights if along else bound.ravel()
        place = unknown[np.argsort(rank[unknown], kind="stable")[len(unknown) // 2 if along else 0]]
        vector = tuple(int(level) for level in np.unravel_index(place, status.shape))
        yield vector
        if along and status[vector] < 0:
            status[tuple(slice(None, level + 1) for level in vector)] = -1

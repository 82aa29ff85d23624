"""A large table is published part by part: a tree of even cuts along the quasi-identifier, decided on counts alone.

A part is a box of the quasi-identifier space with at most SHARD people, as far as cuts can make it so. Every engine
makes the same cuts from the same counts, so that a table in memory, on disk or on a cluster is published alike; and a
method that works on one part at a time never needs more memory than one part does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from voile import kernels
from voile.core.counts import Counts
from voile.core.policy import Policy
from voile.core.schema import Column, Columns

if TYPE_CHECKING:
    from voile.core.method import Method
    from voile.core.rows import Table

SHARD = 1 << 20  # people in a part, at most: large enough to lose nothing, small enough for one task


@dataclass(frozen=True, eq=False)
class Division:
    """Cuts by columns of codes. `names` are the columns, `ranks` the cutting order of each, `column`, `cut` and `left`
    the tree as kernels.divide reads it, `people` the number of people at every node, `totals` how often each value of
    the sensitive columns that were looked at occurs in the whole table."""

    names: tuple[str, ...]
    ranks: tuple[np.ndarray, ...]
    column: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    people: np.ndarray
    totals: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Division({len(self.leaves)} parts by {', '.join(self.names)})"

    @cached_property
    def leaves(self) -> np.ndarray:
        """The nodes that are parts, from left to right."""
        found, stack = [], [0]
        while stack:
            node = stack.pop()
            if self.column[node] < 0:
                found.append(node)
            else:
                stack += [int(self.left[node]) + 1, int(self.left[node])]
        return np.array(found)

    @cached_property
    def part(self) -> np.ndarray:
        """The part of each node that is one, else -1."""
        found = np.full(len(self.column), -1)
        found[self.leaves] = np.arange(len(self.leaves))
        return found

    @cached_property
    def boxes(self) -> list[dict[str, np.ndarray]]:
        """For each part and column which codes may be in it; the boxes tile the space."""
        whole = [np.ones(len(rank), dtype=bool) for rank in self.ranks]
        found: dict[int, list[np.ndarray]] = {0: whole}
        for node in range(len(self.column)):
            if self.column[node] >= 0:
                j, child = int(self.column[node]), int(self.left[node])
                low = self.ranks[j] <= self.cut[node]
                for side, taken in ((child, low), (child + 1, ~low)):
                    found[side] = [mask & taken if i == j else mask for i, mask in enumerate(found[node])]
        return [dict(zip(self.names, found[int(leaf)], strict=True)) for leaf in self.leaves]

    def nodes(self, names: Sequence[str], codes: np.ndarray) -> np.ndarray:
        """The leaf that each row of codes is in."""
        places = np.array([list(names).index(name) for name in self.names], dtype=np.int64)
        offset = np.concatenate([[0], np.cumsum([len(rank) for rank in self.ranks])]).astype(np.int64)
        ranks = np.concatenate([*self.ranks, np.zeros(0, np.int64)]).astype(np.int64)
        return np.asarray(kernels.divide.leaves(codes, places, offset, ranks, self.column, self.cut, self.left))


def undivided(columns: Columns, rows: Table) -> Division:
    """Everybody in one part. Categories are cut in the order of how frequent they are, other columns in their own."""
    ranks = []
    for column in columns.quasi:
        place = np.arange(max(column.size, 1))
        if column.kind == "categorical":
            table = rows.histogram([column.name])
            people = np.zeros(len(place), dtype=np.int64)
            people[table.codes[:, 0]] = table.counts
            order = np.lexsort((place, -people))
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
        ranks.append(place)
    names = tuple(column.name for column in columns.quasi)
    return Division(names, tuple(ranks), np.array([-1]), np.array([-1]), np.array([-1]), np.array([rows.total]))


def divided(columns: Columns, rows: Table, policy: Policy, method: Method) -> Division | None:
    """The parts of a table; None where it is published whole. No part is made that could not keep the policy alone."""
    if method.whole or rows.total <= SHARD:
        return None
    division = undivided(columns, rows)
    reads = method.heeds(columns, policy)
    watched = [*columns.quasi, *(column for column in reads if column not in columns.quasi)]
    totals = _split(watched, rows.profile([column.name for column in watched], division, np.array([0]))[0])
    frontier, refused = {0: totals}, dict[int, set[int]]()
    while frontier:
        found = {node: _best_cut(columns, division, held, refused.get(node, set())) for node, held in frontier.items()}
        cuts = {node: cut for node, cut in found.items() if cut is not None}
        if not cuts:
            break
        division, children = _grown(division, cuts)
        asked = children if reads else children[division.people[children] > SHARD]
        held: Sequence[np.ndarray] = []
        if len(asked):
            held = list(rows.profile([column.name for column in watched], division, asked))
        seen = {int(node): _split(watched, one) for node, one in zip(asked, held, strict=True)}
        poor = set[int]()
        if reads:
            fits = _fits(columns, policy, method, reads, [seen[int(node)] for node in children], totals)
            poor = {node for node, good in zip(cuts, fits.reshape(-1, 2), strict=True) if not good.all()}
            for node in poor:
                refused.setdefault(node, set()).add(cuts[node][0])
                division.column[node] = -1  # a leaf again; another column may be better
        gone = {int(division.left[node]) + side for node in poor for side in (0, 1)}
        frontier = {node: one for node, one in frontier.items() if node in poor}
        frontier |= {node: one for node, one in seen.items() if node not in gone and division.people[node] > SHARD}
    if len(division.leaves) < 2:
        return None
    return replace(division, totals={column.name: totals[column.name] for column in reads})


def _split(columns: Sequence[Column], held: np.ndarray) -> dict[str, np.ndarray]:
    ends = np.cumsum([max(column.size, 1) for column in columns])[:-1]
    return {column.name: part for column, part in zip(columns, np.split(held, ends), strict=True)}


def _best_cut(
    columns: Columns, division: Division, held: Mapping[str, np.ndarray], refused: set[int]
) -> tuple[int, int, int] | None:
    """The column, the rank and the number of people on the left: the widest column that leaves a quarter on each side,
    else the most even cut."""
    best: tuple[bool, float, int, int] | None = None
    chosen: tuple[int, int, int] | None = None
    for j, (column, rank) in enumerate(zip(columns.quasi, division.ranks, strict=True)):
        people = np.empty(len(rank), dtype=np.int64)
        people[rank] = held[column.name]
        below = np.cumsum(people)
        total = int(below[-1])
        cut = int(np.argmin(np.abs(2 * below - total)))
        left = int(below[cut])
        if j in refused or left in (0, total):
            continue
        even = min(left, total - left)
        worth = (4 * even >= total, _width(column, held[column.name]) if 4 * even >= total else 0.0, even, -j)
        if best is None or worth > best:
            best, chosen = worth, (j, cut, left)
    return chosen


def _width(column: Column, people: np.ndarray) -> float:
    """The share of a column's values that a box spans."""
    present = np.flatnonzero(people)
    if not column.domain.ranged:
        return (len(present) - 1) / max(column.size - 1, 1)
    points = column.domain.points
    known = present[present < len(points)]
    if len(known) < 2:
        return 0.0
    return float(points[known[-1]] - points[known[0]]) / max(float(points[-1] - points[0]), 1e-300)


def _grown(division: Division, cuts: Mapping[int, tuple[int, int, int]]) -> tuple[Division, np.ndarray]:
    """The tree with some leaves cut, and the new leaves in pairs."""
    column, cut, left = division.column.copy(), division.cut.copy(), division.left.copy()
    first = len(column)
    people = []
    for number, (node, (j, rank, below)) in enumerate(cuts.items()):
        column[node], cut[node], left[node] = j, rank, first + 2 * number
        people += [below, int(division.people[node]) - below]
    more = np.full(2 * len(cuts), -1)
    grown = Division(
        division.names,
        division.ranks,
        np.concatenate([column, more]),
        np.concatenate([cut, more]),
        np.concatenate([left, more]),
        np.concatenate([division.people, np.array(people, dtype=np.int64)]),
    )
    return grown, np.arange(first, first + 2 * len(cuts))


def _fits(
    columns: Columns,
    policy: Policy,
    method: Method,
    reads: Sequence[Column],
    held: Sequence[Mapping[str, np.ndarray]],
    totals: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Which parts could keep the policy by themselves."""
    tallies = {}
    for column in reads:
        table = np.stack([one[column.name] for one in held])
        group, value = np.nonzero(table)
        starts = np.searchsorted(group, np.arange(len(table) + 1))
        sizes = table.sum(axis=1)
        tallies[column.name] = Counts(sizes, starts, value, table[group, value], totals[column.name], column)
    return method.fits(columns, policy, tallies)

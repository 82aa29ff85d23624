"""Plan how a large table is published part by part: even cuts along the quasi-identifier, decided on counts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from voile.methods.base import Partitionable
from voile.models.policy import Policy
from voile.tables import partition_tree
from voile.tables.group_counts import Counts
from voile.tables.partition_tree import Division
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

UNEVEN = 16  # the smaller side of a cut has at least this part of the people


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


def plan_partition(columns: Columns, rows: Table, policy: Policy, method: Partitionable) -> Division | None:
    """The parts of a table; None where it is published whole. No part is made that could not keep the policy alone."""
    if rows.total <= partition_tree.SHARD:
        return None
    division = undivided(columns, rows)
    reads = method.watched_columns(columns, policy)
    watched = [*columns.quasi, *(column for column in reads if column not in columns.quasi)]
    totals = _split(watched, rows.profile([column.name for column in watched], division, np.array([0]))[0])
    frontier, refused = {0: totals}, dict[int, set[int]]()
    while frontier:
        found = {}
        for node, own in frontier.items():
            found[node] = _best_cut(columns, division, own, refused.get(node, set()), policy.smallest())
        cuts = {node: cut for node, cut in found.items() if cut is not None}
        if not cuts:
            break
        division, children = _grown(division, cuts)
        asked = children if reads else children[division.people[children] > partition_tree.SHARD]
        held: Sequence[np.ndarray] = []
        if len(asked):
            held = list(rows.profile([column.name for column in watched], division, asked))
        seen = {int(node): _split(watched, one) for node, one in zip(asked, held, strict=True)}
        poor = set[int]()
        if reads:
            fits = _parts_that_fit(columns, policy, method, reads, [seen[int(node)] for node in children], totals)
            poor = {node for node, good in zip(cuts, fits.reshape(-1, 2), strict=True) if not good.all()}
            for node in poor:
                refused.setdefault(node, set()).add(cuts[node][0])
                division.column[node] = -1  # a leaf again; another column may be better
        gone = {int(division.left[node]) + side for node in poor for side in (0, 1)}
        frontier = {node: one for node, one in frontier.items() if node in poor}
        frontier |= {
            node: one for node, one in seen.items() if node not in gone and division.people[node] > partition_tree.SHARD
        }
    if len(division.leaves) < 2:
        return None
    return replace(division, totals={column.name: totals[column.name] for column in reads})


def people_before(division: Division | None) -> list[int]:
    """How many people are in the parts before each part."""
    if division is None:
        return [0]
    return [0, *np.cumsum(division.people[division.leaves])[:-1].tolist()]


def _split(columns: Sequence[Column], held: np.ndarray) -> dict[str, np.ndarray]:
    ends = np.cumsum([max(column.size, 1) for column in columns])[:-1]
    return {column.name: part for column, part in zip(columns, np.split(held, ends), strict=True)}


def _best_cut(
    columns: Columns, division: Division, held: Mapping[str, np.ndarray], refused: set[int], least: int
) -> tuple[int, int, int] | None:
    """The column, the rank and the number of people on the left: the widest column that leaves a quarter on each side,
    else the most even cut; none that leaves a side with few people, of whom a cut that is not made would tell."""
    best: tuple[bool, float, int, int] | None = None
    chosen: tuple[int, int, int] | None = None
    for j, (column, rank) in enumerate(zip(columns.quasi, division.ranks, strict=True)):
        people = np.empty(len(rank), dtype=np.int64)
        people[rank] = held[column.name]
        below = np.cumsum(people)
        total = int(below[-1])
        cut = int(np.argmin(np.abs(2 * below - total)))
        left = int(below[cut])
        even = min(left, total - left)
        if j in refused or even < least or UNEVEN * even < total:
            continue
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


def _parts_that_fit(
    columns: Columns,
    policy: Policy,
    method: Partitionable,
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
    return method.can_stand_alone(columns, policy, tallies)

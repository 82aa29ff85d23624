"""Plan how a large table is published part by part: even cuts along the quasi-identifier, decided on counts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from voile.methods.base import Partitionable
from voile.models.policy import Policy
from voile.tables import partition_tree
from voile.tables.group_counts import Counts
from voile.tables.partition_tree import PartitionTree
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

LEAST_SHARE = 16  # the smaller side of a cut has at least one in this many of the people
Profile = Mapping[str, np.ndarray]  # by column: how many people of a node have each code
Cut = tuple[int, int, int]  # the column, the last rank on the left, and the people on the left


def plan_partition(columns: Columns, rows: Table, policy: Policy, method: Partitionable) -> PartitionTree | None:
    """Cut a table into parts that could each keep the policy alone; None where the table is published whole."""
    if rows.total <= partition_tree.LARGEST_PART:
        return None
    tree = plant_tree(columns, rows)
    sensitive = method.watched_columns(columns, policy)
    watched = [*columns.quasi, *(column for column in sensitive if column not in columns.quasi)]
    totals = _profiles(rows, watched, tree, np.array([0]))[0]
    open_nodes, refused = {0: totals}, dict[int, set[int]]()  # by node: its profile; the columns that do not fit
    while open_nodes:
        proposed = {
            node: _best_cut(columns, tree, profile, refused.get(node, set()), policy.smallest())
            for node, profile in open_nodes.items()
        }
        cuts = {node: cut for node, cut in proposed.items() if cut is not None}
        if not cuts:
            break
        tree, children = _grow(tree, cuts)
        large = tree.people > partition_tree.LARGEST_PART
        profiles = _profiles(rows, watched, tree, children if sensitive else children[large[children]])
        undone = set[int]()
        if sensitive:
            fitting = _parts_that_fit(columns, policy, method, sensitive, [profiles[c] for c in children], totals)
            undone = {node for node, both in zip(cuts, fitting.reshape(-1, 2), strict=True) if not both.all()}
        for node in undone:
            refused.setdefault(node, set()).add(cuts[node][0])
            tree.column[node] = -1  # a leaf again; another column may fit
        abandoned = {int(tree.left[node]) + side for node in undone for side in (0, 1)}
        open_nodes = {node: profile for node, profile in open_nodes.items() if node in undone}
        open_nodes |= {n: profile for n, profile in profiles.items() if n not in abandoned and large[n]}
    if len(tree.leaves) < 2:
        return None
    return replace(tree, totals={column.name: totals[column.name] for column in sensitive})


def people_before(tree: PartitionTree | None) -> list[int]:
    """Count the people in the parts before each part."""
    if tree is None:
        return [0]
    return [0, *np.cumsum(tree.people[tree.leaves])[:-1].tolist()]


def plant_tree(columns: Columns, rows: Table) -> PartitionTree:
    """Return the tree with everybody in one part. Categories are cut in the order of how frequent they are, other
    columns in their own order."""
    ranks = []
    for column in columns.quasi:
        rank = np.arange(max(column.size, 1))
        if column.kind == "categorical":
            table = rows.histogram([column.name])
            people = np.zeros(len(rank), dtype=np.int64)
            people[table.codes[:, 0]] = table.counts
            order = np.lexsort((rank, -people))
            rank = np.empty_like(order)
            rank[order] = np.arange(len(order))
        ranks.append(rank)
    names = tuple(column.name for column in columns.quasi)
    return PartitionTree(names, tuple(ranks), np.array([-1]), np.array([-1]), np.array([-1]), np.array([rows.total]))


def _profiles(rows: Table, columns: Sequence[Column], tree: PartitionTree, nodes: np.ndarray) -> dict[int, Profile]:
    """Count, for some nodes of the tree, how many people have each code of each column."""
    if not len(nodes):
        return {}
    ends = np.cumsum([max(column.size, 1) for column in columns])[:-1]
    counted = rows.count_by_node([column.name for column in columns], tree, nodes)
    return {
        int(node): {column.name: part for column, part in zip(columns, np.split(people, ends), strict=True)}
        for node, people in zip(nodes, counted, strict=True)
    }


def _best_cut(columns: Columns, tree: PartitionTree, profile: Profile, refused: set[int], smallest: int) -> Cut | None:
    """Choose the widest column that leaves a quarter of the people on each side, else the most even cut. No side may
    have few people: a missing cut would tell something about them."""
    best: tuple[bool, float, int, int] | None = None
    chosen: Cut | None = None
    for j, (column, rank) in enumerate(zip(columns.quasi, tree.ranks, strict=True)):
        people = np.empty(len(rank), dtype=np.int64)
        people[rank] = profile[column.name]
        below = np.cumsum(people)
        total = int(below[-1])
        cut = int(np.argmin(np.abs(2 * below - total)))
        on_left = int(below[cut])
        smaller = min(on_left, total - on_left)
        if j in refused or smaller < smallest or LEAST_SHARE * smaller < total:
            continue
        even = 4 * smaller >= total
        worth = (even, _width(column, profile[column.name]) if even else 0.0, smaller, -j)
        if best is None or worth > best:
            best, chosen = worth, (j, cut, on_left)
    return chosen


def _width(column: Column, people: np.ndarray) -> float:
    """The share of a column's values that a box spans, times the weight of the column."""
    return column.steer.weight * _span(column, people)


def _span(column: Column, people: np.ndarray) -> float:
    present = np.flatnonzero(people)
    if not column.domain.uses_intervals or column.steer.by_rank:
        return (len(present) - 1) / max(column.size - 1, 1)
    points = column.domain.numeric_values
    known = present[present < len(points)]
    if len(known) < 2:
        return 0.0
    return float(points[known[-1]] - points[known[0]]) / max(float(points[-1] - points[0]), 1e-300)


def _grow(tree: PartitionTree, cuts: Mapping[int, Cut]) -> tuple[PartitionTree, np.ndarray]:
    """Cut some leaves of the tree; the new leaves come in pairs."""
    column, cut, left = tree.column.copy(), tree.cut.copy(), tree.left.copy()
    first = len(column)
    people = []
    for number, (node, (j, rank, below)) in enumerate(cuts.items()):
        column[node], cut[node], left[node] = j, rank, first + 2 * number
        people += [below, int(tree.people[node]) - below]
    leaves = np.full(2 * len(cuts), -1)
    grown = PartitionTree(
        tree.names,
        tree.ranks,
        np.concatenate([column, leaves]),
        np.concatenate([cut, leaves]),
        np.concatenate([left, leaves]),
        np.concatenate([tree.people, np.array(people, dtype=np.int64)]),
    )
    return grown, np.arange(first, first + 2 * len(cuts))


def _parts_that_fit(
    columns: Columns,
    policy: Policy,
    method: Partitionable,
    sensitive: Sequence[Column],
    profiles: Sequence[Profile],
    totals: Profile,
) -> np.ndarray:
    """Ask the method which parts could be published by themselves."""
    tallies = {}
    for column in sensitive:
        table = np.stack([profile[column.name] for profile in profiles])
        group, value = np.nonzero(table)
        starts = np.searchsorted(group, np.arange(len(table) + 1))
        sizes = table.sum(axis=1)
        tallies[column.name] = Counts(sizes, starts, value, table[group, value], totals[column.name], column)
    return method.can_stand_alone(columns, policy, tallies)

"""Rows in the memory of this process. Equal rows are kept once, with their number: people with the same values are
interchangeable, so "rank rows at random within a cell" costs nothing, and no order of the input survives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from voile import kernels
from voile.tables.group_counts import Counts, tally
from voile.tables.part_protocol import PartsInMemory
from voile.tables.partition_tree import PartitionTree
from voile.tables.row_protocol import WITHHELD, CodeWeights, Histogram
from voile.tables.schema import Columns
from voile.tables.secret_key import Key


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Distinct rows in rising order, how many people each stands for, and its group once there are groups."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    codes: np.ndarray
    weights: np.ndarray
    group: np.ndarray | None = None
    groups: int = 0
    coins: Key | None = None
    box: Mapping[str, np.ndarray] | None = None  # of a part: the codes of each column that may be in it
    totals: Mapping[str, np.ndarray] = field(default_factory=dict)  # of a part: how often values occur in the whole

    def __repr__(self) -> str:
        return f"MemoryRows({self.total} rows, {len(self.weights)} distinct, {self.groups} groups)"

    @property
    def total(self) -> int:
        return int(self.weights.sum())

    @property
    def key(self) -> Key:
        assert self.coins is not None, "rows get a key before they are grouped"
        return self.coins

    def with_key(self, key: Key) -> MemoryRows:
        return replace(self, coins=key)

    def histogram(self, names: Sequence[str]) -> Histogram:
        where = [self.names.index(name) for name in names]
        if where == list(range(len(self.names))):
            return Histogram(tuple(names), self.codes, self.weights, None)
        if where == list(range(len(where))):
            # leading columns of sorted rows: equal ones are neighbours
            first, index = kernels.distinct_rows.group_sorted_rows(self.codes, len(where))
            counts = np.add.reduceat(self.weights, first) if len(first) else self.weights[:0]
            return Histogram(tuple(names), self.codes[first, : len(where)], counts, index)
        if len(where) == 1:
            column = self.codes[:, where[0]]
            (people,) = kernels.column_codes.count_codes(column.reshape(-1, 1), [self.sizes[where[0]]], self.weights)
            present = np.flatnonzero(people)
            rank = np.cumsum(people > 0) - 1
            codes = present.astype(self.codes.dtype).reshape(-1, 1)
            return Histogram(tuple(names), codes, people[present], rank[column])
        columns = [self.codes[:, j] for j in where]
        index, first = kernels.distinct_rows.rank_rows(columns, [self.sizes[j] for j in where])
        counts = np.bincount(index, weights=self.weights, minlength=len(first)).astype(np.int64)
        return Histogram(tuple(names), self.codes[first][:, where], counts, index)

    def collect(self) -> MemoryRows:
        return self

    def count_matches(
        self, names: Sequence[str], offset: np.ndarray, chosen: np.ndarray, weights: CodeWeights | None = None
    ) -> np.ndarray:
        further = [weights[0]] if weights is not None and weights[0] not in names else []
        table = self.histogram([*names, *further])
        counts = table.counts if weights is None else table.counts * weights[1][table.column(weights[0])]
        codes = np.ascontiguousarray(table.codes[:, : len(names)]).astype(np.int64)
        return np.asarray(kernels.query_counts.count_matches(codes, counts, offset, np.ascontiguousarray(chosen)))

    def count_pairs(self, names: Sequence[str], bins: Mapping[str, np.ndarray]) -> dict[tuple[str, ...], np.ndarray]:
        codes = {name: bins[name][self.codes[:, self.names.index(name)]] for name in names}
        sizes = {name: int(bins[name].max(initial=0)) + 1 for name in names}
        counted: dict[tuple[str, ...], np.ndarray] = {}
        for pair in [*((name,) for name in names), *itertools.combinations(names, 2)]:
            flat, shape = codes[pair[0]], [sizes[name] for name in pair]
            flat = flat if len(pair) == 1 else flat * shape[1] + codes[pair[1]]
            counted[pair] = np.bincount(flat, weights=self.weights, minlength=math.prod(shape)).reshape(shape)
        return counted

    def count_by_node(self, names: Sequence[str], tree: PartitionTree, nodes: np.ndarray) -> np.ndarray:
        places = np.array([self.names.index(name) for name in names], dtype=np.int64)
        offset = np.concatenate([[0], np.cumsum([self.sizes[place] for place in places])]).astype(np.int64)
        slot = np.full(len(tree.column), -1)
        slot[nodes] = np.arange(len(nodes))
        leaf = tree.nodes(self.names, self.codes)
        counts = kernels.tree_cuts.count_leaf_codes(self.codes, self.weights, places, offset, leaf, slot, len(nodes))
        return np.asarray(counts)

    def parts(self, tree: PartitionTree | None) -> PartsInMemory:
        if tree is None:
            return PartsInMemory([self], [])
        home = tree.part[tree.nodes(self.names, self.codes)]
        return PartsInMemory([rows.as_part(tree, number) for number, rows in self.split_by(home, len(tree.leaves))], [])

    def split_by(self, home: np.ndarray, homes: int) -> list[tuple[int, MemoryRows]]:
        """Return the rows of each home that has some."""
        order = np.argsort(home, kind="stable")  # rows stay in rising order
        ends = np.searchsorted(home[order], np.arange(homes + 1))
        spans = {number: order[low:high] for number, (low, high) in enumerate(itertools.pairwise(ends)) if high > low}
        return [
            (number, replace(self, codes=self.codes[span], weights=self.weights[span]))
            for number, span in spans.items()
        ]

    def as_part(self, tree: PartitionTree, number: int) -> MemoryRows:
        """Return the rows as a part of a larger table: under its own key and within its box."""
        return replace(self, coins=self.key.derive_part_key(number), box=tree.boxes[number], totals=tree.totals)

    def place(self, histogram: Histogram, groups: np.ndarray) -> MemoryRows:
        group = groups if histogram.index is None else groups[histogram.index]
        published = group != WITHHELD
        if published.all():
            return replace(self, group=group, groups=int(group.max(initial=-1)) + 1)
        _, dense = np.unique(group[published], return_inverse=True)
        number = int(dense.max(initial=-1)) + 1
        return replace(self, codes=self.codes[published], weights=self.weights[published], group=dense, groups=number)

    def deal(self, histogram: Histogram, cells: np.ndarray, groups: np.ndarray, counts: np.ndarray) -> MemoryRows:
        assert histogram.index is None, "rows are dealt on the histogram of whole rows"
        number = int(groups.max(initial=-1)) + 1
        codes = np.take(self.codes, cells, axis=0)
        return replace(self, codes=codes, weights=counts, group=groups, groups=number)

    def tally_values(self, columns: Columns) -> dict[str, Counts]:
        group = self.group if self.group is not None else np.zeros(len(self.weights), dtype=np.int64)
        number = self.groups if self.group is not None else 1
        tallies = {}
        for column in columns.counted:
            codes, totals = self.codes[:, self.names.index(column.name)], self.totals.get(column.name)
            tallies[column.name] = tally(column, group, codes, self.weights, number, totals)
        return tallies

    def regroup(self, labels: np.ndarray) -> MemoryRows:
        assert self.group is not None
        return replace(self, group=labels[self.group], groups=int(labels.max(initial=-1)) + 1)

    def recode(self, codes: Mapping[str, np.ndarray]) -> MemoryRows:
        sizes = list(self.sizes)
        for name, code_map in codes.items():
            sizes[self.names.index(name)] = int(code_map.max(initial=0)) + 1
        # a larger domain may need a wider type
        table = self.codes.astype(np.result_type(self.codes, kernels.packed_keys.narrowest_type(sizes)))
        for name, code_map in codes.items():
            where = self.names.index(name)
            table[:, where] = code_map[self.codes[:, where]]
        return replace(self, codes=table, sizes=tuple(sizes), box=None, totals={})

    def revalue(
        self,
        name: str,
        groups: np.ndarray,
        old: np.ndarray,
        new: np.ndarray,
        counts: np.ndarray,
        *,
        shuffled: bool = True,
    ) -> MemoryRows:
        assert self.group is not None
        where = self.names.index(name)
        if not len(groups):
            return self
        size = max(self.sizes[where], int(new.max()) + 1)
        moves, inverse = np.unique(groups.astype(np.int64) * size + old, return_inverse=True)
        has_moves = np.zeros(self.groups, dtype=bool)
        has_moves[groups] = True
        near = np.flatnonzero(has_moves[self.group])
        key = self.group[near].astype(np.int64) * size + self.codes[near, where]
        place = np.minimum(np.searchsorted(moves, key), len(moves) - 1)
        found = moves[place] == key
        touched, place = near[found], place[found]
        # the rows of each (group, code), one by one and in random order; the first ones get the first new code
        row, place = np.repeat(touched, self.weights[touched]), np.repeat(place, self.weights[touched])
        order = self.key.shuffle(f"revalue {name}", len(row)) if shuffled else np.arange(len(row))
        order = order[np.argsort(place[order], kind="stable")]
        row, place = row[order], place[order]
        starts = np.searchsorted(place, np.arange(len(moves) + 1))
        by_move = np.argsort(inverse, kind="stable")
        ends = np.cumsum(counts[by_move])
        first = np.concatenate([[0], ends])[np.searchsorted(inverse[by_move], np.arange(len(moves)))]
        rank = np.arange(len(row)) - starts[place] + first[place]
        move = np.minimum(np.searchsorted(ends, rank, side="right"), len(ends) - 1)
        changed = (rank < ends[-1]) & (inverse[by_move][move] == place)
        codes = np.take(self.codes, row, axis=0)
        codes[changed, where] = new[by_move][move[changed]]
        untouched = np.ones(len(self.weights), dtype=bool)
        untouched[touched] = False
        table = np.concatenate([self.codes[untouched], codes])
        weights = np.concatenate([self.weights[untouched], np.ones(len(row), dtype=self.weights.dtype)])
        group = np.concatenate([self.group[untouched], self.group[row]])
        sizes = tuple(size if j == where else old_size for j, old_size in enumerate(self.sizes))
        order = _rising_order(table, sizes)
        return replace(self, codes=table[order], weights=weights[order], group=group[order], sizes=sizes)

    def rewrite(self, histogram: Histogram, name: str, codes: np.ndarray) -> MemoryRows:
        assert histogram.index is None, "people are counted on the histogram of whole rows"
        one_by_one = len(codes) == len(self.weights)  # everybody has a row of their own
        table = self.codes.copy() if one_by_one else np.repeat(self.codes, self.weights, axis=0)
        table[:, self.names.index(name)] = codes
        group = self.group if one_by_one or self.group is None else np.repeat(self.group, self.weights)
        return replace(self, codes=table, weights=np.ones(len(codes), dtype=np.int64), group=group)

    def find_extents(self, name: str, rank: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        assert self.group is not None
        where = self.names.index(name)
        if rank is not None:
            return kernels.group_scans.find_ranked_extents(self.group, self.codes, where, self.groups, rank)  # type: ignore[no-any-return]
        return kernels.group_scans.find_extents(self.group, self.codes, where, self.groups)  # type: ignore[no-any-return]

    def count_people(self) -> np.ndarray:
        assert self.group is not None
        return np.asarray(kernels.group_scans.count_people(self.group, self.weights, self.groups))

    def pick(self, places: np.ndarray, name: str) -> np.ndarray:
        assert self.group is not None
        picked = kernels.group_scans.pick_codes(self.group, self.weights, self.codes, self.names.index(name), places)
        return np.asarray(picked)

    def list_codes(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        assert self.group is not None
        where = self.names.index(name)
        if self.sizes[where] <= 64:
            masks = kernels.group_scans.collect_masks(self.group, self.codes, where, self.groups)
            return kernels.group_scans.expand_masks(masks)  # type: ignore[no-any-return]
        group, table = self.count_by_group([name])
        return np.searchsorted(group, np.arange(self.groups + 1)), table.codes[:, 0].astype(np.int64)

    def count_by_group(self, names: Sequence[str]) -> tuple[np.ndarray, Histogram]:
        assert self.group is not None
        where = [self.names.index(name) for name in names]
        columns = [self.group, *(self.codes[:, j] for j in where)]
        sizes = [max(self.groups, 1), *(self.sizes[j] for j in where)]
        codes, counts = kernels.distinct_rows.weigh_rows(columns, sizes, self.weights)
        return codes[:, 0].astype(np.int64), Histogram(tuple(names), codes[:, 1:], counts)


def build_rows(names: Sequence[str], columns: Sequence[np.ndarray], sizes: Sequence[int]) -> MemoryRows:
    """Build rows from one array of codes per column, whose codes are below its size."""
    sizes = [max(size, 1) for size in sizes]
    codes, weights = kernels.distinct_rows.count_rows(columns, sizes)
    return MemoryRows(tuple(names), tuple(sizes), codes, weights)


def merge_rows(tables: Sequence[MemoryRows]) -> MemoryRows:
    """Merge several tables of the same columns into one."""
    first = tables[0]
    if len(tables) == 1:
        return first
    columns = [np.concatenate([table.codes[:, j] for table in tables]) for j in range(len(first.names))]
    weights = np.concatenate([table.weights for table in tables])
    codes, weights = kernels.distinct_rows.weigh_rows(columns, first.sizes, weights)
    return replace(
        first, codes=codes.astype(kernels.packed_keys.narrowest_type(first.sizes), copy=False), weights=weights
    )


def _rising_order(codes: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return the order in which rows rise; fast where most of them do already."""
    if kernels.packed_keys.fits_one_key(sizes):
        columns = [codes[:, number] for number in range(len(sizes))]
        return np.argsort(kernels.packed_keys.pack_rows(columns, sizes), kind="stable")
    return np.lexsort(codes.T[::-1])

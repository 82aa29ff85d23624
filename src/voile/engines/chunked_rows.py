"""Rows that lie in chunks on an engine: counted where they are, divided into parts, brought into this process only if
they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from voile import kernels
from voile.engines.memory_rows import MemoryRows, merge_rows
from voile.errors import EngineError, option
from voile.tables.group_counts import Counts, tally
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import PartitionTree
from voile.tables.row_protocol import CodeWeights, Histogram
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

WIDE = 256 << 20  # bytes of counts that may be brought into this process at once
NODES_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class ChunkedRows:
    """Chunks of coded rows. `row_limit` is how many distinct rows may be brought into this process at once."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    chunks: Parts
    total: int
    row_limit: int
    margins: Mapping[str, np.ndarray]  # how often each code of a column occurs, where that is known
    coins: Key | None = None

    def __repr__(self) -> str:
        return f"ChunkedRows({self.total} rows in {len(self.chunks)} chunks)"

    @property
    def key(self) -> Key:
        assert self.coins is not None, "rows get a key before they are grouped"
        return self.coins

    def with_key(self, key: Key) -> ChunkedRows:
        return replace(self, coins=key)

    def histogram(self, names: Sequence[str]) -> Histogram:
        if len(names) == 1 and names[0] in self.margins:
            people = self.margins[names[0]]
            codes = np.flatnonzero(people)
            return Histogram(tuple(names), codes.reshape(-1, 1), people[codes])
        rows = self._collect_distinct("count", list(names))
        return Histogram(tuple(names), rows.codes, rows.weights)

    def collect(self) -> MemoryRows:
        return replace(self._collect_distinct("gather", list(self.names)), coins=self.coins)

    def _collect_distinct(self, stage: str, names: list[str]) -> MemoryRows:
        """Bring the distinct combinations of some columns into this process."""
        counted = self.chunks.map(stage, _count_distinct, names)
        if sum(counted.summaries) > 2 * self.row_limit:  # equal rows of several chunks are counted once
            number = max(len(self.chunks), sum(counted.summaries) // self.row_limit + 1)
            counted = counted.repartition(stage, _split_by_hash, _merge_fragments, number, number)
            counted = counted.map(stage, _measure_part)
        if sum(counted.summaries) > 2 * self.row_limit:
            raise EngineError(
                f"The combinations of {', '.join(map(repr, names))} are more than the {2 * self.row_limit} that fit in "
                "the memory that was allowed.",
                code="engine.memory",
                hint=f"Allow more (e.g. {option('memory', '8GiB')}), name fewer columns, or use a method that "
                "publishes part by part (docs/cluster.md lists them).",
            )
        return merge_rows([rows for rows in counted if rows is not None])

    def count_matches(
        self, names: Sequence[str], offset: np.ndarray, chosen: np.ndarray, weights: CodeWeights | None = None
    ) -> np.ndarray:
        matches = self.chunks.map("ask", _count_matches, list(names), offset, chosen, weights).summaries
        return np.asarray(np.sum(matches, axis=0))

    def count_pairs(self, names: Sequence[str], bins: Mapping[str, np.ndarray]) -> dict[tuple[str, ...], np.ndarray]:
        counted = self.chunks.map("count", _count_pairs, list(names), dict(bins)).summaries
        return {pair: np.sum([counts[pair] for counts in counted], axis=0) for pair in counted[0]}

    def count_by_node(self, names: Sequence[str], tree: PartitionTree, nodes: np.ndarray) -> np.ndarray:
        if len(tree.column) == 1:  # not cut yet: everybody
            return np.concatenate([self._find_margin(name) for name in names]).reshape(1, -1)
        arguments = (list(names), tree, nodes)
        size = 8 * len(nodes) * sum(self.sizes[self.names.index(name)] for name in names) * len(self.chunks)
        if size <= WIDE:
            return np.sum(self.chunks.map("cut", _count_by_node, *arguments).summaries, axis=0)  # type: ignore[no-any-return]
        # too much for one process: summed where the chunks lie, some nodes at a time
        number = min(len(nodes), NODES_AT_ONCE)
        sums = self.chunks.repartition("cut", _split_counts, _add_counts, number, *arguments, number)
        return np.concatenate(list(sums))

    def _find_margin(self, name: str) -> np.ndarray:
        """Return how often each code of a column occurs; it is counted if it is not known."""
        if name in self.margins:
            return self.margins[name]
        table = self.histogram([name])
        size = self.sizes[self.names.index(name)]
        return np.bincount(table.codes[:, 0], table.counts, size).astype(np.int64)

    def parts(self, tree: PartitionTree | None) -> Parts:
        if tree is None:
            return self.collect().parts(None)
        merge = partial(_merge_part, tree=tree, key=self.key)
        return self.chunks.repartition("divide", _split_by_part, merge, len(tree.leaves), tree)

    def tally_values(self, columns: Columns) -> dict[str, Counts]:
        tallies = {}
        for column in columns.counted:
            table = self.histogram([column.name])
            one_group = np.zeros(len(table.counts), dtype=np.int64)
            tallies[column.name] = tally(column, one_group, table.codes[:, 0], table.counts, 1)
        return tallies

    def recode(self, codes: Mapping[str, np.ndarray]) -> ChunkedRows:
        changed = {name: int(code_map.max(initial=0)) + 1 for name, code_map in codes.items()}
        sizes = tuple(changed.get(name, size) for name, size in zip(self.names, self.sizes, strict=True))
        margins = {
            name: np.bincount(codes[name], people, changed[name]).astype(np.int64) if name in codes else people
            for name, people in self.margins.items()
        }
        return replace(
            self, sizes=sizes, margins=margins, chunks=self.chunks.map_lazily(recode_rows, dict(codes), sizes)
        )


def recode_rows(rows: MemoryRows, number: int, codes: Mapping[str, np.ndarray], sizes: tuple[int, ...]) -> MemoryRows:
    """Recode the rows of a chunk; sort them again where the new codes do not rise with the old ones."""
    wide = rows.codes.astype(np.result_type(rows.codes, kernels.packed_keys.narrowest_type(sizes)), copy=False)
    recoded = replace(replace(rows, codes=wide).recode(codes), sizes=sizes)
    if all(bool((np.diff(code_map) > 0).all()) for code_map in codes.values()):
        return recoded
    return merge_rows([recoded, replace(recoded, codes=recoded.codes[:0], weights=recoded.weights[:0])])


def _count_distinct(rows: MemoryRows, number: int, names: list[str]) -> tuple[MemoryRows, int]:
    table = rows.histogram(names)
    sizes = tuple(rows.sizes[rows.names.index(name)] for name in names)
    return MemoryRows(tuple(names), sizes, table.codes, table.counts), len(table.counts)


def _split_by_hash(rows: MemoryRows, number: int, parts: int) -> list[tuple[int, MemoryRows]]:
    mixed = np.zeros(len(rows.weights), dtype=np.uint64)
    for j in range(rows.codes.shape[1]):
        mixed = (mixed ^ rows.codes[:, j].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return rows.split_by((mixed % np.uint64(parts)).astype(np.int64), parts)


def _merge_fragments(fragments: Sequence[MemoryRows], number: int) -> MemoryRows | None:
    return merge_rows(fragments) if fragments else None


def _measure_part(rows: MemoryRows | None, number: int) -> tuple[MemoryRows | None, int]:
    return rows, len(rows.weights) if rows is not None else 0


def _count_matches(
    rows: MemoryRows,
    number: int,
    names: list[str],
    offset: np.ndarray,
    chosen: np.ndarray,
    weights: CodeWeights | None,
) -> tuple[None, np.ndarray]:
    return None, rows.count_matches(names, offset, chosen, weights)


def _count_pairs(
    rows: MemoryRows, number: int, names: list[str], bins: dict[str, np.ndarray]
) -> tuple[None, dict[tuple[str, ...], np.ndarray]]:
    return None, rows.count_pairs(names, bins)


def _count_by_node(
    rows: MemoryRows, number: int, names: list[str], tree: PartitionTree, nodes: np.ndarray
) -> tuple[None, np.ndarray]:
    return None, rows.count_by_node(names, tree, nodes)


def _split_counts(
    rows: MemoryRows, number: int, names: list[str], tree: PartitionTree, nodes: np.ndarray, parts: int
) -> list[tuple[int, np.ndarray]]:
    return list(enumerate(np.array_split(rows.count_by_node(names, tree, nodes), parts)))


def _add_counts(fragments: Sequence[np.ndarray], number: int) -> np.ndarray:
    return np.sum(fragments, axis=0)  # type: ignore[no-any-return]


def _split_by_part(rows: MemoryRows, number: int, tree: PartitionTree) -> list[tuple[int, MemoryRows]]:
    return rows.split_by(tree.part[tree.nodes(rows.names, rows.codes)], len(tree.leaves))


def _merge_part(fragments: Sequence[MemoryRows], number: int, tree: PartitionTree, key: Key) -> MemoryRows:
    return replace(merge_rows(fragments), coins=key).as_part(tree, number)

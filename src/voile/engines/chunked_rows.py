"""Rows that lie in chunks on some engine: counted where they are, divided into parts, brought here only if they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from voile import kernels
from voile.engines.memory import MemoryRows, code_type, merge_rows
from voile.errors import EngineError, option
from voile.tables.group_counts import Counts, tally
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import PartitionTree
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

WIDE = 256 << 20  # bytes of profiles that may be brought here at once


@dataclass(frozen=True, eq=False)
class ChunkedRows:
    """Chunks of coded rows. `most` is how many distinct rows may be brought here at once."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    chunks: Parts
    total: int
    most: int
    margins: Mapping[str, np.ndarray]  # how often each code of each column occurs
    coins: Key | None = None

    groups = 0
    box: Mapping[str, np.ndarray] | None = None
    totals: Mapping[str, np.ndarray] | None = None

    def __repr__(self) -> str:
        return f"ChunkedRows({self.total} rows in {len(self.chunks)} chunks)"

    @property
    def key(self) -> Key:
        assert self.coins is not None, "rows are keyed before they are grouped"
        return self.coins

    def with_key(self, key: Key) -> ChunkedRows:
        return replace(self, coins=key)

    def histogram(self, names: Sequence[str]) -> Histogram:
        if len(names) == 1:
            people = self.margins[names[0]]
            found_codes = np.flatnonzero(people)
            return Histogram(tuple(names), found_codes.reshape(-1, 1), people[found_codes])
        found = self._brought("count", list(names))
        return Histogram(tuple(names), found.codes, found.weights)

    def collect(self) -> MemoryRows:
        found = self._brought("gather", list(self.names))
        return replace(found, coins=self.coins)

    def _brought(self, what: str, names: list[str]) -> MemoryRows:
        """The distinct combinations of some columns, here."""
        counted = self.chunks.map(what, _collapsed, names)
        if sum(counted.summaries) > 2 * self.most:  # equal rows of several chunks are counted once
            parts = max(len(self.chunks), sum(counted.summaries) // self.most + 1)
            counted = counted.repartition(what, _by_hash, _merged_rows, parts, parts).map(what, _measured)
        if sum(counted.summaries) > 2 * self.most:
            raise EngineError(
                f"The combinations of {', '.join(map(repr, names))} are more than the {2 * self.most} that fit in "
                "the memory that was allowed.",
                code="engine.memory",
                hint=f"Allow more (e.g. {option('memory', '8GiB')}), name fewer columns, or use a method that works "
                "part by part: mondrian, anatomy, art or perturbed-generalization.",
            )
        return merge_rows(list(counted))

    def count_matches(self, names: Sequence[str], offset: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        found = self.chunks.map("ask", _matching, list(names), offset, chosen).summaries
        return np.asarray(np.sum(found, axis=0))

    def count_by_node(self, names: Sequence[str], tree: PartitionTree, nodes: np.ndarray) -> np.ndarray:
        if len(tree.column) == 1:  # not cut yet: everybody
            return np.concatenate([self.margins[name] for name in names]).reshape(1, -1)
        more = (list(names), tree, nodes)
        wide = 8 * len(nodes) * sum(len(self.margins[name]) for name in names) * len(self.chunks)
        if wide <= WIDE:
            return np.sum(self.chunks.map("cut", _profiled, *more).summaries, axis=0)  # type: ignore[no-any-return]
        # too much for one place: summed where the chunks lie, so many nodes at a time
        number = min(len(nodes), 64)
        summed = self.chunks.repartition("cut", _profiled_apart, _summed, number, *more, number)
        return np.concatenate(list(summed))

    def parts(self, tree: PartitionTree | None) -> Parts:
        if tree is None:
            return self.collect().parts(None)
        key = self.key
        return self.chunks.repartition("divide", _routed, partial(_boxed, tree=tree, key=key), len(tree.leaves), tree)

    def tally_values(self, columns: Columns) -> dict[str, Counts]:
        found = {}
        for column in columns.sensitive:
            table = self.histogram([column.name])
            nobody = np.zeros(len(table.counts), dtype=np.int64)
            found[column.name] = tally(column, nobody, table.codes[:, 0], table.counts, 1)
        return found

    def recode(self, codes: Mapping[str, np.ndarray]) -> ChunkedRows:
        changed = {name: int(moved.max(initial=0)) + 1 for name, moved in codes.items()}
        sizes = tuple(changed.get(name, size) for name, size in zip(self.names, self.sizes, strict=True))
        margins = {
            name: np.bincount(codes[name], people, changed[name]).astype(np.int64) if name in codes else people
            for name, people in self.margins.items()
        }
        return replace(self, sizes=sizes, margins=margins, chunks=self.chunks.map_lazily(recoded, dict(codes), sizes))


def _collapsed(rows: MemoryRows, number: int, names: list[str]) -> tuple[MemoryRows, int]:
    table = rows.histogram(names)
    sizes = tuple(rows.sizes[rows.names.index(name)] for name in names)
    return MemoryRows(tuple(names), sizes, table.codes, table.counts), len(table.counts)


def _by_hash(rows: MemoryRows, number: int, parts: int) -> list[tuple[int, MemoryRows]]:
    mixed = np.zeros(len(rows.weights), dtype=np.uint64)
    for j in range(rows.codes.shape[1]):
        mixed = (mixed ^ rows.codes[:, j].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return rows.split_by((mixed % np.uint64(parts)).astype(np.int64), parts)


def _merged_rows(pieces: Sequence[MemoryRows], number: int) -> MemoryRows | None:
    return merge_rows(pieces) if pieces else None


def _measured(rows: MemoryRows | None, number: int) -> tuple[MemoryRows | None, int]:
    return rows, len(rows.weights) if rows is not None else 0


def _matching(
    rows: MemoryRows, number: int, names: list[str], offset: np.ndarray, chosen: np.ndarray
) -> tuple[None, np.ndarray]:
    return None, rows.count_matches(names, offset, chosen)


def _profiled(
    rows: MemoryRows, number: int, names: list[str], tree: PartitionTree, nodes: np.ndarray
) -> tuple[None, np.ndarray]:
    return None, rows.count_by_node(names, tree, nodes)


def _profiled_apart(
    rows: MemoryRows, number: int, names: list[str], tree: PartitionTree, nodes: np.ndarray, parts: int
) -> list[tuple[int, np.ndarray]]:
    return list(enumerate(np.array_split(rows.count_by_node(names, tree, nodes), parts)))


def _summed(pieces: Sequence[np.ndarray], number: int) -> np.ndarray:
    return np.sum(pieces, axis=0)  # type: ignore[no-any-return]


def _routed(rows: MemoryRows, number: int, tree: PartitionTree) -> list[tuple[int, MemoryRows]]:
    return rows.split_by(tree.part[tree.nodes(rows.names, rows.codes)], len(tree.leaves))


def _boxed(pieces: Sequence[MemoryRows], number: int, tree: PartitionTree, key: Key) -> MemoryRows:
    return replace(merge_rows(pieces), coins=key).as_part(tree, number)


def recoded(rows: MemoryRows, number: int, codes: Mapping[str, np.ndarray], sizes: tuple[int, ...]) -> MemoryRows:
    """The rows with other codes; in rising order again where the codes do not rise with the old ones."""
    wide = replace(rows, codes=rows.codes.astype(np.result_type(rows.codes, code_type(sizes))))
    made = replace(wide.recode(codes), sizes=sizes)
    if all(bool((np.diff(moved) > 0).all()) for moved in codes.values()):
        return made
    return merge_rows([made, replace(made, codes=made.codes[:0], weights=made.weights[:0])])


def chunk(names: Sequence[str], columns: Sequence[np.ndarray], sizes: Sequence[int]) -> MemoryRows:
    """Some rows of a table as codes; equal ones are kept once."""
    sizes = [max(size, 1) for size in sizes]
    codes, weights = kernels.distinct_rows.count_rows(columns, sizes)
    return MemoryRows(tuple(names), tuple(sizes), codes.astype(code_type(sizes), copy=False), weights)

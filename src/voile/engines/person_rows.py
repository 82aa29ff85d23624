"""Rows that know whose they are: in the memory of this process, or in chunks on an engine.

Before anything is published, some rows of each person are drawn. People are spread over buckets by their hash, and the
number of buckets depends on the number of rows alone, so that every engine draws the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import polars as pl

from voile import kernels
from voile.engines.chunked_rows import ChunkedRows
from voile.engines.memory_rows import MemoryRows, build_rows
from voile.errors import DataError, EngineError
from voile.tables.microdata import PERSON
from voile.tables.part_protocol import Parts
from voile.tables.partition_tree import LARGEST_PART
from voile.tables.secret_key import Key
from voile.tables.value_types import check_calendar, type_name


def write_names(values: pl.Series) -> pl.Series:
    """Return the values of a column that tells people apart as text; DataError where they have none."""
    check_calendar(values.name, values)
    try:
        return values.bin.encode("hex") if values.dtype == pl.Binary else values.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise DataError(
            f"Column {values.name!r} has the type {type_name(values.dtype)}, which cannot tell people apart.",
            code="data.type",
            hint="Convert the column to text, or leave it out.",
        ) from None


def hash_people(values: pl.Series) -> np.ndarray:
    """Return a 64-bit hash of each value as text; values must not be missing."""
    texts = write_names(values).rechunk().to_arrow().cast("large_string")
    _, starts, content = texts.buffers()
    offsets = np.frombuffer(starts, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(content or b"", dtype=np.uint8)
    return np.asarray(kernels.people.hash_texts(offsets, letters))


def count_bucket_bits(rows: int) -> int:
    """Return how many bits of a hash number the buckets of a table: about LARGEST_PART rows in each."""
    return max(-(-rows // LARGEST_PART) - 1, 0).bit_length()


def find_buckets(person: np.ndarray, bits: int) -> np.ndarray:
    """Return the bucket of each person: the first bits of the hash, so that buckets are in the order of the hashes."""
    if not bits:
        return np.zeros(len(person), dtype=np.int64)
    return (person >> np.uint64(64 - bits)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class PersonRows:
    """One array of codes per column, in no order, and the person of each row, as a hash."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    columns: tuple[np.ndarray, ...]
    person: np.ndarray

    def __repr__(self) -> str:
        return f"PersonRows({self.total} rows)"

    @property
    def total(self) -> int:
        return len(self.person)

    @cached_property
    def _by_person(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows in the order of their people, and where each person starts."""
        return kernels.people.sort_by_person(self.person)

    @cached_property
    def people_by_rows(self) -> np.ndarray:
        return np.bincount(np.diff(self._by_person[1]), minlength=1) if self.total else np.zeros(1, dtype=np.int64)

    @property
    def people(self) -> int:
        return int(self.people_by_rows.sum())

    def count_rows_over(self, limit: int) -> int:
        return count_rows_over(self.people_by_rows, limit)

    def draw(self, limit: int, key: Key) -> MemoryRows:
        return self.draw_from_buckets(limit, key, count_bucket_bits(self.total))

    def draw_from_buckets(self, limit: int, key: Key, bits: int) -> MemoryRows:
        """Draw rows of each person, where people are spread over buckets by so many bits."""
        drawn = self._choose_rows(limit, key, bits)
        return build_rows(self.names, [_take(column, drawn) for column in self.columns], self.sizes)

    def draw_linked(self, limit: int, key: Key) -> MemoryRows:
        order, starts = self._by_person
        number = np.empty(self.total, dtype=np.int64)
        number[order] = np.repeat(np.arange(self.people), np.diff(starts))
        drawn = self._choose_rows(limit, key, count_bucket_bits(self.total))
        columns = [_take(column, drawn) for column in (*self.columns, number)]
        return build_rows([*self.names, PERSON], columns, [*self.sizes, self.people])

    def list_hashes(self) -> np.ndarray:
        order, starts = self._by_person
        return np.asarray(self.person[order[starts[:-1]]])

    def _choose_rows(self, limit: int, key: Key, bits: int) -> np.ndarray | None:
        """Return which rows are drawn; None for all of them."""
        order, starts = self._by_person
        rows, ends, others = kernels.people.list_rows_over(order, starts, limit)
        if not len(rows):
            return None
        columns = [column[rows] for column in self.columns]
        if kernels.packed_keys.fits_one_key(self.sizes):
            content = kernels.packed_keys.pack_rows(columns, self.sizes)
        else:
            content = kernels.distinct_rows.rank_rows(columns, self.sizes)[0]
        counts = np.bincount(find_buckets(self.person[rows], bits), minlength=1)
        coins = [key.stream(f"rows of people {bucket}", size) for bucket, size in enumerate(counts.tolist()) if size]
        drawn = kernels.people.draw_rows(rows, ends, content.astype(np.int64), np.concatenate(coins), limit)
        return np.concatenate([others, drawn])

    def recode(self, codes: Mapping[str, np.ndarray], sizes: tuple[int, ...]) -> PersonRows:
        """Replace code c by `codes[name][c]` in the named columns."""
        columns = [
            codes[name].astype(kernels.packed_keys.narrowest_type([size]))[column] if name in codes else column
            for name, column, size in zip(self.names, self.columns, sizes, strict=True)
        ]
        return replace(self, columns=tuple(columns), sizes=sizes)

    def split_by_bucket(self, bits: int) -> list[tuple[int, PersonRows]]:
        """Return the rows of each bucket that has some."""
        bucket = find_buckets(self.person, bits)
        order = np.argsort(bucket, kind="stable")
        ends = np.searchsorted(bucket[order], np.arange((1 << bits) + 1))
        spans = [(number, order[ends[number] : ends[number + 1]]) for number in range(1 << bits)]
        return [
            (number, replace(self, columns=tuple(column[span] for column in self.columns), person=self.person[span]))
            for number, span in spans
            if len(span)
        ]


def _take(column: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    return column if rows is None else column[rows]


def count_rows_over(people_by_rows: np.ndarray, limit: int) -> int:
    """Count the rows that are left out if nobody may have more than `limit`."""
    surplus = np.maximum(np.arange(len(people_by_rows)) - limit, 0)
    return int(surplus @ people_by_rows)


@dataclass(frozen=True, eq=False)
class ChunkedPersonRows:
    """Rows on an engine, one part per bucket of people."""

    buckets: Parts
    people_by_rows: np.ndarray
    row_limit: int

    def __repr__(self) -> str:
        return f"ChunkedPersonRows({self.total} rows of {self.people} people)"

    @property
    def total(self) -> int:
        return int(np.arange(len(self.people_by_rows)) @ self.people_by_rows)

    @property
    def people(self) -> int:
        return int(self.people_by_rows.sum())

    def count_rows_over(self, limit: int) -> int:
        return count_rows_over(self.people_by_rows, limit)

    def draw(self, limit: int, key: Key) -> ChunkedRows:
        chunks = self.buckets.map("draw", _draw_bucket, limit, key, count_bucket_bits(self.total))
        names, sizes, _ = chunks.summaries[0]
        margins = [np.sum(counts, axis=0) for counts in zip(*(own for _, _, own in chunks.summaries), strict=True)]
        total = int(margins[0].sum())
        return ChunkedRows(names, sizes, chunks, total, self.row_limit, dict(zip(names, margins, strict=True)))

    def draw_linked(self, limit: int, key: Key) -> MemoryRows:
        return self._collected.draw_linked(limit, key)

    def list_hashes(self) -> np.ndarray:
        return self._collected.list_hashes()

    @cached_property
    def _collected(self) -> PersonRows:
        """The rows in the memory of this process."""
        if self.total > self.row_limit:
            raise EngineError(
                f"People are followed from release to release in memory, and {self.total} rows are too many for it.",
                code="engine.person",
                hint="Publish fewer people, or on a machine with more memory.",
            )
        first, *others = list(self.buckets)
        return _merge_bucket(others, 0, first)


def spread_people(chunks: Parts, total: int, row_limit: int, empty: PersonRows) -> ChunkedPersonRows:
    """Bring the rows of each person together: one part per bucket. `empty` has the columns, and no rows."""
    bits = count_bucket_bits(total)
    merge = partial(_merge_bucket, empty=empty)
    counted = chunks.repartition("people", _split_by_bucket, merge, 1 << bits, bits).map("people", _count_bucket)
    people_by_rows = np.zeros(max(map(len, counted.summaries)), dtype=np.int64)
    for table in counted.summaries:
        people_by_rows[: len(table)] += table
    return ChunkedPersonRows(counted, people_by_rows, row_limit)


def _split_by_bucket(rows: PersonRows, number: int, bits: int) -> list[tuple[int, PersonRows]]:
    return rows.split_by_bucket(bits)


def _merge_bucket(fragments: Sequence[PersonRows], number: int, empty: PersonRows) -> PersonRows:
    parts = [empty, *fragments]
    columns = [np.concatenate([part.columns[j] for part in parts]) for j in range(len(empty.names))]
    return replace(empty, columns=tuple(columns), person=np.concatenate([part.person for part in parts]))


def _count_bucket(rows: PersonRows, number: int) -> tuple[PersonRows, np.ndarray]:
    return rows, rows.people_by_rows


def _draw_bucket(
    rows: PersonRows, number: int, limit: int, key: Key, bits: int
) -> tuple[MemoryRows, tuple[tuple[str, ...], tuple[int, ...], list[np.ndarray]]]:
    drawn = rows.draw_from_buckets(limit, key, bits)
    margins = kernels.column_codes.count_codes(drawn.codes, drawn.sizes, drawn.weights)
    return drawn, (drawn.names, drawn.sizes, list(margins))

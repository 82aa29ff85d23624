"""Distinct rows against sorting tuples: narrow keys and wide ones, few codes and very many, no rows and one."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import column_codes, distinct_rows, packed_keys

# (sizes of the domains): short keys, more codes than a byte or two bytes hold, keys of 63 bits and wider
SIZES = [
    (1,),
    (2, 3),
    (5, 1, 4),
    (300, 2),
    (70_000, 3),
    (70_000, 70_000, 9),
    (2**20, 2**20, 2**23),
    (2**21, 2**21, 2**21, 5),
    (2**31, 2**31, 2**31),
    (7,) * 24,
    (2,) * 70,
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[np.ndarray], tuple[int, ...], np.ndarray]:
    """Columns, sizes and weights; rows repeat, because they are drawn from a few."""
    sizes = draw(st.sampled_from(SIZES))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([0, 1, 2, 17, 60]))
    pool = np.stack([rng.integers(0, size, 12) for size in sizes], axis=1)
    pool[0], pool[1] = 0, np.array(sizes) - 1  # the ends of every domain
    chosen = pool[rng.integers(0, draw(st.integers(1, 12)), rows)]
    columns = [chosen[:, j].astype(smallest(size)) for j, size in enumerate(sizes)]
    return columns, sizes, rng.integers(1, 9, rows)


def smallest(size: int) -> Any:
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


def as_pairs(codes: np.ndarray, counts: np.ndarray) -> list[tuple[tuple[int, ...], int]]:
    return list(zip(map(tuple, codes.tolist()), counts.tolist(), strict=True))


@given(tables())
def test_distinct_rows(table: Any) -> None:
    columns, sizes, _ = table
    assert as_pairs(*distinct_rows.count_rows(columns, sizes)) == oracle.distinct(columns)


@given(tables())
def test_weighted_rows(table: Any) -> None:
    columns, sizes, weights = table
    assert as_pairs(*distinct_rows.weigh_rows(columns, sizes, weights)) == oracle.distinct(columns, weights)


@given(tables())
def test_ranks_and_groups(table: Any) -> None:
    columns, sizes, _ = table
    rows = oracle.rows_of(columns)
    expected = oracle.ranks(columns)
    for work in (distinct_rows.rank_rows, distinct_rows.number_groups):
        rank, first = work(columns, sizes)
        assert rank.tolist() == expected
        assert [rows[i] for i in first] == sorted(set(rows))


@given(tables())
def test_groups_of_sorted_rows(table: Any) -> None:
    columns, sizes, _ = table
    rows = sorted(oracle.rows_of(columns))
    ordered = [np.array([row[j] for row in rows], dtype=column.dtype) for j, column in enumerate(columns)]
    group, first = distinct_rows.number_groups(ordered, sizes)
    assert group.tolist() == oracle.ranks(ordered)
    assert [rows[i] for i in first] == sorted(set(rows))


@given(tables())
def test_collapse(table: Any) -> None:
    columns, sizes, weights = table
    rows = oracle.rows_of(columns)
    first, totals = distinct_rows.merge_rows(columns, sizes, weights)
    assert [(rows[i], int(w)) for i, w in zip(first, totals, strict=True)] == oracle.distinct(columns, weights)


@given(tables())
def test_packing_keeps_rows_and_their_order(table: Any) -> None:
    columns, sizes, _ = table
    if not packed_keys.fits_one_key(sizes):
        return
    key = packed_keys.pack_rows(columns, sizes)
    rows = oracle.rows_of(columns)
    assert [tuple(row) for row in packed_keys.unpack_keys(key, sizes).tolist()] == rows
    assert [rows[i] for i in np.argsort(key, kind="stable")] == sorted(rows)
    assert (key >= 0).all()


@given(tables())
def test_frequencies_and_recoding(table: Any) -> None:
    columns, sizes, weights = table
    if max(sizes) > 1000:
        return
    codes = np.stack(columns, axis=1)
    rows = oracle.rows_of(columns)
    found = [column.tolist() for column in column_codes.count_codes(codes, sizes, weights)]
    assert found == oracle.frequencies(rows, sizes, weights)
    rng = np.random.default_rng(3)
    ranks = [None if j % 3 == 1 else rng.permutation(size) for j, size in enumerate(sizes)]
    kept = max(len(sizes) - 1, 1)
    wide = column_codes.recode_columns(codes, ranks[:kept], kept + 2)
    moved = wide[:, :kept]
    assert not wide[:, kept:].any()
    expected = [[row[j] if ranks[j] is None else int(ranks[j][row[j]]) for j in range(kept)] for row in rows]
    assert moved.reshape(-1, kept).tolist() == expected


@given(tables(), st.integers(1, 3))
def test_heads_of_sorted_rows(table: Any, lead: int) -> None:
    columns, _, _ = table
    lead = min(lead, len(columns))
    rows = sorted(oracle.rows_of(columns))
    first, index = distinct_rows.group_sorted_rows(
        np.array(rows, dtype=np.int64).reshape(len(rows), len(columns)), lead
    )
    leads = [row[:lead] for row in rows]
    assert index.tolist() == [sorted(set(leads)).index(row) for row in leads]
    assert first.tolist() == [leads.index(one) for one in sorted(set(leads))]


@given(st.lists(st.integers(0, 6), max_size=40), st.sampled_from([7, 10**15]))
def test_tallied_keys_dense_and_sorted(keys: list[int], width: int) -> None:
    key = np.array(keys, dtype=np.int64) * (width // 7)
    weights = np.arange(1, len(key) + 1)
    found, totals = packed_keys.sum_by_key(key, weights, width)
    expected = oracle.distinct([key], weights)
    assert list(zip(found.tolist(), totals.tolist(), strict=True)) == [(row[0], total) for row, total in expected]


@given(st.lists(st.integers(0, 3), max_size=20))
def test_runs(keys: list[int]) -> None:
    starts = packed_keys.run_starts(np.array(sorted(keys), dtype=np.int64)).tolist()
    expected = [i for i, key in enumerate(sorted(keys)) if i == 0 or sorted(keys)[i - 1] != key]
    assert starts == [*expected, len(keys)] if keys else starts == [0]


@pytest.mark.parametrize("sizes", [(3, 50), (2**21, 2**21, 2**21), (2**31, 2**31, 2**31)])
def test_many_rows_take_two_threads(sizes: tuple[int, ...]) -> None:
    """Above the threshold of one thread the answer is numpy's own."""
    rng = np.random.default_rng(5)
    rows = packed_keys.SMALL + 12_345
    columns = [
        (rng.integers(0, min(size, 40), rows) * (size // min(size, 40))).astype(smallest(size)) for size in sizes
    ]
    codes, counts = distinct_rows.count_rows(columns, sizes)
    expected, many = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    assert np.array_equal(codes, expected)
    assert np.array_equal(counts, many)
    weighted, totals = distinct_rows.weigh_rows(columns, sizes, np.full(rows, 3))
    assert np.array_equal(weighted, expected)
    assert np.array_equal(totals, 3 * many)
    if max(sizes) < 100:
        found = column_codes.count_codes(np.stack(columns, axis=1), sizes, np.full(rows, 2))
        for column, one, size in zip(columns, found, sizes, strict=True):
            assert np.array_equal(one, 2 * np.bincount(column, minlength=size))


def test_which_keys_fit() -> None:
    assert packed_keys.bit_widths([1, 2, 3, 256, 257]) == [0, 1, 2, 8, 9]
    assert packed_keys.fits_one_key([2**31, 2**32])
    assert not packed_keys.fits_one_key([2**32, 2**32])
    assert packed_keys.fits_one_key([])

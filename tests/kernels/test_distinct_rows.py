"""Distinct rows compared with sorted tuples: narrow and wide keys, few and many codes, no row and one row."""

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
    """Columns, sizes and weights; rows repeat, because they are drawn from a pool of twelve."""
    sizes = draw(st.sampled_from(SIZES))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([0, 1, 2, 17, 60]))
    pool = np.stack([rng.integers(0, size, 12) for size in sizes], axis=1)
    pool[0], pool[1] = 0, np.array(sizes) - 1  # the ends of every domain
    drawn_rows = pool[rng.integers(0, draw(st.integers(1, 12)), rows)]
    columns = [drawn_rows[:, j].astype(choose_dtype(size)) for j, size in enumerate(sizes)]
    return columns, sizes, rng.integers(1, 9, rows)


def choose_dtype(size: int) -> Any:
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


def as_pairs(codes: np.ndarray, counts: np.ndarray) -> list[tuple[tuple[int, ...], int]]:
    return list(zip(map(tuple, codes.tolist()), counts.tolist(), strict=True))


@given(tables())
def test_equal_rows_are_counted_once(table: Any) -> None:
    columns, sizes, _ = table
    assert as_pairs(*distinct_rows.count_rows(columns, sizes)) == oracle.distinct(columns)


@given(tables())
def test_weights_of_equal_rows_are_summed(table: Any) -> None:
    columns, sizes, weights = table
    assert as_pairs(*distinct_rows.weigh_rows(columns, sizes, weights)) == oracle.distinct(columns, weights)


@given(tables())
def test_rows_are_numbered_in_rising_order(table: Any) -> None:
    columns, sizes, _ = table
    rows = oracle.rows_of(columns)
    expected = oracle.ranks(columns)
    for number_rows in (distinct_rows.rank_rows, distinct_rows.number_groups):
        rank, first = number_rows(columns, sizes)
        assert rank.tolist() == expected
        assert [rows[i] for i in first] == sorted(set(rows))


@given(tables())
def test_sorted_rows_get_the_same_numbers(table: Any) -> None:
    columns, sizes, _ = table
    rows = sorted(oracle.rows_of(columns))
    sorted_columns = [np.array([row[j] for row in rows], dtype=column.dtype) for j, column in enumerate(columns)]
    group, first = distinct_rows.number_groups(sorted_columns, sizes)
    assert group.tolist() == oracle.ranks(sorted_columns)
    assert [rows[i] for i in first] == sorted(set(rows))


@given(tables())
def test_merged_rows_keep_their_total_weight(table: Any) -> None:
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
def test_codes_are_counted_and_recoded_by_column(table: Any) -> None:
    columns, sizes, weights = table
    if max(sizes) > 1000:
        return
    codes = np.stack(columns, axis=1)
    rows = oracle.rows_of(columns)
    frequencies = [column.tolist() for column in column_codes.count_codes(codes, sizes, weights)]
    assert frequencies == oracle.frequencies(rows, sizes, weights)
    rng = np.random.default_rng(3)
    ranks = [None if j % 3 == 1 else rng.permutation(size) for j, size in enumerate(sizes)]
    recoded_count = max(len(sizes) - 1, 1)
    padded_codes = column_codes.recode_columns(codes, ranks[:recoded_count], recoded_count + 2)
    recoded = padded_codes[:, :recoded_count]
    assert not padded_codes[:, recoded_count:].any()
    expected = [[row[j] if ranks[j] is None else int(ranks[j][row[j]]) for j in range(recoded_count)] for row in rows]
    assert recoded.reshape(-1, recoded_count).tolist() == expected


@given(tables(), st.integers(1, 3))
def test_sorted_rows_are_grouped_by_their_first_columns(table: Any, lead: int) -> None:
    columns, _, _ = table
    lead = min(lead, len(columns))
    rows = sorted(oracle.rows_of(columns))
    first, index = distinct_rows.group_sorted_rows(
        np.array(rows, dtype=np.int64).reshape(len(rows), len(columns)), lead
    )
    heads = [row[:lead] for row in rows]
    assert index.tolist() == [sorted(set(heads)).index(row) for row in heads]
    assert first.tolist() == [heads.index(head) for head in sorted(set(heads))]


@given(st.lists(st.integers(0, 6), max_size=40), st.sampled_from([7, 10**15]))
def test_weights_are_summed_by_key_in_dense_and_sparse_ranges(keys: list[int], width: int) -> None:
    key = np.array(keys, dtype=np.int64) * (width // 7)
    weights = np.arange(1, len(key) + 1)
    distinct_keys, totals = packed_keys.sum_by_key(key, weights, width)
    expected = oracle.distinct([key], weights)
    assert list(zip(distinct_keys.tolist(), totals.tolist(), strict=True)) == [
        (row[0], total) for row, total in expected
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-1, 3)), max_size=30), st.booleans())
def test_weights_are_summed_by_block_if_the_blocks_rise(rows: list[tuple[int, int, int]], is_sorted: bool) -> None:
    rows = sorted(rows, key=lambda row: row[0]) if is_sorted else rows
    block, place, weights = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    places, sums, starts = packed_keys.sum_by_block(block * 3 + place, weights, 3, 4)
    if (block[1:] < block[:-1]).any():
        assert len(starts) == 0
        return
    expected = [(row, total) for row, total in oracle.distinct([block, place], weights) if total]
    owner = np.repeat(np.arange(4), np.diff(starts))
    assert list(zip(zip(owner.tolist(), places.tolist(), strict=True), sums.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 3), max_size=20))
def test_runs_start_where_the_key_changes(keys: list[int]) -> None:
    starts = packed_keys.run_starts(np.array(sorted(keys), dtype=np.int64)).tolist()
    expected = [i for i, key in enumerate(sorted(keys)) if i == 0 or sorted(keys)[i - 1] != key]
    assert starts == [*expected, len(keys)] if keys else starts == [0]


@pytest.mark.parametrize("sizes", [(3, 50), (2**21, 2**21, 2**21), (2**31, 2**31, 2**31)])
def test_two_threads_count_many_rows_as_numpy_does(sizes: tuple[int, ...]) -> None:
    """Above the threshold for a second thread, the answer equals numpy's."""
    rng = np.random.default_rng(5)
    rows = packed_keys.SMALL + 12_345
    columns = [
        (rng.integers(0, min(size, 40), rows) * (size // min(size, 40))).astype(choose_dtype(size)) for size in sizes
    ]
    codes, counts = distinct_rows.count_rows(columns, sizes)
    expected_rows, expected_counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    assert np.array_equal(codes, expected_rows)
    assert np.array_equal(counts, expected_counts)
    weighted_rows, totals = distinct_rows.weigh_rows(columns, sizes, np.full(rows, 3))
    assert np.array_equal(weighted_rows, expected_rows)
    assert np.array_equal(totals, 3 * expected_counts)
    if max(sizes) < 100:
        frequencies = column_codes.count_codes(np.stack(columns, axis=1), sizes, np.full(rows, 2))
        for column, frequency, size in zip(columns, frequencies, sizes, strict=True):
            assert np.array_equal(frequency, 2 * np.bincount(column, minlength=size))


def test_a_row_fits_one_key_up_to_63_bits() -> None:
    assert packed_keys.bit_widths([1, 2, 3, 256, 257]) == [0, 1, 2, 8, 9]
    assert packed_keys.fits_one_key([2**31, 2**32])
    assert not packed_keys.fits_one_key([2**32, 2**32])
    assert packed_keys.fits_one_key([])

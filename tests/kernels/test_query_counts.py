"""COUNT queries and their estimates, compared with exact fractions."""

from __future__ import annotations

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import query_counts as kernel


def admitted_codes(masks: np.ndarray, offset: np.ndarray) -> list[list[set[int]]]:
    """Return each query as one set of admitted codes per column."""
    return [[set(np.flatnonzero(row[a:b]).tolist()) for a, b in itertools.pairwise(offset)] for row in masks]


def draw_queries(rng: np.random.Generator, sizes: list[int], queries: int) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return offsets, (rng.random((queries, offsets[-1])) < 0.6).astype(np.uint8)


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 5]), st.sampled_from([0, 1, 30]))
def test_a_query_counts_the_rows_that_all_columns_admit(seed: int, queries: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 4)).tolist()
    offset, masks = draw_queries(rng, sizes, queries)
    codes = np.stack([rng.integers(0, size, rows) for size in sizes], axis=1)
    weights = rng.integers(1, 5, rows)
    counts = kernel.count_matches(codes, weights, offset, masks).tolist()
    assert counts == [
        oracle.count(map(tuple, codes.tolist()), weights, query) for query in admitted_codes(masks, offset)
    ]


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 6]), st.sampled_from([0, 1, 7]))
def test_a_box_is_counted_by_the_share_of_it_that_is_admitted(seed: int, queries: int, groups: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 4)).tolist()  # the quasi-identifier
    values = rng.integers(1, 5, rng.integers(1, 3)).tolist()  # the sensitive columns
    offset, masks = draw_queries(rng, [*sizes, *values], queries)
    cells_by_column, shares, cell_index, base = [], [], [], 0
    for d, size in enumerate(sizes):
        cells = [{int(rng.integers(0, size)), *np.flatnonzero(rng.random(size) < 0.5).tolist()} for _ in range(3)]
        mask = np.array([[code in cell for code in range(size)] for cell in cells], dtype=float)
        column_masks = masks[:, offset[d] : offset[d + 1]].astype(float)
        shares.append(column_masks @ mask.T / mask.sum(axis=1))
        cell = rng.integers(0, 3, groups)
        cell_index.append(cell + base)
        base += 3
        cells_by_column.append([cells[i] for i in cell])
    entries = np.concatenate([[0], np.cumsum(rng.integers(1, 5, groups))]).astype(np.int64)
    codes = np.stack([rng.integers(0, size, entries[-1]) for size in values], axis=1)
    weights = rng.integers(1, 5, entries[-1])
    estimates = kernel.estimate_from_boxes(
        np.concatenate(shares, axis=1).reshape(queries, base),
        np.stack(cell_index, axis=1).reshape(groups, len(sizes)),
        entries,
        codes,
        weights,
        offset[len(sizes) :],
        masks,
    )
    rows = [tuple(row) for row in codes.tolist()]
    table = [
        (
            [cells_by_column[d][g] for d in range(len(sizes))],
            [(rows[e], int(weights[e])) for e in range(entries[g], entries[g + 1])],
        )
        for g in range(groups)
    ]
    for answer, query in zip(estimates, admitted_codes(masks, offset), strict=True):
        expected = oracle.estimate_boxes(table, query[: len(sizes)], query[len(sizes) :])
        assert answer == pytest.approx(float(expected), abs=1e-9)


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 6]), st.sampled_from([0, 1, 7]))
def test_a_bucket_is_counted_by_its_people_times_its_values(seed: int, queries: int, groups: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(1, 6, rng.integers(1, 4)).tolist(), 4]
    offset, masks = draw_queries(rng, sizes, queries)
    rows = np.concatenate([[0], np.cumsum(rng.integers(1, 6, groups))]).astype(np.int64)
    codes = np.stack([rng.integers(0, size, rows[-1]) for size in sizes[:-1]], axis=1)
    entries = np.concatenate([[0], np.cumsum(rng.integers(1, 4, groups))]).astype(np.int64)
    values, weights = rng.integers(0, 4, entries[-1]), rng.integers(1, 4, entries[-1])
    distinct_rows, cell = np.unique(codes, axis=0, return_inverse=True)
    estimates = kernel.estimate_from_buckets(
        rows, cell.reshape(-1), distinct_rows, entries, values, weights, offset, masks
    )
    people = [tuple(row) for row in codes.tolist()]
    table = [
        (
            people[rows[g] : rows[g + 1]],
            [(int(values[e]), int(weights[e])) for e in range(entries[g], entries[g + 1])],
        )
        for g in range(groups)
    ]
    for answer, query in zip(estimates, admitted_codes(masks, offset), strict=True):
        expected = oracle.estimate_buckets(table, query[:-1], query[-1])
        assert answer == pytest.approx(float(expected), abs=1e-9)

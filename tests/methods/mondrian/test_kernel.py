"""Mondrian's cuts compared with a Mondrian of plain lists: the same partition, however a median is found.

Scales are powers of two, so gains are exact and both sides see the same ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Cuttable

from voile.methods.mondrian import kernel as kernel
from voile.methods.mondrian.kernel import cuts

# how the codes of a domain get their places in the sketch
SHAPES = ["exact", "gaps", "squeezed"]


def make_column(rng: np.random.Generator, size: int, shape: str, has_fence: bool) -> Cuttable:
    if shape == "gaps":  # numbers that are not evenly spaced: several codes may share a place
        places = np.sort(rng.integers(0, 64, size))
    elif size > 64:
        places = np.arange(size) * 63 // (size - 1)
    else:
        places = np.arange(size)
    fence = rng.integers(1, 4, size).tolist() if has_fence else None
    is_ranged = shape == "gaps" or bool(rng.integers(0, 2))
    return Cuttable(places.tolist(), is_ranged, float(2.0 ** -rng.integers(0, 6)), fence)


def make_frame(columns: list[Cuttable]) -> tuple[np.ndarray, ...]:
    """Return the frame of the columns, as the kernel's docstring describes it."""
    sizes = [len(column.place) for column in columns]
    return (
        np.uint64(1) << np.concatenate([column.place for column in columns]).astype(np.uint64),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.array([column.ranged for column in columns]),
        np.array([column.scale for column in columns]),
        np.concatenate(
            [column.fence if column.fence is not None else [0] * len(column.place) for column in columns]
        ).astype(np.int64),
        np.array([column.fence is not None for column in columns]),
        np.array([list(column.place) == list(range(len(column.place))) for column in columns]),
    )


def make_table(
    rng: np.random.Generator, rows: int, columns: list[Cuttable], has_weights: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes, weights and ids. Values are skewed, so there are ties and frequent values."""
    limit = max(len(column.place) for column in columns)
    codes = np.stack(
        [np.floor(len(column.place) * rng.random(rows) ** rng.choice([1, 3])) for column in columns], axis=1
    ).astype(np.uint16 if limit <= 1 << 16 else np.uint32)
    weights = rng.integers(1, 7, rows) if has_weights else np.ones(rows, dtype=np.int64)
    return np.ascontiguousarray(codes), weights.astype(np.int64), np.arange(rows, dtype=np.int32)


def pad(codes: np.ndarray) -> np.ndarray:
    """Return rows as the kernel moves them, padded to whole 64-bit words."""
    padded = np.zeros((len(codes), kernel.padded_width(codes.shape[1], codes.dtype)), dtype=codes.dtype)
    padded[:, : codes.shape[1]] = codes
    return padded


def grow_groups(codes: np.ndarray, weights: np.ndarray, smallest: int, columns: list[Cuttable]) -> list[list[int]]:
    """Return the kernel's groups of row numbers; the rows that it moved must still be the same rows."""
    moved_codes, moved_weights, ids = pad(codes), weights.copy(), np.arange(len(codes), dtype=np.int32)
    ends = kernel.grow_tree(moved_codes, moved_weights, ids, smallest, make_frame(columns))
    assert np.array_equal(moved_codes[:, : codes.shape[1]], codes[ids])
    assert np.array_equal(moved_weights, weights[ids])
    assert sorted(ids.tolist()) == list(range(len(codes)))
    edges = [0, *ends.tolist()]
    assert edges[-1] == len(codes)
    return sorted(sorted(ids[a:b].tolist()) for a, b in zip(edges[:-1], edges[1:], strict=True))  # noqa: RUF007


def grow_groups_slowly(
    codes: np.ndarray, weights: np.ndarray, smallest: int, columns: list[Cuttable]
) -> list[list[int]]:
    return oracle.mondrian([tuple(row) for row in codes.tolist()], weights.tolist(), columns, smallest, kernel.FINE)


@st.composite
def problems(draw: st.DrawFn, rows: list[int], sizes: list[int]) -> Any:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [
        make_column(rng, draw(st.sampled_from(sizes)), draw(st.sampled_from(SHAPES)), draw(st.booleans()))
        for _ in range(draw(st.integers(1, 4)))
    ]
    codes, weights, _ = make_table(rng, draw(st.sampled_from(rows)), columns, draw(st.booleans()))
    return codes, weights, draw(st.integers(1, 9)), columns


@settings(max_examples=60)
@given(problems([1, 2, 3, kernel.SHORT - 1, kernel.SHORT], [1, 2, 9, 64, 65, 400]))
def test_short_nodes_are_cut_as_by_the_twin(problem: Any) -> None:
    assert grow_groups(*problem) == grow_groups_slowly(*problem)


@settings(max_examples=60)
@given(problems([kernel.SHORT + 1, kernel.FINE, kernel.FINE + 1, 200], [2, 5, 64, 65, 250]))
def test_counted_nodes_are_cut_as_by_the_twin(problem: Any) -> None:
    assert grow_groups(*problem) == grow_groups_slowly(*problem)


@settings(max_examples=40)
@given(problems([kernel.SHORT + 6, kernel.FINE, 150], [3, 2000, 70_000]))
def test_wide_domains_are_cut_as_by_the_twin(problem: Any) -> None:
    """With many more codes than rows, values are sorted instead of counted."""
    assert grow_groups(*problem) == grow_groups_slowly(*problem)


@pytest.mark.parametrize("smallest", [5, 400])
def test_one_thread_and_two_threads_give_the_same_groups(smallest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(smallest)
    columns = [make_column(rng, size, shape, False) for size, shape in ((17, "exact"), (300, "squeezed"), (40, "gaps"))]
    codes, weights, _ = make_table(rng, cuts.ALONE + 3000, columns, True)
    groups_of_two_threads = grow_groups(codes, weights, smallest, columns)
    monkeypatch.setattr(cuts, "ALONE", len(codes) + 1)
    assert grow_groups(codes, weights, smallest, columns) == groups_of_two_threads
    assert min(weights[group].sum() for group in groups_of_two_threads) >= smallest
    if smallest == 400:
        assert grow_groups_slowly(codes, weights, smallest, columns) == groups_of_two_threads


def test_equal_rows_are_not_cut() -> None:
    columns = [Cuttable(range(5), True, 0.25), Cuttable(range(3), False, 0.5)]
    codes = np.tile(np.array([[4, 0]], dtype=np.uint16), (50, 1))
    assert grow_groups(codes, np.ones(50, dtype=np.int64), 1, columns) == [list(range(50))]


def test_a_heavy_row_is_not_cut() -> None:
    columns = [Cuttable(range(3), True, 0.5)]
    codes = np.array([[0], [1], [2]], dtype=np.uint16)
    assert grow_groups(codes, np.array([5, 1, 5]), 5, columns) == [
        [0],
        [1, 2],
    ]  # |2*5 - 11| = |2*6 - 11|: the first cut
    assert grow_groups(codes, np.array([9, 1, 1]), 3, columns) == [[0, 1, 2]]


def test_only_the_highest_fence_is_cut() -> None:
    """A hierarchy {a, b}, {c, d}: the cut is between the branches even if another cut would be more even."""
    columns = [Cuttable(range(4), False, 0.5, [1, 2, 1, 0])]
    codes = np.array([[0], [1], [2], [3]], dtype=np.uint16)
    assert grow_groups(codes, np.array([6, 6, 1, 1]), 2, columns) == [[0], [1], [2, 3]]
    assert grow_groups(codes, np.array([6, 6, 1, 0]), 2, columns) == [[0, 1, 2, 3]]


@settings(max_examples=40)
@given(problems([2, 20, 90], [2, 9, 65, 400]), st.integers(1, 3), st.sampled_from([4, 64, 4096]))
def test_proposed_cuts_are_ranked_and_divide_the_rows(problem: Any, nodes: int, fine: int) -> None:
    codes, weights, smallest, columns = problem
    edges = np.unique(np.linspace(0, len(codes), nodes + 1).astype(np.int64))
    lows, highs = edges[:-1], edges[1:]
    shape = (len(lows), len(columns))
    cuts, order = np.empty(shape, np.int64), np.empty(shape, np.int64)
    kernel.propose_cuts(codes, weights, lows, highs, smallest, fine, make_frame(columns), cuts, order)
    rows = [tuple(row) for row in codes.tolist()]
    best_cuts = {}
    for node, (low, high) in enumerate(zip(lows, highs, strict=True)):
        expected = oracle.ranked_cuts(rows[low:high], weights[low:high].tolist(), columns, smallest, fine)
        candidates = [(int(d), int(cuts[node, d])) for d in order[node] if d >= 0]
        assert candidates == (expected[:1] if high - low == 2 else expected)  # all cuts of two rows are the same
        if expected:
            best_cuts[node] = expected[0]
    if not best_cuts:
        return
    cut_nodes = np.array(list(best_cuts), dtype=np.int64)
    cut_columns, last_codes = (
        np.array([best_cuts[node][part] for node in best_cuts], dtype=np.int64) for part in (0, 1)
    )
    ids = np.arange(len(codes), dtype=np.int32)
    half, row_ids = kernel.assign_halves(codes, ids, lows[cut_nodes], highs[cut_nodes], cut_columns, last_codes)
    sides = [
        (2 * index + int(rows[i][cut_columns[index]] > last_codes[index]), i)
        for index, node in enumerate(cut_nodes)
        for i in range(lows[node], highs[node])
    ]
    assert sorted(zip(half.tolist(), row_ids.tolist(), strict=True)) == sorted(sides)
    moved_codes, moved_weights = pad(codes), weights.copy()
    middles = kernel.cut_nodes(
        moved_codes, moved_weights, ids, lows[cut_nodes], highs[cut_nodes], cut_columns, last_codes
    )
    assert np.array_equal(moved_codes[:, : codes.shape[1]], codes[ids])
    assert np.array_equal(moved_weights, weights[ids])
    for index, node in enumerate(cut_nodes):
        left, right = ids[lows[node] : middles[index]], ids[middles[index] : highs[node]]
        assert sorted(left.tolist()) == [i for side, i in sides if side == 2 * index]
        assert sorted(right.tolist()) == [i for side, i in sides if side == 2 * index + 1]


@pytest.mark.parametrize("nodes", [1, 2, 7])
def test_rows_are_numbered_by_their_leaf(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    ids = rng.permutation(50).astype(np.int32)
    ends = np.append(np.sort(rng.choice(np.arange(1, 50), nodes - 1, replace=False)), 50)
    expected = oracle.node_numbers(ids.tolist(), ends.tolist())
    assert kernel.number_leaves(ids, ends).tolist() == expected

"""Mondrian's cuts against a Mondrian of plain lists: the same partition, whichever way a median was found.

Scales are powers of two, so that gains are exact and ties are ties in both.
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

# (codes of the domain, how a code gets its place in the sketch)
SHAPES = ["exact", "gaps", "squeezed"]


def column(rng: np.random.Generator, size: int, shape: str, fenced: bool) -> Cuttable:
    if shape == "gaps":  # numbers that are not evenly spaced: several codes may share a place
        place = np.sort(rng.integers(0, 64, size))
    elif size > 64:
        place = np.arange(size) * 63 // (size - 1)
    else:
        place = np.arange(size)
    fence = rng.integers(1, 4, size).tolist() if fenced else None
    ranged = shape == "gaps" or bool(rng.integers(0, 2))
    return Cuttable(place.tolist(), ranged, float(2.0 ** -rng.integers(0, 6)), fence)


def frame(columns: list[Cuttable]) -> tuple[np.ndarray, ...]:
    """Return the frame of the columns, as the kernel's docstring describes it."""
    sizes = [len(one.place) for one in columns]
    return (
        np.uint64(1) << np.concatenate([one.place for one in columns]).astype(np.uint64),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.array([one.ranged for one in columns]),
        np.array([one.scale for one in columns]),
        np.concatenate([one.fence if one.fence is not None else [0] * len(one.place) for one in columns]).astype(
            np.int64
        ),
        np.array([one.fence is not None for one in columns]),
        np.array([list(one.place) == list(range(len(one.place))) for one in columns]),
    )


def table(
    rng: np.random.Generator, rows: int, columns: list[Cuttable], heavy: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes, weights and ids. Values are skewed, so that there are ties and frequent values."""
    limit = max(len(one.place) for one in columns)
    codes = np.stack(
        [np.floor(len(one.place) * rng.random(rows) ** rng.choice([1, 3])) for one in columns], axis=1
    ).astype(np.uint16 if limit <= 1 << 16 else np.uint32)
    weights = rng.integers(1, 7, rows) if heavy else np.ones(rows, dtype=np.int64)
    return np.ascontiguousarray(codes), weights.astype(np.int64), np.arange(rows, dtype=np.int32)


def pad(codes: np.ndarray) -> np.ndarray:
    """Return rows as the kernel moves them, padded to whole 64-bit words."""
    wide = np.zeros((len(codes), kernel.padded_width(codes.shape[1], codes.dtype)), dtype=codes.dtype)
    wide[:, : codes.shape[1]] = codes
    return wide


def grown(codes: np.ndarray, weights: np.ndarray, smallest: int, columns: list[Cuttable]) -> list[list[int]]:
    """Return the kernel's groups of row numbers; the rows that it moved must still be the same rows."""
    moved, heavy, ids = pad(codes), weights.copy(), np.arange(len(codes), dtype=np.int32)
    ends = kernel.grow_tree(moved, heavy, ids, smallest, frame(columns))
    assert np.array_equal(moved[:, : codes.shape[1]], codes[ids])
    assert np.array_equal(heavy, weights[ids])
    assert sorted(ids.tolist()) == list(range(len(codes)))
    cuts = [0, *ends.tolist()]
    assert cuts[-1] == len(codes)
    return sorted(sorted(ids[a:b].tolist()) for a, b in zip(cuts[:-1], cuts[1:], strict=True))  # noqa: RUF007


def twin(codes: np.ndarray, weights: np.ndarray, smallest: int, columns: list[Cuttable]) -> list[list[int]]:
    return oracle.mondrian([tuple(row) for row in codes.tolist()], weights.tolist(), columns, smallest, kernel.FINE)


@st.composite
def problems(draw: st.DrawFn, rows: list[int], sizes: list[int]) -> Any:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [
        column(rng, draw(st.sampled_from(sizes)), draw(st.sampled_from(SHAPES)), draw(st.booleans()))
        for _ in range(draw(st.integers(1, 4)))
    ]
    codes, weights, _ = table(rng, draw(st.sampled_from(rows)), columns, draw(st.booleans()))
    return codes, weights, draw(st.integers(1, 9)), columns


@settings(max_examples=60)
@given(problems([1, 2, 3, kernel.SHORT - 1, kernel.SHORT], [1, 2, 9, 64, 65, 400]))
def test_short_nodes(problem: Any) -> None:
    assert grown(*problem) == twin(*problem)


@settings(max_examples=60)
@given(problems([kernel.SHORT + 1, kernel.FINE, kernel.FINE + 1, 200], [2, 5, 64, 65, 250]))
def test_counted_nodes(problem: Any) -> None:
    assert grown(*problem) == twin(*problem)


@settings(max_examples=40)
@given(problems([kernel.SHORT + 6, kernel.FINE, 150], [3, 2000, 70_000]))
def test_wide_domains(problem: Any) -> None:
    """With many more codes than rows, values are sorted instead of counted."""
    assert grown(*problem) == twin(*problem)


@pytest.mark.parametrize("smallest", [5, 400])
def test_one_thread_and_two_give_the_same(smallest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(smallest)
    columns = [column(rng, size, shape, False) for size, shape in ((17, "exact"), (300, "squeezed"), (40, "gaps"))]
    codes, weights, _ = table(rng, cuts.ALONE + 3000, columns, True)
    two = grown(codes, weights, smallest, columns)
    monkeypatch.setattr(cuts, "ALONE", len(codes) + 1)
    assert grown(codes, weights, smallest, columns) == two
    assert min(weights[group].sum() for group in two) >= smallest
    if smallest == 400:
        assert twin(codes, weights, smallest, columns) == two


def test_rows_that_are_all_alike_are_not_cut() -> None:
    columns = [Cuttable(range(5), True, 0.25), Cuttable(range(3), False, 0.5)]
    codes = np.tile(np.array([[4, 0]], dtype=np.uint16), (50, 1))
    assert grown(codes, np.ones(50, dtype=np.int64), 1, columns) == [list(range(50))]


def test_a_heavy_row_is_not_cut() -> None:
    columns = [Cuttable(range(3), True, 0.5)]
    codes = np.array([[0], [1], [2]], dtype=np.uint16)
    assert grown(codes, np.array([5, 1, 5]), 5, columns) == [[0], [1, 2]]  # |2*5 - 11| = |2*6 - 11|: the first cut
    assert grown(codes, np.array([9, 1, 1]), 3, columns) == [[0, 1, 2]]


def test_only_the_highest_fence_is_cut() -> None:
    """A hierarchy {a, b}, {c, d}: the cut is between the branches even if another cut would be more even."""
    columns = [Cuttable(range(4), False, 0.5, [1, 2, 1, 0])]
    codes = np.array([[0], [1], [2], [3]], dtype=np.uint16)
    assert grown(codes, np.array([6, 6, 1, 1]), 2, columns) == [[0], [1], [2, 3]]
    assert grown(codes, np.array([6, 6, 1, 0]), 2, columns) == [[0, 1, 2, 3]]


@settings(max_examples=40)
@given(problems([2, 20, 90], [2, 9, 65, 400]), st.integers(1, 3), st.sampled_from([4, 64, 4096]))
def test_candidates_and_their_halves(problem: Any, nodes: int, fine: int) -> None:
    codes, weights, smallest, columns = problem
    edges = np.unique(np.linspace(0, len(codes), nodes + 1).astype(np.int64))
    lows, highs = edges[:-1], edges[1:]
    shape = (len(lows), len(columns))
    cuts, order = np.empty(shape, np.int64), np.empty(shape, np.int64)
    kernel.propose_cuts(codes, weights, lows, highs, smallest, fine, frame(columns), cuts, order)
    rows = [tuple(row) for row in codes.tolist()]
    best = {}
    for node, (low, high) in enumerate(zip(lows, highs, strict=True)):
        expected = oracle.ranked_cuts(rows[low:high], weights[low:high].tolist(), columns, smallest, fine)
        found = [(int(d), int(cuts[node, d])) for d in order[node] if d >= 0]
        assert found == (expected[:1] if high - low == 2 else expected)  # all cuts of two rows are the same
        if expected:
            best[node] = expected[0]
    if not best:
        return
    some = np.array(list(best), dtype=np.int64)
    dims, at = (np.array([best[node][part] for node in best], dtype=np.int64) for part in (0, 1))
    ids = np.arange(len(codes), dtype=np.int32)
    half, who = kernel.assign_halves(codes, ids, lows[some], highs[some], dims, at)
    sides = [
        (2 * place + int(rows[i][dims[place]] > at[place]), i)
        for place, node in enumerate(some)
        for i in range(lows[node], highs[node])
    ]
    assert sorted(zip(half.tolist(), who.tolist(), strict=True)) == sorted(sides)
    moved, heavy = pad(codes), weights.copy()
    middles = kernel.cut_nodes(moved, heavy, ids, lows[some], highs[some], dims, at)
    assert np.array_equal(moved[:, : codes.shape[1]], codes[ids])
    assert np.array_equal(heavy, weights[ids])
    for place, node in enumerate(some):
        left, right = ids[lows[node] : middles[place]], ids[middles[place] : highs[node]]
        assert sorted(left.tolist()) == [i for side, i in sides if side == 2 * place]
        assert sorted(right.tolist()) == [i for side, i in sides if side == 2 * place + 1]


@pytest.mark.parametrize("nodes", [1, 2, 7])
def test_numbered(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    ids = rng.permutation(50).astype(np.int32)
    ends = np.append(np.sort(rng.choice(np.arange(1, 50), nodes - 1, replace=False)), 50)
    expected = oracle.node_numbers(ids.tolist(), ends.tolist())
    assert kernel.number_leaves(ids, ends).tolist() == expected

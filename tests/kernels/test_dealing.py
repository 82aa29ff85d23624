"""Largest-l against its theorems, and seating against its rules."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import dealing as kernel

SIZES = st.lists(st.integers(0, 9), min_size=1, max_size=9)


def coins(seed: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, max(size, 1), dtype=np.uint64)


def dealt(sizes: list[int], l: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:  # noqa: E741
    return kernel.pick_largest_l(np.array(sizes, dtype=np.int64), l, coins(seed, sum(sizes)))


def seated(sizes: list[int], l: int, seed: int = 0) -> tuple[list[int], list[int], np.ndarray, np.ndarray]:  # noqa: E741
    """The bucket and the group of every row, the picks and what was left."""
    picks, remaining = dealt(sizes, l, seed)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    group = kernel.seat_rows(
        starts, picks, remaining, coins(seed + 1, sum(sizes)), coins(seed + 2, int(remaining.sum()))
    )
    bucket = np.repeat(np.arange(len(sizes)), sizes)
    return bucket.tolist(), group.tolist(), picks, remaining


@given(SIZES, st.integers(2, 6), st.integers(0, 5))
def test_as_many_groups_as_there_can_be(sizes: list[int], l: int, seed: int) -> None:  # noqa: E741
    picks, remaining = dealt(sizes, l, seed)
    slow, left = oracle.dealt(sizes, l)
    assert len(picks) == len(slow) == oracle.most_groups(sizes, l)
    assert sorted(remaining.tolist()) == sorted(left)  # whatever the ties, the same piles are left
    for group in picks.tolist():
        assert len(set(group)) == l
    used = np.bincount(picks.ravel(), minlength=len(sizes))
    assert (used + remaining).tolist() == sizes


@given(SIZES, st.integers(0, 5))
def test_no_leftovers_under_the_l_property(sizes: list[int], seed: int) -> None:
    total, most = sum(sizes), max(sizes)
    for l in range(2, total // max(most, 1) + 1 if most else 2):  # noqa: E741
        _, remaining = dealt(sizes, l, seed)
        assert remaining.max() <= 1
        assert remaining.sum() == total % l


@given(SIZES, st.integers(2, 5), st.integers(0, 5))
def test_seating(sizes: list[int], l: int, seed: int) -> None:  # noqa: E741
    bucket, group, picks, remaining = seated(sizes, l, seed)
    fair = max(sizes) * l <= sum(sizes)
    inside: dict[int, list[int]] = {}
    for b, g in zip(bucket, group, strict=True):
        if g >= 0:
            inside.setdefault(g, []).append(b)
    assert set(inside) == set(range(len(picks)))
    for g, values in inside.items():
        assert len(values) == len(set(values)), "a group has a value twice"
        assert set(picks[g].tolist()) <= set(values)
    if fair:
        assert -1 not in group
    else:
        assert group.count(-1) <= remaining.sum()


@given(SIZES, st.integers(2, 4))
def test_handing_out(sizes: list[int], l: int) -> None:  # noqa: E741
    """Cells of a bucket take its seats one after another: nobody is lost and each cell has its number of rows."""
    bucket, group, _, _ = seated(sizes, l)
    rng = np.random.default_rng(1)
    cell_bucket = rng.permutation(np.repeat(np.arange(len(sizes)), [min(size, 2) for size in sizes]))
    counts = np.zeros(len(cell_bucket), dtype=np.int64)
    for b, size in enumerate(sizes):
        mine = np.flatnonzero(cell_bucket == b)
        counts[mine] = [size] if len(mine) == 1 else [1, size - 1] if len(mine) else []
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    cells, groups = kernel.hand_out_groups(cell_bucket, counts, starts, np.array(group, dtype=np.int64))
    assert np.bincount(cells, minlength=len(counts)).tolist() == counts.tolist()
    for b in range(len(sizes)):
        got = sorted(int(g) for c, g in zip(cells, groups, strict=True) if cell_bucket[c] == b)
        assert got == sorted(g for o, g in zip(bucket, group, strict=True) if o == b)


def test_ties_and_seats_are_drawn_fairly() -> None:
    """Three equal buckets, groups of two: each pair is as likely, and so is each seat of a row."""
    pairs: dict[tuple[int, ...], int] = {}
    first: list[int] = []
    for seed in range(1500):
        picks, _ = dealt([1, 1, 1], 2, seed)
        pair = tuple(sorted(picks[0].tolist()))
        pairs[pair] = pairs.get(pair, 0) + 1
        first.append(seated([3, 3], 2, seed)[1][0])
    assert sorted(pairs) == [(0, 1), (0, 2), (1, 2)]
    assert min(pairs.values()) > 400
    assert min(np.bincount(first)) > 400


def test_no_rows_and_too_few_buckets() -> None:
    for sizes in ([0], [5], [3, 0, 0]):
        picks, remaining = dealt(sizes, 2)
        assert picks.shape == (0, 2)
        assert remaining.tolist() == sizes


@pytest.mark.parametrize("buckets", [2000])
def test_many_buckets(buckets: int) -> None:
    sizes = np.random.default_rng(2).integers(1, 30, buckets).tolist()
    picks, _ = dealt(sizes, 10)
    assert len(picks) == oracle.most_groups(sizes, 10)
    assert all(len(set(group)) == 10 for group in picks.tolist())

"""Largest-l compared with its theorems, and seating with its rules."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import dealing as kernel

SIZES = st.lists(st.integers(0, 9), min_size=1, max_size=9)


def draw_coins(seed: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, max(size, 1), dtype=np.uint64)


def deal(sizes: list[int], l: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:  # noqa: E741
    return kernel.pick_largest_l(np.array(sizes, dtype=np.int64), l, draw_coins(seed, sum(sizes)))


def deal_and_seat(sizes: list[int], l: int, seed: int = 0) -> tuple[list[int], list[int], np.ndarray, np.ndarray]:  # noqa: E741
    """Return the bucket and the group of every row, the picks, and the rows that remain."""
    picks, remaining = deal(sizes, l, seed)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    group = kernel.seat_rows(
        starts, picks, remaining, draw_coins(seed + 1, sum(sizes)), draw_coins(seed + 2, int(remaining.sum()))
    )
    bucket = np.repeat(np.arange(len(sizes)), sizes)
    return bucket.tolist(), group.tolist(), picks, remaining


@given(SIZES, st.integers(2, 6), st.integers(0, 5))
def test_the_largest_possible_number_of_groups_is_dealt(sizes: list[int], l: int, seed: int) -> None:  # noqa: E741
    picks, remaining = deal(sizes, l, seed)
    expected_groups, expected_remainder = oracle.dealt(sizes, l)
    assert len(picks) == len(expected_groups) == oracle.most_groups(sizes, l)
    assert sorted(remaining.tolist()) == sorted(expected_remainder)  # whatever the ties, the same piles are left
    for group in picks.tolist():
        assert len(set(group)) == l
    rows_used = np.bincount(picks.ravel(), minlength=len(sizes))
    assert (rows_used + remaining).tolist() == sizes


@given(SIZES, st.integers(0, 5))
def test_no_leftovers_under_the_l_property(sizes: list[int], seed: int) -> None:
    total, largest = sum(sizes), max(sizes)
    for l in range(2, total // max(largest, 1) + 1 if largest else 2):  # noqa: E741
        _, remaining = deal(sizes, l, seed)
        assert remaining.max() <= 1
        assert remaining.sum() == total % l


@given(SIZES, st.integers(2, 5), st.integers(0, 5))
def test_every_group_has_its_picks_and_no_value_twice(sizes: list[int], l: int, seed: int) -> None:  # noqa: E741
    bucket, group, picks, remaining = deal_and_seat(sizes, l, seed)
    everybody_fits = max(sizes) * l <= sum(sizes)
    buckets_by_group: dict[int, list[int]] = {}
    for b, g in zip(bucket, group, strict=True):
        if g >= 0:
            buckets_by_group.setdefault(g, []).append(b)
    assert set(buckets_by_group) == set(range(len(picks)))
    for g, values in buckets_by_group.items():
        assert len(values) == len(set(values)), "a group has a value twice"
        assert set(picks[g].tolist()) <= set(values)
    if everybody_fits:
        assert -1 not in group
    else:
        assert group.count(-1) <= remaining.sum()


@given(SIZES, st.integers(2, 4))
def test_cells_of_a_bucket_take_its_seats_one_after_another(sizes: list[int], l: int) -> None:  # noqa: E741
    """Nobody is lost, and each cell gets as many seats as it has rows."""
    bucket, group, _, _ = deal_and_seat(sizes, l)
    rng = np.random.default_rng(1)
    cell_bucket = rng.permutation(np.repeat(np.arange(len(sizes)), [min(size, 2) for size in sizes]))
    counts = np.zeros(len(cell_bucket), dtype=np.int64)
    for b, size in enumerate(sizes):
        own_cells = np.flatnonzero(cell_bucket == b)
        counts[own_cells] = [size] if len(own_cells) == 1 else [1, size - 1] if len(own_cells) else []
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    cells, groups = kernel.hand_out_groups(cell_bucket, counts, starts, np.array(group, dtype=np.int64))
    assert np.bincount(cells, minlength=len(counts)).tolist() == counts.tolist()
    for b in range(len(sizes)):
        groups_of_bucket = sorted(int(g) for c, g in zip(cells, groups, strict=True) if cell_bucket[c] == b)
        assert groups_of_bucket == sorted(g for o, g in zip(bucket, group, strict=True) if o == b)


def test_ties_and_seats_are_drawn_fairly() -> None:
    """With three equal buckets and groups of two, all pairs are equally likely, and so are all seats of a row."""
    pair_counts: dict[tuple[int, ...], int] = {}
    first_seats: list[int] = []
    for seed in range(1500):
        picks, _ = deal([1, 1, 1], 2, seed)
        pair = tuple(sorted(picks[0].tolist()))
        pair_counts[pair] = pair_counts.get(pair, 0) + 1
        first_seats.append(deal_and_seat([3, 3], 2, seed)[1][0])
    assert sorted(pair_counts) == [(0, 1), (0, 2), (1, 2)]
    assert min(pair_counts.values()) > 400
    assert min(np.bincount(first_seats)) > 400


def test_too_few_buckets_make_no_group() -> None:
    for sizes in ([0], [5], [3, 0, 0]):
        picks, remaining = deal(sizes, 2)
        assert picks.shape == (0, 2)
        assert remaining.tolist() == sizes


@pytest.mark.parametrize("buckets", [2000])
def test_the_number_of_groups_is_largest_with_many_buckets(buckets: int) -> None:
    sizes = np.random.default_rng(2).integers(1, 30, buckets).tolist()
    picks, _ = deal(sizes, 10)
    assert len(picks) == oracle.most_groups(sizes, 10)
    assert all(len(set(group)) == 10 for group in picks.tolist())

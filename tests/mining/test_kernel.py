"""The decision tree on binned columns, against its slow twin."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import lazy_kernel

mining_kernel = lazy_kernel("voile.mining.kernel")

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=30)


@given(rows, st.sampled_from([0.2, 0.5, 1.0]), st.sampled_from([1.0, 3.0]))
def test_the_first_cut_is_the_best(table: list[tuple[int, int, int]], keep: float, least: float) -> None:
    codes, labels, weights = ([row[place] for row in table] for place in range(3))
    shares = [0.5, 0.3, 0.2]
    gain, at = oracle.best_threshold(codes, labels, [float(w) for w in weights], keep, shares, least)
    column, children, sides, counts = mining_kernel.grow(
        np.array(codes).reshape(-1, 1),
        np.array(labels),
        np.array(weights, dtype=float),
        np.array([6]),
        np.array([True]),
        keep,
        np.array(shares),
        1,
        least,
        0.0,
    )
    seen = [sum(w for y, w in zip(labels, weights, strict=True) if y == label) for label in range(3)]
    assert counts[0] == pytest.approx(oracle.before_channel(seen, keep, shares))
    if gain < 1e-6:
        return
    assert column[0] == 0
    left = {code for code in codes if sides[0, code]}
    chosen = [code <= at for code in codes]
    halves = [[c in left for c in codes], chosen]

    def worth(side: list[bool]) -> float:
        parts = []
        for wanted in (True, False):
            parts.append(
                [
                    sum(w for s, y, w in zip(side, labels, weights, strict=True) if s is wanted and y == label)
                    for label in range(3)
                ]
            )
        return sum(oracle.gini(part, keep, shares) for part in parts)

    assert worth(halves[0]) == pytest.approx(worth(halves[1]), abs=1e-6)
    assert children[0].tolist() == [1, 2]


def grown(codes: np.ndarray, labels: np.ndarray, ranged: bool, depth: int = 3, floor: float = 0.0) -> tuple:
    bins = np.array([int(codes.max()) + 1] * codes.shape[1])
    weights, shares = np.ones(len(codes)), np.array([0.5, 0.5])
    flags = np.array([ranged] * codes.shape[1])
    return mining_kernel.grow(codes, labels, weights, bins, flags, 1.0, shares, depth, 1.0, floor)


def test_categories_are_cut_by_any_set() -> None:
    codes = np.array([[0], [1], [2], [3]] * 5)
    labels = np.array([0, 1, 0, 1] * 5)
    column, _, sides, _ = grown(codes, labels, ranged=False, depth=1)
    assert column[0] == 0
    assert {code for code in range(4) if sides[0, code]} in ({0, 2}, {1, 3})
    assert grown(codes, labels, ranged=True, depth=3)[0].tolist().count(0) == 3


def test_a_cut_must_gain_more_than_the_floor() -> None:
    codes, labels = np.array([[0], [1]] * 4), np.array([0, 1] * 4)
    assert len(grown(codes, labels, True)[0]) == 3
    assert len(grown(codes, labels, True, floor=100.0)[0]) == 1


def test_unseen_bins_go_to_the_heavier_side() -> None:
    codes, labels = np.array([[0]] * 3 + [[1]] * 7), np.array([0] * 3 + [1] * 7)
    column, children, sides, counts = grown(codes, labels, False)
    people = counts.sum(axis=1)
    heavier = np.where(people[children[:, 0]] >= people[children[:, 1]], 0, 1)
    leaf = mining_kernel.leaves(np.array([[0], [1], [-1]]), column, children, sides, heavier)
    assert np.argmax(counts[leaf], axis=1).tolist() == [0, 1, 1]

"""The decision tree on binned columns, compared with its slow twin."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import lazy_module

mining_kernel = lazy_module("voile.mining.kernel")

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=30)


@given(rows, st.sampled_from([0.2, 0.5, 1.0]), st.sampled_from([1.0, 3.0]))
def test_the_first_cut_is_the_best(table: list[tuple[int, int, int]], keep: float, min_people: float) -> None:
    codes, labels, weights = ([row[column_index] for row in table] for column_index in range(3))
    shares = [0.5, 0.3, 0.2]
    gain, last_code = oracle.best_threshold(codes, labels, [float(w) for w in weights], keep, shares, min_people)
    column, children, sides, counts = mining_kernel.grow(
        np.array(codes).reshape(-1, 1),
        np.array(labels),
        np.array(weights, dtype=float),
        np.array([6]),
        np.array([True]),
        keep,
        np.array(shares),
        1,
        min_people,
        0.0,
    )
    class_counts = [sum(w for y, w in zip(labels, weights, strict=True) if y == label) for label in range(3)]
    assert counts[0] == pytest.approx(oracle.before_channel(class_counts, keep, shares))
    if gain < 1e-6:
        return
    assert column[0] == 0
    left_codes = {code for code in codes if sides[0, code]}
    best_side = [code <= last_code for code in codes]
    sides_to_compare = [[c in left_codes for c in codes], best_side]

    def impurity(side: list[bool]) -> float:
        parts = []
        for half in (True, False):
            parts.append(
                [
                    sum(w for s, y, w in zip(side, labels, weights, strict=True) if s is half and y == label)
                    for label in range(3)
                ]
            )
        return sum(oracle.gini(part, keep, shares) for part in parts)

    assert impurity(sides_to_compare[0]) == pytest.approx(impurity(sides_to_compare[1]), abs=1e-6)
    assert children[0].tolist() == [1, 2]


def grow_tree(codes: np.ndarray, labels: np.ndarray, ranged: bool, depth: int = 3, min_gain: float = 0.0) -> tuple:
    bins = np.array([int(codes.max()) + 1] * codes.shape[1])
    weights, shares = np.ones(len(codes)), np.array([0.5, 0.5])
    flags = np.array([ranged] * codes.shape[1])
    return mining_kernel.grow(codes, labels, weights, bins, flags, 1.0, shares, depth, 1.0, min_gain)


def test_categories_are_cut_by_any_set() -> None:
    codes = np.array([[0], [1], [2], [3]] * 5)
    labels = np.array([0, 1, 0, 1] * 5)
    column, _, sides, _ = grow_tree(codes, labels, ranged=False, depth=1)
    assert column[0] == 0
    assert {code for code in range(4) if sides[0, code]} in ({0, 2}, {1, 3})
    assert grow_tree(codes, labels, ranged=True, depth=3)[0].tolist().count(0) == 3


def test_a_cut_must_gain_more_than_the_least_gain() -> None:
    codes, labels = np.array([[0], [1]] * 4), np.array([0, 1] * 4)
    assert len(grow_tree(codes, labels, True)[0]) == 3
    assert len(grow_tree(codes, labels, True, min_gain=100.0)[0]) == 1


def test_unseen_bins_go_to_the_heavier_side() -> None:
    codes, labels = np.array([[0]] * 3 + [[1]] * 7), np.array([0] * 3 + [1] * 7)
    column, children, sides, counts = grow_tree(codes, labels, False)
    people = counts.sum(axis=1)
    heavier = np.where(people[children[:, 0]] >= people[children[:, 1]], 0, 1)
    leaf = mining_kernel.find_leaves(np.array([[0], [1], [-1]]), column, children, sides, heavier)
    assert np.argmax(counts[leaf], axis=1).tolist() == [0, 1, 1]

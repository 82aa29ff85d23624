"""Perfect matchings compared with listing them all, and the greedy grouping compared with a slow twin."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.injector.kernel import groups as kernel
from voile.methods.injector.kernel import matchings
from voile.methods.injector.kernel import rules as rule_kernel

SHARES = st.sampled_from([0.2, 0.4, 0.6, 0.8])


def allowed_values(edges: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in edges]


def count_kept(edges: np.ndarray) -> int:
    size = len(edges)
    return int(matchings.count_kept_by_group(np.array([0, size]), np.arange(size), np.arange(size), edges)[0])


@given(st.integers(0, 2**32), st.integers(1, 6), SHARES, st.booleans())
def test_values_kept_are_those_in_some_perfect_matching(
    seed: int, size: int, share: float, keeps_own_values: bool
) -> None:
    edges = np.random.default_rng(seed).random((size, size)) < share
    if keeps_own_values:
        edges |= np.eye(size, dtype=bool)
    assert count_kept(edges) == oracle.fewest_kept(allowed_values(edges), range(size))


def test_an_edge_outside_every_matching_does_not_count() -> None:
    """The first two must have values 0 and 1 between them, so the third keeps one of three values."""
    edges = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)
    assert oracle.matchings(allowed_values(edges), range(3)) == [(0, 1, 2), (1, 0, 2)]
    assert count_kept(edges) == 1


def test_without_a_matching_nobody_keeps_a_value() -> None:
    assert count_kept(np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)) == 0


def make_piles(rng: np.random.Generator, values: int, share: float, keeps_own_values: bool) -> tuple[np.ndarray, ...]:
    """Return piles sorted by value: class, value, people, and the values that each class is allowed."""
    allowed = rng.random((4, values)) < share
    pairs = [(v, h) for v in range(values) for h in range(4) if rng.random() < 0.6] or [(0, 0)]
    if keeps_own_values:  # rules of confidence 1 exclude nobody's own value
        for value, class_of_pile in pairs:
            allowed[class_of_pile, value] = True
    value, class_of_pile = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    return class_of_pile, value, rng.integers(1, 4, len(pairs)), allowed


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(2, 3), SHARES, st.booleans())
def test_groups_grow_as_in_the_slow_twin(seed: int, values: int, l: int, share: float, keeps_own_values: bool) -> None:  # noqa: E741
    rng = np.random.default_rng(seed)
    class_of_pile, value, people_left, allowed = make_piles(rng, values, share, keeps_own_values)
    people_before = people_left.copy()
    starts, seeds = np.searchsorted(value, np.arange(values + 1)), rng.permutation(len(people_left))
    order = np.argsort(-np.bincount(value, weights=people_left, minlength=values), kind="stable")
    oracle_piles = [
        oracle.Pile(int(v), set(np.flatnonzero(allowed[h]).tolist()), int(n))
        for v, h, n in zip(value, class_of_pile, people_left, strict=True)
    ]
    expected = oracle.gathered(oracle_piles, seeds.tolist(), order.tolist(), l, 2 * l)
    members, sizes = kernel.gather_groups(
        class_of_pile,
        value,
        people_left,
        starts,
        seeds,
        order,
        allowed,
        rule_kernel.pack_bits(allowed)[class_of_pile],
        l,
        2 * l,
    )
    assert [row[:size].tolist() for row, size in zip(members, sizes, strict=True)] == expected
    assert people_left.tolist() == [pile.left for pile in oracle_piles]

    coins = rng.integers(0, 2**64, len(people_left), dtype=np.uint64)
    kernel.join_groups(class_of_pile, value, people_left, seeds, allowed, l, members, sizes, coins)
    people_used = np.bincount(
        [p for row, size in zip(members, sizes, strict=True) for p in row[:size]], minlength=len(people_left)
    )
    assert (people_used + people_left).tolist() == people_before.tolist(), "somebody is lost or doubled"
    for row, size in zip(members, sizes, strict=True):
        group_piles = row[:size]
        assert l <= size <= 2 * l
        assert len(set(value[group_piles].tolist())) == size, "a value twice in a group"
        assert oracle.fewest_kept([oracle_piles[p].allowed for p in group_piles], value[group_piles].tolist()) >= l
    for p in np.flatnonzero(people_left):  # people who are left fit no group of size l
        for row, size in zip(members, sizes, strict=True):
            group_piles = [*row[:size].tolist(), int(p)]
            if size == l and len({int(value[q]) for q in group_piles}) > size:
                assert (
                    oracle.fewest_kept([oracle_piles[q].allowed for q in group_piles], value[group_piles].tolist()) < l
                )


def test_kept_values_are_counted_in_groups_of_several_sizes() -> None:
    rng = np.random.default_rng(3)
    starts = np.array([0, 2, 5, 9])
    classes, values = rng.integers(0, 4, 9), np.concatenate([np.arange(b - a) for a, b in pairwise(starts.tolist())])
    allowed = rng.random((4, 4)) < 0.8
    kept_counts = matchings.count_kept_by_group(starts, classes, values, allowed)
    for index, (a, b) in enumerate(pairwise(starts.tolist())):
        assert kept_counts[index] == oracle.fewest_kept(allowed_values(allowed[classes[a:b]][:, : b - a]), range(b - a))

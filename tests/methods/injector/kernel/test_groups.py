"""Perfect matchings against writing them all down, and the greedy grouping against a slow one."""

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


def sets(edges: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in edges]


def kept(edges: np.ndarray) -> int:
    size = len(edges)
    return int(matchings.count_kept_by_group(np.array([0, size]), np.arange(size), np.arange(size), edges)[0])


@given(st.integers(0, 2**32), st.integers(1, 6), SHARES, st.booleans())
def test_edges_in_some_perfect_matching(seed: int, size: int, share: float, true: bool) -> None:
    edges = np.random.default_rng(seed).random((size, size)) < share
    if true:
        edges |= np.eye(size, dtype=bool)
    assert kept(edges) == oracle.fewest_kept(sets(edges), range(size))


def test_an_edge_outside_every_matching_does_not_count() -> None:
    """The first two must have values 0 and 1 between them, so the third cannot: three are allowed, one is left."""
    edges = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)
    assert oracle.matchings(sets(edges), range(3)) == [(0, 1, 2), (1, 0, 2)]
    assert kept(edges) == 1


def test_no_matching_leaves_nothing() -> None:
    assert kept(np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)) == 0


def piles(rng: np.random.Generator, values: int, share: float, true: bool) -> tuple[np.ndarray, ...]:
    """Piles sorted by value: class, value, people, and what each class is allowed."""
    allowed = rng.random((4, values)) < share
    pairs = [(v, h) for v in range(values) for h in range(4) if rng.random() < 0.6] or [(0, 0)]
    if true:  # as rules of confidence 1 have it: nobody's own value is excluded
        for value, home in pairs:
            allowed[home, value] = True
    value, home = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    return home, value, rng.integers(1, 4, len(pairs)), allowed


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(2, 3), SHARES, st.booleans())
def test_groups_grow_as_the_slow_twin_says(seed: int, values: int, l: int, share: float, true: bool) -> None:  # noqa: E741
    rng = np.random.default_rng(seed)
    home, value, left, allowed = piles(rng, values, share, true)
    many = left.copy()
    starts, seeds = np.searchsorted(value, np.arange(values + 1)), rng.permutation(len(left))
    order = np.argsort(-np.bincount(value, weights=left, minlength=values), kind="stable")
    slow = [
        oracle.Pile(int(v), set(np.flatnonzero(allowed[h]).tolist()), int(n))
        for v, h, n in zip(value, home, left, strict=True)
    ]
    wanted = oracle.gathered(slow, seeds.tolist(), order.tolist(), l, 2 * l)
    members, sizes = kernel.gather_groups(
        home, value, left, starts, seeds, order, allowed, rule_kernel.pack_bits(allowed)[home], l, 2 * l
    )
    assert [row[:size].tolist() for row, size in zip(members, sizes, strict=True)] == wanted
    assert left.tolist() == [pile.left for pile in slow]

    coins = rng.integers(0, 2**64, len(left), dtype=np.uint64)
    kernel.join_groups(home, value, left, seeds, allowed, l, members, sizes, coins)
    used = np.bincount([p for row, size in zip(members, sizes, strict=True) for p in row[:size]], minlength=len(left))
    assert (used + left).tolist() == many.tolist(), "somebody is lost or doubled"
    for row, size in zip(members, sizes, strict=True):
        inside = row[:size]
        assert l <= size <= 2 * l
        assert len(set(value[inside].tolist())) == size, "a value twice in a group"
        assert oracle.fewest_kept([slow[p].allowed for p in inside], value[inside].tolist()) >= l
    for p in np.flatnonzero(left):  # who is left fits no group as the groups were or are
        for row, size in zip(members, sizes, strict=True):
            inside = [*row[:size].tolist(), int(p)]
            if size == l and len({int(value[q]) for q in inside}) > size:
                assert oracle.fewest_kept([slow[q].allowed for q in inside], value[inside].tolist()) < l


def test_groups_of_several_sizes() -> None:
    rng = np.random.default_rng(3)
    starts = np.array([0, 2, 5, 9])
    homes, values = rng.integers(0, 4, 9), np.concatenate([np.arange(b - a) for a, b in pairwise(starts.tolist())])
    allowed = rng.random((4, 4)) < 0.8
    found = matchings.count_kept_by_group(starts, homes, values, allowed)
    for number, (a, b) in enumerate(pairwise(starts.tolist())):
        assert found[number] == oracle.fewest_kept(sets(allowed[homes[a:b]][:, : b - a]), range(b - a))

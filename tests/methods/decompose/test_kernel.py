"""Decompose's loops against plain Python: lists of values, and groups merged until none exceeds a limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.decompose import kernel

LISTS = st.lists(st.sets(st.integers(0, 8), max_size=5), min_size=1, max_size=6)


def as_arrays(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(one) for one in sets)])
    return starts, np.array([member for one in sets for member in sorted(one)], dtype=np.int64)


@given(LISTS, st.data())
def test_unions_of_kinds(kinds: list[set[int]], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.lists(st.integers(0, len(kinds) - 1), max_size=4), min_size=1, max_size=5))
    cuts = np.cumsum([0, *(len(group) for group in groups)])
    kind = np.array([one for group in groups for one in group], dtype=np.int64)
    begins, found = kernel.unite_values(cuts, kind, *as_arrays(kinds), 9)
    for g, group in enumerate(groups):
        union = sorted(set().union(*(kinds[one] for one in group)))
        assert found[begins[g] : begins[g + 1]].tolist() == union


@given(LISTS, st.integers(0, 7), st.data())
def test_lists_filled_up_with_what_could_be(kinds: list[set[int]], wanted: int, data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.lists(st.integers(0, len(kinds) - 1), max_size=4), min_size=1, max_size=5))
    own = [data.draw(st.sets(st.integers(0, 8), max_size=4)) for _ in groups]
    order = np.array(data.draw(st.permutations(range(9))), dtype=np.int64)
    cuts = np.cumsum([0, *(len(group) for group in groups)])
    kind = np.array([one for group in groups for one in group], dtype=np.int64)
    begins, found = kernel.pad_lists(*as_arrays(own), wanted, cuts, kind, *as_arrays(kinds), order, 9)
    for g, group in enumerate(groups):
        slow = set(own[g])
        for value in order.tolist():
            if len(slow) < wanted and any(value in kinds[one] for one in group):
                slow.add(value)
        assert found[begins[g] : begins[g + 1]].tolist() == sorted(slow)


@given(st.integers(1, 25), st.integers(1, 4), st.integers(0, 200))
def test_joining_until_none_is_above(groups: int, values: int, seed: int) -> None:
    """Whatever can be mended by joining is mended; groups that need no help and give none are left alone."""
    rng = np.random.default_rng(seed)
    over = rng.normal(0, 1, (groups, values))
    over -= np.maximum(over.sum(axis=0), 0) / groups  # all together none is above
    label = kernel.merge_groups(over.copy(), 1e-9)
    assert sorted(set(label.tolist())) == list(range(label.max() + 1))
    sums = np.zeros((label.max() + 1, values))
    np.add.at(sums, label, over)
    assert (sums <= 1e-8).all()
    if (over <= 0).all():
        assert len(set(label.tolist())) == groups


def test_joining_takes_no_more_than_it_needs() -> None:
    over = np.array([[0.5], [-0.6], [-5.0], [-0.1]])
    label = kernel.merge_groups(over, 0.0)
    assert label[0] == label[1]
    assert len(set(label.tolist())) == 3


def test_hopeless_cases_end() -> None:
    label = kernel.merge_groups(np.full((400, 1), 1.0), 0.0)
    assert label.max() == 0


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.integers(0, 20))
def test_excess_adds_up(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    group = rng.integers(0, 3, starts[-1])
    share, limits = rng.random((len(sizes), 2)), np.array([0.3, 0.5])
    found = kernel.compute_excess(starts, group, share, limits, 3)
    slow = np.zeros((3, 2))
    for row, g in enumerate(group):
        bucket = int(np.searchsorted(starts, row, side="right")) - 1
        slow[g] += share[bucket] - limits
    assert found == pytest.approx(slow)

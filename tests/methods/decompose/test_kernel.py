"""The loops of Decompose compared with plain Python: lists of values, and groups merged until none exceeds a limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.decompose import kernel

LISTS = st.lists(st.sets(st.integers(0, 8), max_size=5), min_size=1, max_size=6)


def as_arrays(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(members) for members in sets)])
    return starts, np.array([member for members in sets for member in sorted(members)], dtype=np.int64)


@given(LISTS, st.data())
def test_a_group_lists_the_union_of_its_kinds(kinds: list[set[int]], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.lists(st.integers(0, len(kinds) - 1), max_size=4), min_size=1, max_size=5))
    cuts = np.cumsum([0, *(len(group) for group in groups)])
    kind_of_member = np.array([k for group in groups for k in group], dtype=np.int64)
    list_starts, list_values = kernel.unite_values(cuts, kind_of_member, *as_arrays(kinds), 9)
    for g, group in enumerate(groups):
        union = sorted(set().union(*(kinds[k] for k in group)))
        assert list_values[list_starts[g] : list_starts[g + 1]].tolist() == union


@given(LISTS, st.integers(0, 7), st.data())
def test_lists_are_padded_with_values_that_members_could_have(
    kinds: list[set[int]], length: int, data: st.DataObject
) -> None:
    groups = data.draw(st.lists(st.lists(st.integers(0, len(kinds) - 1), max_size=4), min_size=1, max_size=5))
    own_values = [data.draw(st.sets(st.integers(0, 8), max_size=4)) for _ in groups]
    order = np.array(data.draw(st.permutations(range(9))), dtype=np.int64)
    cuts = np.cumsum([0, *(len(group) for group in groups)])
    kind_of_member = np.array([k for group in groups for k in group], dtype=np.int64)
    list_starts, list_values = kernel.pad_lists(
        *as_arrays(own_values), length, cuts, kind_of_member, *as_arrays(kinds), order, 9
    )
    for g, group in enumerate(groups):
        expected = set(own_values[g])
        for value in order.tolist():
            if len(expected) < length and any(value in kinds[k] for k in group):
                expected.add(value)
        assert list_values[list_starts[g] : list_starts[g + 1]].tolist() == sorted(expected)


@given(st.integers(1, 25), st.integers(1, 4), st.integers(0, 200))
def test_groups_are_merged_until_none_exceeds_its_limit(groups: int, values: int, seed: int) -> None:
    """Merging satisfies every limit that it can, and merges nothing if all limits are met."""
    rng = np.random.default_rng(seed)
    excess = rng.normal(0, 1, (groups, values))
    excess -= np.maximum(excess.sum(axis=0), 0) / groups  # all groups together meet every limit
    label = kernel.merge_groups(excess.copy(), 1e-9)
    assert sorted(set(label.tolist())) == list(range(label.max() + 1))
    sums = np.zeros((label.max() + 1, values))
    np.add.at(sums, label, excess)
    assert (sums <= 1e-8).all()
    if (excess <= 0).all():
        assert len(set(label.tolist())) == groups


def test_merging_takes_the_nearest_sufficient_group() -> None:
    excess = np.array([[0.5], [-0.6], [-5.0], [-0.1]])
    label = kernel.merge_groups(excess, 0.0)
    assert label[0] == label[1]
    assert len(set(label.tolist())) == 3


def test_merging_ends_if_the_limit_cannot_be_met() -> None:
    label = kernel.merge_groups(np.full((400, 1), 1.0), 0.0)
    assert label.max() == 0


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.integers(0, 20))
def test_the_excess_of_a_group_is_the_sum_over_its_rows(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    group = rng.integers(0, 3, starts[-1])
    share, limits = rng.random((len(sizes), 2)), np.array([0.3, 0.5])
    excess = kernel.compute_excess(starts, group, share - limits, 3)
    expected = np.zeros((3, 2))
    for row, g in enumerate(group):
        bucket = int(np.searchsorted(starts, row, side="right")) - 1
        expected[g] += share[bucket] - limits
    assert excess == pytest.approx(expected)

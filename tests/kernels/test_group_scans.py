"""What occurs in each group, against sets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import group_scans as kernel


@st.composite
def grouped(draw: st.DrawFn, size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Groups (each with a row at least), codes in the second of three columns, and the number of groups."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    groups = draw(st.integers(1, 9))
    rows = groups + draw(st.integers(0, 40))
    group = rng.permutation(np.append(np.arange(groups), rng.integers(0, groups, rows - groups)))
    codes = rng.integers(0, size, (rows, 3)).astype(np.uint16 if size <= 1 << 16 else np.uint32)
    return group, codes, groups


def lists(starts: np.ndarray, members: np.ndarray) -> list[list[int]]:
    return [members[a:b].tolist() for a, b in itertools.pairwise(starts)]


@given(grouped(100_000))
def test_extents(table: Any) -> None:
    group, codes, groups = table
    low, high = kernel.find_extents(group, codes, 1, groups)
    expected = oracle.members(group, codes[:, 1], groups)
    assert low.tolist() == [inside[0] for inside in expected]
    assert high.tolist() == [inside[-1] for inside in expected]


@given(st.sampled_from([1, 2, 63, 64]).flatmap(grouped))
def test_masks_and_their_expansion(table: Any) -> None:
    group, codes, groups = table
    found = kernel.collect_masks(group, codes, 1, groups)
    assert lists(*kernel.expand_masks(found)) == oracle.members(group, codes[:, 1], groups)


def test_the_empty_and_the_full_set() -> None:
    starts, members = kernel.expand_masks(np.array([0, 2**64 - 1, 2**63], dtype=np.uint64))
    assert lists(starts, members) == [[], list(range(64)), [63]]
    starts, members = kernel.expand_masks(np.zeros(0, dtype=np.uint64))
    assert starts.tolist() == [0]
    assert len(members) == 0


@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1), max_size=25), st.sampled_from([6, 64, 65, 100_000]))
def test_equal_sets_are_found(sets: list[frozenset[int]], size: int) -> None:
    """Small domains as bits, large ones by fingerprints: equal sets share a number, others do not."""
    shift = size - 6
    inside = [sorted(code + shift for code in one) for one in sets]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in inside])]).astype(np.int64)
    members = np.array([code for one in inside for code in one], dtype=np.int64)
    first, number = kernel.match_equal_sets(starts, members, size)
    assert [inside[first[n]] for n in number] == inside
    assert len(first) == len(set(sets))
    prints = [tuple(row) for row in kernel.hash_sets(starts, members).tolist()]
    assert len(set(prints)) == len(set(sets))


@given(grouped(30), st.integers(0, 2**32))
def test_extents_of_ranks(table: Any, seed: int) -> None:
    group, codes, groups = table
    rank = np.random.default_rng(seed).permutation(30)
    low, high = kernel.find_ranked_extents(group, codes, 1, groups, rank)
    expected = oracle.members(group, rank[codes[:, 1]].tolist(), groups)
    assert low.tolist() == [inside[0] for inside in expected]
    assert high.tolist() == [inside[-1] for inside in expected]


@given(grouped(30), st.integers(0, 2**32))
def test_picking_a_person(table: Any, seed: int) -> None:
    group, codes, groups = table
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, len(group))
    people: list[list[int]] = [[] for _ in range(groups)]
    for g, c, w in zip(group, codes[:, 1], weights, strict=True):
        people[g] += [int(c)] * int(w)
    assert kernel.count_people(group, weights, groups).tolist() == [len(inside) for inside in people]
    places = np.array([rng.integers(len(inside)) for inside in people])
    found = kernel.pick_codes(group, weights, codes, 1, places)
    assert found.tolist() == [inside[place] for inside, place in zip(people, places, strict=True)]


LISTS = st.lists(st.sets(st.integers(0, 8), max_size=5), min_size=1, max_size=6)


def as_arrays(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(one) for one in sets)])
    return starts, np.array([member for one in sets for member in sorted(one)], dtype=np.int64)


@given(LISTS, st.data())
def test_agreement_is_member_by_member(sets: list[set[int]], data: st.DataObject) -> None:
    model = np.array([data.draw(st.integers(0, len(sets) - 1)) for _ in sets])
    same = all(sets[g] == sets[model[g]] for g in range(len(sets)))
    assert kernel.sets_agree(*as_arrays(sets), model) is same


@given(LISTS, st.data())
def test_spreading_numbers_over_lists(kinds: list[set[int]], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.lists(st.integers(0, len(kinds) - 1), max_size=4), min_size=1, max_size=5))
    listed = [data.draw(st.sets(st.integers(0, 8), max_size=6)) for _ in groups]
    cuts = np.cumsum([0, *(len(group) for group in groups)])
    kind = np.array([one for group in groups for one in group], dtype=np.int64)
    starts, values = as_arrays(kinds)
    numbers = np.arange(1.0, len(values) + 1)
    begins, shown = as_arrays(listed)
    found = kernel.sum_at_listed(cuts, kind, starts, values, numbers, begins, shown, 9)
    slow = []
    for group, inside in zip(groups, listed, strict=True):
        for value in sorted(inside):
            entries = [i for one in group for i in range(starts[one], starts[one + 1]) if values[i] == value]
            slow.append(sum(numbers[i] for i in entries))
    assert found.tolist() == pytest.approx(slow)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=12), LISTS)
def test_rows_that_fit(rows: list[tuple[int, int, int]], lists: list[set[int]]) -> None:
    rows = sorted(set(rows))
    codes = np.array([row[1:] for row in rows], dtype=np.int64)
    whose = np.searchsorted([row[0] for row in rows], np.arange(4))
    pairs = [(first, a, b) for first in range(3) for a in range(len(lists)) for b in range(len(lists))]
    begins, found = kernel.find_fitting_rows(
        np.array([pair[0] for pair in pairs]), np.array([pair[1:] for pair in pairs]), *as_arrays(lists), codes, whose
    )
    for p, (first, a, b) in enumerate(pairs):
        slow = [i for i, row in enumerate(rows) if row[0] == first and row[1] in lists[a] and row[2] in lists[b]]
        assert found[begins[p] : begins[p + 1]].tolist() == slow

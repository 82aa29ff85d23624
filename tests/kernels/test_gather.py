"""What occurs in each group, against sets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import gather as kernel


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
    low, high = kernel.extents(group, codes, 1, groups)
    expected = oracle.members(group, codes[:, 1], groups)
    assert low.tolist() == [inside[0] for inside in expected]
    assert high.tolist() == [inside[-1] for inside in expected]


@given(st.sampled_from([1, 2, 63, 64]).flatmap(grouped))
def test_masks_and_their_expansion(table: Any) -> None:
    group, codes, groups = table
    found = kernel.masks(group, codes, 1, groups)
    assert lists(*kernel.expand(found)) == oracle.members(group, codes[:, 1], groups)


def test_the_empty_and_the_full_set() -> None:
    starts, members = kernel.expand(np.array([0, 2**64 - 1, 2**63], dtype=np.uint64))
    assert lists(starts, members) == [[], list(range(64)), [63]]
    starts, members = kernel.expand(np.zeros(0, dtype=np.uint64))
    assert starts.tolist() == [0]
    assert len(members) == 0


@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1), max_size=25), st.sampled_from([6, 64, 65, 100_000]))
def test_equal_sets_are_found(sets: list[frozenset[int]], size: int) -> None:
    """Small domains as bits, large ones by fingerprints: equal sets share a number, others do not."""
    shift = size - 6
    inside = [sorted(code + shift for code in one) for one in sets]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in inside])]).astype(np.int64)
    members = np.array([code for one in inside for code in one], dtype=np.int64)
    first, number = kernel.same_sets(starts, members, size)
    assert [inside[first[n]] for n in number] == inside
    assert len(first) == len(set(sets))
    prints = [tuple(row) for row in kernel.fingerprints(starts, members).tolist()]
    assert len(set(prints)) == len(set(sets))


@given(grouped(30), st.integers(0, 2**32))
def test_extents_of_ranks(table: Any, seed: int) -> None:
    group, codes, groups = table
    rank = np.random.default_rng(seed).permutation(30)
    low, high = kernel.ranked_extents(group, codes, 1, groups, rank)
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
    assert kernel.headcount(group, weights, groups).tolist() == [len(inside) for inside in people]
    places = np.array([rng.integers(len(inside)) for inside in people])
    found = kernel.pick(group, weights, codes, 1, places)
    assert found.tolist() == [inside[place] for inside, place in zip(people, places, strict=True)]

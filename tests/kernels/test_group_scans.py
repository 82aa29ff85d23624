"""The codes that occur in each group, compared with Python sets."""

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
def grouped_rows(draw: st.DrawFn, size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The group of each row (no group is empty), codes in three columns, and the number of groups."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    groups = draw(st.integers(1, 9))
    rows = groups + draw(st.integers(0, 40))
    group = rng.permutation(np.append(np.arange(groups), rng.integers(0, groups, rows - groups)))
    codes = rng.integers(0, size, (rows, 3)).astype(np.uint16 if size <= 1 << 16 else np.uint32)
    return group, codes, groups


def split_members(starts: np.ndarray, members: np.ndarray) -> list[list[int]]:
    return [members[a:b].tolist() for a, b in itertools.pairwise(starts)]


@given(grouped_rows(100_000))
def test_extents_are_the_least_and_greatest_code_of_a_group(table: Any) -> None:
    group, codes, groups = table
    low, high = kernel.find_extents(group, codes, 1, groups)
    expected = oracle.members(group, codes[:, 1], groups)
    assert low.tolist() == [members[0] for members in expected]
    assert high.tolist() == [members[-1] for members in expected]


@given(st.sampled_from([1, 2, 63, 64]).flatmap(grouped_rows))
def test_expanded_masks_list_the_codes_of_each_group(table: Any) -> None:
    group, codes, groups = table
    masks = kernel.collect_masks(group, codes, 1, groups)
    assert split_members(*kernel.expand_masks(masks)) == oracle.members(group, codes[:, 1], groups)


def test_empty_and_full_masks_expand() -> None:
    starts, members = kernel.expand_masks(np.array([0, 2**64 - 1, 2**63], dtype=np.uint64))
    assert split_members(starts, members) == [[], list(range(64)), [63]]
    starts, members = kernel.expand_masks(np.zeros(0, dtype=np.uint64))
    assert starts.tolist() == [0]
    assert len(members) == 0


@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1), max_size=25), st.sampled_from([6, 64, 65, 100_000]))
def test_equal_sets_share_a_number_and_others_do_not(sets: list[frozenset[int]], size: int) -> None:
    """Small domains are compared as bits, large ones by fingerprints."""
    shift = size - 6
    shifted_sets = [sorted(code + shift for code in members_of_set) for members_of_set in sets]
    starts = np.concatenate([[0], np.cumsum([len(members_of_set) for members_of_set in shifted_sets])]).astype(np.int64)
    members = np.array([code for members_of_set in shifted_sets for code in members_of_set], dtype=np.int64)
    first_sets, set_numbers = kernel.match_equal_sets(starts, members, size)
    assert [shifted_sets[first_sets[n]] for n in set_numbers] == shifted_sets
    assert len(first_sets) == len(set(sets))
    fingerprints = [tuple(row) for row in kernel.hash_sets(starts, members).tolist()]
    assert len(set(fingerprints)) == len(set(sets))


@given(grouped_rows(30), st.integers(0, 2**32))
def test_extents_follow_the_ranks_of_codes(table: Any, seed: int) -> None:
    group, codes, groups = table
    rank = np.random.default_rng(seed).permutation(30)
    low, high = kernel.find_ranked_extents(group, codes, 1, groups, rank)
    expected = oracle.members(group, rank[codes[:, 1]].tolist(), groups)
    assert low.tolist() == [members[0] for members in expected]
    assert high.tolist() == [members[-1] for members in expected]


@given(grouped_rows(30), st.integers(0, 2**32))
def test_the_person_at_a_position_of_a_group_is_picked(table: Any, seed: int) -> None:
    group, codes, groups = table
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, len(group))
    people: list[list[int]] = [[] for _ in range(groups)]
    for g, c, w in zip(group, codes[:, 1], weights, strict=True):
        people[g] += [int(c)] * int(w)
    assert kernel.count_people(group, weights, groups).tolist() == [len(codes_of_group) for codes_of_group in people]
    positions = np.array([rng.integers(len(codes_of_group)) for codes_of_group in people])
    picked_codes = kernel.pick_codes(group, weights, codes, 1, positions)
    assert picked_codes.tolist() == [
        codes_of_group[position] for codes_of_group, position in zip(people, positions, strict=True)
    ]


LISTS = st.lists(st.sets(st.integers(0, 8), max_size=5), min_size=1, max_size=6)


def as_arrays(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(members) for members in sets)])
    return starts, np.array([member for members in sets for member in sorted(members)], dtype=np.int64)


@given(LISTS, st.data())
def test_agreement_is_member_by_member(sets: list[set[int]], data: st.DataObject) -> None:
    reference = np.array([data.draw(st.integers(0, len(sets) - 1)) for _ in sets])
    all_agree = all(sets[g] == sets[reference[g]] for g in range(len(sets)))
    assert kernel.sets_agree(*as_arrays(sets), reference) is all_agree


@given(LISTS, st.data())
def test_numbers_are_summed_at_the_listed_values_of_each_group(kinds: list[set[int]], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.lists(st.integers(0, len(kinds) - 1), max_size=4), min_size=1, max_size=5))
    value_lists = [data.draw(st.sets(st.integers(0, 8), max_size=6)) for _ in groups]
    cuts = np.cumsum([0, *(len(group) for group in groups)])
    kind_of_member = np.array([k for group in groups for k in group], dtype=np.int64)
    starts, values = as_arrays(kinds)
    numbers = np.arange(1.0, len(values) + 1)
    list_starts, list_values = as_arrays(value_lists)
    sums = kernel.sum_at_listed(cuts, kind_of_member, starts, values, numbers, list_starts, list_values, 9)
    expected = []
    for group, value_list in zip(groups, value_lists, strict=True):
        for value in sorted(value_list):
            entries = [i for k in group for i in range(starts[k], starts[k + 1]) if values[i] == value]
            expected.append(sum(numbers[i] for i in entries))
    assert sums.tolist() == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=12), LISTS)
def test_fitting_rows_have_the_first_code_and_listed_values(
    rows: list[tuple[int, int, int]], value_lists: list[set[int]]
) -> None:
    rows = sorted(set(rows))
    codes = np.array([row[1:] for row in rows], dtype=np.int64)
    first_rows = np.searchsorted([row[0] for row in rows], np.arange(4))
    pairs = [(first, a, b) for first in range(3) for a in range(len(value_lists)) for b in range(len(value_lists))]
    match_starts, matching_rows = kernel.find_fitting_rows(
        np.array([pair[0] for pair in pairs]),
        np.array([pair[1:] for pair in pairs]),
        *as_arrays(value_lists),
        codes,
        first_rows,
    )
    for p, (first, a, b) in enumerate(pairs):
        expected = [
            i for i, row in enumerate(rows) if row[0] == first and row[1] in value_lists[a] and row[2] in value_lists[b]
        ]
        assert matching_rows[match_starts[p] : match_starts[p + 1]].tolist() == expected

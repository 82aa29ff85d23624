"""The greedy step of ART: its bounds compared with exact arithmetic, and its acceptance with the enumeration of
worlds."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from voile.methods.art.kernel import merging as kernel

MAX_STATES = 100_000
PERCENT = st.integers(0, 100).map(lambda part: Fraction(part, 100))
R = st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3), Fraction(5)])


@given(st.integers(1, 40), R, PERCENT)
def test_the_ceiling_is_where_the_odds_meet(size: int, r: Fraction, f: Fraction) -> None:
    ceiling = kernel.spread_ceiling(size, float(r), float(f))
    if size < r or not 0 < f < 1:
        assert ceiling == 0
        return
    assert oracle.spread_admitted(size, r, f, Fraction(ceiling) * (1 - Fraction(1, 10**9)))
    assert not oracle.spread_admitted(size, r, f, Fraction(ceiling) * (1 + Fraction(1, 10**9)) + Fraction(1, 10**12))


@given(R, PERCENT, PERCENT)
def test_the_least_size_is_the_first_of_a_linear_search(r: Fraction, f: Fraction, spread: Fraction) -> None:
    assume(spread <= f)
    expected = oracle.fewest(r, f, spread, 100_000 if spread < f < 1 else 50)
    size = kernel.least_size(float(r), float(f), float(spread))
    assert size == (math.inf if expected is None else expected)


def test_the_example_of_the_paper_needs_38() -> None:
    assert kernel.least_size(2.0, 0.1, 0.097) == 38
    assert oracle.fewest(Fraction(2), Fraction(1, 10), Fraction(97, 1000), 100) == 38


class Buckets:
    """Buckets with probabilities under two column sets, in the arrays of the kernel."""

    def __init__(self, sets: list[list[list[Fraction]]], value: list[int], events: list[int]) -> None:
        all_rows = [tuple(row) for rows_of_set in sets for row in rows_of_set]
        distinct_rows = sorted(set(all_rows))
        self.sets, self.events, self.values = sets, events, value
        self.rows = np.array([[float(p) for p in row] for row in distinct_rows])
        self.index = np.array([[distinct_rows.index(tuple(row)) for row in rows_of_set] for rows_of_set in sets])
        self.value, self.event = np.array(value), np.array(events)
        event_count = max(events) + 1
        event_masks = [[event == rows_of_set for event in events] for rows_of_set in range(event_count)]
        self.chance = np.minimum(np.stack([self.rows[:, mask].sum(axis=1) for mask in event_masks]), 1.0)

    def accepts(self, members: list[int], r: Fraction, mode: int, binary: bool = False) -> bool:
        arguments = (self.rows, self.chance, self.index, self.value, self.event, np.array(members))
        return bool(kernel.accept_group(*arguments, float(r), mode, binary, MAX_STATES))

    def grows(
        self, people_left: list[int], seed: int, r: Fraction, mode: int, rule: int, binary: bool, largest: int
    ) -> list[int]:
        arguments = (self.rows, self.chance, self.index, self.value, self.event, np.array(people_left), seed, float(r))
        members: list[int] = kernel.grow_group(*arguments, mode, rule, binary, largest, MAX_STATES, 1000).tolist()
        return members

    def worst(self, members: list[int], binary: bool) -> Fraction | None:
        """Return the greatest belief over both column sets; None if one has no world."""
        values = [self.values[b] for b in members]
        beliefs_of_sets = [
            oracle.event_beliefs([set_beliefs[b] for b in members], values, self.events, binary)
            for set_beliefs in self.sets
        ]
        return (
            None
            if None in beliefs_of_sets
            else max(max(set_beliefs) for set_beliefs in beliefs_of_sets if set_beliefs is not None)
        )

    def spreads_fit(self, members: list[int], r: Fraction) -> bool:
        present_events = {self.events[self.values[b]] for b in members} - {-1}
        for rows_of_set in self.sets:
            for event in present_events:
                f = [sum(p for p, e in zip(rows_of_set[b], self.events, strict=True) if e == event) for b in members]
                if not oracle.spread_admitted(len(members), r, Fraction(max(f)), Fraction(max(f) - min(f))):
                    return False
        return len(members) >= r


@st.composite
def random_buckets(draw: st.DrawFn, buckets: int = 6) -> Buckets:
    part = st.integers(1, 15).map(lambda part: Fraction(part, 61))
    row = st.lists(part, min_size=4, max_size=4)
    row_choices = draw(st.lists(row, min_size=2, max_size=4))
    pick = st.lists(st.sampled_from(row_choices), min_size=buckets, max_size=buckets)
    value = draw(st.lists(st.integers(0, 3), min_size=buckets - 1, max_size=buckets - 1))
    events = draw(st.sampled_from([[0, -1, -1, -1], [0, 0, -1, -1], [0, 1, -1, -1], [0, 1, 2, 3]]))
    return Buckets([draw(pick), draw(pick)], [0, *value], events)


def is_decidable(belief: Fraction | None, r: Fraction) -> bool:
    """Return whether a belief is far enough from the bound, or equal to it, for float arithmetic to decide."""
    return belief is None or abs(belief - 1 / r) > Fraction(1, 10**8) or belief == 1 / r


@given(random_buckets(), st.lists(st.integers(0, 5), min_size=1, max_size=6), R, st.booleans())
def test_the_walk_accepts_exactly_what_enumeration_allows(
    bucket_case: Buckets, members: list[int], r: Fraction, binary: bool
) -> None:
    assume(any(bucket_case.events[bucket_case.values[b]] >= 0 for b in members))
    largest_belief = bucket_case.worst(members, binary)
    assume(is_decidable(largest_belief, r))
    expected = largest_belief is not None and largest_belief <= 1 / r and len(members) >= r
    assert bucket_case.accepts(members, r, kernel.WALK, binary) == expected


@given(random_buckets(), st.lists(st.integers(0, 5), min_size=1, max_size=6), R, st.booleans())
def test_a_group_accepted_by_the_swap_bound_stays_within_the_bound(
    bucket_case: Buckets, members: list[int], r: Fraction, binary: bool
) -> None:
    largest_belief = bucket_case.worst(members, binary)
    if bucket_case.accepts(members, r, kernel.SWAP, binary) and largest_belief is not None:
        assert largest_belief <= 1 / r + Fraction(1, 10**8)


@given(random_buckets(), st.lists(st.integers(0, 5), min_size=1, max_size=6), R)
def test_the_paper_accepts_by_spread_and_covers_the_binary_reading(
    bucket_case: Buckets, members: list[int], r: Fraction
) -> None:
    is_accepted = bucket_case.accepts(members, r, kernel.PAPER)
    assert is_accepted == bucket_case.spreads_fit(members, r)
    event_counts = Counter(bucket_case.events[bucket_case.values[b]] for b in members)
    if is_accepted and all(count == 1 for event, count in event_counts.items() if event >= 0):
        largest_belief = bucket_case.worst(members, True)
        assert largest_belief is not None
        assert largest_belief <= 1 / r


def test_the_paper_accepts_a_group_that_the_full_reading_breaks() -> None:
    rows = [[Fraction(100, 1000), Fraction(53, 1000), Fraction(53, 1000)]]
    rows += [[Fraction(53, 1000), Fraction(100, 1000), Fraction(100, 1000)]] * 2
    bucket_case = Buckets([rows], [0, 1, 2], [0, 1, 2])
    assert bucket_case.accepts([0, 1, 2], Fraction(2), kernel.PAPER)
    assert bucket_case.accepts([0, 1, 2], Fraction(2), kernel.WALK, binary=True)
    assert not bucket_case.accepts([0, 1, 2], Fraction(2), kernel.WALK)
    assert not bucket_case.accepts([0, 1, 2], Fraction(2), kernel.SWAP)


MODES = st.sampled_from([(kernel.PAPER, True), (kernel.SWAP, False), (kernel.WALK, False), (kernel.WALK, True)])


@given(
    random_buckets(buckets=9),
    st.lists(st.integers(0, 2), min_size=8, max_size=8),
    R,
    MODES,
    st.sampled_from([kernel.CLOSEST, kernel.FEWEST]),
    st.integers(2, 7),
)
def test_a_grown_group_is_accepted_and_uses_only_available_people(
    bucket_case: Buckets, other_capacities: list[int], r: Fraction, mode: tuple[int, bool], rule: int, largest: int
) -> None:
    people_left = [1, *other_capacities]
    members = bucket_case.grows(people_left, 0, r, mode[0], rule, mode[1], largest)
    if not members:
        return
    assert members[0] == 0
    assert 2 <= len(members) <= largest
    assert all(count <= people_left[bucket] for bucket, count in Counter(members).items())
    events = [bucket_case.events[bucket_case.values[b]] for b in members]
    assert max(Counter(event for event in events if event >= 0).values()) == 1
    largest_belief = bucket_case.worst(members, mode[1])
    assert largest_belief is not None
    assert largest_belief <= 1 / r + Fraction(1, 10**8)


@pytest.mark.parametrize("mode", [kernel.PAPER, kernel.SWAP, kernel.WALK])
@pytest.mark.parametrize("rule", [kernel.CLOSEST, kernel.FEWEST])
def test_equal_people_make_a_group_of_r(mode: int, rule: int) -> None:
    row = [Fraction(1, 10), Fraction(1, 2)]
    bucket_case = Buckets([[row, row]], [0, 1], [0, -1])
    assert bucket_case.grows([1, 9], 0, Fraction(3), mode, rule, False, 5) == [0, 1, 1]
    assert bucket_case.grows([1, 1], 0, Fraction(3), mode, rule, False, 5) == []  # too few people
    assert bucket_case.grows([1, 9], 0, Fraction(3), mode, rule, False, 2) == []  # the group would be too large


def test_people_who_cannot_have_the_value_are_not_added_under_the_rule_of_fewest() -> None:
    rows = [[Fraction(1, 10), Fraction(1, 2)], [Fraction(0), Fraction(1, 2)]]
    bucket_case = Buckets([rows], [0, 1], [0, -1])
    assert bucket_case.grows([1, 50], 0, Fraction(2), kernel.PAPER, kernel.FEWEST, True, 40) == []


def grow_slowly(case: Buckets, people_left: list[int], r: Fraction, largest: int) -> list[int]:
    """The published search from bucket 0, with every cost computed anew in each step."""
    members = [0]
    while len(members) < largest:
        present = {case.events[case.values[b]] for b in members} - {-1}
        costs = {}
        for v, rows in enumerate(people_left):
            event = case.events[case.values[v]]
            if members.count(v) < rows and event not in present:
                pairs = [(e, a) for e in sorted(present) for a in (0, 1)]
                costs[v] = sum(_spread(case, a, e, [*members, v]) - _spread(case, a, e, members) for e, a in pairs)
        if not costs:
            break
        members.append(min(costs, key=lambda v: (costs[v], v)))
        if case.accepts(members, r, kernel.PAPER):
            return members
    return []


def _spread(case: Buckets, a: int, event: int, members: list[int]) -> float:
    f = [float(case.chance[event, case.index[a, b]]) for b in members]
    return max(f) - min(f)


@given(random_buckets(buckets=9), st.lists(st.integers(0, 3), min_size=8, max_size=8), R, st.integers(2, 14))
def test_lower_bounds_and_giving_up_change_no_group_of_the_published_search(
    bucket_case: Buckets, other_capacities: list[int], r: Fraction, largest: int
) -> None:
    people_left = [1, *other_capacities]
    members = bucket_case.grows(people_left, 0, r, kernel.PAPER, kernel.CLOSEST, True, largest)
    assert members == grow_slowly(bucket_case, people_left, r, largest)

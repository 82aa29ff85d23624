"""The greedy step of ART: its bounds against exact arithmetic, its acceptance against the enumeration of worlds."""

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

MOST = 100_000
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
def test_the_fewest_is_the_first_of_a_linear_search(r: Fraction, f: Fraction, spread: Fraction) -> None:
    assume(spread <= f)
    slow = oracle.fewest(r, f, spread, 100_000 if spread < f < 1 else 50)
    found = kernel.least_size(float(r), float(f), float(spread))
    assert found == (math.inf if slow is None else slow)


def test_the_example_of_the_paper_needs_38() -> None:
    assert kernel.least_size(2.0, 0.1, 0.097) == 38
    assert oracle.fewest(Fraction(2), Fraction(1, 10), Fraction(97, 1000), 100) == 38


class Crowd:
    """Buckets with probabilities under two column sets, in the arrays of the kernel."""

    def __init__(self, sets: list[list[list[Fraction]]], value: list[int], events: list[int]) -> None:
        flat = [tuple(row) for one in sets for row in one]
        distinct = sorted(set(flat))
        self.sets, self.events, self.values = sets, events, value
        self.rows = np.array([[float(p) for p in row] for row in distinct])
        self.index = np.array([[distinct.index(tuple(row)) for row in one] for one in sets])
        self.value, self.event = np.array(value), np.array(events)
        number = max(events) + 1
        inside = [[event == one for event in events] for one in range(number)]
        self.chance = np.minimum(np.stack([self.rows[:, mask].sum(axis=1) for mask in inside]), 1.0)

    def accepts(self, members: list[int], r: Fraction, mode: int, binary: bool = False) -> bool:
        given_ = (self.rows, self.chance, self.index, self.value, self.event, np.array(members))
        return bool(kernel.accept_group(*given_, float(r), mode, binary, MOST))

    def grows(
        self, left: list[int], seed: int, r: Fraction, mode: int, rule: int, binary: bool, largest: int
    ) -> list[int]:
        given_ = (self.rows, self.chance, self.index, self.value, self.event, np.array(left), seed, float(r))
        found: list[int] = kernel.grow_group(*given_, mode, rule, binary, largest, MOST, 1000).tolist()
        return found

    def worst(self, members: list[int], binary: bool) -> Fraction | None:
        """The greatest belief over both column sets; None if one has no world."""
        values = [self.values[b] for b in members]
        found = [oracle.event_beliefs([one[b] for b in members], values, self.events, binary) for one in self.sets]
        return None if None in found else max(max(one) for one in found if one is not None)

    def spreads_fit(self, members: list[int], r: Fraction) -> bool:
        present = {self.events[self.values[b]] for b in members} - {-1}
        for one in self.sets:
            for event in present:
                f = [sum(p for p, e in zip(one[b], self.events, strict=True) if e == event) for b in members]
                if not oracle.spread_admitted(len(members), r, Fraction(max(f)), Fraction(max(f) - min(f))):
                    return False
        return len(members) >= r


@st.composite
def crowds(draw: st.DrawFn, buckets: int = 6) -> Crowd:
    part = st.integers(1, 15).map(lambda part: Fraction(part, 61))
    row = st.lists(part, min_size=4, max_size=4)
    few = draw(st.lists(row, min_size=2, max_size=4))
    pick = st.lists(st.sampled_from(few), min_size=buckets, max_size=buckets)
    value = draw(st.lists(st.integers(0, 3), min_size=buckets - 1, max_size=buckets - 1))
    events = draw(st.sampled_from([[0, -1, -1, -1], [0, 0, -1, -1], [0, 1, -1, -1], [0, 1, 2, 3]]))
    return Crowd([draw(pick), draw(pick)], [0, *value], events)


def distant(belief: Fraction | None, r: Fraction) -> bool:
    """Not so near to the bound that float arithmetic may decide either way."""
    return belief is None or abs(belief - 1 / r) > Fraction(1, 10**8) or belief == 1 / r


@given(crowds(), st.lists(st.integers(0, 5), min_size=1, max_size=6), R, st.booleans())
def test_accepted_by_the_walk_is_what_enumeration_says(
    crowd: Crowd, members: list[int], r: Fraction, binary: bool
) -> None:
    assume(any(crowd.events[crowd.values[b]] >= 0 for b in members))
    worst = crowd.worst(members, binary)
    assume(distant(worst, r))
    expected = worst is not None and worst <= 1 / r and len(members) >= r
    assert crowd.accepts(members, r, kernel.WALK, binary) == expected


@given(crowds(), st.lists(st.integers(0, 5), min_size=1, max_size=6), R, st.booleans())
def test_accepted_by_the_swap_bound_is_never_above_the_bound(
    crowd: Crowd, members: list[int], r: Fraction, binary: bool
) -> None:
    worst = crowd.worst(members, binary)
    if crowd.accepts(members, r, kernel.SWAP, binary) and worst is not None:
        assert worst <= 1 / r + Fraction(1, 10**8)


@given(crowds(), st.lists(st.integers(0, 5), min_size=1, max_size=6), R)
def test_accepted_by_the_paper_is_its_condition_and_covers_the_binary_reading(
    crowd: Crowd, members: list[int], r: Fraction
) -> None:
    accepted = crowd.accepts(members, r, kernel.PAPER)
    assert accepted == crowd.spreads_fit(members, r)
    once = Counter(crowd.events[crowd.values[b]] for b in members)
    if accepted and all(many == 1 for event, many in once.items() if event >= 0):
        worst = crowd.worst(members, True)
        assert worst is not None
        assert worst <= 1 / r


def test_the_paper_accepts_a_group_that_the_full_reading_breaks() -> None:
    rows = [[Fraction(100, 1000), Fraction(53, 1000), Fraction(53, 1000)]]
    rows += [[Fraction(53, 1000), Fraction(100, 1000), Fraction(100, 1000)]] * 2
    crowd = Crowd([rows], [0, 1, 2], [0, 1, 2])
    assert crowd.accepts([0, 1, 2], Fraction(2), kernel.PAPER)
    assert crowd.accepts([0, 1, 2], Fraction(2), kernel.WALK, binary=True)
    assert not crowd.accepts([0, 1, 2], Fraction(2), kernel.WALK)
    assert not crowd.accepts([0, 1, 2], Fraction(2), kernel.SWAP)


MODES = st.sampled_from([(kernel.PAPER, True), (kernel.SWAP, False), (kernel.WALK, False), (kernel.WALK, True)])


@given(
    crowds(buckets=9),
    st.lists(st.integers(0, 2), min_size=8, max_size=8),
    R,
    MODES,
    st.sampled_from([kernel.CLOSEST, kernel.FEWEST]),
    st.integers(2, 7),
)
def test_a_grown_group_is_accepted_and_within_its_means(
    crowd: Crowd, others: list[int], r: Fraction, mode: tuple[int, bool], rule: int, largest: int
) -> None:
    left = [1, *others]
    found = crowd.grows(left, 0, r, mode[0], rule, mode[1], largest)
    if not found:
        return
    assert found[0] == 0
    assert 2 <= len(found) <= largest
    assert all(many <= left[bucket] for bucket, many in Counter(found).items())
    events = [crowd.events[crowd.values[b]] for b in found]
    assert max(Counter(event for event in events if event >= 0).values()) == 1
    worst = crowd.worst(found, mode[1])
    assert worst is not None
    assert worst <= 1 / r + Fraction(1, 10**8)


@pytest.mark.parametrize("mode", [kernel.PAPER, kernel.SWAP, kernel.WALK])
@pytest.mark.parametrize("rule", [kernel.CLOSEST, kernel.FEWEST])
def test_people_alike_make_a_group_of_r(mode: int, rule: int) -> None:
    row = [Fraction(1, 10), Fraction(1, 2)]
    crowd = Crowd([[row, row]], [0, 1], [0, -1])
    assert crowd.grows([1, 9], 0, Fraction(3), mode, rule, False, 5) == [0, 1, 1]
    assert crowd.grows([1, 1], 0, Fraction(3), mode, rule, False, 5) == []  # there are not enough of them
    assert crowd.grows([1, 9], 0, Fraction(3), mode, rule, False, 2) == []  # the group may not be so large


def test_who_cannot_have_the_value_is_no_company_under_the_rule_of_fewest() -> None:
    rows = [[Fraction(1, 10), Fraction(1, 2)], [Fraction(0), Fraction(1, 2)]]
    crowd = Crowd([rows], [0, 1], [0, -1])
    assert crowd.grows([1, 50], 0, Fraction(2), kernel.PAPER, kernel.FEWEST, True, 40) == []

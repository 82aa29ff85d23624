"""Hiding among rows of one value: every group that is found, against the enumeration of worlds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.art.kernel import hiding as kernel

PART = st.integers(1, 30).map(lambda part: Fraction(part, 100))
ROW = st.lists(PART, min_size=3, max_size=3)  # the protected value, and two to hide among
NEAR = Fraction(1, 10**8)


class Crowd:
    """Buckets of two hiding values in this order, the seed last; rows of probabilities under each column set."""

    def __init__(self, sets: list[list[list[Fraction]]], first: int) -> None:
        self.sets = sets
        many = len(sets[0])
        flat = sorted({tuple(row) for one in sets for row in one})
        rows = np.array([[float(p) for p in row] for row in flat])
        self.index = np.array([[flat.index(tuple(row)) for row in one] for one in sets])
        self.above, self.below = rows[:, 0].copy(), np.ascontiguousarray(rows[:, 1:])
        self.colour = np.array([0] * first + [1] * (many - first))
        self.first, self.last, self.seed = np.array([0, first]), np.array([first, many - 1]), many - 1
        self.odds = kernel.compute_odds(self.above, self.below, self.index, self.colour)

    def hides(self, left: list[int], r: float, largest: int, shortlist: int = 50) -> list[int]:
        given_ = (self.odds, self.above, self.below, self.index, self.first, self.last, np.array(left), self.seed)
        found: list[int] = kernel.hide_seed(*given_, r, largest, shortlist).tolist()
        return found

    def worst(self, members: list[int]) -> Fraction:
        """The greatest belief in the protected value over the column sets, by enumeration; the seed comes first."""
        values = [0] + [1 + int(self.colour[b]) for b in members[1:]]
        found = [oracle.posterior([one[b] for b in members], values) for one in self.sets]
        return max(beliefs[0] for one in found if one is not None for beliefs in one)


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    many = draw(st.integers(2, 7))
    rows = st.lists(ROW, min_size=many, max_size=many)
    sets = draw(st.lists(rows, min_size=1, max_size=3))
    return Crowd(sets, draw(st.integers(0, many - 1)))


@given(crowds(), st.sampled_from([1.5, 2.0, 3.0]), st.lists(st.integers(0, 2), min_size=7, max_size=7))
def test_every_group_keeps_belief_within_the_bound_and_nobody_in_it_is_superfluous(
    crowd: Crowd, r: float, left: list[int]
) -> None:
    room = [*left[: crowd.seed], 1]
    found = crowd.hides(room, r, 7)
    if not found:
        return
    assert found[0] == crowd.seed
    assert len(found) <= 7
    assert all(found.count(bucket) <= room[bucket] for bucket in found)
    assert len({int(crowd.colour[bucket]) for bucket in found[1:]}) == 1  # one value, so the closed form holds
    bound = 1 / Fraction(str(r))
    assert crowd.worst(found) <= bound + NEAR
    for place in range(1, len(found)):
        rest = found[:place] + found[place + 1 :]
        assert crowd.worst(rest) > bound - NEAR


@given(crowds(), st.sampled_from([2.0, 3.0]))
def test_a_group_is_found_where_everybody_is_alike(crowd: Crowd, r: float) -> None:
    alike = Crowd([[one[crowd.seed]] * len(one) for one in crowd.sets], int(crowd.first[1]))
    found = alike.hides([9] * alike.seed + [1], r, 9)
    assert len(found) == r
    assert alike.worst(found) == 1 / Fraction(int(r))


def test_who_was_needed_beside_a_heavy_member_goes_with_that_one() -> None:
    """Weights under one column set: a heavy member first, whom others had to balance."""
    weight = np.array([[1.0], [1.0], [5.0], [1.0]])
    total = np.array([9.0])
    assert kernel._drop_superfluous(weight, np.array([0, 1, 2, 3]), total, 2.0).tolist() in ([0], [1], [3])


def test_who_cannot_have_their_own_value_hides_nobody() -> None:
    row, impossible = [Fraction(1, 10)] * 3, [Fraction(1, 10), Fraction(0), Fraction(0)]
    crowd = Crowd([[impossible, row]], 1)
    assert crowd.hides([5, 1], 2.0, 5) == []


@pytest.mark.parametrize("tiny", [Fraction(1, 10**60), Fraction(1, 10**300)])
def test_an_infinite_weight_is_not_taken_for_a_good_one(tiny: Fraction) -> None:
    row, heavy = [Fraction(1, 10)] * 3, [Fraction(1, 10), tiny, Fraction(1, 10)]
    crowd = Crowd([[heavy, row, row]], 2)
    found = crowd.hides([5, 5, 1], 2.0, 5)
    assert found == [2, 1]

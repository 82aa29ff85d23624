"""Hiding among rows of one value: every group that is found, compared with the enumeration of worlds."""

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


class Buckets:
    """Buckets of two hiding values, one value after the other, with the seed last; and rows of probabilities under each
    column set."""

    def __init__(self, sets: list[list[list[Fraction]]], first: int) -> None:
        self.sets = sets
        bucket_count = len(sets[0])
        distinct_rows = sorted({tuple(row) for rows_of_set in sets for row in rows_of_set})
        rows = np.array([[float(p) for p in row] for row in distinct_rows])
        self.index = np.array([[distinct_rows.index(tuple(row)) for row in rows_of_set] for rows_of_set in sets])
        self.above, self.below = rows[:, 0].copy(), np.ascontiguousarray(rows[:, 1:])
        self.colour = np.array([0] * first + [1] * (bucket_count - first))
        self.first, self.last, self.seed = np.array([0, first]), np.array([first, bucket_count - 1]), bucket_count - 1
        self.odds = kernel.compute_odds(self.above, self.below, self.index, self.colour)

    def hides(self, people_left: list[int], r: float, largest: int, shortlist: int = 50) -> list[int]:
        arguments = (
            self.odds,
            self.above,
            self.below,
            self.index,
            self.first,
            self.last,
            np.array(people_left),
            self.seed,
        )
        members: list[int] = kernel.hide_seed(*arguments, r, largest, shortlist).tolist()
        return members

    def worst(self, members: list[int]) -> Fraction:
        """Return the greatest enumerated belief in the protected value over the column sets; the seed comes first."""
        values = [0] + [1 + int(self.colour[b]) for b in members[1:]]
        beliefs_of_sets = [oracle.posterior([set_beliefs[b] for b in members], values) for set_beliefs in self.sets]
        return max(beliefs[0] for set_beliefs in beliefs_of_sets if set_beliefs is not None for beliefs in set_beliefs)


@st.composite
def random_buckets(draw: st.DrawFn) -> Buckets:
    bucket_count = draw(st.integers(2, 7))
    rows = st.lists(ROW, min_size=bucket_count, max_size=bucket_count)
    sets = draw(st.lists(rows, min_size=1, max_size=3))
    return Buckets(sets, draw(st.integers(0, bucket_count - 1)))


@given(random_buckets(), st.sampled_from([1.5, 2.0, 3.0]), st.lists(st.integers(0, 2), min_size=7, max_size=7))
def test_every_group_keeps_belief_within_the_bound_and_nobody_in_it_is_superfluous(
    buckets: Buckets, r: float, capacities: list[int]
) -> None:
    people_left = [*capacities[: buckets.seed], 1]
    members = buckets.hides(people_left, r, 7)
    if not members:
        return
    assert members[0] == buckets.seed
    assert len(members) <= 7
    assert all(members.count(bucket) <= people_left[bucket] for bucket in members)
    assert len({int(buckets.colour[bucket]) for bucket in members[1:]}) == 1  # one value, so the closed form holds
    bound = 1 / Fraction(str(r))
    assert buckets.worst(members) <= bound + NEAR
    for position in range(1, len(members)):
        others = members[:position] + members[position + 1 :]
        assert buckets.worst(others) > bound - NEAR


@given(random_buckets(), st.sampled_from([2.0, 3.0]))
def test_equal_people_hide_in_a_group_of_r(buckets: Buckets, r: float) -> None:
    equal_buckets = Buckets(
        [[rows_of_set[buckets.seed]] * len(rows_of_set) for rows_of_set in buckets.sets], int(buckets.first[1])
    )
    members = equal_buckets.hides([9] * equal_buckets.seed + [1], r, 9)
    assert len(members) == r
    assert equal_buckets.worst(members) == 1 / Fraction(int(r))


def test_members_that_balanced_a_dropped_one_are_dropped_too() -> None:
    """A heavy member is dropped first, and with it the members that balanced it."""
    weight = np.array([[1.0], [1.0], [5.0], [1.0]])
    total = np.array([9.0])
    assert kernel._drop_superfluous(weight, np.array([0, 1, 2, 3]), total, 2.0).tolist() in ([0], [1], [3])


def test_people_who_cannot_have_their_own_value_hide_nobody() -> None:
    row, impossible_row = [Fraction(1, 10)] * 3, [Fraction(1, 10), Fraction(0), Fraction(0)]
    buckets = Buckets([[impossible_row, row]], 1)
    assert buckets.hides([5, 1], 2.0, 5) == []


@pytest.mark.parametrize("tiny", [Fraction(1, 10**60), Fraction(1, 10**300)])
def test_a_member_of_infinite_weight_is_not_chosen(tiny: Fraction) -> None:
    row, heavy_row = [Fraction(1, 10)] * 3, [Fraction(1, 10), tiny, Fraction(1, 10)]
    buckets = Buckets([[heavy_row, row, row]], 2)
    members = buckets.hides([5, 5, 1], 2.0, 5)
    assert members == [2, 1]

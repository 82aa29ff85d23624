"""Beliefs from the number of cases in a group, against sums over all worlds, and against binomial distributions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from voile.kernels import count_beliefs as kernel

CHANCE = st.sampled_from([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0])


def believe(chances: list[float], people: list[int], cases: int, exact: bool) -> list[float] | None:
    beliefs = np.zeros(len(chances))
    wanted = np.arange(len(chances))
    arrays = np.array(chances), np.array(people, dtype=np.int64)
    return beliefs.tolist() if kernel.compute_count_beliefs(*arrays, cases, exact, wanted, beliefs) else None


def sum_over_worlds(chances: list[float], people: list[int], cases: int, exact: bool) -> list[float] | None:
    """Add up the probabilities of all worlds with that number of cases, in exact fractions."""
    members = [number for number, amount in enumerate(people) for _ in range(amount)]
    total, inside = Fraction(0), [Fraction(0)] * len(chances)
    for world in product((0, 1), repeat=len(members)):
        if sum(world) != cases and (exact or sum(world) < cases):
            continue
        weight = Fraction(1)
        for member, value in zip(members, world, strict=True):
            chance = Fraction(chances[member])
            weight *= chance if value else 1 - chance
        total += weight
        for number in range(len(chances)):
            inside[number] += weight * world[members.index(number)]
    return None if total == 0 else [float(weight / total) for weight in inside]


@given(st.lists(st.tuples(CHANCE, st.integers(1, 3)), min_size=1, max_size=3), st.integers(0, 8), st.booleans())
def test_beliefs_are_those_of_all_worlds(classes: list[tuple[float, int]], cases: int, exact: bool) -> None:
    chances, people = [chance for chance, _ in classes], [amount for _, amount in classes]
    expected = sum_over_worlds(chances, people, cases, exact)
    found = believe(chances, people, cases, exact)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cases", [500, 700, 710, 900, 1100, 1500])
def test_large_groups_and_far_tails_are_exact(cases: int) -> None:
    numbers = np.arange(4001)
    spread = np.convolve(binom.pmf(numbers, 20_000, 0.03), binom.pmf(numbers[:1001], 1000, 0.1))
    without = np.convolve(binom.pmf(numbers, 19_999, 0.03), binom.pmf(numbers[:1001], 1000, 0.1))
    expected = 0.03 * without[cases - 1 :].sum() / spread[cases:].sum()
    found = believe([0.03, 0.1], [20_000, 1000], cases, False)
    assert found is not None
    assert found[0] == pytest.approx(expected, rel=1e-9)


@given(st.lists(CHANCE, min_size=1, max_size=7), st.sampled_from([1.5, 2.0, 6.0]), st.sampled_from([1.0, 1.5, 2.0]))
def test_a_cap_is_the_largest_number_that_may_be_told(chances: list[float], r: float, lift: float) -> None:
    """By definition, over all members: nobody is believed more than allowed given at least so many cases."""
    values, index = np.unique(chances, return_inverse=True)
    people = np.ones(len(chances), dtype=np.int64)
    starts, members = np.array([0, len(chances)]), np.arange(len(chances))
    (cap,) = kernel.find_caps(values, index.reshape(1, -1), starts, members, people, 1 / r, lift, 1e-12)

    def is_allowed(cases: int) -> bool:
        beliefs = sum_over_worlds(chances, [1] * len(chances), cases, False)
        limits = [max(1 / r, lift * chance) + 1e-11 for chance in chances]
        return beliefs is None or all(belief <= limit for belief, limit in zip(beliefs, limits, strict=True))

    assert all(is_allowed(cases) for cases in range(int(cap) + 1))
    assert cap == len(chances) + 1 or not is_allowed(int(cap) + 1)


def test_the_greatest_belief_and_excess_over_all_sets_are_reported() -> None:
    chance = np.array([0.1, 0.2, 0.4])
    index = np.array([[0, 1], [2, 0]])  # two sets of columns, two members
    one_case = np.array([1]), np.array([True])
    arguments = (chance, index, np.array([0, 2]), np.array([0, 1]), np.array([1, 2]), *one_case, 0.25, 1.5, 0, 1)
    risk, excess, contradicted, source = kernel.believe_counts(*arguments)
    beliefs = [sum_over_worlds(list(chance[row]), [1, 2], 1, True) for row in index]
    for member in range(2):
        pairs = [(found[member], chance[row[member]]) for found, row in zip(beliefs, index, strict=True) if found]
        assert risk[member] == pytest.approx(max(belief for belief, _ in pairs))
        assert excess[member] == pytest.approx(max(belief - max(0.25, 1.5 * known) for belief, known in pairs))
    assert not contradicted.any()
    assert source.tolist() == [1]

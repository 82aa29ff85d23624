"""Belief in the value of agreeing rows, compared with every way of giving rows to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import oracle
import pytest

from voile.attacks.agreeing_rows.kernel import NONE, find_largest_beliefs

VALUES = (0, 1, 2)


def largest_beliefs(people: Sequence[Mapping[int, int]], limit: int, groups: Sequence[Sequence[int]]) -> np.ndarray:
    """Call the kernel with plain lists."""
    counts_of_groups = [sorted(Counter(group).items()) for group in groups]
    value_starts = np.cumsum([0, *map(len, counts_of_groups)])
    values, counts = np.array([pair for group in counts_of_groups for pair in group]).T
    starts = np.cumsum([0, *map(len, people)])
    group, rows = np.array([pair for person in people for pair in sorted(person.items())]).T
    sizes = np.array([len(group) for group in groups])
    return np.asarray(
        find_largest_beliefs(starts, group, rows, limit, value_starts, values, counts, sizes, len(VALUES))
    )


def largest_expected(beliefs: list[Fraction] | None) -> float:
    return NONE if beliefs is None else float(max(beliefs))


@pytest.mark.parametrize("seed", range(400))
def test_beliefs_equal_those_over_every_draw_of_a_person(seed: int) -> None:
    """Up to three groups of up to five rows, people with up to six rows of which up to four are published."""
    rng = np.random.default_rng(seed)
    groups = [rng.integers(0, len(VALUES), rng.integers(1, 6)).tolist() for _ in range(rng.integers(1, 4))]
    limit = int(rng.integers(1, 5))
    people = [
        dict(Counter(rng.integers(0, len(groups), rng.integers(1, 7)).tolist())) for _ in range(rng.integers(1, 4))
    ]
    beliefs = largest_beliefs(people, limit, groups)
    expected = [largest_expected(oracle.agreeing_rows(person, limit, groups, VALUES)) for person in people]
    assert beliefs == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(200))
def test_beliefs_equal_those_over_every_assignment_of_rows_to_people(seed: int) -> None:
    """If all rows are published, giving rows to everybody is the same as looking at one person."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 3))
    groups = [rng.integers(0, len(VALUES), size).tolist() for size in sizes]
    owners = [rng.integers(0, 3, size).tolist() for size in sizes]
    people = [{g: owner.count(i) for g, owner in enumerate(owners) if i in owner} for i in range(3)]
    people_with_rows = [i for i, person in enumerate(people) if person]
    beliefs = largest_beliefs([people[i] for i in people_with_rows], 10, groups)
    expected = [
        largest_expected(oracle.agreeing_rows_of_everybody(people, i, groups, VALUES)) for i in people_with_rows
    ]
    assert beliefs == pytest.approx(expected, abs=1e-12)


def test_the_only_value_that_occurs_often_enough_is_certain() -> None:
    groups = [[0, 0, 0, 1, 1, 2, 2]]
    assert largest_beliefs([{0: 3}], 5, groups) == pytest.approx([1.0])
    assert largest_beliefs([{0: 2}], 5, groups) == pytest.approx([3 / 5])
    assert largest_beliefs([{0: 4}], 5, groups).tolist() == [NONE]


def test_large_numbers_do_not_underflow() -> None:
    """With 1,100 drawn rows of 2,200 in two groups, the probability of every value is below the least float."""
    groups = [[0] * 2000 + [1] * 1999 + [2]] * 2
    (belief,) = largest_beliefs([{0: 1100, 1: 1100}], 1100, groups)
    # of t rows drawn in one group, value 0 is 2000² / ((2000 - t) (900 + t)) times as likely as value 1
    assert 2000**2 / 1450**2 < belief / (1 - belief) < 2000 / 900

"""Perturbed samples, mechanism by mechanism: the exact probability of every output, for every table of values.

Written apart from the product, in fractions. A mechanism maps the true values of all people to the probabilities of its
outputs; what matters is by which factor they change if one person's value changes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Outputs = dict[Any, Fraction]


@dataclass(frozen=True)
class Mechanism:
    """A way to publish: its name, the people, the size of the list of values, p, the share with which a person's value
    is published at most, and the outputs for given true values."""

    name: str
    people: int
    size: int
    p: Fraction
    share: Fraction
    run: Callable[[tuple[int, ...]], Outputs]


def chance(p: Fraction, size: int, true: int, shown: int) -> Fraction:
    """The probability that a value is shown as another."""
    return (1 - p) / size + (p if true == shown else 0)


def largest_ratio(mechanism: Mechanism) -> Fraction:
    """The largest factor by which the probability of an output changes with one person's value."""
    values, worst = range(mechanism.size), Fraction(1)
    outputs = {table: mechanism.run(table) for table in itertools.product(values, repeat=mechanism.people)}
    for table, ours in outputs.items():
        assert sum(ours.values()) == 1
        for person in range(mechanism.people):
            for value in values:
                other = outputs[(*table[:person], value, *table[person + 1 :])]
                for output, probability in ours.items():
                    worst = max(worst, probability / other[output])
    return worst


def one_release(sizes: Sequence[int], size: int, p: Fraction) -> Mechanism:
    """Fixed groups of these sizes: one person of each is drawn, and their value is disturbed."""
    ends = list(itertools.accumulate(sizes))

    def run(table: tuple[int, ...]) -> Outputs:
        groups = [table[end - length : end] for end, length in zip(ends, sizes, strict=True)]
        outputs: Outputs = {}
        for shown in itertools.product(range(size), repeat=len(groups)):
            probability = Fraction(1)
            for group, value in zip(groups, shown, strict=True):
                probability *= sum((chance(p, size, true, value) for true in group), Fraction(0)) / len(group)
            outputs[shown] = probability
        return outputs

    return Mechanism(f"groups {tuple(sizes)}, {size} values, p {p}", sum(sizes), size, p, Fraction(1, min(sizes)), run)


def value_aware(size: int, p: Fraction) -> Mechanism:
    """Four people, cut in the middle only if both halves of the disturbed values are pure."""

    def run(table: tuple[int, ...]) -> Outputs:
        outputs: Outputs = {}
        for disturbed in itertools.product(range(size), repeat=4):
            probability = Fraction(1)
            for true, value in zip(table, disturbed, strict=True):
                probability *= chance(p, size, true, value)
            is_cut = disturbed[0] == disturbed[1] != disturbed[2] == disturbed[3]
            groups = [disturbed[:2], disturbed[2:]] if is_cut else [disturbed]
            for shown in itertools.product(*groups):
                outputs[(is_cut, shown)] = outputs.get((is_cut, shown), Fraction(0)) + probability / 4
        return outputs

    return Mechanism(f"cut by disturbed values, {size} values, p {p}", 4, size, p, Fraction(1), run)


def kept_and_cut_again(size: int, p: Fraction) -> Mechanism:
    """Three people, two releases of the same disturbed values, groups (0, 1), (2) and then (0), (1, 2)."""

    def run(table: tuple[int, ...]) -> Outputs:
        outputs: Outputs = {}
        for disturbed in itertools.product(range(size), repeat=3):
            probability = Fraction(1)
            for true, value in zip(table, disturbed, strict=True):
                probability *= chance(p, size, true, value)
            for first, second in itertools.product(disturbed[:2], disturbed[1:]):
                shown = (first, disturbed[2], disturbed[0], second)
                outputs[shown] = outputs.get(shown, Fraction(0)) + probability / 4
        return outputs

    return Mechanism(f"kept values and other groups, {size} values, p {p}", 3, size, p, Fraction(1), run)


def repeated(present: Sequence[Sequence[int]], people: int, size: int, p: Fraction) -> Mechanism:
    """One region in which these people are present, release after release; nobody is drawn twice."""
    stayers = len(set.intersection(*(set(now) for now in present)))
    paths = list(_draw(present))

    def run(table: tuple[int, ...]) -> Outputs:
        outputs: Outputs = {}
        for shown in itertools.product(range(size), repeat=len(present)):
            outputs[shown] = sum((weight * _show(table, path, shown) for path, weight in paths), Fraction(0))
        return outputs

    def _show(table: tuple[int, ...], path: tuple[int, ...], shown: tuple[int, ...]) -> Fraction:
        probability = Fraction(1)
        for person, value in zip(path, shown, strict=True):
            probability *= chance(p, size, table[person], value)
        return probability

    name = f"{len(present)} releases, {stayers} stay of {people}, {size} values, p {p}"
    return Mechanism(name, people, size, p, Fraction(len(present), stayers), run)


def _draw(
    present: Sequence[Sequence[int]], drawn: tuple[int, ...] = (), weight: Fraction = Fraction(1)
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield who may be drawn, release after release, and how likely that is."""
    if len(drawn) == len(present):
        yield drawn, weight
        return
    pool = [person for person in present[len(drawn)] if person not in drawn]
    for person in pool:
        yield from _draw(present, (*drawn, person), weight / len(pool))


def list_mechanisms() -> list[Mechanism]:
    """The mechanisms that the tests go through."""
    half, third, most = Fraction(1, 2), Fraction(1, 3), Fraction(4, 5)
    single = [
        one_release(sizes, size, p) for sizes in ((2,), (3,), (2, 2), (2, 3)) for size in (2, 3) for p in (half, most)
    ]
    single = [mechanism for mechanism in single if mechanism.size**mechanism.people <= 100]
    again = [
        repeated(present, people, 2, p)
        for people, present in (
            (3, [range(3)] * 2),
            (4, [range(4)] * 2),
            (4, [range(4)] * 3),
            (4, [(0, 1, 2), (0, 1, 2, 3)]),
            (5, [(0, 1, 2, 3), (0, 1, 2, 4)]),
        )
        for p in (third, most)
    ]
    return [*single, *(value_aware(2, p) for p in (half, most)), kept_and_cut_again(3, half), *again]


def random_history(rng: random.Random) -> Mechanism:
    """A region with people who come and go, in two or three releases; more people stay than there are releases."""
    while True:
        releases, people = rng.choice([2, 2, 3]), rng.randint(3, 5)
        size = 2 if people > 4 else rng.choice([2, 3])
        present = [[person for person in range(people) if rng.random() < 0.8] for _ in range(releases)]
        if len(set.intersection(*map(set, present))) > releases:
            return repeated(present, people, size, rng.choice([Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)]))

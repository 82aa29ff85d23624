"""The beliefs of the attacks, one group at a time."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any


def homogeneity(counts: Sequence[int]) -> Fraction:
    return max(Fraction(count, sum(counts)) for count in counts)


def elimination(counts: Sequence[int], values: int) -> Fraction:
    """The largest belief in any value after ruling out any set of at most `values` other values."""
    best = Fraction(0)
    present = [value for value, count in enumerate(counts) if count]
    for target in present:
        others = [value for value in present if value != target]
        for size in range(min(values, len(others)) + 1):
            for struck in itertools.combinations(others, size):
                left = sum(count for value, count in enumerate(counts) if value not in struck)
                best = max(best, Fraction(counts[target], left))
    return best


def prosecutor(boxes: Sequence[Any]) -> dict[Any, Fraction]:
    """The chance to pick a person's row among those that look alike."""
    return {box: Fraction(1, number) for box, number in Counter(boxes).items()}


def kept_or_redrawn(p: Fraction, size: int, a: int, b: int) -> Fraction:
    """The probability that value a is published as b."""
    return (p if a == b else Fraction(0)) + (1 - p) / size


def corrupted_posterior(
    prior: Sequence[Fraction],
    y: int,
    p: Fraction,
    group: int,
    corrupted: Sequence[int],
    others: Sequence[Sequence[Fraction]],
) -> list[Fraction]:
    """Belief in each value of a victim by going through everything that may have happened: who of the further
    candidates is in the group, whose row was drawn, what they all have, and what became of it."""
    size, absent = len(prior), group - 1 - len(corrupted)
    joint = [Fraction(0)] * size
    for present in itertools.combinations(range(len(others)), absent):
        for x in range(size):
            seen = kept_or_redrawn(p, size, x, y)
            for value in corrupted:
                seen += kept_or_redrawn(p, size, value, y)
            for who in present:
                seen += sum(
                    (share * kept_or_redrawn(p, size, value, y) for value, share in enumerate(others[who])), Fraction(0)
                )
            joint[x] += prior[x] * seen / group
    total = sum(joint, Fraction(0))
    return [share / total for share in joint]


def agreeing_rows(
    person: Mapping[int, int], limit: int, groups: Sequence[Sequence[Any]], values: Sequence[Any]
) -> list[Fraction] | None:
    """Belief in each value by going through every draw of a person's rows and all rows that may be the drawn ones,
    given that the person's rows agree. `person` has their rows in each group, `groups` the published values. None if
    nothing is left. Every draw is equally likely, and so is every choice of rows under it."""
    own = [group for group, number in person.items() for _ in range(number)]
    weight = dict.fromkeys(values, Fraction(0))
    for draw in itertools.combinations(own, min(limit, len(own))):
        times = Counter(draw)
        if any(number > len(groups[group]) for group, number in times.items()):
            continue
        choices = list(
            itertools.product(*(itertools.combinations(groups[group], number) for group, number in times.items()))
        )
        for choice in choices:
            shown = {value for part in choice for value in part}
            if len(shown) == 1:
                weight[shown.pop()] += Fraction(1, len(choices))
    total = sum(weight.values(), Fraction(0))
    return [weight[value] / total for value in values] if total else None


def agreeing_rows_of_everybody(
    people: Sequence[Mapping[int, int]], who: int, groups: Sequence[Sequence[Any]], values: Sequence[Any]
) -> list[Fraction] | None:
    """The same where everybody's rows are published, by giving out the rows of all groups to all people."""
    owners = [[i for i, person in enumerate(people) for _ in range(person.get(g, 0))] for g in range(len(groups))]
    orders = [set(itertools.permutations(owner)) for owner in owners]
    weight = dict.fromkeys(values, 0)
    for world in itertools.product(*orders):
        shown = {
            value
            for owner, group in zip(world, groups, strict=True)
            for i, value in zip(owner, group, strict=True)
            if i == who
        }
        if len(shown) == 1:
            weight[shown.pop()] += 1
    total = sum(weight.values())
    return [Fraction(weight[value], total) for value in values] if total else None

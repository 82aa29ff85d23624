"""The beliefs of the attacks, one group at a time."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
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

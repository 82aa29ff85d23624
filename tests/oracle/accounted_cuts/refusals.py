"""What a refused cut says, by listing every way to deal values to two sides, in fractions. The kernel's slow twin."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, prod


def list_sides(total: tuple[int, ...], left: int) -> list[tuple[tuple[int, ...], int]]:
    """List the counts that the left side may have, and in how many ways."""
    counts = itertools.product(*(range(number + 1) for number in total))
    return [(side, prod(map(comb, total, side))) for side in counts if sum(side) == left]


def describe_refusal(
    total: tuple[int, ...],
    left: int,
    right: int,
    l: int,  # noqa: E741 - the letter of the literature
) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Return the chance of a refusal, and that of a refusal together with each value of a person on the left, and on
    the right."""
    ways = comb(left + right, left)
    failure, has_left, has_right = Fraction(0), [Fraction(0)] * len(total), [Fraction(0)] * len(total)
    for side, number in list_sides(total, left):
        other = [whole - part for whole, part in zip(total, side, strict=True)]
        if max(side) * l <= left and max(other) * l <= right:
            continue
        failure += Fraction(number, ways)
        for v in range(len(total)):
            has_left[v] += Fraction(number * side[v], ways * left)
            has_right[v] += Fraction(number * other[v], ways * right)
    return failure, has_left, has_right

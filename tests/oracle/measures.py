"""The measures of lost information, cell by cell and group by group."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from fractions import Fraction
from typing import Any


def certainty_penalty(inside: set[Any], values: Sequence[Any], ranged: bool, ends: tuple[Any, Any] | None) -> Fraction:
    """NCP of one cell: the width of its range over the column's, or its other values over the column's others.

    `ends` are the ends of the cell where it is a range, which may lie outside of the values that occur.
    """
    if not ranged:
        return Fraction(max(len(inside) - 1, 0), max(len(set(values)) - 1, 1))
    assert ends is not None
    numbers = [_number(value) for value in values]
    low, high = max(_number(ends[0]), min(numbers)), min(_number(ends[1]), max(numbers))
    width = max(numbers) - min(numbers)
    return (high - low) / width if width else Fraction(0)


def _number(value: Any) -> Fraction:
    return Fraction(value.toordinal()) if isinstance(value, datetime.date) else Fraction(value)


def discernibility(sizes: Sequence[int], withheld: int) -> int:
    """Each person costs as many as they cannot be told apart from; a withheld person costs the whole table."""
    total = sum(sizes) + withheld
    return sum(size * size for size in sizes) + withheld * total

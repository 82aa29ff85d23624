"""COUNT queries, answered on rows and estimated from groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from oracle.rows import Row


def count(rows: Iterable[Row], weights: Iterable[int], query: Sequence[set[int]]) -> int:
    """Count the people who satisfy a query: a set of admitted codes for each column."""
    return sum(
        int(weight)
        for row, weight in zip(rows, weights, strict=True)
        if all(code in admitted for code, admitted in zip(row, query, strict=True))
    )


def estimate_boxes(
    groups: Sequence[tuple[Sequence[set[int]], Sequence[tuple[Row, int]]]],
    quasi: Sequence[set[int]],
    sensitive: Sequence[set[int]],
) -> Fraction:
    """Each group is (its cells, its sensitive rows with their number): values of a cell are taken as equally likely."""
    total = Fraction(0)
    for cells, entries in groups:
        share = Fraction(1)
        for cell, admitted in zip(cells, quasi, strict=True):
            share *= Fraction(len(cell & admitted), len(cell)) if cell else 0
        total += share * count([row for row, _ in entries], [number for _, number in entries], sensitive)
    return total


def estimate_buckets(
    groups: Sequence[tuple[Sequence[Row], Sequence[tuple[int, int]]]], quasi: Sequence[set[int]], sensitive: set[int]
) -> Fraction:
    """Each group is (its people, its values with their number): every link is taken as equally likely."""
    total = Fraction(0)
    for people, values in groups:
        matching = count(people, [1] * len(people), quasi)
        wanted = sum(number for value, number in values if value in sensitive)
        total += Fraction(matching * wanted, len(people)) if people else 0
    return total

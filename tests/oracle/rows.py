"""Distinct rows and their numbers, by counting tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Row = tuple[int, ...]


def rows_of(columns: Sequence[Sequence[int]]) -> list[Row]:
    """Return one tuple per row."""
    return [tuple(int(code) for code in row) for row in zip(*columns, strict=True)]


def distinct(columns: Sequence[Sequence[int]], weights: Sequence[int] | None = None) -> list[tuple[Row, int]]:
    """Distinct rows in rising order, with their number or weight."""
    total: Counter[Row] = Counter()
    rows = rows_of(columns)
    for row, weight in zip(rows, weights if weights is not None else [1] * len(rows), strict=True):
        total[row] += int(weight)
    return sorted(total.items())


def ranks(columns: Sequence[Sequence[int]]) -> list[int]:
    """Return the rank of each row among the distinct rows."""
    rows = rows_of(columns)
    place = {row: number for number, row in enumerate(sorted(set(rows)))}
    return [place[row] for row in rows]


def frequencies(codes: Sequence[Row], sizes: Sequence[int], weights: Sequence[int]) -> list[list[int]]:
    """The people with each code, column by column."""
    return [
        [sum(int(w) for row, w in zip(codes, weights, strict=True) if row[j] == code) for code in range(size)]
        for j, size in enumerate(sizes)
    ]


def members(group: Sequence[int], codes: Sequence[int], groups: int) -> list[list[int]]:
    """The codes that occur in each group, rising."""
    return [sorted({int(code) for code, owner in zip(codes, group, strict=True) if owner == g}) for g in range(groups)]


def node_numbers(ids: list[int], ends: list[int]) -> list[int]:
    """Find which node, of those that end at `ends`, holds each id."""
    found = [0] * len(ids)
    for place, one in enumerate(ids):
        found[one] = next(number for number, end in enumerate(ends) if place < end)
    return found

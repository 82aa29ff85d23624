"""Boxes of codes: which people fit them, and whether they cover every combination once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from oracle.rows import Row


def people_fitting(boxes: Sequence[Sequence[set[int]]], people: Sequence[Row], weights: Sequence[int]) -> list[int]:
    """Count the people who fit each box; a box has one set of codes per column."""
    return [
        sum(
            int(weight)
            for row, weight in zip(people, weights, strict=True)
            if all(code in cell for code, cell in zip(row, box, strict=True))
        )
        for box in boxes
    ]


def tiling(boxes: Sequence[Sequence[set[int]]], sizes: Sequence[int]) -> bool:
    """Whether every combination of codes lies in exactly one box."""
    everything = itertools.product(*(range(size) for size in sizes))
    return all(
        sum(all(code in cell for code, cell in zip(point, box, strict=True)) for box in boxes) == 1
        for point in everything
    )

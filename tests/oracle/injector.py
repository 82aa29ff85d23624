"""Injector's negative rules and groups, by going through all sets of items and all matchings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracle.rows import Row


def excluded(rows: Sequence[Row], values: Sequence[int], most: int, confidence: Fraction, expected: Fraction) -> Any:
    """The values that negative rules exclude for each row: X => not s, for sets X of at most `most` of its items."""
    n, every = len(rows), sorted(set(values))
    found: list[set[int]] = [set() for _ in rows]
    for number in range(1, most + 1):
        for columns in itertools.combinations(range(len(rows[0])), number):
            for i, row in enumerate(rows):
                same = [j for j in range(n) if all(rows[j][c] == row[c] for c in columns)]
                for value in every:
                    without = Fraction(sum(values[j] != value for j in same), len(same))
                    support = n * Fraction(len(same), n) * Fraction(list(values).count(value), n)
                    if without >= confidence and support >= expected:
                        found[i].add(value)
    return found


def matchings(edges: Sequence[set[int]], values: Sequence[int]) -> list[tuple[int, ...]]:
    """List every way to give each person one of the values, each value once, along the edges."""
    return [way for way in itertools.permutations(values) if all(v in e for v, e in zip(way, edges, strict=True))]


def fewest_kept(edges: Sequence[set[int]], values: Sequence[int]) -> int:
    """The least number of values that a person has over all matchings; 0 if there is none."""
    ways = matchings(edges, values)
    return min(len({way[i] for way in ways}) for i in range(len(edges)))


@dataclass
class Pile:
    """People with one value for whom the same values are allowed."""

    value: int
    allowed: set[int]
    left: int


def gathered(piles: list[Pile], seeds: list[int], order: list[int], l: int, most: int) -> list[list[int]]:  # noqa: E741
    """Grow groups from the seeds, each time by the pile that leaves the most values to the worst-off: numbers of piles.

    Among equals: one that leaves l values to all, by the value with the most people; then by how many it leaves to all.
    """

    def people(value: int) -> int:
        return sum(pile.left for pile in piles if pile.value == value)

    def merit(group: list[int], new: int) -> tuple[Any, ...]:
        inside = [piles[p] for p in (*group, new)]
        kept = fewest_kept([pile.allowed for pile in inside], [pile.value for pile in inside])
        common, rank = len(set.intersection(*(pile.allowed for pile in inside))), -order.index(piles[new].value)
        return (kept, True, rank, common, -new) if common >= l else (kept, False, common, rank, -new)

    def grown(seed: int) -> list[int]:
        group, kept = [seed], int(piles[seed].value in piles[seed].allowed)
        while len(group) < l or kept < l:
            have = {piles[p].value for p in group}
            fits = [p for p, pile in enumerate(piles) if pile.left and pile.value not in have]
            if not fits or kept + most - len(group) < l:
                return []
            best = max(fits, key=lambda p: merit(group, p))
            kept = merit(group, best)[0]
            group.append(best)
        return group

    groups = []
    for seed in seeds:
        while piles[seed].left and (group := grown(seed)):
            groups.append(group)
            for p in group:
                same = [v for v in order if people(v) == people(piles[p].value)]  # it goes behind its equals
                here, there = order.index(piles[p].value), order.index(same[-1])
                order[here], order[there] = order[there], order[here]
                piles[p].left -= 1
    return groups

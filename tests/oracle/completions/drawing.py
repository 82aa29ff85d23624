"""A slow twin of the kernel that draws hidden values: plain Python, one row at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

MASK = (1 << 64) - 1


class Coins:
    """SplitMix64 with Python's whole numbers."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def toss(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return float((z ^ (z >> 31)) >> 11) / 2.0**53


def tally(levels: Any, weights: Any, codes: Any, chain: list[int], singles: list[int]) -> tuple[list[dict], list[dict]]:
    """Return the weight of each (context, level), for every beginning of the chain and for every single column."""
    chained: list[dict] = [{} for _ in chain]
    alone: list[dict] = [{} for _ in singles]
    for row, (level, weight) in enumerate(zip(levels, weights, strict=True)):
        for depth in range(len(chain)):
            key = (*(int(codes[row, column]) for column in chain[: depth + 1]), int(level))
            chained[depth][key] = chained[depth].get(key, 0.0) + weight
        for place, column in enumerate(singles):
            key = (int(codes[row, column]), int(level))
            alone[place][key] = alone[place].get(key, 0.0) + weight
    return chained, alone


def update_box(
    values: list[int],
    members: list[int],
    needed: dict[int, int],
    weights: list[dict[int, float]],
    redraw: bool,
    rounds: int,
    coins: Coins,
) -> list[int]:
    """Draw the values of one box anew: `weights[i][v]` is the weight of value v for row i."""
    values = list(values)
    if len(members) < 2:
        return values
    if redraw:
        for row in range(len(values)):
            if values.count(values[row]) <= needed.get(values[row], 0):
                continue
            total = 0.0
            for member in members:
                total += weights[row][member]
            if not total > 0:
                continue
            point, chosen = coins.toss() * total, members[-1]
            for member in members[:-1]:
                point -= weights[row][member]
                if point < 0:
                    chosen = member
                    break
            if weights[row][chosen] > 0:
                values[row] = chosen
    if len(values) < 2:
        return values
    for _ in range(rounds):
        for row in range(len(values)):
            other = int(coins.toss() * len(values))
            a, b = values[row], values[other]
            if a == b:
                continue
            now, then = weights[row][a] * weights[other][b], weights[row][b] * weights[other][a]
            if coins.toss() * now < then:
                values[row], values[other] = b, a
    return values


def row_weights(
    row: int, members: list[int], shares: Any, level: Any, table: Any, chain: list[int], codes: Any, sizes: Any
) -> dict[int, float]:
    """Return the weight of each value of a cell for one row, without further columns."""
    key = 0
    for column in chain:
        key = key * int(sizes[column]) + int(codes[row, column])
    return {
        member: np.float32(table[key, level[member]]) * np.float32(share)
        for member, share in zip(members, shares, strict=True)
    }

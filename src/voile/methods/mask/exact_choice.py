"""Choose among integer weights of any size, so that every chance is exactly what the weights say.

Small weights are chosen by a whole number below their sum. For large ones, a coin gives the first 64 binary digits of a
number between 0 and 1. Where they do not decide (about once in 2^63 choices), further digits are drawn. No
floating-point number takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from voile.tables.secret_key import Key

DIGITS = 64
SMALL = 1 << 62


def choose(ends: Sequence[int], size: int, key: Key, purpose: str) -> np.ndarray:
    """Draw `size` positions: position i with probability (ends[i] - ends[i - 1]) / ends[-1]. `ends` are cumulative
    weights.

    >>> choose([1, 4], 8, Key(bytes(32)), "example").tolist()
    [1, 0, 1, 1, 0, 0, 1, 0]
    """
    shared = gcd(*ends)
    ends = [end // shared for end in ends]
    if len(ends) == 1:
        return np.zeros(size, dtype=np.int64)
    if ends[-1] < SMALL:
        tickets = key.draw_below(purpose, ends[-1], size)
        return np.searchsorted(np.array(ends[:-1], dtype=np.uint64), tickets, side="right")
    return place_coins(ends, key.stream(purpose, size), key, purpose)


def place_coins(ends: Sequence[int], coins: np.ndarray, key: Key, purpose: str) -> np.ndarray:
    """Return the position of the number that starts with the 64 digits of each coin."""
    total = ends[-1]
    cuts = np.array([(end << DIGITS) // total for end in ends[:-1]], dtype=np.uint64)
    positions = np.searchsorted(cuts, coins, side="right")
    for place in np.flatnonzero(np.isin(coins, cuts)):
        positions[place] = _refine(ends, int(coins[place]), key, f"{purpose}, digits of {place}")
    return positions


def _refine(ends: Sequence[int], digits: int, key: Key, purpose: str) -> int:
    """Return the position of a number that starts with these 64 digits, drawing more until they decide."""
    total, length, words = ends[-1], DIGITS, 0
    while True:
        lowest = sum(digits * total >= end << length for end in ends[:-1])
        highest = sum((digits + 1) * total > end << length for end in ends[:-1])
        if lowest == highest:
            return lowest
        words += 1
        digits = digits << DIGITS | int(key.stream(purpose, words)[-1])
        length += DIGITS

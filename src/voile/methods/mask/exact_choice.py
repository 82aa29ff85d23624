"""Choose among integer weights of any size with 64-bit coins, so that every chance is exactly what the weights say.

A coin gives the first 64 binary digits of a number between 0 and 1. Where they do not decide (about once in 2^63
choices), further digits are drawn. No floating-point number takes part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.tables.secret_key import Key

DIGITS = 64


def choose(ends: Sequence[int], coins: np.ndarray, key: Key, purpose: str) -> np.ndarray:
    """Return a position for each coin: position i with probability (ends[i] - ends[i - 1]) / ends[-1].

    `ends` are cumulative weights; `purpose` names the further digits, if some are needed.

    >>> choose([1, 3], np.array([0, 2**63], dtype=np.uint64), Key(bytes(32)), "example").tolist()
    [0, 1]
    """
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

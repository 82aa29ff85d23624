"""Exact choices: the digits of a coin decide as fractions would, and more are drawn where they do not."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.methods.mask.exact_choice import choose, place_coins
from voile.tables.secret_key import Key

KEY = Key(bytes(32))


@given(st.lists(st.integers(1, 10**30), min_size=1, max_size=6), st.integers(0, 2**64 - 1))
def test_the_coin_is_the_beginning_of_a_number(weights: list[int], coin: int) -> None:
    ends = np.cumsum(np.array(weights, dtype=object)).tolist()
    (position,) = place_coins(ends, np.array([coin], dtype=np.uint64), KEY, "x").tolist()
    lowest = bisect_right([Fraction(end, ends[-1]) for end in ends[:-1]], Fraction(coin, 2**64))
    highest = bisect_right([Fraction(end, ends[-1]) for end in ends[:-1]], Fraction(coin + 1, 2**64))
    assert lowest <= position <= highest


def test_further_digits_decide_where_a_coin_does_not() -> None:
    """A coin that starts like 1/3: about a third of the numbers that start so are below it."""
    coin = np.array([2**64 // 3], dtype=np.uint64)
    below = [int(place_coins([1, 3], coin, Key(bytes([n]) * 32), "x")[0]) == 0 for n in range(150)]
    assert 30 <= sum(below) <= 70
    for number in range(5):
        key = Key(bytes([number]) * 32)
        digits = 2**64 // 3 << 64 | int(key.stream("x, digits of 0", 1)[0])
        assert int(place_coins([1, 3], coin, key, "x")[0]) == (Fraction(digits, 2**128) >= Fraction(1, 3))


def test_a_weight_below_the_smallest_coin_can_be_chosen() -> None:
    """One in 2^70: the first coin leaves it open, and 2^64 others would be needed to see it."""
    zero = np.array([0], dtype=np.uint64)
    assert place_coins([1, 2**70], zero, KEY, "x").tolist() == [1]
    assert place_coins([2**70 - 1, 2**70], np.array([2**64 - 1], dtype=np.uint64), KEY, "x").tolist() == [0]


def test_small_and_large_weights_are_chosen_alike() -> None:
    """A third and two thirds, written with small and with large numbers, and with a factor in common."""
    for factor in (1, 7, 2**80):
        chosen = choose([factor, 3 * factor], 9000, KEY, "x")
        assert 2800 < (chosen == 0).sum() < 3200
    large = choose([2**80 + 1, 3 * 2**80], 9000, KEY, "x")  # nothing in common
    assert 2800 < (large == 0).sum() < 3200
    assert choose([5], 3, KEY, "x").tolist() == [0, 0, 0]

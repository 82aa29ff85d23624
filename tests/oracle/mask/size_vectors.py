"""Random vectors of group sizes under MASK's channels: every table, every coin, in fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod

import numpy as np

from oracle.mask.channels import ChannelRule, Spread, largest_belief
from voile.methods.mask.size_channel import SizeChannel


@dataclass(frozen=True)
class SizeVector:
    """Sizes of groups, the rate of the protected value in each of them, m, and how failing counts are spread."""

    sizes: tuple[int, ...]
    rates: tuple[Fraction, ...]
    m: int
    highest: Fraction
    sampling: str


def channel_of(l: int, rate: Fraction, sampling: str) -> ChannelRule:  # noqa: E741 - the letter of the literature
    """Return the channel of the method as the enumeration wants it."""
    channel = SizeChannel(l, rate, sampling)

    def spread(size: int, count: int) -> Spread:
        if count * l <= size:
            return {count: Fraction(1)}
        first, ends = channel.spread(size, count)
        weights = [high - low for low, high in pairwise([0, *ends])]
        return {first - place: Fraction(weight, ends[-1]) for place, weight in enumerate(weights) if weight}

    return spread


def draw_sizes(rng: np.random.Generator) -> SizeVector:
    """Draw one to four groups of 1 to 12 people with at most 400 tables, rates up to the highest one, and m."""
    while True:
        sizes = tuple(int(size) for size in rng.integers(1, 13, rng.integers(1, 5)))
        if prod(size + 1 for size in sizes) <= 400:
            break
    m = int(rng.integers(2, 6))
    highest = Fraction(int(rng.integers(1, 21)), 20 * m) if rng.random() < 0.5 else Fraction(1, m)
    rates = [highest * Fraction(int(rng.integers(1, 21)), 20) for _ in sizes]
    if rng.random() < 0.5:
        rates = [highest] * len(sizes)
    return SizeVector(sizes, tuple(rates), m, highest, str(rng.choice(["monotone", "slack"])))


def find_belief(vector: SizeVector) -> Fraction:
    """Return the largest belief about anybody after any release."""
    return largest_belief(vector.sizes, vector.rates, channel_of(vector.m, vector.highest, vector.sampling))

"""The promises of the models, one group at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any


def k_anonymous(counts: Sequence[int], k: int) -> bool:
    return sum(counts) >= k


def frequency_diverse(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    return all(Fraction(count, sum(counts)) <= Fraction(1, l) for count in counts)


def distinct_diverse(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    return sum(count > 0 for count in counts) >= l


def entropy_diverse(counts: Sequence[int], l: int) -> bool:  # noqa: E741
    """Entropy >= log l, without logarithms: n^n >= l^n * prod c^c."""
    n = sum(counts)
    return n**n >= l**n * math.prod(count**count for count in counts)


def recursive_diverse(counts: Sequence[int], c: Fraction, l: int) -> bool:  # noqa: E741
    falling = sorted((count for count in counts if count), reverse=True)
    return len(falling) >= l and falling[0] <= c * sum(falling[l - 1 :])


def alpha_k_anonymous(counts: Sequence[int], alpha: Fraction, k: int, protected: Iterable[int]) -> bool:
    return sum(counts) >= k and all(Fraction(counts[value], sum(counts)) <= alpha for value in protected)


def k_e_anonymous(numbers: Iterable[float], k: int, e: float) -> bool:
    present = set(numbers)
    return len(present) >= k and max(present) - min(present) >= e


def variation(counts: Sequence[int], totals: Sequence[int]) -> Fraction:
    """The largest gain of belief in any set of values, over all 2^m sets."""
    p = [Fraction(count, sum(counts)) for count in counts]
    q = [Fraction(count, sum(totals)) for count in totals]
    gains = [a - b for a, b in zip(p, q, strict=True)]
    return max(
        sum((gains[value] for value in chosen), Fraction(0))
        for size in range(len(gains) + 1)
        for chosen in itertools.combinations(range(len(gains)), size)
    )


def spread_admitted(size: int, r: Fraction, f: Fraction, spread: Fraction) -> bool:
    """(N - 1) odds(f - spread) >= (r - 1) odds(f): even if all others are least likely, the odds of the likeliest are
    at most 1 to r - 1."""
    if not 0 < f < 1:
        return spread <= 0
    low = f - spread
    return (size - 1) * low / (1 - low) >= (r - 1) * f / (1 - f)


def fewest(r: Fraction, f: Fraction, spread: Fraction, most: int) -> int | None:
    """The least group size that admits a spread, by trying one after another."""
    return next((size for size in range(math.ceil(r), most + 1) if spread_admitted(size, r, f, spread)), None)


def worst_rules(groups: Sequence[Sequence[Any]], k: int) -> Fraction:
    """(c, k)-safety: the largest belief in any fact, given any k rules (premise -> that fact), over all worlds."""
    homes = [number for number, values in enumerate(groups) for _ in values]
    dealt = itertools.product(*(sorted(set(itertools.permutations(values))) for values in groups))
    worlds = [tuple(value for values in world for value in values) for world in dealt]
    facts = [(person, value) for person, home in enumerate(homes) for value in sorted(set(groups[home]))]
    true = {fact: {n for n, world in enumerate(worlds) if world[fact[0]] == fact[1]} for fact in facts}
    worst = Fraction(0)
    for fact in facts:
        for premises in itertools.combinations(facts, k):
            struck = set().union(*(true[premise] for premise in premises)) - true[fact] if premises else set()
            worst = max(worst, Fraction(len(true[fact]), len(worlds) - len(struck)))
    return worst

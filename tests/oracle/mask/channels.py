"""What an adversary who knows MASK believes, by enumeration of all tables and coins in fractions.

The channels are built anew from their definition: mass is poured from failing counts into passing ones. Nothing is
shared with the method.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, factorial

Spread = dict[int, Fraction]  # by published count: its probability
ChannelRule = Callable[[int, int], Spread]  # of a size and a count


def chance(size: int, count: int, rate: Fraction) -> Fraction:
    return comb(size, count) * rate**count * (1 - rate) ** (size - count)


def slack_channel(l: int, rate: Fraction) -> ChannelRule:  # noqa: E741 - the letter of the literature
    """A count that fails becomes one that passes, in proportion to its room."""

    def spread(size: int, count: int) -> Spread:
        if l * count <= size:
            return {count: Fraction(1)}
        room = {low: chance(size, low, rate) * (Fraction(1, l) - Fraction(low, size)) for low in range(size // l + 1)}
        return {low: share / sum(room.values()) for low, share in room.items() if share}

    return spread


def monotone_channel(l: int, rate: Fraction) -> ChannelRule:  # noqa: E741
    """Counts that fail are poured, in rising order, into the highest passing count that has room left."""
    poured: dict[int, dict[int, Spread]] = {}

    def pour(size: int) -> dict[int, Spread]:
        level = Fraction(1, l)
        room = {low: chance(size, low, rate) * (level - Fraction(low, size)) for low in range(size // l + 1)}
        spreads: dict[int, Spread] = {}
        for count in range(size // l + 1, size + 1):
            mass, spreads[count] = chance(size, count, rate), {}
            left = mass
            for low in sorted(room, reverse=True):
                part = min(left, room[low] / (Fraction(count, size) - level))
                if part > 0:
                    spreads[count][low] = part / mass
                    room[low] -= part * (Fraction(count, size) - level)
                    left -= part
            assert left == 0, "the room does not suffice"
        return spreads

    def spread(size: int, count: int) -> Spread:
        if l * count <= size:
            return {count: Fraction(1)}
        if size not in poured:
            poured[size] = pour(size)
        return poured[size][count]

    return spread


def largest_belief(sizes: Sequence[int], rates: Sequence[Fraction], channel: ChannelRule) -> Fraction:
    """Return the largest belief about anybody after any release: every table of one protected value, every coin."""
    weight: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    shares: dict[tuple[int, ...], list[Fraction]] = defaultdict(lambda: [Fraction(0)] * len(sizes))
    for table in product(*(range(size + 1) for size in sizes)):
        prior = Fraction(1)
        for size, count, rate in zip(sizes, table, rates, strict=True):
            prior *= chance(size, count, rate)
        spreads = [channel(size, count).items() for size, count in zip(sizes, table, strict=True)]
        for outcome in product(*spreads):
            probability = prior
            for _, part in outcome:
                probability *= part
            shown = tuple(count for count, _ in outcome)
            weight[shown] += probability
            for group, (size, count) in enumerate(zip(sizes, table, strict=True)):
                shares[shown][group] += probability * Fraction(count, size)
    return max(share / weight[shown] for shown, found in shares.items() for share in found if weight[shown])


def largest_belief_of_two(size: int, rates: Sequence[Fraction], channel: ChannelRule) -> Fraction:
    """Return the largest belief in either of two protected values; the other people of the group have two unprotected
    values, and freed rows get one of these at their rates: every table of one group, every coin."""
    first, second, one, other = rates
    weight: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    people: dict[tuple[int, ...], list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for a, b, c in product(range(size + 1), repeat=3):
        d = size - a - b - c
        if d < 0:
            continue
        ways = factorial(size) // (factorial(a) * factorial(b) * factorial(c) * factorial(d))
        prior = ways * first**a * second**b * one**c * other**d
        for (new_a, p), (new_b, q) in product(channel(size, a).items(), channel(size, b).items()):
            assert new_a + new_b <= size
            freed = a + b - new_a - new_b
            for refilled in range(freed + 1):
                probability = prior * p * q * chance(freed, refilled, one / (one + other))
                shown = (new_a, new_b, c + refilled)
                weight[shown] += probability
                people[shown][0] += probability * a
                people[shown][1] += probability * b
    return max(max(found) / weight[shown] / size for shown, found in people.items() if weight[shown])


def urn_draws(urn: tuple[int, int], draws: int) -> Iterator[tuple[int, Fraction]]:
    """Yield how many of the draws give the first of two values, with its probability: every draw adds its value."""
    for first in range(draws + 1):
        probability = Fraction(comb(draws, first))
        for value, number in ((0, first), (1, draws - first)):
            for step in range(number):
                probability *= urn[value] + step
        for step in range(draws):
            probability /= urn[0] + urn[1] + step
        yield first, probability


def largest_belief_with_refill(
    sizes: tuple[int, int], rate: Fraction, channel: ChannelRule, others: Fraction | None, learned: bool
) -> Fraction:
    """Return the largest belief in a protected value in two groups whose other people have one of two values.

    The adversary takes the first of these at rate `others` among the two, or, if it is None, at an unknown rate, all
    being equally likely. Freed rows are filled from an urn with both values and those of all rows (`learned`), or from
    the group's own values, where it has some.
    """
    weight: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    people: dict[tuple[int, ...], list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    tables = [[(h, a, n - h - a) for h in range(n + 1) for a in range(n - h + 1)] for n in sizes]
    for table in product(*tables):
        prior = Fraction(1)
        for n, (h, a, b) in zip(sizes, table, strict=True):
            prior *= chance(n, h, rate) * comb(a + b, a)
        total_a, total_b = sum(a for _, a, _ in table), sum(b for _, _, b in table)
        if others is None:
            prior *= Fraction(factorial(total_a) * factorial(total_b), factorial(total_a + total_b + 1))
        else:
            prior *= others**total_a * (1 - others) ** total_b
        first, second = (channel(n, h).items() for n, (h, _, _) in zip(sizes, table, strict=True))
        for (low, p), (high, q) in product(first, second):
            freed = table[0][0] - low, table[1][0] - high
            urn = (total_a + 1, total_b + 1) if learned else table[0][1:]
            for one, r in _fill(urn, freed[0], learned):
                after = (urn[0] + one, urn[1] + freed[0] - one) if learned else table[1][1:]
                for two, s in _fill(after, freed[1], learned):
                    shown = (low, high, table[0][1] + one, table[1][1] + two)
                    probability = prior * p * q * r * s
                    weight[shown] += probability
                    for group in (0, 1):
                        people[shown][group] += probability * Fraction(table[group][0], sizes[group])
    return max(max(found) / weight[shown] for shown, found in people.items() if weight[shown])


def _fill(urn: tuple[int, ...], draws: int, learned: bool) -> Iterator[tuple[int, Fraction]]:
    if learned:
        yield from urn_draws((urn[0], urn[1]), draws)
        return
    total = sum(urn)
    rate = Fraction(urn[0], total) if total else Fraction(1, 2)  # drawn by the group's own counts
    for first in range(draws + 1):
        yield first, chance(draws, first, rate)

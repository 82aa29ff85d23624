"""The channels: their weights are those of the definition, and no published count lifts belief above 1/l."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest
from oracle.mask.channels import (
    chance,
    largest_belief,
    largest_belief_of_two,
    largest_belief_with_refill,
    monotone_channel,
    slack_channel,
)
from oracle.mask.size_vectors import channel_of, draw_sizes, find_belief

import voile as vl
from voile.methods.mask.size_channel import SizeChannel

ORACLES = {"monotone": monotone_channel, "slack": slack_channel}
KEY = vl.Key(bytes(range(32)))


@pytest.mark.parametrize("sampling", ["monotone", "slack"])
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(1, 2), Fraction(7, 50)], ids=["largest", "half", "a seventh"])
def test_weights_are_those_of_the_definition(sampling: str, rate: Fraction) -> None:
    for l in (2, 3, 5, 10):  # noqa: E741
        ours, theirs = channel_of(l, rate / l, sampling), ORACLES[sampling](l, rate / l)
        for size in range(1, 22):
            for count in range(size + 1):
                assert ours(size, count) == theirs(size, count), (l, size, count)


@pytest.mark.parametrize("sampling", ["monotone", "slack"])
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (2, 2, 2, 6), (4, 4, 6)])
def test_no_release_lifts_belief_above_the_bound(sampling: str, sizes: tuple[int, ...]) -> None:
    """All tables and all coins, groups of different sizes, one rate for all groups or a rate of its own for each."""
    halves = [Fraction(10, 100), Fraction(30, 100), Fraction(45, 100), Fraction(1, 2)]
    thirds = [Fraction(10, 100), Fraction(30, 100), Fraction(1, 3)]
    for m, rates in ((2, halves), (3, thirds)):
        channel = channel_of(m, Fraction(1, m), sampling)
        beliefs = [largest_belief(sizes, [rate] * len(sizes), channel) for rate in rates]
        beliefs.append(largest_belief(sizes, (rates * 2)[: len(sizes)], channel))
        assert max(beliefs) == Fraction(1, m)  # never above, and reached


def test_random_sizes_keep_the_bound() -> None:
    """`bench/mask_worlds.py` is the long form."""
    for seed in range(40):
        vector = draw_sizes(np.random.default_rng(seed))
        assert find_belief(vector) * vector.m <= 1, vector


def test_a_rate_above_the_bound_is_not_covered() -> None:
    """The check above can fail: just above the largest rate the bound is exceeded."""
    for sampling in ("monotone", "slack"):
        channel = channel_of(2, Fraction(1, 2), sampling)
        assert largest_belief((4, 6), [Fraction(55, 100)] * 2, channel) > Fraction(1, 2)
        lower = channel_of(3, Fraction(1, 10), "monotone")  # a declared bound: less is changed, and less is covered
        assert largest_belief((7,), [Fraction(1, 10)], lower) <= Fraction(1, 3)
        assert largest_belief((7,), [Fraction(1, 3)], lower) > Fraction(1, 3)


def test_single_groups_of_every_size() -> None:
    checked = 0
    for l in range(2, 11):  # noqa: E741
        channels = {sampling: channel_of(l, Fraction(1, l), sampling) for sampling in ORACLES}
        for size in range(1, 31):
            for parts in (1, 3, 5, 6):  # sixths of the largest rate
                rate = Fraction(parts, 6 * l)
                prior = [chance(size, count, rate) for count in range(size + 1)]
                for channel in channels.values():
                    total, people = [Fraction(0)] * (size + 1), [Fraction(0)] * (size + 1)
                    for count in range(size + 1):
                        for low, part in channel(size, count).items():
                            total[low] += prior[count] * part
                            people[low] += prior[count] * part * count
                    assert all(l * n <= size * w for n, w in zip(people, total, strict=True))
                    checked += 1
    assert checked == 9 * 30 * 4 * 2


def test_two_protected_values_pass_through_their_channels_independently() -> None:
    """The unprotected values are l - 1 times as common as each protected one: 1/m holds for both. Less: it does not."""
    for m, kept, exceeded in ((2, ("1/3", "1/3", "1/6", "1/6"), ("2/5", "2/5", "1/10", "1/10")),
                              (3, ("1/4", "1/4", "1/8", "3/8"), ("2/5", "1/10", "1/4", "1/4"))):  # fmt: skip
        for sampling in ORACLES:
            channel = channel_of(m, Fraction(1, m), sampling)
            for size in (2, 3, 5, 6):
                assert largest_belief_of_two(size, [Fraction(rate) for rate in kept], channel) <= Fraction(1, m)
            rare = [Fraction(1, 20), Fraction(1, 4), Fraction(1, 10), Fraction(6, 10)]
            assert largest_belief_of_two(5, rare, channel) <= Fraction(1, m)
            worst = max(largest_belief_of_two(n, [Fraction(r) for r in exceeded], channel) for n in (2, 3, 5, 6))
            assert worst > Fraction(1, m)


def test_a_declared_rate_of_two_values_keeps_the_bound() -> None:
    """Both values at 1/10: among people with one of them or an unprotected value its rate is 1/9."""
    model = vl.MConfidentiality(m=2, protect=("a", "b"), highest_rate=0.1)
    assert model.channel_rate(2) == Fraction(1, 9)
    channel = channel_of(2, model.channel_rate(2), "monotone")
    for size in (2, 3, 4, 5, 6):
        for first in ("1/10", "1/20"):
            rates = [Fraction(first), Fraction(1, 10), Fraction(2, 5), 1 - Fraction(first) - Fraction(1, 2)]
            assert largest_belief_of_two(size, rates, channel) <= Fraction(1, 2)


def test_refilling_from_an_urn_of_the_whole_table_tells_nothing() -> None:
    """Nor does a group refilled from its own values keep the bound: .693 in groups of four."""
    channel = channel_of(2, Fraction(1, 2), "monotone")
    for sizes in ((2, 2), (2, 3), (4, 4)):
        for rate in (Fraction(3, 10), Fraction(1, 2)):
            assert largest_belief_with_refill(sizes, rate, channel, None, learned=True) <= Fraction(1, 2)
    own = largest_belief_with_refill((4, 4), Fraction(1, 2), channel, Fraction(7, 10), learned=False)
    assert own > Fraction(6, 10)


def test_an_adversary_who_knows_the_other_rates_needs_them_declared() -> None:
    """What the claim excludes where no rates are declared: eight people are too few to learn the rates from, and
    someone who knows them recognises a refill."""
    channel = channel_of(2, Fraction(1, 2), "monotone")
    known = largest_belief_with_refill((4, 4), Fraction(1, 2), channel, Fraction(7, 10), learned=True)
    assert known > Fraction(9, 10)


def test_at_the_largest_rate_levels_are_matched() -> None:
    """The closed form of the proof: room and excess are differences of one binomial distribution of n - 1 people."""
    for l in (2, 3, 7):  # noqa: E741
        for size in range(2, 20):
            level = [0, *(comb(size - 1, x - 1) * (l - 1) ** (size - x) for x in range(1, size + 1)), 0]
            monotone = channel_of(l, Fraction(1, l), "monotone")
            for count in range(size // l + 1, size + 1):
                low, high = level[count + 1], level[count]
                matched = {
                    x: Fraction(min(level[x + 1], high) - max(level[x], low), high - low)
                    for x in range(size // l + 1)
                    if min(level[x + 1], high) > max(level[x], low)
                }
                assert monotone(size, count) == matched


@pytest.mark.parametrize("sampling", ["monotone", "slack"])
def test_draws_follow_the_channel(sampling: str) -> None:
    """Thousands of groups with the same count: published counts are as frequent as the definition says."""
    groups = 20_000
    for size, count, l in ((5, 4, 2), (12, 3, 5), (30, 9, 4)):  # noqa: E741
        channel = SizeChannel(l, Fraction(1, l) if size > 5 else Fraction(1, 5), sampling)
        people = np.full(groups, count)
        drawn = Counter(channel.publish_counts(np.full(groups, size), people, KEY, f"{size}").tolist())
        expected = ORACLES[sampling](l, channel.rate)(size, count)
        assert drawn.keys() <= expected.keys()
        surprise = sum((drawn[low] - groups * p) ** 2 / (groups * p) for low, p in expected.items())
        freedom = len(expected) - 1
        assert surprise < freedom + 5 * sqrt(2 * freedom) + 1e-9


def test_counts_that_pass_stay_and_large_numbers_are_exact() -> None:
    channel = SizeChannel(10, Fraction(1, 10), "monotone")
    sizes, counts = np.array([1024, 1024, 10, 10, 3]), np.array([102, 1024, 1, 0, 0])
    published = channel.publish_counts(sizes, counts, KEY, "x")
    assert published.tolist()[:1] + published.tolist()[2:] == [102, 1, 0, 0]
    assert published[1] == 0
    first, ends = channel.spread(1024, 150)
    assert 0 < first <= 102
    assert ends[-1] > 2**1024

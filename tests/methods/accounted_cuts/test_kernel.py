"""The kernel of accounted cuts against its slow twin, and what its coins do to beliefs."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.accounted_cuts.refusals import describe_refusal
from scipy.stats import hypergeom

from voile.methods.accounted_cuts import kernel


def draw_cut(rng: np.random.Generator) -> tuple[tuple[int, ...], int, int, int]:
    """Draw the counts of a diverse group, the people on both sides, and l."""
    while True:
        people, level = int(rng.integers(4, 15)), int(rng.integers(2, 4))
        total = tuple(np.bincount(rng.integers(0, rng.integers(2, 6), people)).tolist())
        if max(total) * level <= people:
            left = int(rng.integers(1, people))
            return total, left, people - left, level


def test_refusals_are_described_as_by_listing_all_deals() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        total, left, right, level = draw_cut(rng)
        failure, has_left, has_right = kernel.describe_refusal(np.array(total), left, right, level)
        exact = describe_refusal(total, left, right, level)
        if failure < kernel.CERTAIN:
            assert exact[0] == 0
            continue
        assert failure == pytest.approx(float(exact[0]), abs=1e-12)
        for computed, listed in zip((has_left, has_right), exact[1:], strict=True):
            assert computed - kernel.MARGIN == pytest.approx([float(chance) for chance in listed], abs=1e-12)


def test_the_coin_brings_every_belief_to_its_limit() -> None:
    rng, coins = np.random.default_rng(6), 0
    for _ in range(400):
        total, left, right, level = draw_cut(rng)
        least = int(rng.integers(1, min(left, right) + 1))
        stop, _ = kernel.weigh_refusal(np.array(total), left, right, level, least)
        failure, *sides = describe_refusal(total, left, right, level)
        uncut, worst = stop + (1 - stop) * float(failure), -1.0
        for v, number in enumerate(total):
            if number and uncut > 0:
                limit = min(1 / level, number / least)
                highest = max(float(side[v]) for side in sides)
                belief = (stop * number / (left + right) + (1 - stop) * highest) / uncut
                worst = max(worst, belief - limit)
        assert worst <= 1e-12
        if 1e-6 < stop < 1:
            coins += 1
            assert worst > -1e-6  # no more coins than needed
    assert coins > 10


def test_equal_sides_need_no_coin() -> None:
    assert kernel.weigh_refusal(np.array([4, 3, 1]), 4, 4, 2, 1)[0] == 0


def test_tails_are_those_of_a_hypergeometric_distribution() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        people = int(rng.integers(2, 400))
        having, drawn = (int(number) for number in rng.integers(1, people, 2))
        least = int(drawn * having / people) + 1 + int(rng.integers(0, 10))
        exact = hypergeom.sf(least - 1, people, having, drawn)
        assert exact <= kernel.tail(people, having, drawn, least) <= exact * (1 + 1e-5) + 1e-300


def test_large_groups_are_weighed_by_a_bound() -> None:
    total = np.array([90, 80, 60, 40, 30])
    success, both = kernel.count_successes(total, 120, 180, 3)
    bound = sum(kernel.tail(300, int(n), size, size // 3 + 1) for n in total for size in (120, 180))
    assert 0 < 1 - success <= bound
    assert both.sum() == pytest.approx(120 * success)

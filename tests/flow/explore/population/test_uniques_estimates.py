"""Estimators of people who are alone in the population: simulated populations of each model, and the easy ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from voile.flow.explore.population.uniques_estimates import (
    estimate_by_growth,
    estimate_pitman,
    estimate_slide_negative_binomial,
    estimate_zayatz,
)

EVERY = [estimate_zayatz, estimate_pitman, estimate_slide_negative_binomial, estimate_by_growth]


def draw_sizes(groups: np.ndarray, sample: int, rng: np.random.Generator) -> np.ndarray:
    """Draw people of a population, given by the group of each, and return the sizes of their groups."""
    sizes = np.bincount(rng.choice(groups, sample, replace=False))
    return sizes[sizes > 0]


def test_pitman_finds_its_own_population() -> None:
    rng, theta, alpha, people = np.random.default_rng(1), 50.0, 0.6, 20_000
    tables = [1]  # the Chinese restaurant process: a table is a group
    owner = [0]
    for number in range(1, people):
        if rng.random() < (theta + alpha * len(tables)) / (number + theta):
            owner.append(len(tables))
            tables.append(1)
        else:
            while True:  # join a table with a chance of its size minus alpha
                table = owner[rng.integers(number)]
                if rng.random() < 1 - alpha / tables[table]:
                    break
            owner.append(table)
            tables[table] += 1
    truth = sum(size == 1 for size in tables)
    estimate = estimate_pitman(draw_sizes(np.array(owner), 4_000, rng), people)
    assert estimate == pytest.approx(truth, rel=0.1)


def test_slide_negative_binomial_finds_its_own_population() -> None:
    rng = np.random.default_rng(2)
    sizes = 1 + rng.negative_binomial(0.8, 0.2, 8_000)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    sample = draw_sizes(groups, len(groups) // 5, rng)
    assert estimate_slide_negative_binomial(sample, len(groups)) == pytest.approx((sizes == 1).sum(), rel=0.1)


def test_zayatz_by_its_definition() -> None:
    sizes, population = np.array([1, 1, 1, 2, 3]), 80
    sample = int(sizes.sum())
    chances = [stats.hypergeom(population, size, sample).pmf(1) for size in sizes]
    conditional = 3 * stats.hypergeom(population, 1, sample).pmf(1) / sum(chances)
    assert estimate_zayatz(sizes, population) == pytest.approx(3 * conditional / (sample / population))


@pytest.mark.parametrize("estimate", EVERY)
def test_nobody_alone_in_a_large_sample_means_hardly_anybody_alone(estimate: object) -> None:
    assert callable(estimate)
    assert estimate(np.full(50, 40), 20_000) < 20


@pytest.mark.parametrize("estimate", EVERY)
def test_everybody_alone_in_the_sample_means_nearly_everybody_alone(estimate: object) -> None:
    assert callable(estimate)
    assert estimate(np.ones(500, dtype=int), 5_000) > 4_000


def test_growth_follows_a_line_of_log_odds() -> None:
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 30_000, 60_000)
    truth = (np.bincount(groups) == 1).sum()
    assert truth / 2 < estimate_by_growth(draw_sizes(groups, 12_000, rng), 60_000) < 2 * truth

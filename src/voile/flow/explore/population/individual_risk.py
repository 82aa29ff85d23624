"""The risk of each person from survey weights: Benedetti and Franconi's, as sdcMicro computes it."""

from __future__ import annotations

import numpy as np

from voile.errors import DataError, option, render


def estimate_risk(sample: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Return the expected value of 1/F for groups of `sample` people whose weights sum to `population`.

    F given f is taken as negative binomial with success chance f/F; up to three people the expectation is exact, above
    it is sdcMicro's approximation.

    >>> estimate_risk(np.array([1, 2]), np.array([17.0, 110.0])).round(5).tolist()
    [0.17708, 0.01714]
    """
    chance = np.minimum(sample / population, 1.0)
    rest = np.where(chance < 1, 1 - chance, 1.0)  # a group that is wholly in the sample is filled in below
    log = np.log(chance)
    by_size = {
        1: -chance / rest * log,
        2: chance / rest**2 * (chance * log + rest),
        3: chance / (2 * rest**3) * (rest * (3 * rest - 2) - 2 * chance**2 * log),
    }
    risk = chance / (sample - 1 + chance)
    for size, exact in by_size.items():
        risk = np.where(sample == size, exact, risk)
    # close to a whole group the exact forms cancel digits
    return np.where(chance > 1 - 1e-6, 1 / sample, np.minimum(risk, 1 / sample))


def check_weights(name: str, weights: np.ndarray) -> np.ndarray:
    """Return weights as numbers above 0."""
    wrong = int((~(np.isfinite(weights) & (weights > 0))).sum())
    if wrong:
        raise DataError(
            f"{wrong:,} different weights in {name!r} are missing, not finite or not above 0.",
            code="data.weight",
            hint="A weight says how many people of the population a row stands for. Clean the column.",
        )
    return weights


def refuse_normalised(name: str, weights: np.ndarray) -> str:
    """Say why weights tell nothing about the size of the population; an empty text if they do. A row stands for one
    person at least, itself, so weights below 1 were divided, e.g. by their mean."""
    below = int((weights < 1).sum())
    if not below:
        return ""
    return render(
        f"Who is alone in the population is not estimated: {below:,} different weights in {name!r} are below 1, so "
        "they are normalised, and do not say how many people of the population a row stands for. Give the number of "
        f"people there ({option('population')})."
    )

"""What a sample of keys can prove about a belief: a limit that the belief exceeds with 99.9 % certainty.

A gambler who holds that the belief is above b bets against somebody who holds that it is not. Every run of a world that
gives the output multiplies the capital: up where the question is true of the world, down where it is not, by a stake
times the weight of the run. Runs are independent, so if the belief is at most b, the capital is at most 1 on average,
and at least 1/alpha with probability at most alpha (Markov). So "at most b" is refuted where the capital reaches
1/alpha. What is known exactly adds its weight to the evidence. One sample of keys chooses which questions to bet on,
and another decides: choosing costs no certainty beyond the number of bets.
"""

from __future__ import annotations

import numpy as np

DOUBT = 0.001
STAKES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)  # shares of the largest stake; their mean is a strategy too


def lower_limit(hits: np.ndarray, runs: np.ndarray, known: np.ndarray, weights: np.ndarray, bets: int) -> float:
    """Return the largest b such that "the belief is at most b" is refuted; 0 if none is.

    World w gave the output in `hits[w]` of `runs[w]` runs; one without runs gives it with the chance `known[w]`. Of the
    two rows of `weights` the first are the worlds of which the question is true, and the second all worlds.
    """
    low, high = 0.0, 1.0
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (middle, high) if _is_refuted(hits, runs, known, weights, bets, middle) else (low, middle)
    return low


def _is_refuted(
    hits: np.ndarray, runs: np.ndarray, known: np.ndarray, weights: np.ndarray, bets: int, belief: float
) -> bool:
    evidence = weights[0] - belief * weights[1]
    gains = np.where(runs > 0, evidence / np.maximum(runs, 1), 0.0)
    exact = float(np.where(runs > 0, 0.0, evidence * known).sum())
    largest_loss = float(-gains.min(initial=0.0))
    if largest_loss <= 0:  # nothing that was sampled can speak against it
        return exact + float(gains @ hits) > 0
    # no stake loses everything in one run, whichever world it is
    stakes = np.array(STAKES) / largest_loss
    growth = np.log1p(np.outer(stakes, gains)) @ hits + stakes * exact
    best = float(growth.max())
    return bool(np.log(np.exp(growth - best).mean()) + best >= np.log(bets / DOUBT))

"""What an adversary who knows the values of others believes after seeing one perturbed value of a group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.errors import InconsistentKnowledge
from voile.releases.randomized_response import Channel, exact_fraction


def weigh_others(channel: Channel, sizes: np.ndarray, others_alike: np.ndarray) -> np.ndarray:
    """Return G times the probability that the published row is another person's: u for each person, and p more for
    those who have the published value.

    Of the others who are not corrupted the adversary believes the worst for the victim: none has the value. Then it
    does not matter which candidates are in the table: the group's size is published.
    """
    return (sizes - 1) * float(channel.noise) + others_alike * float(exact_fraction(channel.keep))


def find_worst_belief(channel: Channel, other_weight: np.ndarray, skew: float, rho1: float) -> np.ndarray:
    """Return the worst belief in a set of prior rho1: the set contains the published value, with as much prior as the
    skew allows."""
    mass, u = float(exact_fraction(channel.keep)) * min(skew, rho1), float(channel.noise)
    below = mass + u + other_weight
    return rho1 + np.where(below > 0, mass * (1 - rho1) / np.where(below > 0, below, 1), 1 - rho1)


def find_worst_growth(channel: Channel, other_weight: np.ndarray, skew: float) -> np.ndarray:
    """Return the worst rise of belief over priors up to the skew: p w (1-w) / (p w + c) at its peak, or at the skew."""
    keep, c = float(exact_fraction(channel.keep)), other_weight + float(channel.noise)
    if keep == 0:
        return np.zeros(len(other_weight))
    w = np.minimum(skew, (np.sqrt(c * c + keep * c) - c) / keep)
    below = keep * w + c
    return np.where(below > 0, keep * w * (1 - w) / np.where(below > 0, below, 1), 1.0)


def posterior(
    prior: Sequence[float], y: int, channel: Channel, size: int, corrupted: Sequence[int], others: Sequence[float] = ()
) -> tuple[float, np.ndarray]:
    """Return how likely it is that the published row is the person's, and the resulting belief in each of their values.

    `prior` is the prior belief in each value, y the published value, `size` the size of the group. `corrupted` are the
    true values of people known to be in the group, `others` the prior of y for each further candidate; they share the
    remaining places evenly.

    >>> h, belief = posterior([0.4, 0.3, 0.1, 0.1, 0.1], 0, Channel(0.3, 5), 3, [2, 3])
    >>> round(h, 6), round(float(belief[0]), 6)
    (0.481481, 0.533333)
    """
    keep, u = float(exact_fraction(channel.keep)), float(channel.noise)
    open_places = size - 1 - len(corrupted)
    if open_places < 0 or open_places > len(others):
        raise contradiction("the group cannot hold exactly the people who are known and those who may be in it")
    present = open_places / len(others) if len(others) else 0.0
    prior_belief = np.asarray(prior, dtype=np.float64)
    from_person = keep * prior_belief[y] + u
    from_corrupted = sum(u + keep * (value == y) for value in corrupted)
    from_others = present * sum(keep * share + u for share in others)
    if from_person + from_corrupted + from_others <= 0:
        raise contradiction("under this knowledge the published value has probability 0")
    h = from_person / (from_person + from_corrupted + from_others)
    if from_person <= 0:
        return 0.0, prior_belief
    if_own_row = prior_belief * (u + keep * (np.arange(len(prior_belief)) == y)) / from_person
    return float(h), h * if_own_row + (1 - h) * prior_belief


def contradiction(reason: str) -> InconsistentKnowledge:
    """Return the error for knowledge that no table agrees with."""
    return InconsistentKnowledge(
        f"The adversary's assumed knowledge contradicts the release: {reason}.",
        code="data.inconsistent",
        hint="Check the table of corrupted people and the external table.",
    )

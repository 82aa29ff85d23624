"""Homogeneity: the rows that fit a person agree on the sensitive value.

Nobody needs to know which row is yours if all of them show the same value. The adversary finds the person's group and
believes its most frequent value; the baseline is the most frequent value of the whole table. A person with several
rows in the group has the value in one of them with at most as many times that probability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target, find_people
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Homogeneity(PiecewiseAttack):
    """Belief in the most frequent value of a person's group.

    >>> Homogeneity().name
    'homogeneity'
    """

    name: ClassVar[str] = "homogeneity"

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        neighbour = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)
        guesses, people = [], find_people(target)
        for name, counts in target.tallies.items():
            share = counts.largest() / np.maximum(counts.sizes, 1)
            baseline = float(counts.totals.max(initial=0) / max(float(counts.totals.sum()), 1e-12))
            certain = people.count(counts.distinct() == 1)
            details = {"people in groups with one value": certain, **counts.remarks}
            belief = people.believe("belief", share, baseline, name)
            guesses.append(Guess(f"Homogeneity of {name!r}", neighbour, replace(belief, details=details)))
        return guesses

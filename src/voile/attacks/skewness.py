"""Skewness: how much a group reveals beyond the whole table.

The adversary knows how common every value is overall. In the person's group some values are more common; the most they
can gain, over all sets of values, is the total variation distance between the two. The baseline gain is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target
from voile.results import Belief
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Skewness(PiecewiseAttack):
    """The largest gain in belief in any set of values.

    >>> Skewness().name
    'skewness'
    """

    name: ClassVar[str] = "skewness"

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.STATISTICS)
        statistician = Adversary.who("neighbour with the totals", *knowledge)
        guesses = []
        for name, counts in target.tallies.items():
            share = counts.counts / np.maximum(counts.sizes, 1)[counts.owner]
            usual = counts.totals / max(float(counts.totals.sum()), 1e-12)
            # the best set of values is all that are more common here than overall
            gain = counts.summed(np.maximum(share - usual[counts.values], 0))
            belief = Belief("gain", np.minimum(gain, 1.0), target.sizes, 0.0, name, counts.remarks)
            guesses.append(Guess(f"Gain in belief about {name!r}", statistician, belief))
        return guesses

"""Skewness: how much a group reveals beyond the whole table.

The adversary knows how common every value is overall. In the person's group some values are more common; the most they
can gain, over all sets of values, is the total variation distance between the two. The baseline gain is zero. The gain
is about one row, even where a person has several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target, find_people
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
        guesses, people = [], find_people(target)
        for name, counts in target.tallies.items():
            share = counts.counts / np.maximum(counts.sizes, 1)[counts.owner]
            usual = counts.totals / max(float(counts.totals.sum()), 1e-12)
            # the best set of values is all that are more common here than overall
            gain = counts.summed(np.maximum(share - usual[counts.values], 0))
            belief = people.believe("gain", np.minimum(gain, 1.0), 0.0, name, of_row=False)
            title = f"Gain in belief about {name!r}"
            guesses.append(Guess(title, statistician, replace(belief, details=counts.remarks)))
        return guesses

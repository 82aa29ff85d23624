"""Skewness: how much a group reveals beyond the whole table.

The adversary knows how common every value is overall. In the person's group some values are more common; the most they
can gain, over all sets of values, is the total variation distance between the two. The baseline gain is zero. The gain
is about one row, even where a person has several. Where a column shows only whether a value is protected, the sets
are "one of the protected values" and "another value".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target, find_people
from voile.attacks.indicator_counts import expect_counts, has_indicator, shows_indicator
from voile.releases.release import Release
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Skewness(PiecewiseAttack):
    """The largest gain in belief in any set of values.

    >>> Skewness().name
    'skewness'
    """

    name: ClassVar[str] = "skewness"

    def can_divide(self, release: Release, external: Microdata | None) -> bool:
        """What is expected of groups that show a lower bound follows from all groups together."""
        return not has_indicator(release)

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.STATISTICS)
        statistician = Adversary.who("neighbour with the totals", *knowledge)
        guesses, people = [], find_people(target)
        for name, shown in target.tallies.items():
            counts = expect_counts(shown)
            share = counts.counts / np.maximum(counts.sizes, 1)[counts.owner]
            usual = counts.totals / max(float(counts.totals.sum()), 1e-12)
            # the best set of values is all that are more common here than overall
            gain = counts.summed(np.maximum(share - usual[counts.values], 0))
            belief = people.believe("gain", np.minimum(gain, 1.0), 0.0, name, of_row=False)
            title = f"Gain in belief about {'protected values of ' if shows_indicator(shown) else ''}{name!r}"
            guesses.append(Guess(title, statistician, replace(belief, details=counts.remarks)))
        return guesses

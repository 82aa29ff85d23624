"""Homogeneity: the rows that fit a person agree on the sensitive value.

Nobody needs to know which row is yours if all of them show the same value. The adversary finds the person's group and
believes its most frequent value; the baseline is the most frequent value of the whole table. A person with several
rows in the group has the value in one of them with at most as many times that probability. Where a column shows only
whether a value is protected, the belief is in "one of the protected values": all others are no single value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target, find_people
from voile.attacks.indicator_counts import describe_estimates, expect_cases, has_indicator, shows_indicator
from voile.releases.release import Release
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Homogeneity(PiecewiseAttack):
    """Belief in the most frequent value of a person's group.

    >>> Homogeneity().name
    'homogeneity'
    """

    name: ClassVar[str] = "homogeneity"

    def can_divide(self, release: Release, external: Microdata | None) -> bool:
        """What is expected of groups that show a lower bound follows from all groups together."""
        return not has_indicator(release)

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        neighbour = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)
        guesses, people = [], find_people(target)
        for name, counts in target.tallies.items():
            title, share = f"Homogeneity of {name!r}", counts.largest() / np.maximum(counts.sizes, 1)
            baseline = float(counts.totals.max(initial=0) / max(float(counts.totals.sum()), 1e-12))
            agrees, remarks = counts.distinct() == 1, counts.remarks
            if shows_indicator(counts):
                title, cases = f"Protected values of {name!r} in groups", expect_cases(counts)
                share, baseline = cases / np.maximum(counts.sizes, 1), float(cases.sum() / max(counts.sizes.sum(), 1))
                agrees, remarks = agrees & (share == 1), {**counts.remarks, **describe_estimates(counts)}
            details = {"people in groups with one value": people.count(agrees), **remarks}
            belief = people.believe("belief", share, baseline, name)
            guesses.append(Guess(title, neighbour, replace(belief, details=details)))
        return guesses

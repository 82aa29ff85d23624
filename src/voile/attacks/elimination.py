"""Elimination: rule out values, and see which ones remain.

The adversary knows a few things that the person does not have: a Japanese patient is unlikely to have a heart
disease, a man is not pregnant. The ruled-out values are removed from the person's group; in the worst case they are
the most frequent others. The baseline rules out the same number of values in the whole table. A person with several
rows in the group has a value in one of them with at most as many times that probability. A column that shows only
whether a value is protected has no values to rule out one by one, so there the attack has nothing to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target, find_people
from voile.attacks.indicator_counts import has_indicator
from voile.plugins.counted_nouns import count_noun
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Elimination(PiecewiseAttack):
    """Belief in a value after ruling out the `values` most frequent others.

    >>> Elimination(values=2).values
    2
    """

    name: ClassVar[str] = "elimination"

    values: int = knob(1, low=1)

    def applies(self, target: object) -> bool:
        """A column that shows only whether values are protected has none to rule out; no other column is beside it."""
        return super().applies(target) and not (isinstance(target, Release) and has_indicator(target))

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.EXCLUSION)
        neighbour = Adversary.who("informed neighbour", *knowledge, excludes=self.values)
        guesses, people = [], find_people(target)
        for name, counts in target.tallies.items():
            totals = np.sort(counts.totals)[::-1]
            remaining = totals.sum() - totals[: self.values + 1].sum()
            baseline = float(totals[0] / max(float(totals[0] + remaining), 1e-12))
            belief = people.believe("belief", compute_worst_beliefs(counts, self.values), baseline, name)
            title = f"{name!r} after ruling out {count_noun(self.values, 'value')}"
            guesses.append(Guess(title, neighbour, replace(belief, details=counts.remarks)))
        return guesses


def compute_worst_beliefs(counts: Counts, values: int) -> np.ndarray:
    """Return the largest belief in each group after ruling out `values` values: c_1 / (c_1 + all past rank values + 1).

    Ruling out the largest others helps every target most, and the most frequent value gains most from it.
    """
    order = np.lexsort((-counts.counts, counts.owner))
    rank = np.arange(len(order)) - counts.starts[counts.owner]
    beyond = counts.summed(np.where(rank > values, counts.counts[order], 0))
    first = counts.largest()
    return np.asarray(first / np.where(first > 0, first + beyond, 1))


def after_ruling_out(frequencies: Sequence[int], target: int, eliminated: Sequence[int]) -> float:
    """Return the belief in one value of a group, given by its counts, once other values are ruled out.

    >>> round(after_ruling_out([3, 2, 2, 2, 1, 1], 0, [1]), 4)
    0.3333
    """
    remaining = sum(frequencies) - sum(frequencies[value] for value in set(eliminated))
    return frequencies[target] / remaining

"""Linking: find a person's row by what is known about them.

The prosecutor knows that the person is in the table and looks for the rows that fit. The journalist does not know who
is in it, but has a register of the population: the more people fit a row, the less it says. The marketer does not
care whom they find, only how many they get right on average. In a bucketized release "their row" means the row of
their sensitive value, because the quasi-identifier itself is published unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target
from voile.results import Belief
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Linking(PiecewiseAttack):
    """Prosecutor, journalist (with an external table) and marketer risk.

    >>> Linking().name
    'linking'
    """

    name: ClassVar[str] = "linking"
    counts_values: ClassVar[bool] = False

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        prosecutor = Adversary.who("prosecutor", Knowledge.MEMBERSHIP, Knowledge.QUASI)
        sizes = target.sizes
        alone = int(sizes[sizes == 1].sum())
        risk = 1 / np.maximum(sizes, 1)
        chance = 1 / max(target.people, 1)
        guesses = [
            Guess("Prosecutor", prosecutor, Belief("identity", risk, sizes, chance, details={"unique people": alone})),
            Guess("Marketer", prosecutor, _average(risk, sizes, chance)),
        ]
        if external is not None:
            journalist = Adversary.who("journalist", Knowledge.QUASI, Knowledge.POPULATION)
            fitting, people = target.candidates(external)
            chance = 1 / max(external.rows.total, 1)
            # a register may lack people, but the number of rows in a group is public
            risk = 1 / np.maximum(fitting, people)
            unmatched_people = int(people[fitting == 0].sum())
            details = {"people who match nobody in the external table": unmatched_people}
            guesses.insert(
                1, Guess("Journalist", journalist, Belief("identity", risk, people, chance, details=details))
            )
            guesses.append(Guess("Marketer with the external table", journalist, _average(risk, people, chance)))
        return guesses

    def combine(self, pieces: Sequence[Sequence[Guess]]) -> list[Guess]:
        """Combine the pieces: a guess is one among all people of the table, and the marketer's result is the mean."""
        combined = []
        for guess in super().combine(pieces):
            belief = guess.belief
            inside = Knowledge.MEMBERSHIP in guess.adversary.knows
            chance = 1 / max(int(belief.people.sum()), 1) if inside else belief.baseline
            average = guess.title.startswith("Marketer")
            belief = _average(belief.risk, belief.people, chance) if average else replace(belief, baseline=chance)
            combined.append(replace(guess, belief=belief))
        return combined


def _average(risk: np.ndarray, people: np.ndarray, chance: float) -> Belief:
    """Return the expected share of correct links, the same for everybody."""
    share = float(np.average(risk, weights=people)) if people.sum() else 0.0
    hits = {"expected correct links": share * float(people.sum())}
    return Belief("identity", np.array([share]), np.array([people.sum()]), chance, details=hits)

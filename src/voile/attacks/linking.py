"""Linking: find a person's row by what is known about them.

The prosecutor knows that the person is in the table and looks for the rows that fit. The journalist does not know who
is in it, but has a register of the population: the more people fit a row, the less it says. The marketer does not
care whom they find, only how many they get right on average. A person with several of the rows that fit is found as
many times as often; the rows of a register are people. In a bucketized release "their row" means the row of their
sensitive value, because the quasi-identifier itself is published unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Guess, PiecewiseAttack, Target, find_people
from voile.attacks.people_in_groups import FewestPeople
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
        people = find_people(target)
        found = _one_among_all(people.believe("identity", 1 / np.maximum(target.sizes, 1), 0.0))
        alone = int(found.people[found.risk >= 1].sum())
        guesses = [
            Guess("Prosecutor", prosecutor, replace(found, details={"unique people": alone})),
            Guess("Marketer", prosecutor, _average(found)),
        ]
        if external is not None:
            journalist = Adversary.who("journalist", Knowledge.QUASI, Knowledge.POPULATION)
            fitting, rows = target.candidates(external)
            if isinstance(people, FewestPeople):  # rows that look alike need not be a group
                people = replace(people, rows=rows)
            # a register may lack people, but the number of rows in a group is public
            risk = 1 / np.maximum(fitting, np.maximum(people.candidates, 1))
            found = people.believe("identity", risk, 1 / max(external.rows.total, 1), of_row=False)
            details = {"people who match nobody in the external table": people.count(fitting == 0)}
            guesses.insert(1, Guess("Journalist", journalist, replace(found, details=details)))
            guesses.append(Guess("Marketer with the external table", journalist, _average(found)))
        return guesses

    def combine(self, pieces: Sequence[Sequence[Guess]]) -> list[Guess]:
        """Combine the pieces: a guess is one among all people of the table, and the marketer's result is the mean."""
        combined = []
        for guess in super().combine(pieces):
            belief = guess.belief
            belief = _one_among_all(belief) if Knowledge.MEMBERSHIP in guess.adversary.knows else belief
            belief = _average(belief) if guess.title.startswith("Marketer") else belief
            combined.append(replace(guess, belief=belief))
        return combined


def _one_among_all(belief: Belief) -> Belief:
    """Return the belief with the baseline of an adversary who guesses one among all people of the table."""
    return replace(belief, baseline=1 / max(belief.count_people(), 1))


def _average(belief: Belief) -> Belief:
    """Return the expected share of correct links, the same for everybody."""
    people = belief.people.sum()
    hits = {"expected correct links": belief.mean * float(people)}
    rows = None if belief.row_counts is None else np.array([belief.row_counts.sum()])
    return replace(belief, risk=np.array([belief.mean]), people=np.array([people]), row_counts=rows, details=hits)

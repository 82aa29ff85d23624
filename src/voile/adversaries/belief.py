"""What an adversary comes to believe about people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np


@dataclass(frozen=True, eq=False)
class Belief:
    """What an attack achieves: a probability for each person, and the baseline of someone who has not seen the release.

    `risk[i]` holds for `people[i]` persons. `limits` says what is believed: an identity, a value, or a distance. Above
    `floor`, where the attack knows one, a person counts as at risk. Where a person may have up to `rows_per_person`
    rows and nobody tells whose they are, `people[i]` is the fewest people that `row_counts[i]` rows can have. Where a
    promise allows each person a belief of their own, `excess` is how far the risk lies above it.
    """

    limits: str
    risk: np.ndarray
    people: np.ndarray
    baseline: float
    column: str | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    floor: float | None = None
    row_counts: np.ndarray | None = None
    rows_per_person: int = 1
    excess: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"Belief({self.limits}, worst {self.worst:.4g}, mean {self.mean:.4g}, {self.describe_people()})"

    @property
    def exact(self) -> bool:
        """Whether people are counted; else there are at least so many."""
        return self.row_counts is None

    def count_people(self, chosen: np.ndarray | None = None) -> int:
        """Count the people, or those of the entries that are marked. A person may have rows in several entries, so that
        where nobody tells, the rows of all of them count together."""
        counts = self.people if self.row_counts is None else self.row_counts
        total = int((counts if chosen is None else counts[chosen]).sum())
        return total if self.row_counts is None else -(-total // self.rows_per_person)

    def count_rows(self, rows_per_person: int) -> Belief:
        """Return the belief of an attack that took every row as a person, where a person may have several."""
        people = -(-self.people // rows_per_person)
        return replace(self, people=people, row_counts=self.people, rows_per_person=rows_per_person)

    def describe_people(self) -> str:
        """Say how many people the belief is about."""
        return f"{'' if self.exact else 'at least '}{self.count_people()} people"

    @property
    def worst(self) -> float:
        return float(self.risk.max(initial=0.0))

    @property
    def mean(self) -> float:
        return float(np.average(self.risk, weights=self.people)) if self.people.sum() else 0.0

    def above(self, bound: float | Fraction) -> int:
        """How many people have a risk above a bound, or above their own where everybody has one."""
        return self.count_people((self.risk - float(bound) if self.excess is None else self.excess) > 1e-9)

    def levels(self, most: int = 20) -> list[tuple[float, int]]:
        """The risks above the floor and how many people have each, the worst first."""
        if self.floor is None:
            return []
        risk = np.round(self.risk, 4)
        found = {
            float(level): int(self.people[risk == level].sum())
            for level in np.unique(risk[self.risk > self.floor + 1e-9])
        }
        return [(level, found[level]) for level in sorted(found, reverse=True) if found[level]][:most]

    @property
    def rows(self) -> np.ndarray:
        """One risk per person, highest first, so that no order of the table survives."""
        return np.sort(np.repeat(self.risk, self.people.astype(np.int64)))[::-1]

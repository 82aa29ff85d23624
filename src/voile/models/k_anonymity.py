"""k-anonymity: nobody can tell which of at least k rows is yours.

A neighbour knows your age, your sex and your postcode, and that you are in the table. In the published table at least
k rows look like yours, so a guess finds your row with probability at most 1/k. The model says nothing about what those
k rows have in common: if all of them have the same disease, the neighbour knows yours.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.abilities import CountsPeople, each_with_rows
from voile.models.kinds import SizeModel
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts

NEIGHBOUR = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.POPULATION)


@dataclass(frozen=True)
class KAnonymity(CountsPeople, SizeModel):
    """Every group has at least k rows.

    >>> import numpy as np
    >>> from voile.tables.group_counts import sizes_only
    >>> KAnonymity(k=3).holds(sizes_only(np.array([2, 3, 9]))).tolist()
    [False, True, True]
    """

    name: ClassVar[str] = "k-anonymity"
    shapes: ClassVar[tuple[str, ...]] = ("generalized",)

    k: int = knob(low=2)

    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        if self.rows_per_person > 1:
            return (
                f"Every row looks the same as rows of at least {self.k - 1} other people. A guess at whose row it is "
                f"succeeds with probability at most 1/{self.k}."
            )
        return (
            f"Every person's row looks the same as at least {self.k - 1} others. A guess at which row is theirs is "
            f"right with probability at most 1/{self.k}."
        )

    def smallest(self) -> int:
        return self.k * self.rows_per_person

    def best(self, counts: Counts) -> str:
        rows = int(counts.sizes.sum())
        largest = rows // self.rows_per_person
        return f"The table has {rows} rows{each_with_rows(self)}, so the largest possible k is {largest}."

"""(alpha, k)-anonymity: k rows alike, and no protected value too frequent among them.

As k-anonymity, and the neighbour's belief in a protected value is at most alpha. `protect` names the values that need
it (all of them by default): often only a few diagnoses are embarrassing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.models.base import Model, require_values
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column


@dataclass(frozen=True)
class AlphaK(Model):
    """Every group has at least k rows and no protected value covers more than alpha of it.

    >>> AlphaK(alpha=0.5, k=4).bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    shapes: ClassVar[tuple[str, ...]] = ("generalized",)

    alpha: float = knob(above=0, high=1)
    k: int = knob(low=2)
    protect: tuple[str, ...] = ()
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        entries = counts.counts
        if self.protect:
            assert counts.column is not None
            texts = counts.column.domain.labels
            guarded = np.array([text in self.protect for text in texts], dtype=bool)
            entries = np.where(guarded[counts.values], entries, 0)
        largest = Counts(counts.sizes, counts.starts, counts.values, entries, counts.totals).largest()
        return np.asarray((counts.sizes >= self.k) & at_most(largest, self.bound(), counts.sizes))

    def guarded(self, column: Column) -> np.ndarray:
        every = super().guarded(column)
        return every[[text in self.protect for text in column.domain.labels]] if self.protect else every

    def bound(self) -> Fraction:
        return Fraction(str(self.alpha))

    def limited(self) -> str:
        return "protected belief" if self.protect else "belief"

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        which = f"one of {len(self.protect)} protected values" if self.protect else "a value"
        return (
            f"Every person's row looks like at least {self.k - 1} others, and nobody can be linked to {which} of "
            f"{column!r} with probability above {self.alpha:g}."
        )

    def check_values(self, column: Column | None) -> None:
        require_values(self, column, self.protect)

    def smallest(self) -> int:
        return self.k

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        return f"The table has {total} rows and its most frequent value covers {top / max(total, 1):.3f} of them."

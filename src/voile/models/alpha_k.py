"""(alpha, k)-anonymity: at least k rows look the same, and no protected value is too frequent among them.

Besides what k-anonymity promises, the neighbour's belief in a protected value is at most alpha. `protect` names the
values that need protection (by default all of them): often only a few diagnoses are embarrassing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.models.abilities import CountsPeople, ProtectsValues, each_with_rows, in_any_row
from voile.models.base import Model
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts, at_most


@dataclass(frozen=True)
class AlphaK(CountsPeople, ProtectsValues, Model):
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
            is_protected = np.array([text in self.protect for text in texts], dtype=bool)
            entries = np.where(is_protected[counts.values], entries, 0)
        largest = replace(counts, counts=entries).largest()
        share = self.bound() / self.rows_per_person
        return np.asarray((counts.sizes >= self.smallest()) & at_most(largest, share, counts.sizes))

    def bound(self) -> Fraction:
        return Fraction(str(self.alpha))

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        lookalikes = (
            f"Every row looks the same as rows of at least {self.k - 1} other people"
            if self.rows_per_person > 1
            else f"Every person's row looks the same as at least {self.k - 1} others"
        )
        return (
            f"{lookalikes}, and nobody can be linked to {self.describe_protected()} of {column!r}{in_any_row(self)} "
            f"with probability above {self.alpha:g}."
        )

    def smallest(self) -> int:
        return self.k * self.rows_per_person

    def best(self, counts: Counts) -> str:
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        coverage = f"its most frequent value covers {top / max(total, 1):.3f} of them"
        return f"The table has {total} rows{each_with_rows(self)}; {coverage}."

"""(k, e)-anonymity: the numbers in a group are many and far apart.

For a numeric sensitive column such as a salary, different values are not enough: 30,000 and 30,001 are practically the
same. Every group must have at least k different numbers whose range is at least e, so the neighbour cannot narrow the
number down to less than e. The probability of each number is not bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError
from voile.models.base import Model
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts
from voile.tables.schema import Column


@dataclass(frozen=True)
class KE(Model):
    """Every group has at least k different numbers, the largest and smallest at least e apart.

    >>> KE(k=2, e=5000).name
    'k-e-anonymity'
    """

    name: ClassVar[str] = "k-e-anonymity"

    k: int = knob(low=2)
    e: float = knob(low=0)
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        assert counts.column is not None
        domain_numbers = counts.column.domain.numeric_values
        is_number = counts.values < len(domain_numbers)  # the missing value is not a number
        numbers = np.append(domain_numbers.astype(np.float64), 0.0)[counts.values]
        highest = replace(counts, counts=np.where(is_number, numbers, -np.inf)).largest()
        minus_lowest = replace(counts, counts=np.where(is_number, -numbers, -np.inf)).largest()
        distinct_numbers = counts.summed(is_number.astype(np.int64))
        with np.errstate(invalid="ignore"):
            spread = highest + minus_lowest
        return np.asarray((distinct_numbers >= self.k) & (spread >= self.e))

    def bound(self) -> Fraction:
        return Fraction(1)

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        return (
            f"For everybody, at least {self.k} values of {column!r} remain possible, and they span at least "
            f"{self.e:g}. The probability of each value is not bounded."
        )

    def check(self, column: Column | None) -> None:
        assert column is not None
        if column.kind != "numeric":
            raise PolicyError(
                f"{self.name} needs numbers, and {column.name!r} is {column.kind}.",
                code="policy.numeric",
                hint="Use l-diversity for categories.",
            )

    def smallest(self) -> int:
        return self.k

    def best(self, counts: Counts) -> str:
        assert counts.column is not None
        points = counts.column.domain.numeric_values[np.flatnonzero(counts.totals[: len(counts.column.domain.values)])]
        spread = float(points[-1]) - float(points[0]) if len(points) else 0.0
        return f"The column has {len(points)} different numbers, with a range of {spread:g}."

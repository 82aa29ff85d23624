"""l-diversity: the rows that look like yours do not agree on the sensitive value.

The neighbour of k-anonymity finds your group and learns the mix of sensitive values in it. Four readings of "well
mixed" are in use, and they promise different things:

- frequency: no value covers more than 1/l of a group, so belief in any value is at most 1/l;
- distinct: at least l different values occur; belief is not bounded, but l values remain possible;
- entropy: the entropy of the values is at least log l; again there is no bound on a single value;
- recursive (c, l): the most frequent value is at most c times as frequent as all values from the l-th most
  frequent on together; an adversary who can rule out up to l-2 values still believes any value with probability at
  most c/(c+1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError, option
from voile.models.abilities import AcceptsDistinctValues, CountsPeople, each_with_rows, in_any_row, needs_one_row
from voile.models.base import Model
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts, at_most

SLACK = 1e-9


@dataclass(frozen=True)
class LDiversity(CountsPeople, AcceptsDistinctValues, Model):
    """Every group has l well-represented sensitive values.

    >>> LDiversity(l=3).bound()
    Fraction(1, 3)
    """

    name: ClassVar[str] = "l-diversity"

    l: int = knob(low=2)  # noqa: E741 - the letter of the literature
    form: str = knob("frequency", choices=("frequency", "distinct", "entropy", "recursive"))
    c: float | None = knob(None, above=0)
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.c is not None) != (self.form == "recursive"):
            raise PolicyError(
                f"l-diversity: form = 'recursive' needs c, and no other form takes it (form = {self.form!r}).",
                code="policy.parameter",
                hint=f"E.g. {option('model', 'l-diversity', l=3, form='recursive', c=2)}.",
            )

    def __repr__(self) -> str:
        arguments = [f"l={self.l}"] + [f"form={self.form!r}"] * (self.form != "frequency")
        arguments += [f"c={self.c}"] * (self.c is not None) + [f"column={self.column!r}"] * (self.column is not None)
        return f"LDiversity({', '.join(arguments)})"

    def count_people(self, rows_per_person: int) -> LDiversity:
        if self.form != "frequency":
            raise needs_one_row(f"{self.form} l-diversity", "only the frequency form bounds the share of every value")
        return super().count_people(rows_per_person)

    def holds(self, counts: Counts) -> np.ndarray:
        if self.form == "frequency":
            return at_most(counts.largest(), Fraction(1, self.smallest()), counts.sizes)
        if self.form == "distinct":
            return np.asarray(counts.distinct() >= self.l)
        if self.form == "entropy":
            return np.asarray(entropy(counts) >= np.log(self.l) - SLACK)
        assert self.c is not None
        return recursive(counts, Fraction(str(self.c)), self.l)

    def bound(self) -> Fraction:
        if self.form == "frequency":
            return Fraction(1, self.l)
        if self.form == "recursive":
            c = Fraction(str(self.c))
            return c / (c + 1)
        return Fraction(1)

    def adversary(self) -> Adversary:
        if self.form == "recursive":
            return Adversary.who("informed neighbour", *NEIGHBOUR, Knowledge.EXCLUSION, excludes=self.l - 2)
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        return {
            "frequency": f"Nobody can be linked to a value of {column!r}{in_any_row(self)} with probability above "
            f"1/{self.l}.",
            "distinct": f"For everybody, at least {self.l} values of {column!r} remain possible. The probability of "
            "each value is not bounded.",
            "entropy": f"Among the rows that look like a person's, the values of {column!r} are as mixed as {self.l} "
            "equally frequent values (measured by entropy). The probability of each value is not bounded.",
            "recursive": f"Even an adversary who can rule out {self.l - 2} values of {column!r} for a person believes "
            f"no value with probability above {self.bound()}.",
        }[self.form]

    def smallest(self) -> int:
        return self.l * self.rows_per_person

    def distinct_values_needed(self) -> int:
        if self.form != "recursive":
            return self.smallest()
        # one of each value: 1 <= c (size - l + 1)
        return self.l - 1 + math.ceil(1 / Fraction(str(self.c)))

    def best(self, counts: Counts) -> str:
        name = counts.column.name if counts.column else "the column"
        total, top = int(counts.sizes.sum()), int(counts.totals.max(initial=0))
        value_count = int((counts.totals > 0).sum())
        if self.form == "frequency" and top:
            coverage = f"The most frequent value of {name!r} covers {100 * top / total:.0f} % of rows"
            largest_l = total // (top * self.rows_per_person)
            return f"{coverage}{each_with_rows(self)}; the largest possible l is {largest_l}."
        if self.form == "distinct":
            return f"{name!r} has {value_count} different values; the largest possible l is {value_count}."
        if self.form == "entropy":
            perplexity = float(np.exp(entropy(counts)[0]))
            return f"The entropy of {name!r} over the whole table allows at most l = {int(perplexity + SLACK)}."
        coverage = (
            f"{name!r} has {value_count} different values, and the most frequent one covers {top} of {total} rows"
        )
        return f"Raise c or lower l: {coverage}."


def entropy(counts: Counts) -> np.ndarray:
    """Return the entropy of each group's values, in nats."""
    sizes = np.maximum(counts.sizes, 1)
    share = counts.counts / sizes[counts.owner]
    return -counts.summed(share * np.log(share))


def recursive(counts: Counts, c: Fraction, l: int) -> np.ndarray:  # noqa: E741 - the letter of the literature
    """Return for each group whether n_1 <= c (n_l + ... + n_m), in integers, and at least l values occur."""
    order = np.lexsort((-counts.counts, counts.owner))
    ranked_counts = counts.counts[order]
    rank = np.arange(len(ranked_counts)) - counts.starts[counts.owner]
    tail_counts = counts.summed(np.where(rank >= l - 1, ranked_counts, 0))
    return at_most(counts.largest(), c, tail_counts) & (counts.distinct() >= l)


def check_recursive(frequencies: np.ndarray, c: float, l: int) -> bool:  # noqa: E741 - the letter of the literature
    """Return whether one group, given by its counts, is recursively (c, l)-diverse.

    >>> check_recursive(np.array([3, 2, 2, 2, 1, 1]), 0.5, 3)
    True
    """
    counts = np.asarray(frequencies, dtype=np.int64)
    counts = counts[counts > 0]
    group = Counts(counts.sum(keepdims=True), np.array([0, len(counts)]), np.arange(len(counts)), counts, counts)
    return bool(recursive(group, Fraction(str(c)), l)[0])

"""(c, k)-safety: no k rules between people make a value near certain.

The neighbour has background knowledge of any kind that k rules can express: "if my colleague has the flu, then he has
it too". Ruling out a value is such a rule, and so is a fact about another person. Whatever the k rules are, belief in
a value stays below c. The worst rules all lead to the same conclusion, which makes the worst case countable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts

SLACK = 1e-9
LARGEST = 5000  # no group of this many different values: c is too small for k


@dataclass(frozen=True)
class CKSafety(Model):
    """Belief in any value is below c, even for who knows k rules between people.

    >>> CKSafety(c=0.8, k=1).bound()
    Fraction(4, 5)
    """

    name: ClassVar[str] = "c-k-safety"

    c: float = knob(0.8, above=0, high=1)
    k: int = knob(1, low=0, high=12)
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        """Rules within the group alone; `judge` also spreads them over several groups."""
        least = fewest(counts, self.k + 1)
        return np.asarray(_disclosed(counts, least[self.k + 1]) < self.c - SLACK)

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        """The rules may speak of people of any group, so all groups are looked at together."""
        worst = disclosure(counts, self.k)
        if worst < self.c - SLACK:
            return Answer.HOLDS, f"The worst {self.k} rules lead to a belief of {worst:.4f}."
        return Answer.BROKEN, f"Some {self.k} rules lead to a belief of {worst:.4f}."

    def bound(self) -> Fraction:
        return Fraction(str(self.c))

    def adversary(self) -> Adversary:
        known = (*NEIGHBOUR, Knowledge.EXCLUSION, Knowledge.RULES)
        return Adversary.who("neighbour with rules", *known, excludes=self.k)

    def promise(self, column: str) -> str:
        return (
            f"Even who knows {self.k} rules between people (if one has a value of {column!r}, then another has one) "
            f"believes no value with probability {self.c:g} or more."
        )

    def smallest(self) -> int:
        return self.k + 2  # with fewer values one person's rules leave a single one

    def all_different(self) -> int | None:
        for size in range(self.k + 2, LARGEST):
            ones = np.ones(size, dtype=np.int64)
            group = Counts(np.array([size]), np.array([0, size]), np.arange(size), ones, ones)
            if bool(self.holds(group)[0]):
                return size
        return None

    def best(self, counts: Counts) -> str:
        return f"All rows in one group reach {disclosure(counts, self.k):.4f}; give a larger c or a smaller k."


def disclosure(counts: Counts, k: int) -> float:
    """The largest belief in any value under k rules with one conclusion, over all groups together.

    The conclusion and the premises are k + 1 facts. Groups are independent, so the chance that none of the facts is
    true is a product over groups. That one group would be used twice does no harm: its facts together are less likely
    to be all false than the product says.
    """
    least = fewest(counts, k + 1)
    alone = [1.0] + [float(row.min(initial=1.0)) for row in least[1:]]
    spread = []
    for size in range(k + 1):
        spread.append(min(float(np.prod([alone[part] for part in parts])) for parts in partitions(size)))
    worst = 0.0
    for inside in range(1, k + 2):
        worst = max(worst, float(_disclosed(counts, least[inside] * spread[k + 1 - inside]).max(initial=0.0)))
    return worst


def _disclosed(counts: Counts, none: np.ndarray) -> np.ndarray:
    """Pr(A) / (Pr(A) + Pr(none of the facts)), A being the most frequent value of the group."""
    share = counts.largest() / np.maximum(counts.sizes, 1)
    return np.asarray(share / np.maximum(share + none, 1e-300))


def fewest(counts: Counts, facts: int) -> list[np.ndarray]:
    """For 0, 1, ... facts (this person has this value) the least chance that none of them is true, a row of groups.

    The worst facts give the i-th person the k_i most frequent values, k_1 >= k_2 >= ...
    """
    order = np.lexsort((-counts.counts, counts.owner))
    rank = np.arange(len(order)) - counts.starts[counts.owner]
    tops = np.zeros((facts + 1, counts.groups))
    for most in range(1, facts + 1):
        tops[most] = counts.summed(np.where(rank < most, counts.counts[order], 0))
    found = [np.ones(counts.groups)]
    for size in range(1, facts + 1):
        least = np.ones(counts.groups)
        for parts in partitions(size):
            chance = np.ones(counts.groups)
            for person, values in enumerate(parts):
                left = counts.sizes - person
                chance *= np.where(left > 0, np.maximum(left - tops[values], 0) / np.maximum(left, 1), 1.0)
            least = np.minimum(least, chance)
        found.append(least)
    return found


def partitions(total: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a falling sum.

    >>> list(partitions(3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if total == 0:
        yield ()
        return
    for first in range(min(total, most or total), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)

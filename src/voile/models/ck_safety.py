"""(c, k)-safety: even k facts of the kind "if Ann has it, so does Bob" do not make a value nearly certain.

The neighbour has any background knowledge that k rules can express, e.g. "if my colleague has the flu, then he has it
too". Ruling out a value is such a rule, and so is a fact about another person. Whatever the k rules are, belief in a
value stays below c. The worst rules all lead to the same conclusion, which is why the worst case can be counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.models.abilities import AcceptsDistinctValues
from voile.models.base import Model, Verification
from voile.models.evidence import Evidence
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Answer
from voile.tables.group_counts import Counts

SLACK = 1e-9
LARGEST_GROUP = 5000  # if not even this many different values hold, c is too small for k


@dataclass(frozen=True)
class CKSafety(AcceptsDistinctValues, Model):
    """Belief in any value stays below c, even for an adversary who knows k rules that link people.

    >>> CKSafety(c=0.8, k=1).bound()
    Fraction(4, 5)
    """

    name: ClassVar[str] = "c-k-safety"

    c: float = knob(0.8, above=0, high=1)
    k: int = knob(1, low=0, high=12)
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        """Consider rules within each group alone; `verify` also spreads them over several groups."""
        least_probabilities = least_chances(counts, self.k + 1)
        return np.asarray(_compute_beliefs(counts, least_probabilities[self.k + 1]) < self.c - SLACK)

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        """Look at all groups together, because a rule may mention people of any group."""
        worst = disclosure(counts, self.k)
        if worst < self.c - SLACK:
            return Verification(Answer.HOLDS, f"The worst {self.k} rules lead to a belief of {worst:.4f}.")
        return Verification(Answer.BROKEN, f"Some {self.k} rules lead to a belief of {worst:.4f}.")

    def bound(self) -> Fraction:
        return Fraction(str(self.c))

    def adversary(self) -> Adversary:
        knowledge = (*NEIGHBOUR, Knowledge.EXCLUSION, Knowledge.RULES)
        return Adversary.who("neighbour with rules", *knowledge, excludes=self.k)

    def promise(self, column: str) -> str:
        return (
            f"Even an adversary who knows {self.k} rules that link people (if one person has a certain {column!r}, "
            f"another has a certain one too) believes no value with probability {self.c:g} or more."
        )

    def smallest(self) -> int:
        return self.k + 2  # with fewer values, rules about one person leave a single value

    def distinct_values_needed(self) -> int | None:
        for size in range(self.k + 2, LARGEST_GROUP):
            ones = np.ones(size, dtype=np.int64)
            group = Counts(np.array([size]), np.array([0, size]), np.arange(size), ones, ones)
            if bool(self.holds(group)[0]):
                return size
        return None

    def best(self, counts: Counts) -> str:
        belief = disclosure(counts, self.k)
        return f"With all rows in one group, belief reaches {belief:.4f}. Use a larger c or a smaller k."


def disclosure(counts: Counts, k: int) -> float:
    """Return the largest belief in any value under k rules with one conclusion, over all groups together.

    The conclusion and the premises are k + 1 facts. Groups are independent, so the probability that none of the facts
    is true is a product over groups. Using one group twice does no harm: its facts together are less likely to be all
    false than the product says.
    """
    least_probabilities = least_chances(counts, k + 1)
    single_group_chances = [1.0] + [float(row.min(initial=1.0)) for row in least_probabilities[1:]]
    spread_chances = []
    for size in range(k + 1):
        spread_chances.append(
            min(float(np.prod([single_group_chances[part] for part in parts])) for parts in partitions(size))
        )
    largest_belief = 0.0
    for facts_inside in range(1, k + 2):
        no_fact_chance = least_probabilities[facts_inside] * spread_chances[k + 1 - facts_inside]
        beliefs = _compute_beliefs(counts, no_fact_chance)
        largest_belief = max(largest_belief, float(beliefs.max(initial=0.0)))
    return largest_belief


def _compute_beliefs(counts: Counts, no_fact_chance: np.ndarray) -> np.ndarray:
    """Return for each group Pr(A) / (Pr(A) + Pr(none of the facts)), where A is its most frequent value."""
    share = counts.largest() / np.maximum(counts.sizes, 1)
    return np.asarray(share / np.maximum(share + no_fact_chance, 1e-300))


def least_chances(counts: Counts, facts: int) -> list[np.ndarray]:
    """Return the least probability that none of n facts is true, for n = 0, 1, ..., `facts`: one array of groups per n.

    A fact says that a certain person has a certain value. The worst facts give the i-th person the k_i most frequent
    values, k_1 >= k_2 >= ...
    """
    order = np.lexsort((-counts.counts, counts.owner))
    rank = np.arange(len(order)) - counts.starts[counts.owner]
    tops = np.zeros((facts + 1, counts.groups))
    for value_count in range(1, facts + 1):
        tops[value_count] = counts.summed(np.where(rank < value_count, counts.counts[order], 0))
    chances = [np.ones(counts.groups)]
    for size in range(1, facts + 1):
        least_chance = np.ones(counts.groups)
        for parts in partitions(size):
            chance = np.ones(counts.groups)
            for person, values in enumerate(parts):
                people_left = counts.sizes - person
                shares = np.maximum(people_left - tops[values], 0) / np.maximum(people_left, 1)
                chance *= np.where(people_left > 0, shares, 1.0)
            least_chance = np.minimum(least_chance, chance)
        chances.append(least_chance)
    return chances


def partitions(total: int, largest_term: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum of falling terms.

    >>> list(partitions(3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if total == 0:
        yield ()
        return
    for term in range(min(total, largest_term or total), 0, -1):
        for rest in partitions(total - term, term):
            yield (term, *rest)

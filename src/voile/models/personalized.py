"""Personalized privacy: everybody's own idea of what must not be found out.

A person names a guarding node of the sensitive column's hierarchy: "that I never went beyond elementary school" is
enough for one, another guards the exact school. The neighbour's belief that somebody's value lies below the node that
they guard is at most p. Who guards what is itself telling, so it is not published: the promise is kept for every
listed node in every group, whoever set it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError
from voile.models.base import Model
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column


@dataclass(frozen=True)
class Personalized(Model):
    """No guarded node covers more than p of a group. `nodes` are values or labels of the column's hierarchy; without
    them everybody guards their own value.

    >>> Personalized(p=0.5, nodes=("elementary",)).bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "personalized"

    p: float = knob(0.5, above=0, high=1)
    nodes: tuple[str, ...] = ()
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        assert counts.column is not None
        answer = np.ones(counts.groups, dtype=bool)
        for below in self.guarded(counts.column):
            covered = counts.summed(np.where(below[counts.values], counts.counts, 0))
            answer &= at_most(covered, self.bound(), counts.sizes)
        return answer

    def guarded(self, column: Column) -> np.ndarray:
        return super().guarded(column) if not self.nodes else np.array([below(column, node) for node in self.nodes])

    def bound(self) -> Fraction:
        return Fraction(str(self.p))

    def limited(self) -> str:
        return "protected belief" if self.nodes else "belief"

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        which = f"one of {len(self.nodes)} guarded nodes" if self.nodes else "a value"
        return f"Nobody's {column!r} can be taken to lie below {which} with probability above {self.p:g}."

    def check(self, column: Column | None) -> None:
        assert column is not None
        unknown = [node for node in self.nodes if not below(column, node).any()]
        if unknown:
            raise PolicyError(
                f"{self.name}: {len(unknown)} guarded nodes are neither values of {column.name!r} nor labels of its "
                "hierarchy.",
                code="policy.nodes",
                hint="Give the sensitive column a hierarchy that has them, or check their spelling.",
            )

    def smallest(self) -> int:
        return 1 if self.nodes else int(np.ceil(1 / float(self.bound()) - 1e-9))

    def all_different(self) -> int | None:
        return None if self.nodes else self.smallest()

    def best(self, counts: Counts) -> str:
        assert counts.column is not None
        most = max(int(counts.totals[below].sum()) for below in self.guarded(counts.column))
        return f"The most frequent guarded node covers {most} of {int(counts.totals.sum())} rows."


def below(column: Column, node: str) -> np.ndarray:
    """Which values of a column lie below a node: a value itself, or a label of the hierarchy."""
    found = np.array([text == node for text in column.domain.labels], dtype=bool)
    if column.hierarchy is not None:
        for level, labels in enumerate(column.hierarchy.labels):
            for number, label in enumerate(labels):
                if label == node:
                    found |= column.hierarchy.maps[level] == number
    return found

"""Personalized privacy: everybody decides what must not be found out about them.

A person names a guarding node of the sensitive column's hierarchy: one person hides "that I never went beyond
elementary school", another hides the exact school. The neighbour's belief that a person's value lies below the node
they guard is at most p. Which node a person guards is itself revealing, so it is not published: the promise is kept for
every listed node in every group, no matter who chose it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary
from voile.errors import PolicyError
from voile.models.abilities import AcceptsDistinctValues, ProtectsSets, single_values
from voile.models.base import Model
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts, at_most
from voile.tables.schema import Column


@dataclass(frozen=True)
class Personalized(ProtectsSets, AcceptsDistinctValues, Model):
    """No guarded node covers more than p of a group. `nodes` are values or labels of the column's hierarchy; without
    nodes, everybody guards their own value.

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
        for is_guarded in self.protected_sets(counts.column):
            covered_rows = counts.summed(np.where(is_guarded[counts.values], counts.counts, 0))
            answer &= at_most(covered_rows, self.bound(), counts.sizes)
        return answer

    def protected_sets(self, column: Column) -> np.ndarray:
        return np.array([values_below(column, node) for node in self.nodes]) if self.nodes else single_values(column)

    def bound(self) -> Fraction:
        return Fraction(str(self.p))

    @property
    def limits(self) -> str:
        return "protected belief" if self.nodes else "belief"

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour", *NEIGHBOUR)

    def promise(self, column: str) -> str:
        if not self.nodes:
            return f"Nobody can be linked to a value of {column!r} with probability above {self.p:g}."
        return (
            f"For nobody can it be inferred with probability above {self.p:g} that their {column!r} lies below any of "
            f"{len(self.nodes)} guarded nodes."
        )

    def check(self, column: Column | None) -> None:
        assert column is not None
        unknown_nodes = [node for node in self.nodes if not values_below(column, node).any()]
        if unknown_nodes:
            raise PolicyError(
                f"{self.name}: {len(unknown_nodes)} guarded nodes are neither values of {column.name!r} nor labels of "
                "its hierarchy.",
                code="policy.nodes",
                hint="Give the sensitive column a hierarchy that has them, or check their spelling.",
            )

    def smallest(self) -> int:
        return 1 if self.nodes else int(np.ceil(1 / float(self.bound()) - 1e-9))

    def distinct_values_needed(self) -> int | None:
        return None if self.nodes else self.smallest()

    def best(self, counts: Counts) -> str:
        assert counts.column is not None
        largest_count = max(int(counts.totals[is_guarded].sum()) for is_guarded in self.protected_sets(counts.column))
        return f"The most frequent guarded node covers {largest_count} of {int(counts.totals.sum())} rows."


def values_below(column: Column, node: str) -> np.ndarray:
    """Mark the values of a column that lie below a node, which is a value itself or a label of the hierarchy."""
    is_below = np.array([text == node for text in column.domain.labels], dtype=bool)
    if column.hierarchy is not None:
        for level, labels in enumerate(column.hierarchy.labels):
            for node_index, label in enumerate(labels):
                if label == node:
                    is_below |= column.hierarchy.maps[level] == node_index
    return is_below

"""t-closeness: no group's mix of sensitive values is far from the whole table's.

The neighbour already knows how common each disease is overall. From your group they learn how common it is among the
rows that look like yours. t-closeness limits how much the two may differ, by the earth mover's distance. The distance
covers the whole domain, including values that do not occur in the group.

The ground distances are `equal` (any two values are 1 apart, so belief in any set of values changes by at most t),
`ordered` (neighbours in the order are 1/(m-1) apart) and `hierarchical` (the level of the lowest common ancestor,
divided by the height). Only `equal` bounds the change of belief; under the other two, belief in one value may rise as
long as belief in values near it falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError, parameter
from voile.kernels import lazy_module
from voile.models.base import GivesAdvice, Model
from voile.models.k_anonymity import NEIGHBOUR
from voile.plugins.registry import knob
from voile.tables.group_counts import Counts
from voile.tables.hierarchy import Hierarchy
from voile.tables.schema import Column

kernel = lazy_module("voile.models.t_closeness.kernel")

SLACK = 1e-9


@dataclass(frozen=True)
class TCloseness(GivesAdvice, Model):
    """The distance between the distribution of values in each group and in the whole table is at most t.

    >>> TCloseness(t=0.2).bound()
    Fraction(1, 5)
    """

    name: ClassVar[str] = "t-closeness"

    t: float = knob(0.2, low=0, high=1)
    distance: str = knob("equal", choices=("equal", "ordered", "hierarchical"))
    column: str | None = None

    def holds(self, counts: Counts) -> np.ndarray:
        return distances(counts, self.distance) <= self.t + SLACK

    def bound(self) -> Fraction:
        return Fraction(str(self.t))

    @property
    def limits(self) -> str:
        return "gain" if self.distance == "equal" else "distance"

    def adversary(self) -> Adversary:
        return Adversary.who("neighbour with the totals", *NEIGHBOUR, Knowledge.STATISTICS)

    def promise(self, column: str) -> str:
        text = (
            f"Among the rows that look like a person's, the distribution of {column!r} differs from that of the whole "
            f"table by at most {self.t:g} (earth mover's distance, {self.distance} ground distance)"
        )
        if self.distance == "equal":
            return f"{text}, so belief in any value changes by at most {self.t:g}."
        return f"{text}. Belief in a single value is not bounded."

    def check(self, column: Column | None) -> None:
        assert column is not None
        if self.distance == "ordered" and column.kind == "categorical":
            raise PolicyError(
                f"t-closeness: the ordered distance needs an order, but {column.name!r} is categorical.",
                code="policy.distance",
                hint=f"Mark the column ordered or numeric, or use {parameter('distance', 'equal')}.",
            )
        if self.distance == "hierarchical" and column.hierarchy is None:
            raise PolicyError(
                f"t-closeness: the hierarchical distance needs a hierarchy for {column.name!r}.",
                code="policy.distance",
                hint=f"Give the sensitive column a hierarchy, or use {parameter('distance', 'equal')}.",
            )

    def advise(self, column: Column) -> str:
        if self.distance != "equal" or column.kind == "categorical":
            return ""
        return (
            f"t-closeness takes all values of {column.name!r} as equally far apart: of many numbers, hardly any group "
            f"is close enough. For values with an order, {parameter('distance', 'ordered')} is meant in most cases."
        )

    def best(self, counts: Counts) -> str:
        return "Use a larger t."


def distances(counts: Counts, ground: str) -> np.ndarray:
    """Return the earth mover's distance between each group and the whole table."""
    table = counts.totals / max(int(counts.totals.sum()), 1)
    share = counts.counts / np.maximum(counts.sizes, 1)[counts.owner]
    if ground == "equal":
        expected = table[counts.values]
        # a value that is absent from the group contributes its whole share of the table
        return np.asarray((counts.summed(np.abs(share - expected)) + 1 - counts.summed(expected)) / 2)
    known_values = _mark_known_values(counts)
    if ground == "ordered":
        rank = np.cumsum(known_values) - 1
        return kernel.ordered_distances(counts.starts, rank[counts.values], share, table[known_values])  # type: ignore[no-any-return]
    return hierarchical_distances(counts, share, table, known_values)


def _mark_known_values(counts: Counts) -> np.ndarray:
    """Mark the values that a reader of the release knows: all of a declared domain, otherwise those that occur. Nobody
    learns of a value whose rows are all withheld, so it is neither a step of the order nor a leaf of the hierarchy."""
    assert counts.column is not None
    domain = counts.column.domain
    is_declared = np.arange(domain.size) < (len(domain.values) if domain.declared else 0)
    return np.asarray((counts.totals > 0) | is_declared)


def hierarchical_distances(
    counts: Counts, share: np.ndarray, table: np.ndarray, known_values: np.ndarray
) -> np.ndarray:
    """Sum the mass that must cross each node: moving between two values costs level(lowest common ancestor) / height.

    A node with a surplus must send it at least one level up, and an edge costs 1/(2 height) each way, so the distance
    is the sum over all nodes below the root of |surplus| / (2 height). A level that separates the known values exactly
    as the level below it does not count.
    """
    assert counts.column is not None and counts.column.hierarchy is not None
    answer, levels = np.zeros(counts.groups), _select_levels(counts.column.hierarchy, known_values)
    for nodes in levels:
        expected = np.bincount(nodes, weights=table)
        # sum the entries of one group that fall into one node before taking the difference
        key = counts.owner * len(expected) + nodes[counts.values]
        keys, inverse = np.unique(key, return_inverse=True)
        mass = np.bincount(inverse, weights=share, minlength=len(keys))
        owner, node = keys // len(expected), keys % len(expected)
        gap = np.bincount(owner, weights=np.abs(mass - expected[node]), minlength=counts.groups)
        covered_mass = np.bincount(owner, weights=expected[node], minlength=counts.groups)
        answer += (gap + 1 - covered_mass) / (2 * len(levels))
    return answer


def _select_levels(hierarchy: Hierarchy, known_values: np.ndarray) -> list[np.ndarray]:
    """Return the levels below the root that differ on the known values, leaves first, as the node of each value."""
    node_counts = [len(np.unique(level[known_values])) for level in hierarchy.maps]
    levels = [hierarchy.maps[h] for h in range(hierarchy.height) if node_counts[h] != node_counts[h + 1]]
    return levels or [hierarchy.maps[0]]


def emd_equal(p: np.ndarray, q: np.ndarray) -> float:
    """Return the earth mover's distance if any two values are 1 apart.

    >>> emd_equal([0.5, 0.5, 0.0], [0.2, 0.3, 0.5])
    0.5
    """
    return float(np.abs(np.asarray(p) - np.asarray(q)).sum() / 2)


def emd_ordered(p: np.ndarray, q: np.ndarray) -> float:
    """Return the earth mover's distance if the k-th and the j-th of m values are |k - j|/(m - 1) apart."""
    gaps = np.abs(np.cumsum(np.asarray(p, dtype=float) - np.asarray(q, dtype=float)))[:-1]
    return float(gaps.sum() / max(len(gaps), 1))

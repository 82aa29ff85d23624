"""Judge groups by the types of their people: a type is a combination of sensitive values, and of guarding nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from voile.models.policy import Policy
from voile.tables.group_counts import Counts, tally
from voile.tables.schema import Column, Columns


class GroupJudge:
    """Says which groups satisfy a policy, given how many people of each type they have.

    Boxes may overlap, so somebody may fit a group that they are not in. Whoever guards a node must be safe in every
    group that they fit: `fitting` marks the types of everybody who fits a group.
    """

    def __init__(
        self,
        columns: Columns,
        policy: Policy,
        types: np.ndarray,
        names: Sequence[str],
        totals: Mapping[str, np.ndarray],
    ) -> None:
        self.columns, self.policy, self.totals = columns, policy, totals
        self.codes = {name: types[:, number].astype(np.int64) for number, name in enumerate(names)}
        self.reads = policy.columns_read(columns)
        self.guards = {guard.name for guard in columns.guards}
        self.reads_guards = any(column.name in self.guards for column in self.reads)

    def holds(self, counts: np.ndarray, fitting: np.ndarray | None = None) -> np.ndarray:
        """Return which groups satisfy the policy; `counts` has a row per group and a column per type. A group without
        people satisfies everything."""
        sizes = counts.sum(axis=1).astype(np.int64)
        filled = sizes > 0
        answer = np.ones(len(counts), dtype=bool)
        if filled.any():
            present = fitting[filled] if fitting is not None else None
            answer[filled] = self._judge(counts[filled], sizes[filled], present)
        return answer

    def _judge(self, counts: np.ndarray, sizes: np.ndarray, fitting: np.ndarray | None) -> np.ndarray:
        owner, kind = np.nonzero(counts)
        weights = counts[owner, kind].astype(np.int64)
        tallies = {}
        for column in self.reads:
            codes, totals = self.codes[column.name], self.totals[column.name]
            if column.name in self.guards and fitting is not None:
                tallies[column.name] = _count_fitting(column, codes, counts, fitting, totals)
            else:
                tallies[column.name] = tally(column, owner, codes[kind], weights, len(sizes), totals)
        return self.policy.holds(self.columns, tallies, sizes)


def _count_fitting(
    column: Column, codes: np.ndarray, counts: np.ndarray, fitting: np.ndarray, totals: np.ndarray
) -> Counts:
    """Count pairs of values and nodes, with an entry of 0 people for a pair that only fits the group."""
    owner, kind = np.nonzero((counts > 0) | fitting)
    keys, place = np.unique(owner * column.size + codes[kind], return_inverse=True)
    people = np.bincount(place, weights=counts[owner, kind], minlength=len(keys)).astype(np.int64)
    starts = np.searchsorted(keys // column.size, np.arange(len(counts) + 1))
    return Counts(counts.sum(axis=1).astype(np.int64), starts, keys % column.size, people, totals, column)

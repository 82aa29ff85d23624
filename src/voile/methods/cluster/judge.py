"""The policy as a judge of clusters: groups of cells of the table, or of some of their people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from voile.models.k_anonymity import KAnonymity
from voile.models.policy import Policy
from voile.tables.group_counts import Counts, tally
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


class VariedPolicy(Policy):
    """A policy that also asks whether a group, divided evenly into small ones, would leave each enough variety."""

    def holds(self, columns: Columns, tallies: Mapping[str, Counts], sizes: np.ndarray) -> np.ndarray:
        answer = super().holds(columns, tallies, sizes)
        smallest = max(model.smallest() for model in self.models[1:])
        clusters = np.maximum(sizes // (2 * smallest), 1)
        shares = {name: _divide_counts(counts, clusters) for name, counts in tallies.items()}
        return np.asarray(answer & Policy(*self.models[1:]).holds(columns, shares, sizes // clusters))


def _divide_counts(counts: Counts, clusters: np.ndarray) -> Counts:
    """Return what one of several equal clusters of each group has of each value, rounded down."""
    share = counts.counts // clusters[counts.owner]
    there = share > 0
    starts = np.searchsorted(counts.owner[there], np.arange(counts.groups + 1))
    sizes = np.bincount(counts.owner[there], weights=share[there], minlength=counts.groups).astype(np.int64)
    return replace(counts, sizes=sizes, starts=starts, values=counts.values[there], counts=share[there])


@dataclass(frozen=True, eq=False)
class Judge:
    """A policy, and the cells of the table on which clusters are decided. `totals` counts the values of the whole
    table."""

    columns: Columns
    policy: Policy
    table: Histogram
    totals: Mapping[str, np.ndarray]

    def holds(self, cells: np.ndarray, group: np.ndarray, people: np.ndarray | None = None) -> np.ndarray:
        """Return whether each group satisfies the policy. `group` is that of each cell, and `people` how many people of
        the cell are in it, by default all."""
        weights = self.table.counts[cells] if people is None else people
        groups = int(group.max(initial=-1)) + 1
        sizes = np.bincount(group, weights=weights, minlength=groups).astype(np.int64)
        tallies = {}
        for column in self.policy.columns_read(self.columns):
            value = self.table.column(column.name)[cells]
            tallies[column.name] = tally(column, group, value, weights, groups, self.totals[column.name])
        return np.asarray(self.policy.holds(self.columns, tallies, sizes))

    def box_policy(self, cells: np.ndarray, size: int) -> Policy:
        """Return what a box of at least `size` people must satisfy: the policy, and if these cells together do so too,
        variety enough for small clusters."""
        varied = VariedPolicy(KAnonymity(k=size), *self.policy)
        is_varied = replace(self, policy=varied).holds(cells, np.zeros(len(cells), dtype=np.int64))[0]
        return varied if is_varied else Policy(KAnonymity(k=size), *self.policy)

    def values(self, cells: np.ndarray) -> np.ndarray:
        """Number the combinations of sensitive values that the policy tells apart, for each cell."""
        read = self.table.codes[cells, len(self.columns.quasi) :]
        if not read.shape[1]:
            return np.zeros(len(cells), dtype=np.int64)
        return np.unique(read, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

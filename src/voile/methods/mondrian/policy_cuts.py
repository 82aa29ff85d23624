"""Cut the people of a table into boxes: by size alone, or with a policy that judges every cut.

What is cut are the cells of a table; `codes` are their codes in cutting order, `frame` describes the columns to the
kernel. The answer is the box of each cell.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from voile.kernels import lazy_module
from voile.models.policy import Policy
from voile.tables.group_counts import tally
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns

cut_kernel = lazy_module("voile.methods.mondrian.kernel")

FINE = 4096  # boxes of up to this many people weigh the loss of every cut, when a policy judges them

Frame = tuple[np.ndarray, ...]


def cut_by_size(
    codes: np.ndarray, table: Histogram, smallest: int, frame: Frame, stratum: np.ndarray | None = None
) -> np.ndarray:
    """Cut the cells of a table, stratum by stratum, as far as boxes of `smallest` people allow; return the box of each
    cell."""
    weights, ids = _number_cells(table)
    codes, weights, ids, ends = sort_by_stratum(codes, weights, ids, stratum)
    ends = cut_kernel.grow_tree(codes, weights, ids, smallest, frame, ends)
    return np.asarray(cut_kernel.number_leaves(ids, ends))


def _number_cells(table: Histogram) -> tuple[np.ndarray, np.ndarray]:
    """Return the people and the number of each cell, in the narrowest types."""
    weights = table.counts.astype(np.int32 if table.total < 1 << 31 else np.int64)
    return weights, np.arange(len(weights), dtype=np.int32 if len(weights) < 1 << 31 else np.int64)


def sort_by_stratum(
    codes: np.ndarray, weights: np.ndarray, ids: np.ndarray, stratum: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Put the cells of each stratum beside each other; return them and where each stratum ends."""
    if stratum is None or not stratum.any():
        return codes, weights, ids, np.array([len(ids)])
    order = np.argsort(stratum, kind="stable")
    return codes[order], weights[order], ids[order], np.cumsum(np.bincount(stratum))


class PolicyCuts:
    """Cuts that the policy judges: both halves must satisfy it."""

    def __init__(
        self, columns: Columns, policy: Policy, table: Histogram, totals: Mapping[str, np.ndarray], frame: Frame
    ) -> None:
        self.columns, self.policy, self.table, self.totals, self.frame = columns, policy, table, totals, frame
        self.weights, self.ids = _number_cells(table)

    def cut(self, codes: np.ndarray, stratum: np.ndarray | None = None) -> np.ndarray:
        """Cut level by level: every open box proposes its cuts, the best first, and the policy judges both halves of
        all proposals at once. Return the box of each cell."""
        codes, self.weights, self.ids, highs = sort_by_stratum(codes, self.weights, self.ids, stratum)
        lows = np.concatenate([[0], highs[:-1]])
        ends: list[np.ndarray] = []
        while len(lows):
            dims, cuts = self._choose_cuts(codes, lows, highs)
            cut = dims >= 0
            ends.append(highs[~cut])
            lows, highs, dims = lows[cut], highs[cut], dims[cut]
            middles = cut_kernel.cut_nodes(codes, self.weights, self.ids, lows, highs, dims, cuts[cut, dims])
            lows, highs = np.concatenate([lows, middles]), np.concatenate([middles, highs])
        return np.asarray(cut_kernel.number_leaves(self.ids, np.sort(np.concatenate(ends))))

    def _choose_cuts(self, codes: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the column in which each box is cut, -1 if the policy refuses all its cuts; and the cuts of all
        columns."""
        shape = (len(lows), len(self.columns.quasi))
        cuts, order = np.empty(shape, np.int64), np.empty(shape, np.int64)
        smallest = self.policy.smallest()
        cut_kernel.propose_cuts(codes, self.weights, lows, highs, smallest, FINE, self.frame, cuts, order)
        cut_column = np.full(len(lows), -1)
        for rank in range(shape[1]):
            waiting = np.flatnonzero((cut_column < 0) & (order[:, rank] >= 0))
            if not len(waiting):
                break
            dims = order[waiting, rank]
            passes = self._judge_halves(codes, lows[waiting], highs[waiting], dims, cuts[waiting, dims])
            cut_column[waiting[passes]] = dims[passes]
        return cut_column, cuts

    def _judge_halves(
        self, codes: np.ndarray, lows: np.ndarray, highs: np.ndarray, dims: np.ndarray, cuts: np.ndarray
    ) -> np.ndarray:
        """Return whether both halves of each proposed cut satisfy the policy."""
        half, cell = cut_kernel.assign_halves(codes, self.ids, lows, highs, dims, cuts)
        weights = self.table.counts[cell]
        sizes = np.bincount(half, weights=weights, minlength=2 * len(lows)).astype(np.int64)
        tallies = {}
        for column in self.policy.columns_read(self.columns):
            value = self.table.column(column.name)
            tallies[column.name] = tally(column, half, value[cell], weights, len(sizes), self.totals[column.name])
        return np.asarray(self.policy.holds(self.columns, tallies, sizes).reshape(-1, 2).all(axis=1))

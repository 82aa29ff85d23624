"""Replay the cuts of Mondrian from the published groups: which cuts were taken, and which were refused before them.

The policy is monotone, so a cut that divides no published group would have been taken: both halves are made of groups
that hold. So each box was cut at the best cut that divides no group, and every better one was refused. Nothing but
quasi-identifiers is needed, and any table with the same groups in which all these cuts fail gives the same release.
"""

from __future__ import annotations

import numpy as np

from voile.kernels import lazy_module
from voile.methods.mondrian.policy_cuts import FINE, Frame
from voile.methods.refusals import RefusedSteps, SpanningStep
from voile.tables.row_protocol import Histogram

cut_kernel = lazy_module("voile.methods.mondrian.kernel")


class CutReplay:
    """The boxes on the way from the whole table to its groups; cells are those of the quasi-identifier columns."""

    def __init__(self, table: Histogram, group: np.ndarray, smallest: int, frame: Frame) -> None:
        self.group, self.smallest, self.frame = group, smallest, frame
        self.weights, self.ids = table.counts.astype(np.int64), np.arange(len(table.counts))
        self.columns = len(frame[3])
        self.parts = np.full((len(group), self.columns), -1, dtype=np.int64)
        self.spanning: list[SpanningStep] = []

    def replay(self, codes: np.ndarray) -> RefusedSteps | None:
        """Return the refused cuts; None if Mondrian cannot have made these groups."""
        lows, highs = np.array([0]), np.array([len(self.ids)])
        while len(lows):
            dims, cuts = np.full(len(lows), -1), np.zeros(len(lows), dtype=np.int64)
            proposed, order = self._propose(codes, lows, highs)
            for node, (low, high) in enumerate(zip(lows, highs, strict=True)):
                group = self.group[self.ids[low:high]]
                sides = codes[low:high, : self.columns] > proposed[node]
                divides = _divides_groups(group, sides)
                ranked = [int(dim) for dim in order[node] if dim >= 0]
                if (group == group[0]).all():
                    self.parts[self.ids[low:high][:, None], ranked] = sides[:, ranked]
                    continue
                taken = next((rank for rank, dim in enumerate(ranked) if not divides[dim]), None)
                if taken is None:
                    return None
                dims[node], cuts[node] = ranked[taken], proposed[node, ranked[taken]]
                for dim in ranked[:taken]:
                    self.spanning.append(SpanningStep(self.ids[low:high].copy(), sides[:, dim].astype(np.int64)))
            cut = dims >= 0
            lows, highs = lows[cut], highs[cut]
            middles = cut_kernel.cut_nodes(codes, self.weights, self.ids, lows, highs, dims[cut], cuts[cut])
            lows, highs = np.concatenate([lows, middles]), np.concatenate([middles, highs])
        return RefusedSteps(self.parts, spanning=tuple(self.spanning), complete=True)

    def _propose(self, codes: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the cut of each column of each box, and the columns in the order in which they are tried."""
        cuts, order = (np.empty((len(lows), self.columns), np.int64) for _ in range(2))
        cut_kernel.propose_cuts(codes, self.weights, lows, highs, self.smallest, FINE, self.frame, cuts, order)
        return cuts, order


def _divides_groups(group: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Return for each column whether its cut puts people of one group on different sides."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    sorted_sides = sides[order]
    return np.asarray(
        (np.logical_or.reduceat(sorted_sides, starts) & ~np.logical_and.reduceat(sorted_sides, starts)).any(axis=0)
    )

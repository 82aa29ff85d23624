"""The walk of a table down to small boxes: every box tries one cut at most, and stays whole if that is refused.

Which cut a box tries follows from quasi-identifiers and from how often each value occurs in the whole box. The release
shows both, whether the box is cut (as a sum over its parts) or not. So all that a box tells beyond its counts is that
its cut was refused, or not tried by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.kernels import lazy_module
from voile.methods.accounted_cuts.value_cells import ValueCells
from voile.methods.mondrian.mondrian import Mondrian
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

kernel = lazy_module("voile.methods.accounted_cuts.kernel")
cut_kernel = lazy_module("voile.methods.mondrian.kernel")

ORDERS_CUTS = Mondrian()
FINE = 4096  # boxes of up to this many people weigh the loss of every cut


@dataclass(frozen=True)
class Limits:
    """What groups must satisfy: no value covers more than 1/l of a group, a row is a given person's with a probability
    of at most 1/k (1 if that is not asked), and a group has at least `smallest` people."""

    l: int  # noqa: E741 - the letter of the literature
    k: int
    smallest: int


@dataclass(eq=False)
class CutWalk:
    """A walk over the boxes of a table, level by level. Cells are kept in `ids` such that a box is a range of them;
    `late` marks the columns that are cut last."""

    columns: Columns
    cells: ValueCells
    limits: Limits
    late: np.ndarray

    def __post_init__(self) -> None:
        self.frame, self.codes = ORDERS_CUTS.frame_columns(self.columns, self.cells.table)
        self.weights = self.cells.table.counts.astype(np.int64)
        self.ids = np.arange(len(self.weights), dtype=np.int64)

    def propose(self, lows: np.ndarray, highs: np.ndarray) -> Proposals:
        """Choose the cut of each box, as far as it follows from what the release shows anyway."""
        shape, limits = (len(lows), len(self.columns.quasi)), self.limits
        cuts, order = np.empty(shape, np.int64), np.empty(shape, np.int64)
        cut_kernel.propose_cuts(self.codes, self.weights, lows, highs, limits.smallest, FINE, self.frame, cuts, order)
        dims, stops, passes = np.empty(len(lows), np.int64), np.empty(len(lows)), np.empty(len(lows), np.bool_)
        places = self.codes, self.weights, self.ids, *self.cells.entries, lows, highs
        kernel.choose_cuts(*places, cuts, order, self.late, (limits.l, limits.k), dims, stops, passes)
        return Proposals(dims, cuts[np.arange(len(lows)), dims], stops, passes)

    def cut(self, lows: np.ndarray, highs: np.ndarray, proposals: Proposals) -> tuple[np.ndarray, np.ndarray]:
        """Carry out the cuts of some boxes; return where the boxes start and end then."""
        middles = cut_kernel.cut_nodes(self.codes, self.weights, self.ids, lows, highs, proposals.dims, proposals.cuts)
        return np.concatenate([lows, middles]), np.concatenate([middles, highs])


@dataclass(frozen=True, eq=False)
class Proposals:
    """The cuts of some boxes: column (-1: none), place, the chance of not trying it, and whether it may be shown."""

    dims: np.ndarray
    cuts: np.ndarray
    stops: np.ndarray
    passes: np.ndarray

    def select(self, chosen: np.ndarray) -> Proposals:
        return Proposals(self.dims[chosen], self.cuts[chosen], self.stops[chosen], self.passes[chosen])


def cut_boxes(columns: Columns, cells: ValueCells, limits: Limits, late: np.ndarray, key: Key) -> np.ndarray:
    """Cut level by level, and return the box of each cell."""
    walk = CutWalk(columns, cells, limits, late)
    lows, highs = np.array([0]), np.array([len(walk.ids)])
    ends: list[np.ndarray] = []
    level = 0
    while len(lows):
        proposals = walk.propose(lows, highs)
        is_cut = (proposals.dims >= 0) & proposals.passes
        for node in np.flatnonzero((proposals.dims >= 0) & (proposals.stops > 0)):
            is_cut[node] &= not toss_stop(proposals.stops[node], key, f"accounted cuts, box {node} of level {level}")
        ends.append(highs[~is_cut])
        lows, highs = walk.cut(lows[is_cut], highs[is_cut], proposals.select(is_cut))
        level += 1
    return np.asarray(cut_kernel.number_leaves(walk.ids, np.sort(np.concatenate(ends))))


def replay_beliefs(walk: CutWalk, group: np.ndarray, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return what an adversary who replays the walk believes about each cell, given the group of each cell and the
    counts of the values in each group (`totals`), and for which cells this is exact; else it is an upper bound (large
    groups, and refusals that were all but impossible). None if the walk does not lead to these groups."""
    beliefs, exact = (totals / totals.sum(axis=1, keepdims=True))[group], np.ones(len(group), dtype=bool)
    lows, highs = np.array([0]), np.array([len(walk.ids)])
    while len(lows):
        proposals = walk.propose(lows, highs)
        is_cut = np.array(
            [len(np.unique(group[walk.ids[low:high]])) > 1 for low, high in zip(lows, highs, strict=True)]
        )
        if (is_cut & (proposals.dims < 0)).any():
            return None
        for node in np.flatnonzero(~is_cut & (proposals.dims >= 0)):
            inside = slice(lows[node], highs[node])
            on_left = walk.codes[inside, proposals.dims[node]] <= proposals.cuts[node]
            left, ids = int(walk.weights[inside][on_left].sum()), walk.ids[inside]
            total = totals[group[ids[0]]]
            *sides, exact[ids] = kernel.believe_uncut(
                total, left, int(total.sum()) - left, walk.limits.l, walk.limits.k
            )
            beliefs[ids] = np.where(on_left[:, None], *sides)
        lows, highs = walk.cut(lows[is_cut], highs[is_cut], proposals.select(is_cut))
    return np.minimum(beliefs, 1.0), exact


def toss_stop(stop: float, key: Key, purpose: str) -> bool:
    """Toss a coin that says "stop" with at least this chance."""
    threshold = min(int(stop * 2.0**64) + 2**12, 2**64 - 1)
    return bool(key.draw_true(purpose, threshold, 1)[0])

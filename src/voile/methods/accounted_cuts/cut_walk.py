"""The walk of a table down to small boxes: every box tries one cut at most, and stays whole if that is refused.

Which cut a box tries follows from quasi-identifiers and from how often each value occurs in the whole box. The release
shows both, whether the box is cut (as a sum over its parts) or not. So all that a box tells beyond its counts is that
its cut was refused, or not tried by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.kernels import lazy_kernel
from voile.methods.accounted_cuts.value_cells import ValueCells
from voile.methods.mondrian.mondrian import Mondrian
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

kernel = lazy_kernel("voile.methods.accounted_cuts.kernel")
cut_kernel = lazy_kernel("voile.methods.mondrian.kernel")

FINE = 4096  # boxes of up to this many people weigh the loss of every cut


@dataclass(frozen=True)
class Limits:
    """What groups must satisfy: no value covers more than 1/l of a group, a row is a given person's with a probability
    of at most 1/k (1 if that is not asked), and a group has at least `smallest` people."""

    l: int  # noqa: E741 - the letter of the literature
    k: int
    smallest: int


def cut_boxes(columns: Columns, cells: ValueCells, limits: Limits, late: np.ndarray, key: Key) -> np.ndarray:
    """Cut level by level, and return the box of each cell; `late` marks the columns that are cut last."""
    frame, codes = Mondrian().frame_columns(columns, cells.table)
    weights, ids = cells.table.counts.astype(np.int64), np.arange(len(cells.table.counts), dtype=np.int64)
    lows, highs = np.array([0]), np.array([len(ids)])
    ends: list[np.ndarray] = []
    level = 0
    while len(lows):
        shape = (len(lows), len(columns.quasi))
        cuts, order = np.empty(shape, np.int64), np.empty(shape, np.int64)
        cut_kernel.propose_cuts(codes, weights, lows, highs, limits.smallest, FINE, frame, cuts, order)
        dims, stops, passes = np.empty(len(lows), np.int64), np.empty(len(lows)), np.empty(len(lows), np.bool_)
        kernel.choose_cuts(
            codes, ids, *cells.entries, lows, highs, cuts, order, late, limits.l, limits.k, dims, stops, passes
        )
        is_cut = (dims >= 0) & passes
        for node in np.flatnonzero((dims >= 0) & (stops > 0)):
            is_cut[node] &= not toss_stop(stops[node], key, f"accounted cuts, box {node} of level {level}")
        ends.append(highs[~is_cut])
        lows, highs, dims, level = lows[is_cut], highs[is_cut], dims[is_cut], level + 1
        middles = cut_kernel.cut_nodes(codes, weights, ids, lows, highs, dims, cuts[is_cut, dims])
        lows, highs = np.concatenate([lows, middles]), np.concatenate([middles, highs])
    return np.asarray(cut_kernel.number_leaves(ids, np.sort(np.concatenate(ends))))


def toss_stop(stop: float, key: Key, purpose: str) -> bool:
    """Toss a coin that says "stop" with at least this chance."""
    threshold = min(int(stop * 2.0**64) + 2**12, 2**64 - 1)
    return bool(key.draw_true(purpose, threshold, 1)[0])

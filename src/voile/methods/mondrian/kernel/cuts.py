"""Cut nodes: move rows so that every node of the tree of cuts is a contiguous range."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.kernels.sorting import double_rows
from voile.methods.mondrian.kernel.cut_gains import find_most_gaining, find_widest, scratch_arrays, weigh_cuts

CORES = 2
FINE = 32
ALONE = 20_000  # fewer rows than this are not worth a second thread


@kernel
def _partition(codes, words, weights, ids, low, high, d, at):
    """Move codes up to `at` to the left; return where the right side starts. O(rows).

    `words` is the same memory as `codes`: rows are padded to whole 64-bit words, so that moving one is cheap.
    """
    i, j = low, high - 1
    while True:
        while i <= j and codes[i, d] <= at:
            i += 1
        while i <= j and codes[j, d] > at:
            j -= 1
        if i >= j:
            return i
        for c in range(words.shape[1]):
            words[i, c], words[j, c] = words[j, c], words[i, c]
        weights[i], weights[j] = weights[j], weights[i]
        ids[i], ids[j] = ids[j], ids[i]
        i += 1
        j -= 1


@kernel(steps=5, enough=4 * ENOUGH)
def _grow_subtree(codes, words, weights, ids, low, high, smallest, fine, frame, stop, ends):
    """Cut rows low..high-1 until nothing can be cut, or nodes have at most `stop` rows; return the number of ends.
    O(rows * columns * depth) at worst."""
    columns = frame[3].size
    scratch = scratch_arrays(columns, frame[1][columns], min(fine, high - low))
    cut, gain = np.empty(columns, np.int64), np.zeros(columns, np.float64)
    stack, bounds = np.empty((64, 2), np.int64), np.empty((64, columns), np.float64)
    stack[0, 0], stack[0, 1] = low, high
    for d in range(columns):
        bounds[0, d] = np.inf
    top, written = 1, 0
    while top > 0:
        top -= 1
        low, high = stack[top, 0], stack[top, 1]
        best = -1
        if high - low > stop:
            if high - low > fine and columns < 63:
                total = np.int64(0)
                for i in range(low, high):
                    total += weights[i]
                if total >= 2 * smallest:
                    best = find_widest(codes, weights, low, high, total, smallest, frame, scratch, bounds[top], cut)
            elif weigh_cuts(codes, weights, low, high, smallest, fine, frame, scratch, cut, gain) > 0:
                best = find_most_gaining(columns, cut, gain)
        if best < 0:
            ends[written] = high
            written += 1
            continue
        middle = _partition(codes, words, weights, ids, low, high, best, cut[best])
        if top + 2 > stack.shape[0]:
            stack, bounds = double_rows(stack), double_rows(bounds)
        # the left half is cut first
        stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = middle, high, low, middle
        for d in range(columns):
            bounds[top + 1, d] = bounds[top, d]
        top += 2
    return written


def grow_tree(
    codes: np.ndarray,
    weights: np.ndarray,
    ids: np.ndarray,
    smallest: int,
    frame: tuple[np.ndarray, ...],
    ends: np.ndarray | None = None,
) -> np.ndarray:
    """Cut all rows as far as `smallest` allows, subtrees on two threads; return the ends of the leaves. Moves the rows,
    but never from one of the ranges that end at `ends` to another.

    `codes` has one row per cell, padded with columns to whole 64-bit words (see `padded_width`). LeFevre, DeWitt,
    Ramakrishnan: Mondrian (ICDE 2006). O(rows * columns * depth) at worst.
    """
    rows, words = len(codes), codes.view(np.uint64)

    def cut(low: int, high: int, stop: int) -> np.ndarray:
        ends = np.empty(high - low, np.int64)
        return ends[: _grow_subtree(codes, words, weights, ids, low, high, smallest, FINE, frame, stop, ends)]

    ends = np.array([rows]) if ends is None else ends
    if rows < ALONE:
        return np.concatenate([cut(low, high, 0) for low, high in zip([0, *ends[:-1]], ends, strict=True)])
    # the first cut alone, then both halves at once, then their parts: both threads always have about equal work
    with ThreadPoolExecutor(CORES) as pool:
        for stop in (int(0.6 * rows), int(0.1 * rows), 0):
            ends = np.concatenate(list(pool.map(cut, np.append(0, ends[:-1]), ends, [stop] * len(ends))))
    return ends


def number_leaves(ids: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the number of the leaf of each id, for leaves that end at `ends` of the moved rows. O(rows)."""
    groups = np.empty(len(ids), np.int64)
    if len(ids) < ALONE:
        _number_range(ids, ends, 0, len(ends), groups)
        return groups
    cuts = np.linspace(0, len(ends), CORES + 1).astype(np.int64)
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda first, last: _number_range(ids, ends, first, last, groups), cuts[:-1], cuts[1:]))
    return groups


@kernel(steps=1)
def _number_range(ids, ends, first, last, groups):
    for g in range(first, last):
        for i in range(ends[g - 1] if g > 0 else 0, ends[g]):
            groups[ids[i]] = g


@kernel(steps=2, enough=20 * ENOUGH)
def propose_cuts(codes, weights, lows, highs, smallest, fine, frame, cuts, order):
    """Write, for each node, the cut of every column and the columns in falling order of gain (-1 if there is no cut).

    A node of more than `fine` people is large, however many rows they have: rows may differ in sensitive values, and
    the order of the cuts must not depend on them. A node of two rows names only one column: all cuts are the same
    there. O(rows * columns^2).
    """
    columns = frame[3].size
    scratch = scratch_arrays(columns, frame[1][columns], fine)
    gain = np.zeros(columns, np.float64)
    for node in range(lows.size):
        people = np.int64(0)
        for i in range(lows[node], highs[node]):
            people += weights[i]
        limit = fine if people <= fine else 2
        cut_count = weigh_cuts(
            codes, weights, lows[node], highs[node], smallest, limit, frame, scratch, cuts[node], gain
        )
        for rank in range(columns):
            order[node, rank] = -1
        for rank in range(cut_count):
            best = -1
            for d in range(columns):
                is_ranked = False
                for earlier in range(rank):
                    is_ranked |= order[node, earlier] == d
                if cuts[node, d] >= 0 and not is_ranked and (best < 0 or gain[d] > gain[best]):
                    best = d
            order[node, rank] = best


@kernel(steps=1)
def assign_halves(codes, ids, lows, highs, dims, cuts):
    """Return the half of its node that each row of the nodes would fall into (2 * node or 2 * node + 1), and its id.
    O(rows)."""
    total = 0
    for node in range(lows.size):
        total += highs[node] - lows[node]
    half, row_ids = np.empty(total, np.int64), np.empty(total, ids.dtype)
    end = 0
    for node in range(lows.size):
        for i in range(lows[node], highs[node]):
            half[end] = 2 * node + (1 if codes[i, dims[node]] > cuts[node] else 0)
            row_ids[end] = ids[i]
            end += 1
    return half, row_ids


def cut_nodes(
    codes: np.ndarray,
    weights: np.ndarray,
    ids: np.ndarray,
    lows: np.ndarray,
    highs: np.ndarray,
    dims: np.ndarray,
    cuts: np.ndarray,
) -> np.ndarray:
    """Carry out one accepted cut per node; return where the right sides start. O(rows)."""
    middles = np.empty(len(lows), np.int64)
    _cut_nodes(codes, codes.view(np.uint64), weights, ids, lows, highs, dims, cuts, middles)
    return middles


@kernel(steps=1)
def _cut_nodes(codes, words, weights, ids, lows, highs, dims, cuts, middles):
    for node in range(lows.size):
        middles[node] = _partition(codes, words, weights, ids, lows[node], highs[node], dims[node], cuts[node])


def padded_width(columns: int, dtype: np.dtype[Any]) -> int:
    """Return the number of columns that fills whole 64-bit words."""
    per_word = 8 // dtype.itemsize
    return -(-columns // per_word) * per_word

"""Mondrian's cuts. Rows of codes are moved so that every node of the tree is a contiguous range; a cut keeps codes up
to a position on the left. Rows are weighted: each stands for several people.

For each column the most even cut is found; a column may be cut if both sides keep `smallest` people. Large nodes are
cut in the column with the largest spread, nodes of up to `fine` rows in the column whose two halves lose least.
Spreads come from a 64-bit sketch a column: one bit a value, or a 64th of the domain where there are more values.

What the kernels need to know of the columns is packed in a tuple, frame =
(sketch, offset, ranged, scale, fence, fenced, exact):
    sketch  the bit of each code, the columns one after another
    offset  where a column's codes start in `sketch`, and the end
    ranged  whether a column's cells are intervals
    scale   1 / (largest spread) of each column
    fence   for each code the height of the fence between it and the next code. Only the highest fences inside a node
            may be cut: with the level of the common ancestor as height, cuts follow the branches of a hierarchy
    fenced  whether a column has fences
    exact   whether each code of a column is a bit of its own, at the code's place
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

CORES = 2
FINE = 32
SHORT = 24
ALONE = 20_000  # fewer rows than this are not worth a second thread


def _bit_instruction(emit):
    """A function of a 64-bit word that is one machine instruction; numba has no name for these."""

    @intrinsic
    def instruction(typing_context, word):
        return types.int64(types.uint64), lambda context, builder, signature, arguments: emit(builder, arguments[0])

    return instruction


_no = ir.Constant(ir.IntType(1), 0)
_ones = _bit_instruction(lambda builder, word: builder.ctpop(word))
_zeros_above = _bit_instruction(lambda builder, word: builder.ctlz(word, _no))
_zeros_below = _bit_instruction(lambda builder, word: builder.cttz(word, _no))


@njit(nogil=True, cache=True)
def _spread(x, ranged):
    """Set bits less one, or the distance from the lowest to the highest set bit."""
    return 63 - _zeros_above(x) - _zeros_below(x) if ranged else _ones(x) - 1


@njit(nogil=True, cache=True)
def _highest(fence, first, last):
    """The highest fence between two codes."""
    highest = fence[first]
    for c in range(first + 1, last):
        highest = max(highest, fence[c])
    return highest


# The ways to find the most even cut of a column. Codes of a column start at `base` in `histogram`, `fence` and
# `sketch`: no slices are taken, because counting references to shared arrays makes the threads wait for each other.
# Each returns the last code left of the cut (-1 where there is none) and the people left of it.


@njit(nogil=True, cache=True)
def _median_of(values, counts, rows, total, fence, fenced, base):
    """From sorted codes and their people. O(rows)."""
    best, at, left, seen, wall = total + 1, np.int64(-1), np.int64(0), np.int64(0), np.int64(-1)
    for i in range(rows - 1):
        seen += counts[i]
        if values[i] != values[i + 1]:
            height = _highest(fence, base + values[i], base + values[i + 1]) if fenced else np.int64(0)
            gap = abs(2 * seen - total)
            if height > wall or (height == wall and gap < best):
                best, at, left, wall = gap, values[i], seen, height
    return at, left


@njit(nogil=True, cache=True)
def _median_sorted(codes, weights, low, high, d, total, fence, fenced, base, values, counts):
    """For short nodes. O(rows^2), rows <= SHORT."""
    rows = high - low
    for i in range(rows):
        v, w, j = np.int64(codes[low + i, d]), weights[low + i], i
        while j > 0 and values[j - 1] > v:
            values[j], counts[j] = values[j - 1], counts[j - 1]
            j -= 1
        values[j], counts[j] = v, w
    return _median_of(values, counts, rows, total, fence, fenced, base)


@njit(nogil=True, cache=True)
def _median_marked(histogram, marks, total, fence, fenced, base):
    """From a histogram whose filled codes are the bits of `marks`; clears it. O(different codes)."""
    best, at, left, seen = total + 1, np.int64(-1), np.int64(0), np.int64(0)
    wall, last = np.int64(-1), np.int64(-1)
    while marks != 0:
        c = _zeros_below(marks)
        marks &= marks - np.uint64(1)
        if last >= 0:
            height = _highest(fence, base + last, base + c) if fenced else np.int64(0)
            gap = abs(2 * seen - total)
            if height > wall or (height == wall and gap < best):
                best, at, left, wall = gap, last, seen, height
        seen += histogram[base + c]
        histogram[base + c] = 0
        last = c
    return at, left


@njit(nogil=True, cache=True)
def _median_counted(histogram, total, fence, fenced, base, stop, sketch):
    """From a histogram of the codes, which is cleared; also the sketch of the codes. O(codes)."""
    best, at, left, seen = total + 1, np.int64(-1), np.int64(0), np.int64(0)
    wall, last, height, marks = np.int64(-1), np.int64(-1), np.int64(-1), np.uint64(0)
    for c in range(base, stop):
        if histogram[c] > 0:
            if last >= 0:
                gap = abs(2 * seen - total)
                if height > wall or (height == wall and gap < best):
                    best, at, left, wall = gap, last - base, seen, height
            seen += histogram[c]
            histogram[c] = 0
            marks |= sketch[c]
            last, height = np.int64(c), np.int64(-1)
        height = max(height, fence[c] if fenced else np.int64(0))
    return at, left, marks


@njit(nogil=True, cache=True)
def _median_wide(codes, weights, low, high, d, total, fence, fenced, base, sketch):
    """Where the domain is much larger than the node; also the sketch. Shell sort: about O(rows^1.3)."""
    rows = high - low
    values, counts = np.empty(rows, np.int64), np.empty(rows, np.int64)
    marks = np.uint64(0)
    for i in range(rows):
        values[i], counts[i] = codes[low + i, d], weights[low + i]
        marks |= sketch[base + values[i]]
    gap = 1
    while gap < rows // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, rows):
            v, w, j = values[i], counts[i], i
            while j >= gap and values[j - gap] > v:
                values[j], counts[j] = values[j - gap], counts[j - gap]
                j -= gap
            values[j], counts[j] = v, w
        gap //= 3
    at, left = _median_of(values, counts, rows, total, fence, fenced, base)
    return at, left, marks


@njit(nogil=True, cache=True)
def _scratch(columns, domain, fine):
    """Arrays that every node needs and none keeps: histogram, values and counts of a short node, people left of each
    column's cut, the sketch of each column's rows, which rows are right of a cut."""
    return (
        np.zeros(domain, np.int64),
        np.empty(SHORT, np.int64),
        np.empty(SHORT, np.int64),
        np.empty(columns, np.int64),
        np.zeros((columns, fine), np.uint64),
        np.zeros(fine, np.uint64),
    )


@njit(nogil=True, cache=True)
def _weigh_large(codes, weights, low, high, total, smallest, frame, scratch, cut, gain):
    """Cuts of a large node, each column gaining its spread. O(rows * columns)."""
    sketch, offset, ranged, scale, fence, fenced, _ = frame
    histogram, left = scratch[0], scratch[3]
    columns, rows, found = scale.size, high - low, 0
    limit = 8 * rows + 64  # columns with more codes are sorted, not counted
    for i in range(low, high):
        for d in range(columns):
            if offset[d + 1] - offset[d] <= limit:
                histogram[offset[d] + codes[i, d]] += weights[i]
    for d in range(columns):
        base, stop = offset[d], offset[d + 1]
        if stop - base <= limit:
            at, people, marks = _median_counted(histogram, total, fence, fenced[d], base, stop, sketch)
        else:
            at, people, marks = _median_wide(codes, weights, low, high, d, total, fence, fenced[d], base, sketch)
        if at >= 0 and people >= smallest and total - people >= smallest:
            cut[d], left[d] = at, people
            gain[d] = _spread(marks, ranged[d]) * scale[d]
            found += 1
    return found


@njit(nogil=True, cache=True)
def _weigh_small(codes, weights, low, high, total, smallest, frame, scratch, cut, gain):
    """Cuts of a small node, each gaining what its halves lose less. O(rows * columns^2)."""
    sketch, offset, ranged, scale, fence, fenced, exact = frame
    histogram, values, counts, left, marks, right = scratch
    columns, rows, found = scale.size, high - low, 0
    for d in range(columns):
        base, stop = offset[d], offset[d + 1]
        every = np.uint64(0)
        for i in range(rows):
            mark = sketch[base + codes[low + i, d]]
            marks[d, i] = mark
            every |= mark
        if exact[d] and every & (every - np.uint64(1)) == 0:
            continue
        if exact[d] or (rows > SHORT and stop - base <= 8 * rows + 64):
            for i in range(low, high):
                histogram[base + codes[i, d]] += weights[i]
        if exact[d]:
            at, people = _median_marked(histogram, every, total, fence, fenced[d], base)
        elif rows <= SHORT:
            at, people = _median_sorted(codes, weights, low, high, d, total, fence, fenced[d], base, values, counts)
        elif stop - base <= 8 * rows + 64:
            at, people, _ = _median_counted(histogram, total, fence, fenced[d], base, stop, sketch)
        else:
            at, people, _ = _median_wide(codes, weights, low, high, d, total, fence, fenced[d], base, sketch)
        if at >= 0 and people >= smallest and total - people >= smallest:
            cut[d], left[d], gain[d] = at, people, 0.0
            found += 1
    if found < 2:
        return found
    for c in range(columns):
        if cut[c] < 0:
            continue
        for i in range(rows):
            right[i] = ~np.uint64(0) if codes[low + i, c] > cut[c] else np.uint64(0)
        lost_left, lost_right = 0.0, 0.0
        for d in range(columns):
            here, there = np.uint64(0), np.uint64(0)
            for i in range(rows):
                here |= marks[d, i] & ~right[i]
                there |= marks[d, i] & right[i]
            lost_left += _spread(here, ranged[d]) * scale[d]
            lost_right += _spread(there, ranged[d]) * scale[d]
        gain[c] = -(lost_left * left[c] + lost_right * (total - left[c]))
    return found


@njit(nogil=True, cache=True)
def _weigh_pair(codes, weights, low, smallest, columns, cut, gain):
    """Two rows: every cut parts them, so the first column in which they differ will do. O(columns)."""
    if min(weights[low], weights[low + 1]) < smallest:
        return 0
    for d in range(columns):
        if codes[low, d] != codes[low + 1, d]:
            cut[d], gain[d] = min(codes[low, d], codes[low + 1, d]), 0.0
            return 1
    return 0


@njit(nogil=True, cache=True)
def _weigh(codes, weights, low, high, smallest, fine, frame, scratch, cut, gain):
    """The cut of each column (-1 where it has none) and what it gains; returns how many columns have one."""
    for d in range(cut.size):
        cut[d] = -1
    if high - low < 2:
        return 0
    if high - low == 2:
        return _weigh_pair(codes, weights, low, smallest, cut.size, cut, gain)
    total = np.int64(0)
    for i in range(low, high):
        total += weights[i]
    if total < 2 * smallest:
        return 0
    if high - low > fine:
        return _weigh_large(codes, weights, low, high, total, smallest, frame, scratch, cut, gain)
    return _weigh_small(codes, weights, low, high, total, smallest, frame, scratch, cut, gain)


@njit(nogil=True, cache=True)
def _part(codes, words, weights, ids, low, high, d, at):
    """Move codes up to `at` to the left; returns where the right side starts. O(rows).

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


@njit(nogil=True, cache=True)
def _most(columns, cut, gain):
    """The column that gains most, the first one on ties; -1 where none can be cut."""
    best = -1
    for d in range(columns):
        if cut[d] >= 0 and (best < 0 or gain[d] > gain[best]):
            best = d
    return best


@njit(nogil=True, cache=True)
def _widest(codes, weights, low, high, total, smallest, frame, scratch, bound, cut):
    """The column of a large node with the largest spread, as `_weigh_large` and `_most` would choose it.

    `bound` holds for each column a spread that it cannot exceed, its parent's; it is lowered where the spread is found.
    Columns are looked at in falling order of their bounds until no other can win: mostly one or two of them.
    O(rows) for each column looked at.
    """
    sketch, offset, ranged, scale, fence, fenced, _ = frame
    histogram, left = scratch[0], scratch[3]
    columns, rows = scale.size, high - low
    best, most, done = -1, -1.0, np.int64(0)
    while True:
        d = -1
        for c in range(columns):
            if not (done >> c) & 1 and (d < 0 or bound[c] > bound[d]):
                d = c
        if d < 0 or bound[d] < most or (bound[d] == most and d > best >= 0):
            return best
        done |= np.int64(1) << d
        base, stop = offset[d], offset[d + 1]
        if stop - base <= 8 * rows + 64:
            for i in range(low, high):
                histogram[base + codes[i, d]] += weights[i]
            at, people, marks = _median_counted(histogram, total, fence, fenced[d], base, stop, sketch)
        else:
            at, people, marks = _median_wide(codes, weights, low, high, d, total, fence, fenced[d], base, sketch)
        bound[d] = _spread(marks, ranged[d]) * scale[d]
        cut[d] = at if at >= 0 and people >= smallest and total - people >= smallest else -1
        left[d] = people
        if cut[d] >= 0 and (bound[d] > most or (bound[d] == most and d < best)):
            best, most = d, bound[d]


@njit(nogil=True, cache=True)
def _grow(codes, words, weights, ids, low, high, smallest, fine, frame, stop, ends):
    """Cut rows low..high until nothing can be cut, or nodes have at most `stop` rows. Returns the number of ends."""
    columns = frame[3].size
    scratch = _scratch(columns, frame[1][columns], min(fine, high - low))
    cut, gain = np.empty(columns, np.int64), np.zeros(columns, np.float64)
    stack, bounds = np.empty((64, 2), np.int64), np.empty((64, columns), np.float64)
    stack[0] = (low, high)
    bounds[0] = np.inf
    top, written = 1, 0
    while top > 0:
        top -= 1
        low, high = stack[top]
        best = -1
        if high - low > stop:
            if high - low > fine and columns < 63:
                total = np.int64(0)
                for i in range(low, high):
                    total += weights[i]
                if total >= 2 * smallest:
                    best = _widest(codes, weights, low, high, total, smallest, frame, scratch, bounds[top], cut)
            elif _weigh(codes, weights, low, high, smallest, fine, frame, scratch, cut, gain) > 0:
                best = _most(columns, cut, gain)
        if best < 0:
            ends[written] = high
            written += 1
            continue
        middle = _part(codes, words, weights, ids, low, high, best, cut[best])
        if top + 2 > stack.shape[0]:
            stack = np.concatenate((stack, np.empty_like(stack)))
            bounds = np.concatenate((bounds, np.empty_like(bounds)))
        stack[top], stack[top + 1] = (middle, high), (low, middle)
        for d in range(columns):
            bounds[top + 1, d] = bounds[top, d]
        top += 2
    return written


def grow(
    codes: np.ndarray, weights: np.ndarray, ids: np.ndarray, smallest: int, frame: tuple[np.ndarray, ...]
) -> np.ndarray:
    """Cut all rows as far as `smallest` allows, subtrees on two threads. Rows are moved; returns the ends of nodes.

    `codes` has one row a cell, padded with further columns to whole 64-bit words (see `padded`).
    """
    rows, words = len(codes), codes.view(np.uint64)

    def cut(low: int, high: int, stop: int) -> np.ndarray:
        ends = np.empty(high - low, np.int64)
        return ends[: _grow(codes, words, weights, ids, low, high, smallest, FINE, frame, stop, ends)]

    if rows < ALONE:
        return cut(0, rows, 0)
    # the first cut alone, then both halves at once, then their parts: both threads always have about as much to do
    ends = np.array([rows])
    with ThreadPoolExecutor(CORES) as pool:
        for stop in (int(0.6 * rows), int(0.1 * rows), 0):
            ends = np.concatenate(list(pool.map(cut, np.append(0, ends[:-1]), ends, [stop] * len(ends))))
    return ends


def numbered(ids: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The number of the node of each id, for nodes that end at `ends` of the moved rows. O(rows)."""
    groups = np.empty(len(ids), np.int64)
    cuts = np.linspace(0, len(ends), CORES + 1).astype(np.int64)
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda first, last: _numbered(ids, ends, first, last, groups), cuts[:-1], cuts[1:]))
    return groups


@njit(nogil=True, cache=True)
def _numbered(ids, ends, first, last, groups):
    for g in range(first, last):
        for i in range(ends[g - 1] if g > 0 else 0, ends[g]):
            groups[ids[i]] = g


@njit(nogil=True, cache=True)
def candidates(codes, weights, lows, highs, smallest, fine, frame, cuts, order):
    """For each node the cut of every column and the columns in falling order of gain (-1 where there is no cut).

    A node of two rows names one column only: all cuts are the same there.
    """
    columns = frame[3].size
    scratch = _scratch(columns, frame[1][columns], fine)
    gain = np.zeros(columns, np.float64)
    for node in range(lows.size):
        found = _weigh(codes, weights, lows[node], highs[node], smallest, fine, frame, scratch, cuts[node], gain)
        for rank in range(columns):
            order[node, rank] = -1
        for rank in range(found):
            best = -1
            for d in range(columns):
                taken = False
                for earlier in range(rank):
                    taken |= order[node, earlier] == d
                if cuts[node, d] >= 0 and not taken and (best < 0 or gain[d] > gain[best]):
                    best = d
            order[node, rank] = best


@njit(nogil=True, cache=True)
def sides(codes, ids, lows, highs, dims, cuts):
    """For every row of the nodes: which half of which node it would fall into, and its id."""
    total = 0
    for node in range(lows.size):
        total += highs[node] - lows[node]
    half, who = np.empty(total, np.int64), np.empty(total, ids.dtype)
    place = 0
    for node in range(lows.size):
        for i in range(lows[node], highs[node]):
            half[place] = 2 * node + (1 if codes[i, dims[node]] > cuts[node] else 0)
            who[place] = ids[i]
            place += 1
    return half, who


def divide(
    codes: np.ndarray,
    weights: np.ndarray,
    ids: np.ndarray,
    lows: np.ndarray,
    highs: np.ndarray,
    dims: np.ndarray,
    cuts: np.ndarray,
) -> np.ndarray:
    """Carry out one accepted cut a node; returns where the right sides start."""
    middles = np.empty(len(lows), np.int64)
    _divide(codes, codes.view(np.uint64), weights, ids, lows, highs, dims, cuts, middles)
    return middles


@njit(nogil=True, cache=True)
def _divide(codes, words, weights, ids, lows, highs, dims, cuts, middles):
    for node in range(lows.size):
        middles[node] = _part(codes, words, weights, ids, lows[node], highs[node], dims[node], cuts[node])


def padded(columns: int, dtype: np.dtype[Any]) -> int:
    """The number of columns that fills whole 64-bit words."""
    each = 8 // dtype.itemsize
    return -(-columns // each) * each

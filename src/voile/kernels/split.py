"""Mondrian's cuts. Rows of codes are moved so that every node of the tree is a contiguous range; a cut keeps codes up
to a position on the left. Rows are weighted: each stands for several people.

For each column the most even cut is found; a column may be cut if both sides keep `smallest` people. Large nodes are
cut in the column with the largest spread, nodes of up to `fine` rows in the column whose two halves lose least.
Spreads come from a 64-bit sketch a column: one bit a value, or a 64th of the domain where there are more values.

What the kernels need to know of the columns is packed in a tuple, frame = (sketch, offset, ranged, scale, fence):
    sketch  the bit of each code, the columns one after another
    offset  where a column's codes start in `sketch`, and the end
    ranged  whether a column's cells are intervals
    scale   1 / (largest spread) of each column
    fence   for each code the height of the fence between it and the next code. Only the highest fences inside a node
            may be cut: with the level of the common ancestor as height, cuts follow the branches of a hierarchy.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

CORES = 2
FINE = 128
SHORT = 24


@njit(nogil=True, cache=True)
def _ones(x):
    """Number of set bits."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(nogil=True, cache=True)
def _spread(x, ranged):
    """Set bits less one, or the distance from the lowest to the highest set bit."""
    if not ranged:
        return _ones(x) - 1
    y = x
    for step in (1, 2, 4, 8, 16, 32):
        y |= y >> np.uint64(step)
    lowest = x & (~x + np.uint64(1))
    return _ones(y) - _ones(lowest - np.uint64(1)) - 1


@njit(nogil=True, cache=True)
def _loss(bits, ranged, scale):
    total = 0.0
    for d in range(scale.size):
        total += _spread(bits[d], ranged[d]) * scale[d]
    return total


@njit(nogil=True, cache=True)
def _highest(fence, first, last):
    """The highest fence between two codes."""
    highest = fence[first]
    for c in range(first + 1, last):
        highest = max(highest, fence[c])
    return highest


@njit(nogil=True, cache=True)
def _median_sorted(codes, weights, low, high, d, total, fence, values, counts):
    """The most even cut of a short node: (position, people left of it), or (-1, 0). O(rows^2), rows <= SHORT."""
    rows = high - low
    for i in range(rows):
        v = np.int64(codes[low + i, d])
        w = weights[low + i]
        j = i
        while j > 0 and values[j - 1] > v:
            values[j] = values[j - 1]
            counts[j] = counts[j - 1]
            j -= 1
        values[j] = v
        counts[j] = w
    best, at, left, seen, wall = total + 1, -1, 0, 0, -1
    for i in range(rows - 1):
        seen += counts[i]
        if values[i] != values[i + 1]:
            height = _highest(fence, values[i], values[i + 1])
            gap = abs(2 * seen - total)
            if height > wall or (height == wall and gap < best):
                best, at, left, wall = gap, values[i], seen, height
    return at, left


@njit(nogil=True, cache=True)
def _median_counted(histogram, total, fence):
    """The most even cut from a histogram of the codes, which is cleared. O(codes)."""
    best, at, left, seen, wall = total + 1, -1, 0, 0, -1
    last, height = -1, -1
    for c in range(histogram.size):
        if histogram[c] > 0:
            if last >= 0:
                gap = abs(2 * seen - total)
                if height > wall or (height == wall and gap < best):
                    best, at, left, wall = gap, last, seen, height
            seen += histogram[c]
            histogram[c] = 0
            last, height = c, -1
        height = max(height, fence[c])
    return at, left


@njit(nogil=True, cache=True)
def _median_wide(codes, weights, low, high, d, total, fence):
    """The most even cut where the domain is much larger than the node. O(rows log rows)."""
    values = codes[low:high, d].copy()
    order = np.argsort(values)
    best, at, left, seen, wall = total + 1, np.int64(-1), 0, 0, -1
    for i in range(order.size - 1):
        seen += weights[low + order[i]]
        here, after = np.int64(values[order[i]]), np.int64(values[order[i + 1]])
        if here != after:
            height = _highest(fence, here, after)
            gap = abs(2 * seen - total)
            if height > wall or (height == wall and gap < best):
                best, at, left, wall = gap, here, seen, height
    return at, left


@njit(nogil=True, cache=True)
def _scratch(columns, domain):
    return (
        np.zeros(domain, np.int64),
        np.empty(SHORT, np.int64),
        np.empty(SHORT, np.int64),
        np.empty(columns, np.int64),
        np.zeros((2 * columns, columns), np.uint64),
        np.zeros(columns, np.uint64),
    )


@njit(nogil=True, cache=True)
def _weigh(codes, weights, low, high, smallest, fine, frame, scratch, cut, gain):
    """The cut of each column (-1 where it has none) and what it gains; returns how many columns have one.

    O(rows * columns), and O(rows * columns^2) for nodes of at most `fine` rows.
    """
    sketch, offset, ranged, scale, fences = frame
    histogram, values, counts, left, halves, row = scratch
    columns = codes.shape[1]
    rows = high - low
    for d in range(columns):
        cut[d] = -1
    if rows < 2:
        return 0
    total = 0
    for i in range(low, high):
        total += weights[i]
    if total < 2 * smallest:
        return 0
    found = 0
    if rows > SHORT:
        for i in range(low, high):
            for d in range(columns):
                if offset[d + 1] - offset[d] <= 8 * rows + 64:
                    histogram[offset[d] + codes[i, d]] += weights[i]
    for d in range(columns):
        fence = fences[offset[d] : offset[d + 1]]
        if rows <= SHORT:
            at, people = _median_sorted(codes, weights, low, high, d, total, fence, values, counts)
        elif fence.size <= 8 * rows + 64:
            at, people = _median_counted(histogram[offset[d] : offset[d + 1]], total, fence)
        else:
            at, people = _median_wide(codes, weights, low, high, d, total, fence)
        if at >= 0 and people >= smallest and total - people >= smallest:
            cut[d] = at
            left[d] = people
            found += 1
    if found == 0:
        return 0
    if rows > fine:
        for d in range(columns):
            row[d] = np.uint64(0)
        for i in range(low, high):
            for d in range(columns):
                row[d] |= sketch[offset[d] + codes[i, d]]
        for d in range(columns):
            gain[d] = _spread(row[d], ranged[d]) * scale[d]
        return found
    if found == 1:
        for d in range(columns):
            gain[d] = 0.0
        return found
    for side in range(2 * columns):
        for d in range(columns):
            halves[side, d] = np.uint64(0)
    for i in range(low, high):
        for d in range(columns):
            row[d] = sketch[offset[d] + codes[i, d]]
        for c in range(columns):
            if cut[c] >= 0:
                side = 2 * c + (1 if codes[i, c] > cut[c] else 0)
                for d in range(columns):
                    halves[side, d] |= row[d]
    for c in range(columns):
        if cut[c] >= 0:
            lost = _loss(halves[2 * c], ranged, scale) * left[c]
            gain[c] = -(lost + _loss(halves[2 * c + 1], ranged, scale) * (total - left[c]))
    return found


@njit(nogil=True, cache=True)
def _part(codes, weights, ids, low, high, d, at):
    """Move codes up to `at` to the left; returns where the right side starts. O(rows)."""
    i, j = low, high - 1
    while True:
        while i <= j and codes[i, d] <= at:
            i += 1
        while i <= j and codes[j, d] > at:
            j -= 1
        if i >= j:
            return i
        for c in range(codes.shape[1]):
            codes[i, c], codes[j, c] = codes[j, c], codes[i, c]
        weights[i], weights[j] = weights[j], weights[i]
        ids[i], ids[j] = ids[j], ids[i]
        i += 1
        j -= 1


@njit(nogil=True, cache=True)
def _grow(codes, weights, ids, low, high, smallest, fine, frame, stop, ends):
    """Cut rows low..high until nothing can be cut, or nodes have at most `stop` rows. Returns the number of ends."""
    columns = codes.shape[1]
    scratch = _scratch(columns, frame[1][columns])
    cut, gain = np.empty(columns, np.int64), np.zeros(columns, np.float64)
    stack = np.empty((256, 2), np.int64)
    stack[0] = (low, high)
    top, written = 1, 0
    while top > 0:
        top -= 1
        low, high = stack[top]
        found = _weigh(codes, weights, low, high, smallest, fine, frame, scratch, cut, gain) if high - low > stop else 0
        if found == 0:
            ends[written] = high
            written += 1
            continue
        best = -1
        for d in range(columns):
            if cut[d] >= 0 and (best < 0 or gain[d] > gain[best]):
                best = d
        middle = _part(codes, weights, ids, low, high, best, cut[best])
        if top + 2 > stack.shape[0]:
            larger = np.empty((2 * stack.shape[0], 2), np.int64)
            larger[: stack.shape[0]] = stack
            stack = larger
        stack[top] = (middle, high)
        stack[top + 1] = (low, middle)
        top += 2
    return written


def grow(
    codes: np.ndarray, weights: np.ndarray, ids: np.ndarray, smallest: int, frame: tuple[np.ndarray, ...]
) -> np.ndarray:
    """Cut all rows as far as `smallest` allows, subtrees on two threads. Rows are moved; returns the ends of nodes."""
    rows = len(codes)
    ends = np.empty(rows, np.int64)
    stop = rows // 16 if rows > 20_000 else 0
    first = ends[: _grow(codes, weights, ids, 0, rows, smallest, FINE, frame, stop, ends)]
    if stop == 0:
        return first

    def finish(low: int, high: int) -> np.ndarray:
        local = np.empty(high - low, np.int64)
        return local[: _grow(codes, weights, ids, low, high, smallest, FINE, frame, 0, local)]

    with ThreadPoolExecutor(CORES) as pool:
        return np.concatenate(list(pool.map(finish, np.append(0, first[:-1]), first)))


@njit(nogil=True, cache=True)
def candidates(codes, weights, lows, highs, smallest, fine, frame, cuts, order):
    """For each node the cut of every column and the columns in falling order of gain (-1 where there is no cut)."""
    columns = codes.shape[1]
    scratch = _scratch(columns, frame[1][columns])
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


@njit(nogil=True, cache=True)
def divide(codes, weights, ids, lows, highs, dims, cuts, middles):
    """Carry out one accepted cut a node."""
    for node in range(lows.size):
        middles[node] = _part(codes, weights, ids, lows[node], highs[node], dims[node], cuts[node])

"""The most even cut of one column over some rows, and how widely its values are spread."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import BitInstruction, kernel

SHORT = 24  # nodes of up to this many rows are sorted by insertion

_ones = BitInstruction("ctpop", lambda word: word.bit_count())
_zeros_above = BitInstruction("ctlz", lambda word: 64 - word.bit_length())
_zeros_below = BitInstruction("cttz", lambda word: (word & -word).bit_length() - 1 if word else 64)


@kernel
def spread(x, ranged):
    """Return the number of set bits less one or, if `ranged`, the distance from the lowest to the highest. O(1)."""
    return 63 - _zeros_above(x) - _zeros_below(x) if ranged else _ones(x) - 1


@kernel
def _highest(fence, first, last):
    """Return the highest fence between two codes. O(codes between them)."""
    highest = fence[first]
    for c in range(first + 1, last):
        highest = max(highest, fence[c])
    return highest


# Four ways to find the most even cut of a column. Codes of a column start at `base` in `histogram`, `fence` and
# `sketch`: no slices are taken, because counting references to shared arrays makes the threads wait for each other.
# Each returns the last code left of the cut (-1 if there is none) and the people left of it.


@kernel
def _find_median(values, counts, rows, total, fence, fenced, base):
    """Find the cut from sorted codes and their people. O(rows)."""
    best, at, left, people_before, wall = total + 1, np.int64(-1), np.int64(0), np.int64(0), np.int64(-1)
    for i in range(rows - 1):
        people_before += counts[i]
        if values[i] != values[i + 1]:
            height = _highest(fence, base + values[i], base + values[i + 1]) if fenced else np.int64(0)
            gap = abs(2 * people_before - total)
            if height > wall or (height == wall and gap < best):
                best, at, left, wall = gap, values[i], people_before, height
    return at, left


@kernel
def median_sorted(codes, weights, low, high, d, total, fence, fenced, base, values, counts):
    """Find the cut of a short node by insertion sort. O(rows^2), rows <= SHORT."""
    rows = high - low
    for i in range(rows):
        v, w, j = np.int64(codes[low + i, d]), weights[low + i], i
        while j > 0 and values[j - 1] > v:
            values[j], counts[j] = values[j - 1], counts[j - 1]
            j -= 1
        values[j], counts[j] = v, w
    return _find_median(values, counts, rows, total, fence, fenced, base)


@kernel
def median_marked(histogram, marks, total, fence, fenced, base):
    """Find the cut from a histogram whose nonzero codes are the bits of `marks`; clear it. O(distinct codes)."""
    best, at, left, people_before = total + 1, np.int64(-1), np.int64(0), np.int64(0)
    wall, last = np.int64(-1), np.int64(-1)
    while marks != 0:
        c = _zeros_below(marks)
        marks &= marks - np.uint64(1)
        if last >= 0:
            height = _highest(fence, base + last, base + c) if fenced else np.int64(0)
            gap = abs(2 * people_before - total)
            if height > wall or (height == wall and gap < best):
                best, at, left, wall = gap, last, people_before, height
        people_before += histogram[base + c]
        histogram[base + c] = 0
        last = c
    return at, left


@kernel
def median_counted(histogram, total, fence, fenced, base, stop, sketch):
    """Find the cut from a histogram of the codes, and clear it; also return the sketch of the codes. O(codes)."""
    best, at, left, people_before = total + 1, np.int64(-1), np.int64(0), np.int64(0)
    wall, last, height, marks = np.int64(-1), np.int64(-1), np.int64(-1), np.uint64(0)
    for c in range(base, stop):
        if histogram[c] > 0:
            if last >= 0:
                gap = abs(2 * people_before - total)
                if height > wall or (height == wall and gap < best):
                    best, at, left, wall = gap, last - base, people_before, height
            people_before += histogram[c]
            histogram[c] = 0
            marks |= sketch[c]
            last, height = np.int64(c), np.int64(-1)
        height = max(height, fence[c] if fenced else np.int64(0))
    return at, left, marks


@kernel
def median_wide(codes, weights, low, high, d, total, fence, fenced, base, sketch):
    """Find the cut if the domain is much larger than the node; also return the sketch. Shell sort, O(rows^1.3)."""
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
    at, left = _find_median(values, counts, rows, total, fence, fenced, base)
    return at, left, marks

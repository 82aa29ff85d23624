"""Weigh the cut of each column of a node: how much it would gain."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel
from voile.methods.mondrian.kernel.medians import (
    SHORT,
    median_counted,
    median_marked,
    median_sorted,
    median_wide,
    spread,
)


@kernel
def scratch_arrays(columns, domain, fine):
    """Return arrays that every node needs and none keeps: histogram, values and counts of a short node, people left of
    each column's cut, the sketch of each column's rows, and which rows are right of a cut."""
    return (
        np.zeros(domain, np.int64),
        np.empty(SHORT, np.int64),
        np.empty(SHORT, np.int64),
        np.empty(columns, np.int64),
        np.zeros((columns, fine), np.uint64),
        np.zeros(fine, np.uint64),
    )


@kernel
def _weigh_large(codes, weights, low, high, total, smallest, frame, scratch, cut, gain):
    """Weigh the cuts of a large node: each column gains its spread. O(rows * columns)."""
    sketch, offset, ranged, scale, fence, fenced, _ = frame
    histogram, left = scratch[0], scratch[3]
    columns, rows, cut_count = scale.size, high - low, 0
    limit = 8 * rows + 64  # columns with more codes are sorted instead of counted
    for i in range(low, high):
        for d in range(columns):
            if offset[d + 1] - offset[d] <= limit:
                histogram[offset[d] + codes[i, d]] += weights[i]
    for d in range(columns):
        base, stop = offset[d], offset[d + 1]
        if stop - base <= limit:
            at, people, marks = median_counted(histogram, total, fence, fenced[d], base, stop, sketch)
        else:
            at, people, marks = median_wide(codes, weights, low, high, d, total, fence, fenced[d], base, sketch)
        if at >= 0 and people >= smallest and total - people >= smallest:
            cut[d], left[d] = at, people
            gain[d] = spread(marks, ranged[d]) * scale[d]
            cut_count += 1
    return cut_count


@kernel
def _weigh_small(codes, weights, low, high, total, smallest, frame, scratch, cut, gain):
    """Weigh the cuts of a small node: each gains by how much less its halves lose. O(rows * columns^2)."""
    sketch, offset, ranged, scale, fence, fenced, exact = frame
    histogram, values, counts, left, marks, right = scratch
    columns, rows, cut_count = scale.size, high - low, 0
    for d in range(columns):
        base, stop = offset[d], offset[d + 1]
        all_marks = np.uint64(0)
        for i in range(rows):
            mark = sketch[base + codes[low + i, d]]
            marks[d, i] = mark
            all_marks |= mark
        if exact[d] and all_marks & (all_marks - np.uint64(1)) == 0:
            continue
        if exact[d] or (rows > SHORT and stop - base <= 8 * rows + 64):
            for i in range(low, high):
                histogram[base + codes[i, d]] += weights[i]
        if exact[d]:
            at, people = median_marked(histogram, all_marks, total, fence, fenced[d], base)
        elif rows <= SHORT:
            at, people = median_sorted(codes, weights, low, high, d, total, fence, fenced[d], base, values, counts)
        elif stop - base <= 8 * rows + 64:
            at, people, _ = median_counted(histogram, total, fence, fenced[d], base, stop, sketch)
        else:
            at, people, _ = median_wide(codes, weights, low, high, d, total, fence, fenced[d], base, sketch)
        if at >= 0 and people >= smallest and total - people >= smallest:
            cut[d], left[d], gain[d] = at, people, 0.0
            cut_count += 1
    if cut_count < 2:
        return cut_count
    for c in range(columns):
        if cut[c] < 0:
            continue
        for i in range(rows):
            right[i] = ~np.uint64(0) if codes[low + i, c] > cut[c] else np.uint64(0)
        lost_left, lost_right = 0.0, 0.0
        for d in range(columns):
            left_marks, right_marks = np.uint64(0), np.uint64(0)
            for i in range(rows):
                left_marks |= marks[d, i] & ~right[i]
                right_marks |= marks[d, i] & right[i]
            lost_left += spread(left_marks, ranged[d]) * scale[d]
            lost_right += spread(right_marks, ranged[d]) * scale[d]
        gain[c] = -(lost_left * left[c] + lost_right * (total - left[c]))
    return cut_count


@kernel
def _weigh_pair(codes, weights, low, smallest, columns, cut, gain):
    """Weigh two rows: every cut separates them, so take the first column in which they differ. O(columns)."""
    if min(weights[low], weights[low + 1]) < smallest:
        return 0
    for d in range(columns):
        if codes[low, d] != codes[low + 1, d]:
            cut[d], gain[d] = min(codes[low, d], codes[low + 1, d]), 0.0
            return 1
    return 0


@kernel
def weigh_cuts(codes, weights, low, high, smallest, fine, frame, scratch, cut, gain):
    """Write the cut of each column (-1 if it has none) and its gain; return how many columns have a cut."""
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


@kernel
def find_most_gaining(columns, cut, gain):
    """Return the column that gains most, the first one on ties; -1 if none can be cut. O(columns)."""
    best = -1
    for d in range(columns):
        if cut[d] >= 0 and (best < 0 or gain[d] > gain[best]):
            best = d
    return best


@kernel
def find_widest(codes, weights, low, high, total, smallest, frame, scratch, bound, cut):
    """Return the column of a large node with the largest spread, as `_weigh_large` and `find_most_gaining` choose it.

    `bound` holds a spread that each column cannot exceed, its parent's; it is lowered once the spread is known. Columns
    are looked at in falling order of their bounds until no other can win: usually one or two of them.
    O(rows) per column looked at.
    """
    sketch, offset, ranged, scale, fence, fenced, _ = frame
    histogram, left = scratch[0], scratch[3]
    columns, rows = scale.size, high - low
    best, largest_spread, visited_columns = -1, -1.0, np.int64(0)
    while True:
        d = -1
        for c in range(columns):
            if not (visited_columns >> c) & 1 and (d < 0 or bound[c] > bound[d]):
                d = c
        if d < 0 or bound[d] < largest_spread or (bound[d] == largest_spread and d > best >= 0):
            return best
        visited_columns |= np.int64(1) << d
        base, stop = offset[d], offset[d + 1]
        if stop - base <= 8 * rows + 64:
            for i in range(low, high):
                histogram[base + codes[i, d]] += weights[i]
            at, people, marks = median_counted(histogram, total, fence, fenced[d], base, stop, sketch)
        else:
            at, people, marks = median_wide(codes, weights, low, high, d, total, fence, fenced[d], base, sketch)
        bound[d] = spread(marks, ranged[d]) * scale[d]
        cut[d] = at if at >= 0 and people >= smallest and total - people >= smallest else -1
        left[d] = people
        if cut[d] >= 0 and (bound[d] > largest_spread or (bound[d] == largest_spread and d < best)):
            best, largest_spread = d, bound[d]

"""The regions of a split tree, recovered from the codes in its leaves.

Rows were moved so that every node of the tree is a run of leaves. A run can be cut wherever all codes on the left are
below all codes on the right, in some column; the tree's own cut is one such position. Cutting every run at the
position nearest to its middle gives a tree with the same leaves, and gives each leaf the region between the cuts around
it. The regions tile the space, whichever of the possible cuts are taken.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.sorting import double_rows


@kernel
def _find_cut(low, high, first, last, highest_up_to):
    """Return the position and the column of a run's cut, and the last code left of it; position -1 if there is none.

    O(leaves * columns), less if the first columns can be cut in the middle.
    """
    best_gap, position, column, last_code = np.int64(1) << 62, np.int64(-1), np.int64(-1), np.int64(-1)
    for d in range(low.shape[0]):
        highest_so_far = np.int64(-1)
        for i in range(first, last):
            highest_so_far = max(highest_so_far, high[d, i])
            highest_up_to[i] = highest_so_far
        lowest_so_far = np.int64(1) << 62
        for i in range(last - 1, first, -1):
            lowest_so_far = min(lowest_so_far, low[d, i])
            if highest_up_to[i - 1] < lowest_so_far:
                gap = abs(2 * i - first - last)
                if gap < best_gap:
                    best_gap, position, column, last_code = gap, np.int64(i), np.int64(d), highest_up_to[i - 1]
        if best_gap <= 1:
            break
    return position, column, last_code


@kernel(steps=20)
def narrow_regions(low, high, region_low, region_high):
    """Narrow the regions (columns x leaves, at first the whole domain) to those of a split tree; return whether the
    leaves can be separated by cuts at all.

    `low` and `high` are the least and greatest codes of each leaf, leaves in the order of the tree.
    About O(leaves * columns * depth).
    """
    leaves = low.shape[1]
    highest_up_to = np.empty(leaves, np.int64)
    stack = np.empty((64, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, leaves
    top = 1
    while top > 0:
        top -= 1
        first, last = stack[top, 0], stack[top, 1]
        if last - first < 2:
            continue
        position, column, last_code = _find_cut(low, high, first, last, highest_up_to)
        if position < 0:
            return False
        for i in range(first, position):
            region_high[column, i] = last_code
        for i in range(position, last):
            region_low[column, i] = last_code + 1
        if top + 2 > stack.shape[0]:
            stack = double_rows(stack)
        stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = position, last, first, position
        top += 2
    return True

"""The regions of a split tree, recovered from the codes in its leaves.

Rows were moved so that every node of the tree is a run of leaves. A run can be cut wherever all codes on the left are
below all codes on the right, in some column; the tree's own cut is one such place. Cutting every run at the place
nearest to its middle gives a tree with the same leaves, and gives each leaf the region between the cuts around it. The
regions tile the space, whichever of the possible cuts are taken.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def _find_cut(low, high, first, last, front):
    """Return the place and the column of a run's cut, and the last code left of it; place -1 if there is none.

    O(leaves * columns), less if the first columns can be cut in the middle.
    """
    best, at, column, code = np.int64(1) << 62, np.int64(-1), np.int64(-1), np.int64(-1)
    for d in range(low.shape[0]):
        most = np.int64(-1)
        for i in range(first, last):
            most = max(most, high[d, i])
            front[i] = most
        least = np.int64(1) << 62
        for i in range(last - 1, first, -1):
            least = min(least, low[d, i])
            if front[i - 1] < least:
                gap = abs(2 * i - first - last)
                if gap < best:
                    best, at, column, code = gap, np.int64(i), np.int64(d), front[i - 1]
        if best <= 1:
            break
    return at, column, code


@njit(nogil=True, cache=True)
def narrow_regions(low, high, region_low, region_high):
    """Narrow the regions (columns x leaves, at first the whole domain) to those of a split tree; return whether the
    leaves can be separated by cuts at all.

    `low` and `high` are the least and greatest codes of each leaf, leaves in the order of the tree.
    About O(leaves * columns * depth).
    """
    leaves = low.shape[1]
    front = np.empty(leaves, np.int64)
    stack = np.empty((64, 2), np.int64)
    stack[0] = (0, leaves)
    top = 1
    while top > 0:
        top -= 1
        first, last = stack[top]
        if last - first < 2:
            continue
        at, column, code = _find_cut(low, high, first, last, front)
        if at < 0:
            return False
        for i in range(first, at):
            region_high[column, i] = code
        for i in range(at, last):
            region_low[column, i] = code + 1
        if top + 2 > stack.shape[0]:
            stack = np.concatenate((stack, np.empty_like(stack)))
        stack[top], stack[top + 1] = (at, last), (first, at)
        top += 2
    return True

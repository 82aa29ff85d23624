"""Earth mover's distances of many groups to one table."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def ordered(starts, values, share, table):
    """For each group the sum over the domain of |cumulated share - cumulated table| / (m - 1).

    `values` rise within a group. O(groups * m).
    """
    groups, m = starts.size - 1, table.size
    answer = np.zeros(groups)
    for g in range(groups):
        ahead, moved, i = 0.0, 0.0, starts[g]
        for v in range(m):
            if i < starts[g + 1] and values[i] == v:
                ahead += share[i]
                i += 1
            ahead -= table[v]
            moved += abs(ahead)
        answer[g] = moved / max(m - 1, 1)
    return answer

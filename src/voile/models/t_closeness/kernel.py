"""Earth mover's distances between many groups and one table."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def ordered_distances(starts, values, share, table):
    """Return for each group the sum over the domain of |cumulated share - cumulated table| / (m - 1).

    `values` must rise within a group. O(groups * m).
    """
    groups, m = starts.size - 1, table.size
    answer = np.zeros(groups)
    for g in range(groups):
        surplus, distance, i = 0.0, 0.0, starts[g]
        for v in range(m):
            if i < starts[g + 1] and values[i] == v:
                surplus += share[i]
                i += 1
            surplus -= table[v]
            distance += abs(surplus)
        answer[g] = distance / max(m - 1, 1)
    return answer

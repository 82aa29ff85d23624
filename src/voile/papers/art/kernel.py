"""The compiled loop of the query experiments."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def add_cells(codes, cell, value, amount, offset, marks):
    """Return the answer to every query: the sum of the amounts of entries whose cell and value it admits.

    Entry e has the quasi-identifier `codes[cell[e]]` and the sensitive code `value[e]`; entries of one cell are
    neighbours. `marks[offset[d] + code, q]` says whether query q admits a code of column d. The queries that admit the
    first columns of a cell are listed once for all neighbours that share these columns: O(queries * entries) at most.
    """
    queries, quasi = marks.shape[1], codes.shape[1]
    answer = np.zeros(queries)
    admitting, many = np.empty((quasi + 1, queries), np.int32), np.zeros(quasi + 1, np.int64)
    for q in range(queries):
        admitting[0, q] = q
    many[0] = queries
    latest = -1
    for e in range(cell.size):
        if cell[e] != latest:
            shared = 0
            while latest >= 0 and shared < quasi and codes[cell[e], shared] == codes[latest, shared]:
                shared += 1
            latest = cell[e]
            for d in range(shared, quasi):
                mark, listed = marks[offset[d] + codes[latest, d]], 0
                for i in range(many[d]):
                    q = admitting[d, i]
                    admitting[d + 1, listed] = q
                    listed += mark[q]
                many[d + 1] = listed
        mark = marks[offset[quasi] + value[e]]
        for i in range(many[quasi]):
            q = admitting[quasi, i]
            answer[q] += amount[e] * mark[q]
    return answer

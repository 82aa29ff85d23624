"""The compiled loop of the query experiments."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def add_cells(codes, cell, value, amount, offset, marks):
    """Return the answer to every query: the sum of the amounts of entries whose cell and value it admits.

    Entry e has the quasi-identifier `codes[cell[e]]` and the sensitive code `value[e]`; entries of one cell are
    neighbours. `marks[offset[d] + code, q]` says whether query q admits a code of column d. O(cells * queries *
    columns), and the entries of a cell for the queries that admit it.
    """
    queries, quasi = marks.shape[1], codes.shape[1]
    answer, fits = np.zeros(queries), np.empty(queries, np.uint8)
    admitting, many, latest = np.empty(queries, np.int64), 0, -1
    for e in range(cell.size):
        if cell[e] != latest:
            latest = cell[e]
            fits[:] = 1
            for d in range(quasi):
                mark = marks[offset[d] + codes[latest, d]]
                for q in range(queries):
                    fits[q] &= mark[q]
            many = 0
            for q in range(queries):
                admitting[many] = q
                many += fits[q]
        mark = marks[offset[quasi] + value[e]]
        for i in range(many):
            if mark[admitting[i]]:
                answer[admitting[i]] += amount[e]
    return answer

"""Sorting and growing of small arrays inside kernels: numpy's own functions take the compiler seconds."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def order_values(values):
    """Return the positions of values in rising order, equal ones in the order in which they stand. Merge sort,
    O(n log n)."""
    order, merged = np.empty(values.size, np.int64), np.empty(values.size, np.int64)
    for i in range(values.size):
        order[i] = i
    width = 1
    while width < values.size:
        for start in range(0, values.size, 2 * width):
            middle, end = min(start + width, values.size), min(start + 2 * width, values.size)
            i, j = start, middle
            for place in range(start, end):
                if i < middle and (j >= end or values[order[i]] <= values[order[j]]):
                    merged[place] = order[i]
                    i += 1
                else:
                    merged[place] = order[j]
                    j += 1
        order, merged = merged, order
        width *= 2
    return order


@kernel
def double_rows(table):
    """Return a table with twice as many rows, the first of which are copied. O(elements)."""
    doubled = np.empty((2 * table.shape[0], table.shape[1]), table.dtype)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            doubled[i, j] = table[i, j]
    return doubled

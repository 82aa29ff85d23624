"""Top-down specialization: cut a box where the (perturbed) sensitive values differ most between the two sides.

The score of a cut is its information gain over one more than its cost in hiding:
gain / (people - people of the smaller half + 1). Both halves keep `smallest` people. Rows are moved as in Mondrian, so
that every node is a run and the leaves come in the order of the tree.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.sorting import double_rows


@kernel
def _find_best_cut(codes, values, weights, ids, low, high, smallest, size, width, n_log_n):
    """Return the column and the last code on the left of the best cut of a node; column -1 if none is allowed.

    `n_log_n` is a table of n log n for all counts. O(rows * columns + distinct codes * distinct values) with counting
    tables of width x size.
    """
    people, totals = np.int64(0), np.zeros(size, np.int64)
    for i in range(low, high):
        people += weights[ids[i]]
        totals[values[ids[i]]] += weights[ids[i]]
    if people < 2 * smallest:
        return -1, np.int64(-1)
    total_entropy = 0.0
    for v in range(size):
        total_entropy += n_log_n[totals[v]]
    best_score, column, last_code = -1.0, -1, np.int64(-1)
    rows = high - low
    order = np.empty(rows, np.int64)
    for d in range(codes.shape[1]):
        # rows by code: counting sort over the codes of the column
        starts = np.zeros(width[d] + 1, np.int64)
        for i in range(low, high):
            starts[codes[ids[i], d] + 1] += 1
        for c in range(width[d]):
            starts[c + 1] += starts[c]
        next_slot = starts[:-1].copy()
        for i in range(low, high):
            c = codes[ids[i], d]
            order[next_slot[c]] = ids[i]
            next_slot[c] += 1
        left, right = np.zeros(size, np.int64), totals.copy()
        left_entropy, right_entropy, people_left = 0.0, total_entropy, np.int64(0)
        for j in range(rows):
            row = order[j]
            v = values[row]
            # update n log n of both sides as one row crosses over
            left_entropy -= n_log_n[left[v]]
            left[v] += weights[row]
            left_entropy += n_log_n[left[v]]
            right_entropy -= n_log_n[right[v]]
            right[v] -= weights[row]
            right_entropy += n_log_n[right[v]]
            people_left += weights[row]
            if j + 1 < rows and codes[row, d] != codes[order[j + 1], d]:
                people_right = people - people_left
                if people_left >= smallest and people_right >= smallest:
                    parts = n_log_n[people_left] + n_log_n[people_right]
                    gain = n_log_n[people] - total_entropy - (parts - left_entropy - right_entropy)
                    score = gain / (people - min(people_left, people_right) + 1)
                    if score > best_score + 1e-9 * abs(best_score):
                        best_score, column, last_code = score, d, np.int64(codes[row, d])
    return column, last_code


@kernel
def grow_tree(codes, values, weights, ids, smallest, size, width):
    """Cut all rows as far as `smallest` allows; return the ends of the leaves, in order. Reorders `ids`.

    Fung, Wang, Yu: Top-down specialization (ICDE 2005). O(rows * columns * depth), plus the counting tables.
    """
    n_log_n = np.zeros(weights.sum() + 1)
    for n in range(2, n_log_n.size):
        n_log_n[n] = n * np.log(n)
    ends = np.empty(ids.size, np.int64)
    stack = np.empty((64, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, ids.size
    top, leaves = 1, 0
    while top > 0:
        top -= 1
        low, high = stack[top, 0], stack[top, 1]
        column, last_code = _find_best_cut(codes, values, weights, ids, low, high, smallest, size, width, n_log_n)
        if column < 0:
            ends[leaves] = high
            leaves += 1
            continue
        i, j = low, high - 1
        while True:
            while i <= j and codes[ids[i], column] <= last_code:
                i += 1
            while i <= j and codes[ids[j], column] > last_code:
                j -= 1
            if i >= j:
                break
            ids[i], ids[j] = ids[j], ids[i]
        if top + 2 > stack.shape[0]:
            stack = double_rows(stack)
        stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = i, high, low, i
        top += 2
    return ends[:leaves]

"""A tree of cuts applied to rows: the leaf that each row falls into, and the codes that occur in the leaves.

The children of node i are `left[i]` (codes whose rank is at most `cut[i]` in column `column[i]`) and `left[i] + 1`;
`column[i]` is -1 at a leaf. `offset[j]` is where the ranks of column j start in `rank`.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def find_leaves(codes, places, offset, rank, column, cut, left):
    """Return the leaf of each row. O(rows * depth)."""
    leaf = np.empty(codes.shape[0], np.int32)
    for i in range(codes.shape[0]):
        node = 0
        while column[node] >= 0:
            j = column[node]
            node = left[node] + (rank[offset[j] + codes[i, places[j]]] > cut[node])
        leaf[i] = node
    return leaf


@kernel(steps=1)
def count_leaf_codes(codes, weights, places, offset, leaf, slot, slots):
    """Return how many people of each chosen leaf have each code of each column (slots x codes). O(rows * columns)."""
    counts = np.zeros((slots, offset[-1]), np.int64)
    for i in range(codes.shape[0]):
        s = slot[leaf[i]]
        if s >= 0:
            for j in range(places.size):
                counts[s, offset[j] + codes[i, places[j]]] += weights[i]
    return counts

"""A binary decision tree on binned columns, whose classes were seen through a channel.

The class counts of a node are replaced by an estimate of the counts before the channel. The score of a cut is how much
it lowers the Gini impurity of these estimates, summed over both sides.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.kernels.sorting import order_values


@kernel
def undo(class_counts, total, keep, shares, estimates):
    """Estimate the counts before the channel: (count - (1-p) share total) / p, at least 0, scaled to the total.

    Writes to `estimates`. O(classes).
    """
    estimate_sum = 0.0
    for j in range(class_counts.size):
        estimates[j] = max((class_counts[j] - (1 - keep) * shares[j] * total) / keep, 0.0) if keep > 0 else 0.0
        estimate_sum += estimates[j]
    for j in range(class_counts.size):
        estimates[j] = estimates[j] * total / estimate_sum if estimate_sum > 0 else shares[j] * total


@kernel
def _compute_impurity(class_counts, total, keep, shares, estimates):
    """Return the Gini impurity of the counts before the channel, times the number of people."""
    undo(class_counts, total, keep, shares, estimates)
    squares = 0.0
    for j in range(estimates.size):
        squares += estimates[j] * estimates[j]
    return total - squares / total if total > 0 else 0.0


@kernel
def _find_best_cut(
    codes, labels, weights, ids, low, high, totals, people, bins, ranged, keep, shares, min_people, min_gain, goes_left
):
    """Return the best cut of a node: the column (-1 where none gains) and, in `goes_left`, which bins go left.

    Bins of a ranged column keep their order; others are ordered by their share of the node's most common class, which
    is the best order for two classes. O(rows * columns + bins * classes).
    """
    classes = shares.size
    node_estimates, side_estimates = np.empty(classes), np.empty(classes)
    node_impurity = _compute_impurity(totals, people, keep, shares, node_estimates)
    top_class = np.argmax(node_estimates)
    best_gain, column = max(min_gain, 1e-9 * people), -1
    for d in range(codes.shape[1]):
        histogram, sums = np.zeros((bins[d], classes)), np.zeros(bins[d])
        for i in range(low, high):
            histogram[codes[ids[i], d], labels[ids[i]]] += weights[ids[i]]
        for b in range(bins[d]):
            for j in range(classes):
                sums[b] += histogram[b, j]
        order = np.arange(bins[d])
        if not ranged[d]:
            rank = np.empty(bins[d])
            for b in range(bins[d]):
                rank[b] = histogram[b, top_class] / sums[b] if sums[b] > 0 else 2.0  # bins that nobody has come last
            order = order_values(rank)
        left, right = np.zeros(classes), totals.copy()
        people_left = 0.0
        for position in range(bins[d] - 1):
            b = order[position]
            if sums[b] == 0:
                continue
            left += histogram[b]
            right -= histogram[b]
            people_left += sums[b]
            if people_left < min_people or people - people_left < min_people:
                continue
            gain = node_impurity - _compute_impurity(left, people_left, keep, shares, side_estimates)
            gain -= _compute_impurity(right, people - people_left, keep, shares, side_estimates)
            if gain > best_gain:
                best_gain, column = gain, d
                goes_left[:] = False
                for j in range(position + 1):
                    goes_left[order[j]] = True
    return column


@kernel(steps=5, enough=4 * ENOUGH)
def grow(codes, labels, weights, bins, ranged, keep, shares, depth, min_people, min_gain):
    """Return the nodes of the tree: the column of each (-1 for a leaf), its two children, which bins go left, and the
    estimated class counts before the channel.

    Each side of a cut must have `min_people` people, and the cut must gain more than `min_gain`.
    O(rows * columns * depth).
    """
    rows, classes = codes.shape[0], shares.size
    ids = np.arange(rows)
    room = 2 ** min(depth + 1, 20)
    column, children = np.full(room, -1), np.full((room, 2), -1)
    sides, counts = np.zeros((room, bins.max()), np.bool_), np.zeros((room, classes))
    stack = np.empty((room, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, rows, 0
    top, nodes = 1, 1
    while top > 0:
        top -= 1
        node, low, high, level = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        totals = np.zeros(classes)
        for i in range(low, high):
            totals[labels[ids[i]]] += weights[ids[i]]
        people = 0.0
        for j in range(classes):
            people += totals[j]
        undo(totals, people, keep, shares, counts[node])
        if level >= depth or people < 2 * min_people or nodes + 2 > room:
            continue
        d = _find_best_cut(
            codes,
            labels,
            weights,
            ids,
            low,
            high,
            totals,
            people,
            bins,
            ranged,
            keep,
            shares,
            min_people,
            min_gain,
            sides[node],
        )
        if d < 0:
            continue
        i, j = low, high - 1
        while i <= j:
            if sides[node, codes[ids[i], d]]:
                i += 1
            else:
                ids[i], ids[j] = ids[j], ids[i]
                j -= 1
        column[node], children[node, 0], children[node, 1] = d, nodes, nodes + 1
        stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = nodes, low, i, level + 1
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2], stack[top + 1, 3] = nodes + 1, i, high, level + 1
        top += 2
        nodes += 2
    return column[:nodes], children[:nodes], sides[:nodes], counts[:nodes]


@kernel(steps=5)
def find_leaves(codes, column, children, sides, heavier):
    """Return the leaf of each row; a bin of -1, not seen in training, goes to the heavier side. O(rows * depth)."""
    leaf_of_row = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        node = 0
        while column[node] >= 0:
            code = codes[i, column[node]]
            goes_left = heavier[node] == 0 if code < 0 else sides[node, code]
            node = children[node, 0 if goes_left else 1]
        leaf_of_row[i] = node
    return leaf_of_row

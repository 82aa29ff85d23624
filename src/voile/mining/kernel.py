"""A binary decision tree on binned columns, whose classes were seen through a channel.

Class counts of a node are put back to what they were before the channel (as far as they tell) before they are judged:
a cut is as good as it lowers the Gini impurity of the counts so found on both sides.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def undo(seen, total, keep, shares, found):
    """Counts before the channel: (seen - (1-p) share total) / p, at least 0, scaled back to the total. O(classes)."""
    left = 0.0
    for j in range(seen.size):
        found[j] = max((seen[j] - (1 - keep) * shares[j] * total) / keep, 0.0) if keep > 0 else 0.0
        left += found[j]
    for j in range(seen.size):
        found[j] = found[j] * total / left if left > 0 else shares[j] * total


@njit(nogil=True, cache=True)
def _impurity(seen, total, keep, shares, found):
    """Gini impurity of the counts before the channel, times the people."""
    undo(seen, total, keep, shares, found)
    squares = 0.0
    for j in range(found.size):
        squares += found[j] * found[j]
    return total - squares / total if total > 0 else 0.0


@njit(nogil=True, cache=True)
def _best(codes, labels, weights, ids, low, high, totals, people, bins, ranged, keep, shares, least, floor, chosen):
    """Return the best cut of a node: the column (-1 where none gains) and, in `chosen`, which bins go left.

    Bins of a ranged column keep their order; others are ordered by their share of the node's most common class, which
    is the best order there is for two classes. O(rows * columns + bins * classes).
    """
    classes = shares.size
    before, after = np.empty(classes), np.empty(classes)
    whole = _impurity(totals, people, keep, shares, before)
    common = np.argmax(before)
    best, column = max(floor, 1e-9 * people), -1
    for d in range(codes.shape[1]):
        histogram = np.zeros((bins[d], classes))
        for i in range(low, high):
            histogram[codes[ids[i], d], labels[ids[i]]] += weights[ids[i]]
        sums = histogram.sum(axis=1)
        order = np.arange(bins[d])
        if not ranged[d]:
            rank = np.empty(bins[d])
            for b in range(bins[d]):
                rank[b] = histogram[b, common] / sums[b] if sums[b] > 0 else 2.0  # bins that nobody has come last
            order = np.argsort(rank, kind="mergesort")
        left, right = np.zeros(classes), totals.copy()
        seen = 0.0
        for place in range(bins[d] - 1):
            b = order[place]
            if sums[b] == 0:
                continue
            left += histogram[b]
            right -= histogram[b]
            seen += sums[b]
            if seen < least or people - seen < least:
                continue
            gain = whole - _impurity(left, seen, keep, shares, after)
            gain -= _impurity(right, people - seen, keep, shares, after)
            if gain > best:
                best, column = gain, d
                chosen[:] = False
                for earlier in range(place + 1):
                    chosen[order[earlier]] = True
    return column


@njit(nogil=True, cache=True)
def grow(codes, labels, weights, bins, ranged, keep, shares, depth, least, floor):
    """Nodes of the tree: the column of each (-1 for a leaf), its two children, which bins go left, and the class counts
    found before the channel. `least` people must be on both sides of a cut, and it must gain more than `floor`.
    O(rows * columns * depth)."""
    rows, classes = codes.shape[0], shares.size
    ids = np.arange(rows)
    room = 2 ** min(depth + 1, 20)
    column, children = np.full(room, -1), np.full((room, 2), -1)
    sides, counts = np.zeros((room, bins.max()), np.bool_), np.zeros((room, classes))
    stack = np.empty((room, 4), np.int64)
    stack[0] = (0, 0, rows, 0)
    top, made = 1, 1
    while top > 0:
        top -= 1
        node, low, high, level = stack[top]
        totals = np.zeros(classes)
        for i in range(low, high):
            totals[labels[ids[i]]] += weights[ids[i]]
        people = totals.sum()
        undo(totals, people, keep, shares, counts[node])
        if level >= depth or people < 2 * least or made + 2 > room:
            continue
        d = _best(
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
            least,
            floor,
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
        column[node], children[node, 0], children[node, 1] = d, made, made + 1
        stack[top] = (made, low, i, level + 1)
        stack[top + 1] = (made + 1, i, high, level + 1)
        top += 2
        made += 2
    return column[:made], children[:made], sides[:made], counts[:made]


@njit(nogil=True, cache=True)
def leaves(codes, column, children, sides, heavier):
    """Return the leaf of each row; a bin of -1, not seen in training, goes to the heavier side. O(rows * depth)."""
    found = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        node = 0
        while column[node] >= 0:
            code = codes[i, column[node]]
            left = heavier[node] == 0 if code < 0 else sides[node, code]
            node = children[node, 0 if left else 1]
        found[i] = node
    return found

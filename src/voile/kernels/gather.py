"""What occurs of a column in each group, by one pass over the rows."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def extents(group, codes, column, groups):
    """Least and greatest code of each group. O(n)."""
    low, high = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    for i in range(group.size):
        g, c = group[i], np.int64(codes[i, column])
        low[g] = min(low[g], c)
        high[g] = max(high[g], c)
    return low, high


@njit(nogil=True, cache=True)
def ranked_extents(group, codes, column, groups, rank):
    """Least and greatest rank of each group's codes. O(n)."""
    low, high = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    for i in range(group.size):
        g, c = group[i], rank[codes[i, column]]
        low[g] = min(low[g], c)
        high[g] = max(high[g], c)
    return low, high


@njit(nogil=True, cache=True)
def headcount(group, weights, groups):
    """How many people each group has. O(n)."""
    total = np.zeros(groups, np.int64)
    for i in range(group.size):
        total[group[i]] += weights[i]
    return total


@njit(nogil=True, cache=True)
def pick(group, weights, codes, column, places):
    """The code of the places[g]-th person of each group, in the order of the rows. O(n)."""
    left, found = places.copy(), np.full(places.size, -1)
    for i in range(group.size):
        g = group[i]
        if left[g] >= 0:
            left[g] -= weights[i]
            if left[g] < 0:
                found[g] = codes[i, column]
    return found


@njit(nogil=True, cache=True)
def masks(group, codes, column, groups):
    """The codes of each group as a 64-bit set, for columns of at most 64 values. O(n)."""
    found = np.zeros(groups, np.uint64)
    for i in range(group.size):
        found[group[i]] |= np.uint64(1) << np.uint64(codes[i, column])
    return found


@njit(nogil=True, cache=True)
def expand(found):
    """Sets as lists: where each starts, and the codes, rising. O(64 * sets)."""
    starts = np.zeros(found.size + 1, np.int64)
    for g in range(found.size):
        total = np.int64(0)
        for c in range(64):
            total += np.int64((found[g] >> np.uint64(c)) & np.uint64(1))
        starts[g + 1] = starts[g] + total
    members = np.empty(starts[-1], np.int64)
    place = 0
    for g in range(found.size):
        for c in range(64):
            if (found[g] >> np.uint64(c)) & np.uint64(1):
                members[place] = c
                place += 1
    return starts, members


@njit(nogil=True, cache=True)
def fingerprints(starts, members):
    """Two 64-bit sums of scrambled codes for each set: equal sets have equal ones, others do not but for chance
    2**-128.
    """
    sums = np.zeros((starts.size - 1, 2), np.uint64)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            for half in range(2):
                x = np.uint64(2 * members[i] + half + 1) * np.uint64(0x9E3779B97F4A7C15)
                x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                sums[g, half] += x ^ (x >> np.uint64(31))
    return sums


@njit(nogil=True, cache=True)
def _as_masks(starts, members):
    """Sets of codes below 64 as 64-bit words. O(members)."""
    found = np.zeros(starts.size - 1, np.uint64)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            found[g] |= np.uint64(1) << np.uint64(members[i])
    return found


def same_sets(starts: np.ndarray, members: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """One representative of each different set, and the number of each set's representative."""
    if size <= 64:
        _, first, number = np.unique(_as_masks(starts, members), return_index=True, return_inverse=True)
        return first, number
    prints = fingerprints(starts, members)
    order = np.lexsort((prints[:, 1], prints[:, 0]))
    fresh = np.append(True, (prints[order][1:] != prints[order][:-1]).any(axis=1)) if len(order) else np.zeros(0, bool)
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return order[fresh], number

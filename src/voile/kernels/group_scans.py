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


@njit(nogil=True, cache=True)
def agree(starts, members, model):
    """Whether every set is the same, member by member, as the one that `model` names for it. O(members)."""
    for g in range(starts.size - 1):
        start, other = starts[g], starts[model[g]]
        length = starts[g + 1] - start
        if length != starts[model[g] + 1] - other:
            return False
        for i in range(length):
            if members[start + i] != members[other + i]:
                return False
    return True


@njit(nogil=True, cache=True)
def _has(members, low, high, value):
    """Whether a rising stretch holds a value. O(log)."""
    while low < high:
        middle = (low + high) // 2
        if members[middle] < value:
            low = middle + 1
        elif members[middle] > value:
            high = middle
        else:
            return True
    return False


@njit(nogil=True, cache=True)
def _fits(listed, starts, members, codes, row):
    for j in range(codes.shape[1]):  # noqa: SIM110 - numba compiles no generator
        if not _has(members, starts[listed[j]], starts[listed[j] + 1], codes[row, j]):
            return False
    return True


@njit(nogil=True, cache=True)
def fitting(first, listed, starts, members, codes, whose):
    """For each pair of a first value and lists (one a further column) the rows that fit: where each pair starts, rows.

    Rows are sorted by their first value, those of value v being whose[v]..whose[v+1]; `codes` are their further values.
    O(pairs * rows of the value * columns * log list).
    """
    begins = np.zeros(first.size + 1, np.int64)
    for p in range(first.size):
        total = 0
        for row in range(whose[first[p]], whose[first[p] + 1]):
            total += _fits(listed[p], starts, members, codes, row)
        begins[p + 1] = begins[p] + total
    found = np.empty(begins[-1], np.int64)
    for p in range(first.size):
        place = begins[p]
        for row in range(whose[first[p]], whose[first[p] + 1]):
            if _fits(listed[p], starts, members, codes, row):
                found[place] = row
                place += 1
    return begins, found


@njit(nogil=True, cache=True)
def spread(slots, kind, starts, values, numbers, begins, listed, size):
    """Numbers of the kinds of a group's slots, summed at the values that the group lists; values not listed are left
    out. `slots` are the cuts between groups in `kind`, `begins` those in `listed`. O(slots * values of a kind)."""
    total = np.zeros(listed.size)
    place = np.full(size, -1, np.int64)
    for g in range(begins.size - 1):
        for i in range(begins[g], begins[g + 1]):
            place[listed[i]] = i
        for s in range(slots[g], slots[g + 1]):
            for i in range(starts[kind[s]], starts[kind[s] + 1]):
                if place[values[i]] >= 0:
                    total[place[values[i]]] += numbers[i]
        for i in range(begins[g], begins[g + 1]):
            place[listed[i]] = -1
    return total


@njit(nogil=True, cache=True)
def unions(slots, kind, starts, values, size):
    """The values of the kinds of each group's slots, each once, rising: where each group starts, and the values.

    `slots` are the cuts between groups in `kind`; kind k has values[starts[k]:starts[k+1]]. O(slots * values of a
    kind).
    """
    seen = np.full(size, -1, np.int64)
    begins = np.zeros(slots.size, np.int64)
    for g in range(slots.size - 1):
        total = 0
        for s in range(slots[g], slots[g + 1]):
            for i in range(starts[kind[s]], starts[kind[s] + 1]):
                if seen[values[i]] != g:
                    seen[values[i]] = g
                    total += 1
        begins[g + 1] = begins[g] + total
    found = np.empty(begins[-1], np.int64)
    seen[:] = -1
    for g in range(slots.size - 1):
        place = begins[g]
        for s in range(slots[g], slots[g + 1]):
            for i in range(starts[kind[s]], starts[kind[s] + 1]):
                if seen[values[i]] != g:
                    seen[values[i]] = g
                    found[place] = values[i]
                    place += 1
        found[begins[g] : place].sort()
    return begins, found


@njit(nogil=True, cache=True)
def padded(begins, listed, wanted, slots, kind, starts, values, order, size):
    """Lists filled up to `wanted` values with the first of `order` that some slot of the group could have.

    Slots of kind k can have values[starts[k]:starts[k+1]], rising. O(short groups * order * slots * log values).
    """
    room = np.zeros(begins.size, np.int64)
    for g in range(begins.size - 1):
        room[g + 1] = room[g] + max(begins[g + 1] - begins[g], wanted)
    found = np.empty(room[-1], np.int64)
    cuts = np.zeros(begins.size, np.int64)
    seen = np.full(size, -1, np.int64)
    place = 0
    for g in range(begins.size - 1):
        first = place
        for i in range(begins[g], begins[g + 1]):
            seen[listed[i]] = g
            found[place] = listed[i]
            place += 1
        for value in order:
            if place - first >= wanted:
                break
            if seen[value] == g:
                continue
            for s in range(slots[g], slots[g + 1]):
                if _has(values, starts[kind[s]], starts[kind[s] + 1], value):
                    found[place] = value
                    place += 1
                    break
        found[first:place].sort()
        cuts[g + 1] = place
    return cuts, found[:place]

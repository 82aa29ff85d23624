"""Codes of a column by group, collected in one pass over the rows; and comparisons of sets of codes."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel(steps=1)
def find_extents(group, codes, column, groups):
    """Return the least and the greatest code of each group. O(n)."""
    low, high = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    for i in range(group.size):
        g, c = group[i], np.int64(codes[i, column])
        low[g] = min(low[g], c)
        high[g] = max(high[g], c)
    return low, high


@kernel(steps=1)
def find_ranked_extents(group, codes, column, groups, rank):
    """Return the least and the greatest rank of each group's codes. O(n)."""
    low, high = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    for i in range(group.size):
        g, c = group[i], rank[codes[i, column]]
        low[g] = min(low[g], c)
        high[g] = max(high[g], c)
    return low, high


@kernel(steps=1)
def count_people(group, weights, groups):
    """Return how many people each group has. O(n)."""
    total = np.zeros(groups, np.int64)
    for i in range(group.size):
        total[group[i]] += weights[i]
    return total


@kernel(steps=1)
def pick_codes(group, weights, codes, column, places):
    """Return the code of the places[g]-th person of each group g, in the order of the rows. O(n)."""
    people_left, picked_codes = places.copy(), np.full(places.size, -1)
    for i in range(group.size):
        g = group[i]
        if people_left[g] >= 0:
            people_left[g] -= weights[i]
            if people_left[g] < 0:
                picked_codes[g] = codes[i, column]
    return picked_codes


@kernel(steps=1)
def collect_masks(group, codes, column, groups):
    """Return the codes of each group as a 64-bit set, for columns of at most 64 values. O(n)."""
    masks = np.zeros(groups, np.uint64)
    for i in range(group.size):
        masks[group[i]] |= np.uint64(1) << np.uint64(codes[i, column])
    return masks


@kernel(steps=128)
def expand_masks(masks):
    """Return 64-bit sets as lists: where each list starts, and its codes, rising. O(64 * sets)."""
    starts = np.zeros(masks.size + 1, np.int64)
    for g in range(masks.size):
        total = np.int64(0)
        for c in range(64):
            total += np.int64((masks[g] >> np.uint64(c)) & np.uint64(1))
        starts[g + 1] = starts[g] + total
    members = np.empty(starts[-1], np.int64)
    end = 0
    for g in range(masks.size):
        for c in range(64):
            if (masks[g] >> np.uint64(c)) & np.uint64(1):
                members[end] = c
                end += 1
    return starts, members


@kernel(steps=10)
def hash_sets(starts, members):
    """Return two 64-bit sums of scrambled codes per set. Equal sets have equal sums; different sets differ except with
    probability 2**-128. Codes are scrambled by splitmix64. O(members)."""
    sums = np.zeros((starts.size - 1, 2), np.uint64)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            for half in range(2):
                x = np.uint64(2 * np.int64(members[i]) + half + 1) * np.uint64(0x9E3779B97F4A7C15)
                x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                sums[g, half] += x ^ (x >> np.uint64(31))
    return sums


@kernel(steps=1)
def _masks_of(starts, members):
    """Return sets of codes below 64 as 64-bit words. O(members)."""
    masks = np.zeros(starts.size - 1, np.uint64)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            masks[g] |= np.uint64(1) << np.uint64(members[i])
    return masks


def match_equal_sets(starts: np.ndarray, members: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return one representative of each distinct set, and the number of each set's representative.

    O(members + sets log sets).
    """
    if size <= 64:
        _, first, set_number = np.unique(_masks_of(starts, members), return_index=True, return_inverse=True)
        return first, set_number
    prints = hash_sets(starts, members)
    order = np.lexsort((prints[:, 1], prints[:, 0]))
    is_new = np.append(True, (prints[order][1:] != prints[order][:-1]).any(axis=1)) if len(order) else np.zeros(0, bool)
    set_number = np.empty(len(order), np.int64)
    set_number[order] = np.cumsum(is_new) - 1
    return order[is_new], set_number


@kernel(steps=1)
def sets_agree(starts, members, model):
    """Return whether every set equals, member by member, the one that `model` names for it. O(members)."""
    for g in range(starts.size - 1):
        start, model_start = starts[g], starts[model[g]]
        length = starts[g + 1] - start
        if length != starts[model[g] + 1] - model_start:
            return False
        for i in range(length):
            if members[start + i] != members[model_start + i]:
                return False
    return True


@kernel
def includes_value(members, low, high, value):
    """Return whether the rising members low..high-1 include a value. O(log members)."""
    while low < high:
        middle = (low + high) // 2
        if members[middle] < value:
            low = middle + 1
        elif members[middle] > value:
            high = middle
        else:
            return True
    return False


@kernel
def _row_fits(row_lists, starts, members, codes, row):
    """Return whether every value of a row is in the list of its column. O(columns * log list)."""
    for j in range(codes.shape[1]):
        if not includes_value(members, starts[row_lists[j]], starts[row_lists[j] + 1], codes[row, j]):
            return False
    return True


@kernel
def find_fitting_rows(first, pair_lists, starts, members, codes, value_starts):
    """Return the rows that fit each pair of a first value and lists (one per further column): where the rows of each
    pair start, and the rows.

    Rows are sorted by their first value, those of value v being whose[v]..whose[v+1]-1; `codes` are their other values.
    O(pairs * rows of the value * columns * log list).
    """
    begins = np.zeros(first.size + 1, np.int64)
    for p in range(first.size):
        total = 0
        for row in range(value_starts[first[p]], value_starts[first[p] + 1]):
            total += _row_fits(pair_lists[p], starts, members, codes, row)
        begins[p + 1] = begins[p] + total
    fitting_rows = np.empty(begins[-1], np.int64)
    for p in range(first.size):
        end = begins[p]
        for row in range(value_starts[first[p]], value_starts[first[p] + 1]):
            if _row_fits(pair_lists[p], starts, members, codes, row):
                fitting_rows[end] = row
                end += 1
    return begins, fitting_rows


@kernel
def sum_at_listed(slots, kind, starts, values, numbers, begins, listed, size):
    """Return, for each value that a group lists, the sum of its numbers over the kinds of the group's slots.

    Kind k has values[starts[k]:starts[k+1]] with `numbers`; values that the group does not list are left out. `slots`
    are the cuts between groups in `kind`, `begins` those in `listed`. O(slots * values of a kind).
    """
    total = np.zeros(listed.size)
    position = np.full(size, -1, np.int64)
    for g in range(begins.size - 1):
        for i in range(begins[g], begins[g + 1]):
            position[listed[i]] = i
        for s in range(slots[g], slots[g + 1]):
            for i in range(starts[kind[s]], starts[kind[s] + 1]):
                if position[values[i]] >= 0:
                    total[position[values[i]]] += numbers[i]
        for i in range(begins[g], begins[g + 1]):
            position[listed[i]] = -1
    return total

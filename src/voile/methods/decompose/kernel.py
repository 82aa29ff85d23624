"""Decompose's loops: the values that each group lists, and groups merged until none exceeds a limit."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.group_scans import includes_value


@kernel
def compute_excess(starts, group, share, groups):
    """Return how far each group is above its limits (groups x limits): the sum of `share` (buckets x limits), by how
    much a row of the bucket lies above each limit, over its rows.

    Rows are sorted by bucket; `group[i]` is the group of row i. O(rows * limits).
    """
    excess = np.zeros((groups, share.shape[1]))
    for bucket in range(starts.size - 1):
        for i in range(starts[bucket], starts[bucket + 1]):
            for limit in range(share.shape[1]):
                excess[group[i], limit] += share[bucket, limit]
    return excess


@kernel
def _last_unused(order, jump, is_merged, position):
    """Return the last position up to `position` whose group is not merged yet, or -1. `jump` learns to skip merged
    groups (path compression). Nearly O(1), amortized."""
    root = position
    while root >= 0 and is_merged[order[root]]:
        root = jump[root]
    while position >= 0 and position != root:
        next_position = jump[position]
        jump[position] = root
        position = next_position
    return root


@kernel
def merge_groups(over, slack):
    """Merge groups until none is above a limit; return the new group of each. `over` is their excess, which adds up.

    Groups that are furthest above a limit come first. Each takes in the group that just makes up for its worst value,
    or the group that is furthest below if none does, and so on; groups that were merged already are taken in only when
    no other is left. Ends with one group at the latest. O(groups log groups) per value that is in excess somewhere, if
    single groups suffice.
    """
    groups, values = over.shape
    parent, is_merged = np.arange(groups), np.zeros(groups, np.bool_)
    order, jump = np.empty((values, groups), np.int32), np.empty((values, groups), np.int32)
    below = np.empty((values, groups))
    ready, next_position = np.zeros(values, np.bool_), np.zeros(values, np.int64)
    worst = np.empty(groups)
    for g in range(groups):
        worst[g] = over[g].max()
    scans = 0
    for g in np.argsort(-worst, kind="mergesort"):
        if worst[g] <= slack:
            break
        while parent[g] == g:
            value = np.argmax(over[g])
            if over[g, value] <= slack:
                break
            if not ready[value]:
                order[value] = np.argsort(over[:, value], kind="mergesort")
                below[value] = over[:, value][order[value]]
                jump[value] = np.arange(-1, groups - 1)
                ready[value] = True
            is_merged[g] = True
            enough_below = np.searchsorted(below[value], -over[g, value], side="right") - 1
            at = _last_unused(order[value], jump[value], is_merged, enough_below)
            partner = -1
            if at >= 0:
                partner = order[value, at]
            while partner < 0 and next_position[value] < groups:
                if not is_merged[order[value, next_position[value]]]:
                    partner = order[value, next_position[value]]
                next_position[value] += 1
            if partner < 0:
                scans += 1
                for candidate in range(groups):
                    if candidate != g and parent[candidate] == candidate:
                        if scans > 100:  # it takes too long: take in all remaining groups
                            parent[candidate] = g
                            over[g] += over[candidate]
                        elif partner < 0 or over[candidate, value] < over[partner, value]:
                            partner = candidate
                if scans > 100 or partner < 0:
                    break
            parent[partner], is_merged[partner] = g, True
            over[g] += over[partner]
    new_label = np.full(groups, -1, np.int64)
    label = np.empty(groups, np.int64)
    total = 0
    for g in range(groups):
        root = g
        while parent[root] != root:
            root = parent[root]
        if new_label[root] < 0:
            new_label[root] = total
            total += 1
        label[g] = new_label[root]
    return label


@kernel
def unite_values(slots, kind, starts, values, size):
    """Return the values of the kinds of each group's slots, each value once, rising: where each group starts, and the
    values.

    `slots` are the cuts between groups in `kind`; kind k has values[starts[k]:starts[k+1]].
    O(slots * values of a kind).
    """
    last_group = np.full(size, -1, np.int64)
    begins = np.zeros(slots.size, np.int64)
    for g in range(slots.size - 1):
        total = 0
        for s in range(slots[g], slots[g + 1]):
            for i in range(starts[kind[s]], starts[kind[s] + 1]):
                if last_group[values[i]] != g:
                    last_group[values[i]] = g
                    total += 1
        begins[g + 1] = begins[g] + total
    united = np.empty(begins[-1], np.int64)
    last_group[:] = -1
    for g in range(slots.size - 1):
        end = begins[g]
        for s in range(slots[g], slots[g + 1]):
            for i in range(starts[kind[s]], starts[kind[s] + 1]):
                if last_group[values[i]] != g:
                    last_group[values[i]] = g
                    united[end] = values[i]
                    end += 1
        united[begins[g] : end].sort()
    return begins, united


@kernel
def pad_lists(begins, list_values, length, slots, kind, starts, values, order, size):
    """Fill lists up to `length` values with the first of `order` that some slot of the group could have; return where
    each list starts, and its values, rising.

    Slots of kind k can have values[starts[k]:starts[k+1]], rising. O(short groups * order * slots * log values).
    """
    room = np.zeros(begins.size, np.int64)
    for g in range(begins.size - 1):
        room[g + 1] = room[g] + max(begins[g + 1] - begins[g], length)
    padded = np.empty(room[-1], np.int64)
    cuts = np.zeros(begins.size, np.int64)
    last_group = np.full(size, -1, np.int64)
    end = 0
    for g in range(begins.size - 1):
        first = end
        for i in range(begins[g], begins[g + 1]):
            last_group[list_values[i]] = g
            padded[end] = list_values[i]
            end += 1
        for value in order:
            if end - first >= length:
                break
            if last_group[value] == g:
                continue
            for s in range(slots[g], slots[g + 1]):
                if includes_value(values, starts[kind[s]], starts[kind[s] + 1], value):
                    padded[end] = value
                    end += 1
                    break
        padded[first:end].sort()
        cuts[g + 1] = end
    return cuts, padded[:end]

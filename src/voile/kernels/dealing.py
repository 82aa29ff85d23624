"""Largest-l: deal the rows of buckets (one bucket a sensitive value) into groups of l rows from l different buckets.

Each group takes one row from each of the l largest buckets, so that as many groups as possible are formed. The buckets
are kept sorted by what is left in them: among equals the chosen ones are moved to the end of their block, which keeps
the order without a heap. Ties are broken by coins.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def _first_at_most(left, bound):
    """The first position of a falling array with left <= bound. O(log n)."""
    low, high = 0, left.size
    while low < high:
        middle = (low + high) // 2
        if left[middle] <= bound:
            high = middle
        else:
            low = middle + 1
    return low


@njit(nogil=True, cache=True)
def largest_l(sizes, l, coins):  # noqa: E741
    """The buckets that each group draws from (groups x l), and what is left in each bucket.

    `coins` are random 64-bit numbers, one for each group, stretched where a group has several ties to break.
    O(rows + groups log buckets).
    """
    order = np.argsort(-sizes, kind="mergesort")
    left = sizes[order].copy()
    total = 0
    for size in sizes:
        total += size
    picks = np.empty((total // l, l), np.int64)
    groups = 0
    while left.size >= l and left[l - 1] > 0:
        least = left[l - 1]
        start, stop = _first_at_most(left, least), _first_at_most(left, least - 1)
        for i in range(start):
            picks[groups, i] = order[i]
            left[i] -= 1
        coin = coins[groups]
        for i in range(l - start):
            end = stop - 1 - i
            coin = (coin ^ (coin >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            other = start + np.int64((coin >> np.uint64(20)) % np.uint64(end - start + 1))
            order[end], order[other] = order[other], order[end]
            picks[groups, start + i] = order[end]
            left[end] -= 1
        groups += 1
    remaining = np.zeros(sizes.size, np.int64)
    for i in range(left.size):
        remaining[order[i]] = left[i]
    return picks[:groups], remaining


@njit(nogil=True, cache=True)
def seat(starts, picks, remaining, coins, spare):
    """The group of each row, rows sorted by bucket; rows within a bucket take the bucket's groups in random order.

    Leftovers go to a random group that lacks their value, or get -1 where there is none. `coins` has one number for
    each row, `spare` one for each leftover. O(rows), and O(groups * l) for each leftover.
    """
    group = np.full(starts[-1], -1, np.int64)
    used = starts[:-1].copy()
    for g in range(picks.shape[0]):
        for i in range(picks.shape[1]):
            bucket = picks[g, i]
            group[used[bucket]] = g
            used[bucket] += 1
    coin = 0
    lacking = np.empty(picks.shape[0], np.int64)
    for bucket in range(remaining.size):
        if remaining[bucket] > 0:
            found = 0
            for g in range(picks.shape[0]):
                has = False
                for i in range(picks.shape[1]):
                    has |= picks[g, i] == bucket
                if not has:
                    lacking[found] = g
                    found += 1
            for _ in range(remaining[bucket]):
                if found == 0:
                    break
                pick = np.int64(spare[coin] % np.uint64(found))
                coin += 1
                group[used[bucket]] = lacking[pick]
                used[bucket] += 1
                found -= 1
                lacking[pick] = lacking[found]
        for i in range(starts[bucket + 1] - 1, starts[bucket], -1):
            other = starts[bucket] + np.int64(coins[i] % np.uint64(i - starts[bucket] + 1))
            group[i], group[other] = group[other], group[i]
    return group


@njit(nogil=True, cache=True)
def hand_out(bucket, counts, starts, group):
    """Each row of each cell takes the next group of its bucket: the cell and the group of every row. O(rows).

    The bucket's groups are already in random order, so cells may be served in theirs.
    """
    cells, groups = np.empty(group.size, np.int64), np.empty(group.size, np.int64)
    following = starts[:-1].copy()
    place = 0
    for cell in range(bucket.size):
        b = bucket[cell]
        for _ in range(counts[cell]):
            cells[place] = cell
            groups[place] = group[following[b]]
            following[b] += 1
            place += 1
    return cells, groups


@njit(nogil=True, cache=True)
def excess(starts, group, share, limits, groups):
    """How far each group is above its limits: the shares of its rows' buckets, summed, less limit times rows.

    Rows are sorted by bucket. O(rows * values).
    """
    found = np.zeros((groups, limits.size))
    for bucket in range(starts.size - 1):
        for i in range(starts[bucket], starts[bucket + 1]):
            for value in range(limits.size):
                found[group[i], value] += share[bucket, value] - limits[value]
    return found


@njit(nogil=True, cache=True)
def _unused(order, jump, used, place):
    """The last place up to `place` whose group is not used, or -1; `jump` learns to skip the used ones."""
    root = place
    while root >= 0 and used[order[root]]:
        root = jump[root]
    while place >= 0 and place != root:
        following = jump[place]
        jump[place] = root
        place = following
    return root


@njit(nogil=True, cache=True)
def joined(over, slack):
    """Join groups until none is above a limit (`over` is their excess, which adds up): the new group of each.

    Groups that are furthest above come first. Each takes in the group that just makes up for its worst value, or the
    one that is furthest below where none does, and so on; groups that were joined already are taken in only when no
    other is left. Ends with one group at the latest. O(groups log groups) for each value that is in excess
    somewhere, if single groups suffice.
    """
    groups, values = over.shape
    parent, used = np.arange(groups), np.zeros(groups, np.bool_)
    order, jump = np.empty((values, groups), np.int32), np.empty((values, groups), np.int32)
    below = np.empty((values, groups))
    ready, place = np.zeros(values, np.bool_), np.zeros(values, np.int64)
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
            used[g] = True
            enough = np.searchsorted(below[value], -over[g, value], side="right") - 1
            at = _unused(order[value], jump[value], used, enough)
            other = -1
            if at >= 0:
                other = order[value, at]
            while other < 0 and place[value] < groups:
                if not used[order[value, place[value]]]:
                    other = order[value, place[value]]
                place[value] += 1
            if other < 0:
                scans += 1
                for candidate in range(groups):
                    if candidate != g and parent[candidate] == candidate:
                        if scans > 100:  # it does not come to an end: all that are left
                            parent[candidate] = g
                            over[g] += over[candidate]
                        elif other < 0 or over[candidate, value] < over[other, value]:
                            other = candidate
                if scans > 100 or other < 0:
                    break
            parent[other], used[other] = g, True
            over[g] += over[other]
    number = np.full(groups, -1, np.int64)
    label = np.empty(groups, np.int64)
    total = 0
    for g in range(groups):
        root = g
        while parent[root] != root:
            root = parent[root]
        if number[root] < 0:
            number[root] = total
            total += 1
        label[g] = number[root]
    return label

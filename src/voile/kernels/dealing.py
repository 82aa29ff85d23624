"""Largest-l: deal the rows of buckets (one bucket per sensitive value) into groups of l rows from l different buckets.

Each group takes one row from each of the l largest buckets, which forms as many groups as possible (Xiao, Tao:
Anatomy, VLDB 2006). The buckets are kept sorted by the rows left in them: among buckets of equal size the chosen ones
move to the end of their block, which keeps the order without a heap. Ties are broken at random.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def _first_at_most(falling, bound):
    """Return the first position of a falling array whose value is at most `bound`. O(log n)."""
    low, high = 0, falling.size
    while low < high:
        middle = (low + high) // 2
        if falling[middle] <= bound:
            high = middle
        else:
            low = middle + 1
    return low


@kernel(steps=20)
def pick_largest_l(sizes, l, coins):  # noqa: E741
    """Return the buckets that each group draws from (groups x l), and the rows left in each bucket.

    `coins` are random 64-bit numbers, one per group, stretched if a group has several ties to break.
    O(rows + groups log buckets).
    """
    order = np.argsort(-sizes, kind="mergesort")
    rows_left = sizes[order].copy()
    total = 0
    for size in sizes:
        total += size
    picks = np.empty((total // l, l), np.int64)
    groups = 0
    while rows_left.size >= l and rows_left[l - 1] > 0:
        least = rows_left[l - 1]
        start, stop = _first_at_most(rows_left, least), _first_at_most(rows_left, least - 1)
        for i in range(start):
            picks[groups, i] = order[i]
            rows_left[i] -= 1
        coin = coins[groups]
        for i in range(l - start):
            end = stop - 1 - i
            coin = (coin ^ (coin >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            swap = start + np.int64((coin >> np.uint64(20)) % np.uint64(end - start + 1))
            order[end], order[swap] = order[swap], order[end]
            picks[groups, start + i] = order[end]
            rows_left[end] -= 1
        groups += 1
    remaining = np.zeros(sizes.size, np.int64)
    for i in range(rows_left.size):
        remaining[order[i]] = rows_left[i]
    return picks[:groups], remaining


@kernel(steps=10)
def seat_rows(starts, picks, remaining, coins, spare):
    """Return the group of each row, rows sorted by bucket; the rows of a bucket take its groups in random order.

    A leftover row goes to a random group that lacks its value, or gets -1 if there is none. `coins` has one random
    number per row, `spare` one per leftover. O(rows), and O(groups * l) per bucket with leftovers.
    """
    group = np.full(starts[-1], -1, np.int64)
    next_row = starts[:-1].copy()
    for g in range(picks.shape[0]):
        for i in range(picks.shape[1]):
            bucket = picks[g, i]
            group[next_row[bucket]] = g
            next_row[bucket] += 1
    coin = 0
    lacking = np.empty(picks.shape[0], np.int64)
    for bucket in range(remaining.size):
        if remaining[bucket] > 0:
            lacking_count = 0
            for g in range(picks.shape[0]):
                has_value = False
                for i in range(picks.shape[1]):
                    has_value |= picks[g, i] == bucket
                if not has_value:
                    lacking[lacking_count] = g
                    lacking_count += 1
            for _ in range(remaining[bucket]):
                if lacking_count == 0:
                    break
                pick = np.int64(spare[coin] % np.uint64(lacking_count))
                coin += 1
                group[next_row[bucket]] = lacking[pick]
                next_row[bucket] += 1
                lacking_count -= 1
                lacking[pick] = lacking[lacking_count]
        for i in range(starts[bucket + 1] - 1, starts[bucket], -1):
            swap = starts[bucket] + np.int64(coins[i] % np.uint64(i - starts[bucket] + 1))
            group[i], group[swap] = group[swap], group[i]
    return group


@kernel(steps=2)
def hand_out_groups(bucket, counts, starts, group):
    """Give each row of each cell the next group of its bucket; return the cell and the group of every row. O(rows).

    The groups of a bucket are in random order already, so the cells may be served in order.
    """
    cells, groups = np.empty(group.size, np.int64), np.empty(group.size, np.int64)
    next_row = starts[:-1].copy()
    row = 0
    for cell in range(bucket.size):
        b = bucket[cell]
        for _ in range(counts[cell]):
            cells[row] = cell
            groups[row] = group[next_row[b]]
            next_row[b] += 1
            row += 1
    return cells, groups

"""The compiled loops of the experiments: queries by the thousand, and the merging of step 2 as it is printed."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel
from voile.methods.art.kernel.merging import spread_ceiling


@kernel
def add_cells(codes, cell, value, amount, offset, marks):
    """Return the answer to every query: the sum of the amounts of entries whose cell and value it admits.

    Entry e has the quasi-identifier `codes[cell[e]]` and the sensitive code `value[e]`; entries of one cell are
    neighbours. `marks[offset[d] + code, q]` says whether query q admits a code of column d. The queries that admit the
    first columns of a cell are listed once for all neighbours that share these columns: O(queries * entries) at most.
    """
    queries, quasi = marks.shape[1], codes.shape[1]
    answer = np.zeros(queries)
    admitting, many = np.empty((quasi + 1, queries), np.int32), np.zeros(quasi + 1, np.int64)
    for q in range(queries):
        admitting[0, q] = q
    many[0] = queries
    latest = -1
    for e in range(cell.size):
        if cell[e] != latest:
            shared = 0
            while latest >= 0 and shared < quasi and codes[cell[e], shared] == codes[latest, shared]:
                shared += 1
            latest = cell[e]
            for d in range(shared, quasi):
                mark, listed = marks[offset[d] + codes[latest, d]], 0
                for i in range(many[d]):
                    q = admitting[d, i]
                    admitting[d + 1, listed] = q
                    listed += mark[q]
                many[d + 1] = listed
        mark = marks[offset[quasi] + value[e]]
        for i in range(many[quasi]):
            q = admitting[quasi, i]
            answer[q] += amount[e] * mark[q]
    return answer


@kernel
def merge_closest(chance, index, event, rows_left, highs, lows, sizes, usable, taken, high, low, size, r, largest):
    """Merge rows and formed groups into one group until its spreads for one value are within the ceiling, the closest
    first (fewest new deviations, then rows before groups); return the buckets and the groups that joined, and whether
    it was accepted with at most `largest` rows.

    `chance` gives the probabilities of the value, `event[b]` the protected value of bucket b or -1; `taken` are the
    values of the group so far, `high` and `low` its ends under each column set, and `highs[k]`, `lows[k]`, `sizes[k]`
    those of formed group k, `usable[k, e]` whether it is there and lacks value e. O(steps * buckets * sets).
    """
    sets, buckets = index.shape
    rows, groups = np.empty(largest, np.int64), np.empty(largest, np.int64)
    row_count, group_count = 0, 0
    used, joined = np.zeros(buckets, np.int64), np.zeros(sizes.size, np.bool_)
    bound, grown = np.zeros(buckets), 0.0  # a row costs at least bound - grown
    while True:
        fits, hopeless = size >= r, False
        for a in range(sets):
            spread = high[a] - low[a]
            fits &= spread <= spread_ceiling(size, r, high[a]) + 1e-12
            hopeless |= spread > spread_ceiling(largest, r, high[a]) + 1e-9
        if fits or hopeless or size >= largest:
            return rows[:row_count].copy(), groups[:group_count].copy(), fits
        pick, least, is_group = -1, np.inf, False
        for v in range(buckets):
            if used[v] >= rows_left[v] or (event[v] >= 0 and taken[event[v]]) or bound[v] - grown > least + 1e-9:
                continue
            cost = 0.0
            for a in range(sets):
                f = chance[index[a, v]]
                cost += max(f - high[a], 0.0) + max(low[a] - f, 0.0)
                if cost > least:
                    break
            bound[v] = cost + grown
            if cost < least:
                pick, least = v, cost
        for k in range(sizes.size):
            possible = not joined[k] and size + sizes[k] <= largest
            for e in range(taken.size):
                possible &= usable[k, e] or not taken[e]
            if not possible or not usable[k].any():
                continue
            cost = 0.0
            for a in range(sets):
                cost += max(highs[k, a] - high[a], 0.0) + max(low[a] - lows[k, a], 0.0)
                if cost >= least:
                    break
            if cost < least:
                pick, least, is_group = k, cost, True
        if pick < 0:
            return rows[:row_count].copy(), groups[:group_count].copy(), False
        grown += least
        if is_group:
            groups[group_count], joined[pick] = pick, True
            group_count += 1
            size += sizes[pick]
            for e in range(taken.size):
                taken[e] |= not usable[pick, e]
        else:
            rows[row_count] = pick
            row_count += 1
            used[pick] += 1
            size += 1
            if event[pick] >= 0:
                taken[event[pick]] = True
        for a in range(sets):
            top = highs[pick, a] if is_group else chance[index[a, pick]]
            bottom = lows[pick, a] if is_group else chance[index[a, pick]]
            high[a], low[a] = max(high[a], top), min(low[a], bottom)

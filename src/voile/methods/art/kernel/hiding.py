"""Hide one protected row among rows that all have the same other value.

In such a group the belief that member w has the protected value is o(w) / (sum of o), with o(w) = P[w, x] / P[w, y]:
a closed form in the full reading. Relative to the seed, member v weighs t = o(v) / o(seed) under each column set; the
group withstands an adversary if for every set the sum of t is at least r times the largest t.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel

FINE = 1e-9  # sums are in float64 and the release is checked by the exact walk afterwards


@kernel
def compute_odds(above, below, index, colour):
    """Return o(v) for each bucket and column set: P[v, x] over P[v, own value]; infinite if a row cannot have its own
    value, and then nobody is hidden among such rows. O(buckets * sets)."""
    sets, buckets = index.shape
    result = np.empty((buckets, sets), np.float32)
    for a in range(sets):
        for b in range(buckets):
            row = index[a, b]
            result[b, a] = above[row] / below[row, colour[b]] if below[row, colour[b]] > 0 else np.inf
    return result


@kernel
def hide_seed(chance, above, below, index, first, last, rows_left, seed, r, largest, shortlist):
    """Return the smallest group found for one seed: the buckets of its members (seed first), or nothing.

    `first[c]`..`last[c]`-1 are the buckets of hiding value c, `rows_left` says how many rows they still have. For each
    value the rows most like the seed are short-listed; then the row that leaves the smallest shortfall over all column
    sets is added, repeatedly, until there is no shortfall; members that turn out to be superfluous are dropped.
    O(buckets * sets + values * size * shortlist * sets).
    """
    sets = index.shape[0]
    best = np.empty(0, np.int64)
    for c in range(first.size):
        turn = np.empty(sets, np.float32)
        usable = True
        for a in range(sets):
            row = index[a, seed]
            if below[row, c] <= 0 or above[row] <= 0:
                usable = False
                break
            turn[a] = below[row, c] / above[row]
        if not usable:
            continue
        near = _shortlist_nearest(chance, turn, first[c], last[c], rows_left, r, shortlist)
        limit = largest if best.size == 0 else best.size - 1
        weight = _weigh_shortlist(above, below, index, near, seed, c)
        if _is_hopeless(weight, near, rows_left, r, limit):
            continue
        members = _grow_members(weight, near, rows_left, r, limit)
        if members.size:
            best = np.empty(members.size + 1, np.int64)
            best[0] = seed
            best[1:] = members
    return best


@kernel
def _shortlist_nearest(chance, turn, begin, end, rows_left, r, shortlist):
    """Return the buckets whose weights are nearest to the seed's, over all column sets. O(buckets * sets)."""
    sets = turn.size
    candidates, distance, candidate_count = np.empty(end - begin, np.int64), np.empty(end - begin, np.float32), 0
    for b in range(begin, end):
        if rows_left[b] <= 0:
            continue
        total = np.float32(0)
        for a in range(sets):
            t = chance[b, a] * turn[a]
            total += r * (t - 1) if t > 1 else 1 - t
        if np.isfinite(total):  # an infinite weight would hide behind a difference of infinities
            candidates[candidate_count], distance[candidate_count] = b, total
            candidate_count += 1
    if candidate_count > 2 * shortlist:
        limit = np.partition(distance[:candidate_count], shortlist)[shortlist]
        close_count = 0
        for i in range(candidate_count):
            if distance[i] <= limit:
                candidates[close_count], distance[close_count] = candidates[i], distance[i]
                close_count += 1
        candidate_count = close_count
    return candidates[np.argsort(distance[:candidate_count], kind="mergesort")[:shortlist]]


@kernel
def _weigh_shortlist(above, below, index, near, seed, c):
    """Return t(v) of the short list in double precision: equal people weigh exactly the same. O(shortlist * sets)."""
    sets = index.shape[0]
    weight = np.empty((near.size, sets))
    for a in range(sets):
        seed_row = index[a, seed]
        for q in range(near.size):
            row = index[a, near[q]]
            weight[q, a] = (above[row] / above[seed_row]) * (below[seed_row, c] / below[row, c])
    return weight


@kernel
def _is_hopeless(weight, near, rows_left, r, limit):
    """Return whether no group of fewer than `limit` rows of the short list satisfies some column set on its own: beside
    a heaviest member of H >= 1, a member of weight t adds at most min(t, 1) * H of the r * H that are needed.
    O(sets * r) if the nearest rows suffice, else O(sets * shortlist * log(shortlist))."""
    for a in range(weight.shape[1] - 1, -1, -1):  # people stand out most under the finest sets, which come last
        if _sum_capped(weight[:, a], np.arange(near.size), near, rows_left, r, limit) >= r - FINE:
            continue
        heaviest_first = np.argsort(-weight[:, a])
        if _sum_capped(weight[:, a], heaviest_first, near, rows_left, r, limit) < r - 1e3 * FINE:
            return True
    return False


@kernel
def _sum_capped(weight, order, near, rows_left, r, limit):
    """Return 1 and the weights, capped at 1, of the first `limit` - 1 rows in an order, or a sum that reaches r."""
    total, seats = 1.0, limit - 1
    for q in order:
        rows = min(rows_left[near[q]], seats)
        total += rows * min(weight[q], 1.0)
        seats -= rows
        if seats <= 0 or total >= r:
            break
    return total


@kernel
def _grow_members(weight, near, rows_left, r, limit):
    """Add members from the short list until every column set is satisfied; return nothing if `limit` members do not
    suffice. O(limit * shortlist * sets)."""
    candidate_count, sets = weight.shape
    total, heaviest, used_rows = np.ones(sets), np.ones(sets), np.zeros(candidate_count, np.int64)
    members, size = np.empty(max(limit, 1), np.int64), 0
    while size + 1 < limit:
        pick, least = -1, np.inf
        for q in range(candidate_count):
            if used_rows[q] >= rows_left[near[q]]:
                continue
            shortfall = 0.0
            for a in range(sets):
                t = weight[q, a]
                gap = r * max(heaviest[a], t) - total[a] - t
                if gap > FINE:
                    shortfall += gap
                if shortfall >= least:
                    break
            if shortfall < least:
                pick, least = q, shortfall
        if pick < 0:
            break
        used_rows[pick] += 1
        members[size] = pick
        size += 1
        for a in range(sets):
            total[a] += weight[pick, a]
            heaviest[a] = max(heaviest[a], weight[pick, a])
        if least <= 0:
            remaining_members = _drop_superfluous(weight, members[:size], total, r)
            return near[remaining_members]
    return np.empty(0, np.int64)


@kernel
def _drop_superfluous(weight, members, total, r):
    """Drop members without whom all column sets are still satisfied, until nobody is superfluous: a member who was
    needed beside a heavy one may no longer be needed once the heavy one has gone. O(size^2 * sets) per round."""
    sets, size, i, has_dropped = weight.shape[1], members.size, 0, False
    while i < size or has_dropped:
        if i >= size:
            i, has_dropped = 0, False
        is_needed = False
        for a in range(sets):
            heaviest = 1.0
            for j in range(size):
                if j != i:
                    heaviest = max(heaviest, weight[members[j], a])
            if r * heaviest > total[a] - weight[members[i], a] + FINE:
                is_needed = True
                break
        if is_needed:
            i += 1
            continue
        for a in range(sets):
            total[a] -= weight[members[i], a]
        for j in range(i, size - 1):
            members[j] = members[j + 1]
        size -= 1
        has_dropped = True
    return members[:size]

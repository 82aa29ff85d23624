"""The paper's sampling: change values of a group's rows so that chosen values get chosen counts."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def _next_random(coin):
    """Return the next state and the next random number (splitmix64). O(1)."""
    coin += np.uint64(0x9E3779B97F4A7C15)
    x = coin
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return coin, x ^ (x >> np.uint64(31))


@kernel
def _draw_by_weight(weights, total, x):
    """Return a position drawn in proportion to its weight; -1 if there is none. O(weights)."""
    if total <= 0:
        return -1
    left = np.int64((x >> np.uint64(1)) % np.uint64(total))
    for v in range(weights.size):
        left -= weights[v]
        if left < 0:
            return v
    return -1


@kernel
def change_values(starts, values, counts, goals, goal_values, goal_counts, protected, marginal, coins):
    """Return moves (group, old value, new value), one row each, after which every protected value of each group has its
    goal. The goals of a group add up to no more than its rows, and some value that is not protected has a `marginal`.

    The values of group g are `values[starts[g]:starts[g+1]]` with their counts, its goals those from `goals[g]` to
    `goals[g+1]`; protected values without a goal must vanish. Freed rows take the wanted values; the others take
    unprotected values of the group, drawn by their counts, or, if it has none, of the table (`marginal`).
    O(rows of the groups + groups * domain).
    """
    domain, groups = protected.size, coins.size
    total = 0
    for i in range(counts.size):
        total += counts[i]
    moves = np.empty((total, 3), np.int64)
    written = 0
    current, goal, own_unprotected = np.zeros(domain, np.int64), np.zeros(domain, np.int64), np.zeros(domain, np.int64)
    outside = 0
    for v in range(domain):
        if not protected[v]:
            outside += marginal[v]
    spare, new_values = np.empty(total, np.int64), np.empty(total, np.int64)
    for g in range(groups):
        current[:] = 0
        goal[:] = 0
        own_unprotected[:] = 0
        coin, own_total = coins[g], 0
        for i in range(starts[g], starts[g + 1]):
            current[values[i]] = counts[i]
            if not protected[values[i]]:
                own_unprotected[values[i]] = counts[i]
                own_total += counts[i]
        for i in range(goals[g], goals[g + 1]):
            goal[goal_values[i]] = goal_counts[i]
        spare_count, new_count = 0, 0
        for v in range(domain):
            if protected[v]:
                for _ in range(current[v] - goal[v]):
                    spare[spare_count] = v
                    spare_count += 1
                for _ in range(goal[v] - current[v]):
                    new_values[new_count] = v
                    new_count += 1
        while new_count < spare_count:  # more rows are freed than protected values wanted
            coin, x = _next_random(coin)
            v = _draw_by_weight(own_unprotected, own_total, x)
            if v < 0:
                v = _draw_by_weight(np.where(protected, 0, marginal), outside, x)
            new_values[new_count] = v
            new_count += 1
        while spare_count < new_count:  # more protected values are wanted than rows freed: unprotected rows give way
            coin, x = _next_random(coin)
            v = _draw_by_weight(own_unprotected, own_total, x)
            own_unprotected[v] -= 1
            own_total -= 1
            spare[spare_count] = v
            spare_count += 1
        for i in range(new_count - 1, 0, -1):
            coin, x = _next_random(coin)
            swap = np.int64((x >> np.uint64(1)) % np.uint64(i + 1))
            new_values[i], new_values[swap] = new_values[swap], new_values[i]
        for i in range(new_count):
            if spare[i] != new_values[i]:
                moves[written, 0], moves[written, 1], moves[written, 2] = g, spare[i], new_values[i]
                written += 1
    return moves[:written]

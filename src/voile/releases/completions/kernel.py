"""Draw the hidden values of one column, box by box, given the other columns.

A row takes a value with a weight: the share of the value in its cell, times a table of chances given up to three other
columns, times one ratio for each further column. In a box whose cell lists values that must occur, the last holder of
such a value keeps it; then pairs of rows in the box exchange values. Both steps keep the distribution of all tables
that agree with the release. The random numbers are counted off from a seed (SplitMix64), so that a seed gives the same
draws everywhere.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel

NOBODY = -2


@kernel
def toss(state):
    """Return the next number of a stream, uniform in [0, 1). `state` is an array of one uint64. O(1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) / 9007199254740992.0


@kernel
def tally(levels, weights, level_count, codes, chain, singles, sizes, chain_out, chain_at, single_out, single_at):
    """Add the weight of every row to the tables of its contexts: of the first, the first two, ... columns of `chain`
    together, and of each column of `singles` alone. Rows x (chain + singles)."""
    for i in range(levels.size):
        weight = weights[i]
        if weight == 0:
            continue
        key = 0
        for d in range(chain.size):
            key = key * sizes[chain[d]] + codes[i, chain[d]]
            chain_out[chain_at[d] + key * level_count + levels[i]] += weight
        for d in range(singles.size):
            single_out[single_at[d] + codes[i, singles[d]] * level_count + levels[i]] += weight


@kernel
def place_needed(box_starts, cell, need_starts, need_atoms, need_counts, state, atoms):
    """Give the values that must occur in each box to its rows, from a random row on. Rows + needed values."""
    for b in range(box_starts.size - 1):
        low, size = box_starts[b], box_starts[b + 1] - box_starts[b]
        if size == 0:
            continue
        place = np.int64(toss(state) * size)
        c = cell[low]
        for k in range(need_starts[c], need_starts[c + 1]):
            for _ in range(need_counts[k]):
                atoms[low + place % size] = need_atoms[k]
                place += 1


@kernel
def weigh_values(i, low, high, members, shares, level, table, chain, singles, sizes, codes, ratios, single_at, out):
    """Write the weight of each value of a cell for one row. Values x (1 + singles)."""
    levels = table.shape[1]
    key = 0
    for d in range(chain.size):
        key = key * sizes[chain[d]] + codes[i, chain[d]]
    for k in range(low, high):
        place = level[members[k]]
        weight = table[key, place] * shares[k]
        for d in range(singles.size):
            weight *= ratios[single_at[d] + codes[i, singles[d]] * levels + place]
        out[k - low] = weight


@kernel
def update_boxes(
    box_starts,
    cell,
    starts,
    members,
    shares,
    need_starts,
    need_atoms,
    need_counts,
    seen,
    keep,
    noise,
    base,
    level,
    table,
    chain,
    singles,
    sizes,
    codes,
    ratios,
    single_at,
    redraw,
    rounds,
    state,
    atoms,
):
    """Draw the values of a column anew, in place; with `redraw` false rows only exchange values.

    Rows low..high of a box have the cell `cell[low]`, which stands for `members` with `shares`. `seen[i]` is the value
    that a channel has published for row i, or -1: it shows the true value with probability `keep`, else any, each with
    `noise`. A row that is NOBODY is a seat that belongs to nobody: it takes values as they are common (`base`).
    `rounds` is how often every row is offered an exchange. Rows x (values of a cell) x (1 + singles).
    """
    widest, largest = 1, 1
    for b in range(box_starts.size - 1):
        low = box_starts[b]
        if box_starts[b + 1] > low:
            largest = max(largest, box_starts[b + 1] - low)
            widest = max(widest, starts[cell[low] + 1] - starts[cell[low]])
    weights = np.empty((largest, widest))
    place = np.zeros(level.size, np.int64)
    holders, needed = np.zeros(level.size, np.int64), np.zeros(level.size, np.int64)
    for b in range(box_starts.size - 1):
        low, high = box_starts[b], box_starts[b + 1]
        if high == low:
            continue
        c = cell[low]
        first, last = starts[c], starts[c + 1]
        if last - first < 2:
            continue
        for k in range(first, last):
            place[members[k]] = k - first
        for i in range(low, high):
            row = weights[i - low]
            if seen[i] == NOBODY:
                for k in range(first, last):
                    row[k - first] = base[level[members[k]]]
                continue
            weigh_values(
                i, first, last, members, shares, level, table, chain, singles, sizes, codes, ratios, single_at, row
            )
            if seen[i] >= 0:
                for k in range(first, last):
                    row[k - first] *= noise + (keep if members[k] == seen[i] else 0.0)
        if redraw:
            for k in range(need_starts[c], need_starts[c + 1]):
                needed[need_atoms[k]] = need_counts[k]
            for i in range(low, high):
                holders[atoms[i]] += 1
            for i in range(low, high):
                if holders[atoms[i]] <= needed[atoms[i]]:
                    continue
                total = 0.0
                for k in range(last - first):
                    total += weights[i - low, k]
                if not total > 0:
                    continue
                point, chosen = toss(state) * total, last - first - 1
                for k in range(last - first - 1):
                    point -= weights[i - low, k]
                    if point < 0:
                        chosen = k
                        break
                if weights[i - low, chosen] > 0:
                    holders[atoms[i]] -= 1
                    atoms[i] = members[first + chosen]
                    holders[atoms[i]] += 1
            for i in range(low, high):
                holders[atoms[i]] = 0
            for k in range(need_starts[c], need_starts[c + 1]):
                needed[need_atoms[k]] = 0
        if high - low < 2:
            continue
        for _ in range(rounds):
            for i in range(low, high):
                j = low + np.int64(toss(state) * (high - low))
                a, b2 = atoms[i], atoms[j]
                if a == b2:
                    continue
                now = weights[i - low, place[a]] * weights[j - low, place[b2]]
                then = weights[i - low, place[b2]] * weights[j - low, place[a]]
                if toss(state) * now < then:
                    atoms[i], atoms[j] = b2, a

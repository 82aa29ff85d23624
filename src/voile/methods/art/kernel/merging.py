"""Grow a group around a protected row until it is accepted: the greedy step of ART, for every acceptance test.

Buckets hold interchangeable rows: the same value, the same probabilities under each column set. An event is a protected
value or a protected set of values; a group never has two rows of one event.
"""

from __future__ import annotations

import math

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.posterior import CONTRADICTION, compute_beliefs
from voile.kernels.world_walk import bound_by_swaps, count_states

PAPER, SWAP, WALK = 0, 1, 2  # acceptance tests
CLOSEST, FEWEST = 0, 1  # rules for the next row
_LEAST = 1e-4  # stands for a probability of 0 in distances
_ROUNDING = 1e-9  # more than sums of probabilities can be off


@kernel
def spread_ceiling(size, r, f):
    """Return how far the probabilities of a value may spread in a group of this size (the paper's Delta ceil). O(1)."""
    if f <= 0.0 or f >= 1.0 or size < r:
        return 0.0
    return (size - r) * f / (f * (r - 1) / (1 - f) + size - 1)


@kernel
def least_size(r, f, spread):
    """Return the least group size whose ceiling admits a spread; infinite if none does. O(1)."""
    if spread <= 0.0 or f <= 0.0:
        return math.ceil(r - 1e-9)
    if spread >= f or f >= 1.0:
        return math.inf
    return max(math.ceil((f * (r - 1) * spread / (1 - f) - spread + r * f) / (f - spread) - 1e-9), math.ceil(r - 1e-9))


@kernel
def _find_extremes(chance, index, members, e, a):
    """Return the highest and the lowest probability of event e among the members, under column set a. O(size)."""
    high, low = 0.0, 1.0
    for b in members:
        f = chance[e, index[a, b]]
        high, low = max(high, f), min(low, f)
    return high, low


@kernel
def accept_group(rows, chance, index, value, event, members, r, mode, binary, max_states):
    """Return whether a group passes the acceptance test for every column set and every event in it.

    PAPER compares spreads with the ceiling; SWAP bounds belief by exchanges, WALK computes it exactly.
    O(sets * (size^2 + one belief)).
    """
    size = members.size
    if size < r:
        return False
    kinds, capacity, bins = np.empty(size, np.int64), np.zeros(size, np.int64), 0
    for b in members:
        position = -1
        for j in range(bins):
            if kinds[j] == value[b]:
                position = j
        if position < 0:
            position, kinds[bins] = bins, value[b]
            bins += 1
        capacity[position] += 1
    events = np.empty(bins, np.int64)
    for j in range(bins):
        events[j] = event[kinds[j]]
    for a in range(index.shape[0]):
        if mode == PAPER:
            for j in range(bins):
                if events[j] >= 0:
                    high, low = _find_extremes(chance, index, members, events[j], a)
                    if high - low > spread_ceiling(size, r, high) + 1e-12:
                        return False
            continue
        classes, amounts, prior_rows = 0, np.zeros(size, np.int64), np.empty(size, np.int64)
        for b in members:
            row, position = index[a, b], -1
            for i in range(classes):
                if prior_rows[i] == row:
                    position = i
            if position < 0:
                position, prior_rows[classes] = classes, row
                classes += 1
            amounts[position] += 1
        amounts = amounts[:classes]
        if binary:
            for j in range(bins):
                if events[j] >= 0:
                    inside = 0
                    for other_bin in range(bins):
                        inside += capacity[other_bin] if events[other_bin] == events[j] else 0
                    weights = np.empty((classes, 2))
                    for i in range(classes):
                        weights[i, 0] = min(chance[events[j], prior_rows[i]], 1.0)
                        weights[i, 1] = 1.0 - weights[i, 0]
                    room = np.array([inside, size - inside])
                    if not _stays_within(weights, amounts, room, np.array([0, -1]), r, mode, max_states):
                        return False
            continue
        weights = np.empty((classes, bins))
        for i in range(classes):
            for j in range(bins):
                weights[i, j] = rows[prior_rows[i], kinds[j]]
        if not _stays_within(weights, amounts, capacity[:bins], events, r, mode, max_states):
            return False
    return True


@kernel
def _stays_within(weights, amounts, capacity, events, r, mode, max_states):
    """Return whether belief in every event stays within 1/r."""
    limit = 1.0 / r + 1e-9
    if mode == SWAP:
        for i in range(capacity.size):
            if events[i] < 0:
                continue
            total = np.zeros(amounts.size)
            for j in range(capacity.size):
                if events[j] == events[i]:
                    total += bound_by_swaps(weights, amounts, capacity, j)
            if total.max() > limit:
                return False
        return True
    states = min(count_states(capacity, max_states), count_states(amounts, max_states))
    scratch = states if states <= max_states else 1
    worst, status = compute_beliefs(
        weights, amounts, capacity, events, max_states, np.empty(scratch), np.empty(scratch)
    )
    return status != CONTRADICTION and worst.max() <= limit


@kernel
def grow_group(rows, chance, index, value, event, rows_left, seed, r, mode, rule, binary, largest, max_states, sample):
    """Return the group of one seed (seed first), or nothing if no group of at most `largest` rows is accepted.

    `chance[e, row]` is the probability of event e. Under SWAP and WALK, the rule FEWEST takes the row that is most
    easily exchanged for the members, among about `sample` buckets at most. Under CLOSEST the cost of a row falls by no
    more than the spreads have grown since it was last computed, so most rows need no second look.
    O(size * buckets * sets * events in the group) at most, and the test after each step.
    """
    sets, buckets, events = index.shape[0], index.shape[1], chance.shape[0]
    members, size = np.empty(largest, np.int64), 1
    members[0] = seed
    used_rows, present = np.zeros(buckets, np.int64), np.zeros(events, np.bool_)
    used_rows[seed] = 1
    high, low = np.empty((events, sets)), np.empty((events, sets))
    for e in range(events):
        for a in range(sets):
            high[e, a] = low[e, a] = chance[e, index[a, seed]]
    present[event[value[seed]]] = True
    stride = max(1, buckets // sample) if rule == FEWEST and mode != PAPER else 1
    distance = np.zeros(buckets)
    bound, grown = np.zeros(buckets), 0.0  # a row costs at least bound - grown
    latest = seed
    while size < largest:
        pick, least, tie = -1, np.inf, np.inf
        for v in range(seed % stride, buckets, stride):
            row_event = event[value[v]]
            if used_rows[v] >= rows_left[v] or (row_event >= 0 and present[row_event]):
                continue
            if mode != PAPER and rule == FEWEST:
                distance[v] += _exchange(rows, index, latest, value[latest], v, value[v])
                cost, second = distance[v], 0.0
            elif rule == CLOSEST:
                if bound[v] - grown > least + _ROUNDING:
                    continue
                cost, second = _grow_spreads(chance, index, high, low, present, v, least), 0.0
                bound[v] = cost + grown
            else:
                cost, second = _cost(chance, index, high, low, present, row_event, v, r)
            if cost < least or (cost == least and second < tie):
                pick, least, tie = v, cost, second
        if pick < 0 or least == np.inf:
            break
        members[size] = pick
        size += 1
        used_rows[pick] += 1
        latest = pick
        if rule == CLOSEST:
            grown += _grow_spreads(chance, index, high, low, present, pick, np.inf)
        if event[value[pick]] >= 0:
            present[event[value[pick]]] = True
        for e in range(events):
            for a in range(sets):
                f = chance[e, index[a, pick]]
                high[e, a], low[e, a] = max(high[e, a], f), min(low[e, a], f)
        if mode == PAPER and _is_hopeless(high, low, present, largest, r):
            break
        if accept_group(rows, chance, index, value, event, members[:size], r, mode, binary, max_states):
            return members[:size].copy()
    return np.empty(0, np.int64)


@kernel
def _is_hopeless(high, low, present, largest, r):
    """Return whether some spread exceeds the ceiling even of the largest group. No further row mends that: it may raise
    the highest probability, but the ceiling then rises by less. O(events * sets)."""
    for e in range(high.shape[0]):
        if present[e]:
            for a in range(high.shape[1]):
                if high[e, a] - low[e, a] > spread_ceiling(largest, r, high[e, a]) + _ROUNDING:
                    return True
    return False


@kernel
def _grow_spreads(chance, index, high, low, present, v, enough):
    """Return by how much a row would widen the spreads of the group's events, or a part of it that exceeds `enough`.
    O(events * sets)."""
    growth = 0.0
    for e in range(chance.shape[0]):
        if not present[e]:
            continue
        for a in range(index.shape[0]):
            f = chance[e, index[a, v]]
            growth += (max(high[e, a], f) - min(low[e, a], f)) - (high[e, a] - low[e, a])
            if growth > enough:
                return growth
    return growth


@kernel
def _cost(chance, index, high, low, present, row_event, v, r):
    """Return the expected least size of the group with a row, and by how much its spreads widen. O(events * sets)."""
    growth, group_size = 0.0, 0.0
    for e in range(chance.shape[0]):
        if not present[e] and e != row_event:
            continue
        for a in range(index.shape[0]):
            f = chance[e, index[a, v]]
            top, bottom = max(high[e, a], f), min(low[e, a], f)
            if present[e]:
                growth += (top - bottom) - (high[e, a] - low[e, a])
            group_size = max(group_size, least_size(r, top, top - bottom))
    return group_size, growth


@kernel
def _exchange(rows, index, w, x, v, y):
    """Return how much the weight of a world changes when two rows swap their values: the sum of absolute logarithms
    over all column sets. O(sets)."""
    total = 0.0
    for a in range(index.shape[0]):
        first_row, second_row = index[a, w], index[a, v]
        weight_before = max(rows[first_row, x], _LEAST) * max(rows[second_row, y], _LEAST)
        weight_after = max(rows[first_row, y], _LEAST) * max(rows[second_row, x], _LEAST)
        total += abs(math.log(weight_before / weight_after))
    return total

"""The beliefs of an adversary with statistics about the members of a group whose values are published.

The belief that a member has a value is the share of the weight of all worlds in which they have it (`world_walk`).
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.kernels.world_walk import ROUNDS, bound_by_swaps, compute_expected_counts, count_states

EXACT, BOUNDED, CONTRADICTION = 0, 1, 2  # how a belief was computed
EVERYWHERE = np.zeros((0, 0), dtype=bool)  # every group is asked about every column set


@kernel
def compute_beliefs(weights, amounts, capacity, events, max_states, ahead, behind):
    """Return, for each class, the greatest belief in an event, and whether it is EXACT, BOUNDED from above, or a
    CONTRADICTION because no world fits.

    An event is a set of bins; `events[j]` is the number of bin j's event, or -1. The walk runs over bins or over
    classes, whichever has fewer states, O(states * bins); above `max_states` states the swap bound answers,
    O(classes^2 * bins^2).
    """
    shares, status = _compute_shares(weights, amounts, capacity, events, max_states, ahead, behind)
    worst = np.zeros(weights.shape[0])
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            if events[j] >= 0:
                worst[i] = max(worst[i], _believe_event(shares, events, i, events[j]))
    return worst, status


@kernel
def _are_single(kinds):
    """Return whether every event has at most one bin, so that a belief in it is a share. O(bins^2)."""
    for j in range(kinds.size):
        for other in range(j):
            if kinds[j] >= 0 and kinds[j] == kinds[other]:
                return False
    return True


@kernel
def _believe_event(shares, events, i, event):
    """Return the belief that a member of class i is in an event, from the shares of its bins."""
    belief = 0.0
    for j in range(events.size):
        if events[j] == event:
            belief += shares[i, j]
    return min(belief, 1.0)


@kernel
def _compute_shares(weights, amounts, capacity, events, max_states, ahead, behind):
    """Return the belief in every bin for each class, and how it was computed."""
    classes, bins = weights.shape
    total = amounts.sum()
    status = EXACT
    shares = np.zeros((classes, bins))
    if classes == 1:
        for j in range(bins):
            if weights[0, j] <= 0:
                status = CONTRADICTION
            shares[0, j] = capacity[j] / total
        return shares, status
    by_bin, by_class = count_states(capacity, max_states), count_states(amounts, max_states)
    if min(by_bin, by_class) > max_states:
        for j in range(bins):
            if events[j] >= 0:
                bound = bound_by_swaps(weights, amounts, capacity, j)
                for i in range(classes):
                    shares[i, j] = bound[i]
        return shares, BOUNDED
    if by_bin <= by_class:
        shares, possible = compute_expected_counts(weights, amounts, capacity, ahead, behind)
        for i in range(classes):
            for j in range(bins):
                shares[i, j] /= amounts[i]
    else:
        transposed, possible = compute_expected_counts(weights.T.copy(), capacity, amounts, ahead, behind)
        for i in range(classes):
            for j in range(bins):
                shares[i, j] = transposed[j, i] / amounts[i]
    return shares, EXACT if possible else CONTRADICTION


@kernel
def _binary_reading(rows, prior_rows, events, values, counts, event):
    """Reduce a group to "in the event" against "not in it": weights, capacities and events of two bins (or of one if
    every value is in the event). O(classes * domain)."""
    inside, total = 0, 0
    for e in range(values.size):
        total += counts[e]
        if events[values[e]] == event:
            inside += counts[e]
    bins = 2 if total > inside else 1
    weights, capacity, kinds = np.zeros((prior_rows.size, bins)), np.empty(bins, np.int64), np.full(bins, -1, np.int64)
    capacity[0], kinds[0] = inside, event
    if bins == 2:
        capacity[1] = total - inside
    for i in range(prior_rows.size):
        for v in range(rows.shape[1]):
            if events[v] == event:
                weights[i, 0] += rows[prior_rows[i], v]
        weights[i, 0] = min(weights[i, 0], 1.0)
        if bins == 2:
            weights[i, 1] = 1.0 - weights[i, 0]
    return weights, capacity, kinds


@kernel
def _judge_classes(rows, prior_rows, events, shares, kinds, floor, lift):
    """Return, for each class, the greatest belief in an event and its greatest excess over what is allowed. O(classes *
    bins), times the domain where what is allowed depends on what the prior alone says."""
    worst, over = np.zeros(prior_rows.size), np.full(prior_rows.size, -1.0)
    single = _are_single(kinds)
    for i in range(prior_rows.size):
        for j in range(kinds.size):
            if kinds[j] < 0:
                continue
            belief = min(shares[i, j], 1.0) if single else _believe_event(shares, kinds, i, kinds[j])
            chance = 0.0
            for v in range(rows.shape[1] if lift > 0 else 0):
                if events[v] == kinds[j]:
                    chance += rows[prior_rows[i], v]
            worst[i] = max(worst[i], belief)
            over[i] = max(over[i], belief - max(floor, lift * min(chance, 1.0)))
    return worst, over


def _bound_steps(
    rows,
    index,
    starts,
    members,
    counts,
    value_starts,
    values,
    value_counts,
    events,
    binary,
    max_states,
    weighed,
    *others,
):
    """Return how many steps `compute_group_beliefs` takes at most, from the states of every group's walk."""
    first, last = others[-2:]
    sizes, bins = np.diff(starts[first : last + 1]), np.diff(value_starts[first : last + 1])
    group, entries = np.repeat(np.arange(last - first), sizes), slice(starts[first], starts[last])
    bits = np.log2(value_counts[value_starts[first] : value_starts[last]] + 1.0)
    by_bin = np.bincount(np.repeat(np.arange(last - first), bins), bits, last - first)
    steps = 0.0
    for prior_rows in index:
        if steps > 20 * ENOUGH:
            break  # it is compiled anyway
        keys, which = np.unique(group * len(rows) + prior_rows[members[entries]], return_inverse=True)
        by_class = np.bincount(keys // len(rows), np.log2(np.bincount(which, counts[entries]) + 1.0), last - first)
        states = np.minimum(2.0 ** np.minimum(np.minimum(by_bin, by_class), 60.0), max_states + 1.0)
        classes = np.bincount(keys // len(rows), minlength=last - first)
        steps += float((bins * (2 * states + (ROUNDS + classes * bins) * classes + rows.shape[1])).sum())
    return int(min(steps * (bins.max(initial=1) if binary else 1), 1e18))


@kernel(steps=_bound_steps, enough=20 * ENOUGH)
def compute_group_beliefs(
    rows,
    index,
    starts,
    members,
    counts,
    value_starts,
    values,
    value_counts,
    events,
    binary,
    max_states,
    weighed,
    floor,
    lift,
    first,
    last,
):
    """Return, for every entry of the groups first..last-1, the greatest belief in an event over all column sets, and
    the greatest excess of a belief over max(floor, lift * what the prior alone says); and for every group how it was
    computed (EXACT, BOUNDED or CONTRADICTION) and the column set that the greatest belief comes from.

    `rows[index[a, members[e]]]` is the prior of entry e (`counts[e]` people) under column set a; the values of group g
    are `values[value_starts[g]:value_starts[g+1]]` with their counts. With `binary` the adversary weighs each event
    against its complement only. If `weighed` has rows, `weighed[a, g]` says whether column set a is weighed in group g.
    One call of `compute_beliefs` per group, column set and (if `binary`) event.
    """
    entries = starts[last] - starts[first]
    risk, excess, status = np.zeros(entries), np.full(entries, -1.0), np.zeros(last - first, np.int64)
    where = np.zeros(last - first, np.int64)
    ahead, behind = np.empty(64), np.empty(64)
    slot, last_stamp = np.full(rows.shape[0], -1, np.int64), np.full(rows.shape[0], -1, np.int64)
    stamp = 0
    for g in range(first, last):
        begin, end = value_starts[g], value_starts[g + 1]
        has_event = False
        for e in range(begin, end):
            has_event |= events[values[e]] >= 0
        if not has_event:
            continue
        size = starts[g + 1] - starts[g]
        home = np.empty(size, np.int64)
        worst_here = -1.0
        for a in range(index.shape[0]):
            if weighed.shape[0] > 0 and not weighed[a, g]:
                continue
            stamp += 1
            classes = 0
            amounts, prior_rows = np.zeros(size, np.int64), np.empty(size, np.int64)
            for e in range(size):
                row = index[a, members[starts[g] + e]]
                if last_stamp[row] != stamp:
                    last_stamp[row], slot[row] = stamp, classes
                    prior_rows[classes] = row
                    classes += 1
                home[e] = slot[row]
                amounts[slot[row]] += counts[starts[g] + e]
            last_event = -1
            while True:
                # one round in the full reading, one per event in the binary reading
                if binary:
                    event = -1
                    for e in range(begin, end):
                        candidate = events[values[e]]
                        if candidate > last_event and (event < 0 or candidate < event):
                            event = candidate
                    if event < 0:
                        break
                    last_event = event
                    group_values, group_counts = values[begin:end], value_counts[begin:end]
                    weights, capacity, kinds = _binary_reading(
                        rows, prior_rows[:classes], events, group_values, group_counts, event
                    )
                else:
                    weights = np.empty((classes, end - begin))
                    capacity = value_counts[begin:end].copy()
                    kinds = np.empty(end - begin, np.int64)
                    for e in range(begin, end):
                        kinds[e - begin] = events[values[e]]
                        for i in range(classes):
                            weights[i, e - begin] = rows[prior_rows[i], values[e]]
                states = min(count_states(capacity, max_states), count_states(amounts[:classes], max_states))
                if states <= max_states and states > ahead.size:
                    ahead, behind = np.empty(2 * states), np.empty(2 * states)
                shares, belief_status = _compute_shares(
                    weights, amounts[:classes], capacity, kinds, max_states, ahead, behind
                )
                status[g - first] = max(status[g - first], belief_status)
                worst, over = _judge_classes(rows, prior_rows[:classes], events, shares, kinds, floor, lift)
                for e in range(size):
                    entry = starts[g] - starts[first] + e
                    risk[entry] = max(risk[entry], worst[home[e]])
                    excess[entry] = max(excess[entry], over[home[e]])
                    if worst[home[e]] > worst_here:
                        worst_here, where[g - first] = worst[home[e]], a
                if not binary or belief_status == CONTRADICTION:
                    break
    return risk, excess, status, where

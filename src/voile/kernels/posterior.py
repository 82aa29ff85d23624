"""What an adversary with statistics believes about the members of a group whose values are published.

A world gives each member one of the group's values; its weight is the product of the members' prior probabilities. The
belief that a member has a value is the share of weight of the worlds where they do. Worlds are never enumerated:
members with the same row of probabilities are one class, copies of the same value are one bin (or the other way
round), and a walk over "how many of each bin are used" gives all beliefs at once, without a subtraction.
"""

from __future__ import annotations

import numpy as np
from numba import njit

EXACT, BOUNDED, CONTRADICTION = 0, 1, 2
_BALANCE = 24  # from this many members on, weights are balanced first, lest products underflow
_FAINT = 1e-150  # and in a smaller group, where all worlds together weigh less than this
_ROUNDS = 200


@njit(nogil=True, cache=True)
def states(capacity, most):
    """The number of ways in which bins may be filled; `most` + 1 if there are more than `most`. O(bins)."""
    total = 1
    for room in capacity:
        total *= room + 1
        if total > most:
            return most + 1
    return total


@njit(nogil=True, cache=True)
def balanced(weights, amounts, capacity, rounds):
    """Scale rows and columns, which changes no belief, until classes and bins draw about as much as they hold.

    At the end each row sums to 1, so that the mass of a walk never exceeds 1. O(rounds * classes * bins).
    """
    scaled = weights.copy()
    _rows_to_one(scaled)
    for _ in range(rounds):
        for j in range(capacity.size):
            drawn = 0.0
            for i in range(amounts.size):
                drawn += amounts[i] * scaled[i, j]
            if drawn > 0:
                for i in range(amounts.size):
                    scaled[i, j] = scaled[i, j] / drawn * capacity[j]
        if _rows_to_one(scaled) < 0.05:
            break
    return scaled


@njit(nogil=True, cache=True)
def _rows_to_one(scaled):
    """Divide each row by its sum; how far from 1 they were."""
    drift = 0.0
    for i in range(scaled.shape[0]):
        held = 0.0
        for j in range(scaled.shape[1]):
            held += scaled[i, j]
        if held > 0:
            drift = max(drift, abs(held - 1.0))
            for j in range(scaled.shape[1]):
                scaled[i, j] /= held
    return drift


@njit(nogil=True, cache=True)
def expected(weights, amounts, capacity, ahead, behind):
    """How many members of class i are expected to have a value of bin j, over all worlds; False if there is no world.

    `ahead` and `behind` are scratch of at least `states(capacity)` numbers. The members are seated one after another;
    after t members the state is how many of each bin are taken, so a state belongs to exactly one t.
    O(states * bins) time, O(states) memory.
    """
    bins, total = capacity.size, amounts.sum()
    owner = np.repeat(np.arange(amounts.size), amounts)
    stride = np.ones(bins, np.int64)
    for j in range(1, bins):
        stride[j] = stride[j - 1] * (capacity[j - 1] + 1)
    last = 0
    for j in range(bins):
        last += stride[j] * capacity[j]
    result = np.zeros((amounts.size, bins))
    scaled = balanced(weights, amounts, capacity, _ROUNDS if total >= _BALANCE else 0)
    _onward(scaled, owner, capacity, stride, last, ahead)
    if ahead[last] < _FAINT and total < _BALANCE:
        scaled = balanced(weights, amounts, capacity, _ROUNDS)
        _onward(scaled, owner, capacity, stride, last, ahead)
    whole = ahead[last]
    if not whole > 0.0:
        return result, False
    behind[last] = 1.0
    taken, seated = capacity.copy(), total
    for state in range(last - 1, -1, -1):
        j = 0
        while taken[j] == 0:
            taken[j] = capacity[j]
            seated += capacity[j]
            j += 1
        taken[j] -= 1
        seated -= 1
        i, rest, here = owner[seated], 0.0, ahead[state]
        for j in range(bins):
            if taken[j] < capacity[j]:
                onward = scaled[i, j] * behind[state + stride[j]]
                rest += onward
                result[i, j] += here * onward
        behind[state] = rest
    for i in range(amounts.size):
        for j in range(bins):
            result[i, j] /= whole
    return result, True


@njit(nogil=True, cache=True)
def _onward(scaled, owner, capacity, stride, last, ahead):
    """The weight of all ways into each state, in rising order of states. O(states * bins)."""
    bins = capacity.size
    ahead[: last + 1] = 0.0
    ahead[0] = 1.0
    taken = np.zeros(bins, np.int64)
    seated = 0
    for state in range(last):
        here = ahead[state]
        if here > 0.0:
            i = owner[seated]
            for j in range(bins):
                if taken[j] < capacity[j]:
                    ahead[state + stride[j]] += here * scaled[i, j]
        j = 0
        while taken[j] == capacity[j]:
            seated -= taken[j]
            taken[j] = 0
            j += 1
        taken[j] += 1
        seated += 1


@njit(nogil=True, cache=True)
def swap_bound(weights, amounts, capacity, x):
    """For each class the most that belief in bin x can be: exchanging the values of two members maps the worlds where
    one has x to those where the other has it, and changes the weight by a bounded factor. Sound, not exact.

    O(classes^2 * bins).
    """
    classes, bins = weights.shape
    bound = np.empty(classes)
    total = amounts.sum()
    for u in range(classes):
        if weights[u, x] <= 0:
            bound[u] = 0.0
            continue
        if capacity[x] == total:
            bound[u] = 1.0
            continue
        others = 0.0
        for v in range(classes):
            many = amounts[v] - (1 if u == v else 0)
            if many == 0:
                continue
            worst = 0.0
            if u == v:
                worst = 1.0
            else:
                for y in range(bins):
                    if y != x and weights[v, y] > 0:
                        ratio = weights[v, y] / weights[u, y] if weights[u, y] > 0 else np.inf
                        worst = max(worst, ratio)
            if weights[v, x] <= 0 or worst == np.inf:
                continue  # the factor is unbounded: this member gives no help
            factor = weights[u, x] / weights[v, x] * worst
            if capacity[x] > 1:
                factor = max(factor, 1.0)
            if factor <= 0.0:
                others = np.inf  # no world gives x to u and another value to v
            else:
                others += many / factor
        bound[u] = min(1.0, capacity[x] / (1.0 + others))
    return bound


@njit(nogil=True, cache=True)
def believed(weights, amounts, capacity, events, most, ahead, behind):
    """For each class the greatest belief in an event (a set of bins; `events[j]` is its number, -1 for none), and
    whether that is exact, an upper bound, or there is no world at all.

    The walk runs over bins or over classes, whichever has fewer states; above `most` states the swap bound answers.
    """
    classes, bins = weights.shape
    total = amounts.sum()
    worst = np.zeros(classes)
    status = EXACT
    shares = np.zeros((classes, bins))
    if classes == 1:
        for j in range(bins):
            if weights[0, j] <= 0:
                status = CONTRADICTION
            shares[0, j] = capacity[j] / total
    else:
        by_bin, by_class = states(capacity, most), states(amounts, most)
        if min(by_bin, by_class) > most:
            status = BOUNDED
            for j in range(bins):
                if events[j] >= 0:
                    bound = swap_bound(weights, amounts, capacity, j)
                    for i in range(classes):
                        shares[i, j] = bound[i]
        elif by_bin <= by_class:
            shares, possible = expected(weights, amounts, capacity, ahead, behind)
            status = EXACT if possible else CONTRADICTION
            for i in range(classes):
                for j in range(bins):
                    shares[i, j] /= amounts[i]
        else:
            turned, possible = expected(weights.T.copy(), capacity, amounts, ahead, behind)
            status = EXACT if possible else CONTRADICTION
            for i in range(classes):
                for j in range(bins):
                    shares[i, j] = turned[j, i] / amounts[i]
    for i in range(classes):
        for j in range(bins):
            if events[j] < 0:
                continue
            belief = 0.0
            for other in range(bins):
                if events[other] == events[j]:
                    belief += shares[i, other]
            worst[i] = max(worst[i], min(belief, 1.0))
    return worst, status


@njit(nogil=True, cache=True)
def _against(rows, which, events, values, counts, event):
    """A group seen as "in the event" against "not in it": weights, capacities and events of two bins (or of one)."""
    inside, total = 0, 0
    for e in range(values.size):
        total += counts[e]
        if events[values[e]] == event:
            inside += counts[e]
    bins = 2 if total > inside else 1
    weights, capacity, kinds = np.zeros((which.size, bins)), np.empty(bins, np.int64), np.full(bins, -1, np.int64)
    capacity[0], kinds[0] = inside, event
    if bins == 2:
        capacity[1] = total - inside
    for i in range(which.size):
        for v in range(rows.shape[1]):
            if events[v] == event:
                weights[i, 0] += rows[which[i], v]
        weights[i, 0] = min(weights[i, 0], 1.0)
        if bins == 2:
            weights[i, 1] = 1.0 - weights[i, 0]
    return weights, capacity, kinds


@njit(nogil=True, cache=True)
def linked(rows, index, starts, members, counts, value_starts, values, value_counts, events, binary, most, first, last):
    """For every entry of the groups first..last-1 the greatest belief in an event over all column sets, and for every
    group how it was found and the column set that it comes from.

    `rows[index[a, members[e]]]` is the prior of entry e (`counts[e]` people) under column set a; a group's values are
    given as in Counts. With `binary` the adversary weighs each event against its contrary only.
    """
    entries = starts[last] - starts[first]
    risk, status = np.zeros(entries), np.zeros(last - first, np.int64)
    where = np.zeros(last - first, np.int64)
    ahead, behind = np.empty(64), np.empty(64)
    slot, seen = np.full(rows.shape[0], -1, np.int64), np.full(rows.shape[0], -1, np.int64)
    stamp = 0
    for g in range(first, last):
        begin, end = value_starts[g], value_starts[g + 1]
        concerned = False
        for e in range(begin, end):
            concerned |= events[values[e]] >= 0
        if not concerned:
            continue
        size = starts[g + 1] - starts[g]
        home = np.empty(size, np.int64)
        worst_here = -1.0
        for a in range(index.shape[0]):
            stamp += 1
            classes = 0
            amounts, which = np.zeros(size, np.int64), np.empty(size, np.int64)
            for e in range(size):
                row = index[a, members[starts[g] + e]]
                if seen[row] != stamp:
                    seen[row], slot[row] = stamp, classes
                    which[classes] = row
                    classes += 1
                home[e] = slot[row]
                amounts[slot[row]] += counts[starts[g] + e]
            done = -1
            while True:
                # one round for the full reading, one for each event in the binary one
                if binary:
                    event = -1
                    for e in range(begin, end):
                        other = events[values[e]]
                        if other > done and (event < 0 or other < event):
                            event = other
                    if event < 0:
                        break
                    done = event
                    here, many = values[begin:end], value_counts[begin:end]
                    weights, capacity, kinds = _against(rows, which[:classes], events, here, many, event)
                else:
                    weights = np.empty((classes, end - begin))
                    capacity = value_counts[begin:end].copy()
                    kinds = np.empty(end - begin, np.int64)
                    for e in range(begin, end):
                        kinds[e - begin] = events[values[e]]
                        for i in range(classes):
                            weights[i, e - begin] = rows[which[i], values[e]]
                needed = min(states(capacity, most), states(amounts[:classes], most))
                if needed <= most and needed > ahead.size:
                    ahead, behind = np.empty(2 * needed), np.empty(2 * needed)
                worst, found = believed(weights, amounts[:classes], capacity, kinds, most, ahead, behind)
                status[g - first] = max(status[g - first], found)
                for e in range(size):
                    place = starts[g] - starts[first] + e
                    risk[place] = max(risk[place], worst[home[e]])
                    if worst[home[e]] > worst_here:
                        worst_here, where[g - first] = worst[home[e]], a
                if not binary or found == CONTRADICTION:
                    break
    return risk, status, where

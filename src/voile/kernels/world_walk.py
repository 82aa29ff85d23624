"""Expected values over all worlds that agree with a published group, without listing the worlds.

A world gives each member of the group one of its values; its weight is the product of the members' prior
probabilities. Members with the same row of probabilities form one class, copies of the same value form one bin (or the
other way round), and a walk over "how many of each bin are taken" gives all expectations at once, without a
subtraction. Where there are too many states, exchanging two members' values bounds the belief instead.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel

_BALANCE = 24  # from this many members on, weights are balanced first, so that products do not underflow


_FAINT = 1e-150  # smaller groups are balanced if all worlds together weigh less than this


ROUNDS = 200


@kernel
def count_states(capacity, max_states):
    """Return the number of ways to fill bins of these capacities, or `max_states` + 1 if there are more. O(bins)."""
    total = 1
    for room in capacity:
        total *= room + 1
        if total > max_states:
            return max_states + 1
    return total


@kernel
def balance_weights(weights, amounts, capacity, rounds):
    """Scale rows and columns until each class and each bin draws about as much weight as it holds.

    Scaling changes no belief. At the end each row sums to 1, so the mass of a walk never exceeds 1. Sinkhorn's
    iteration, O(rounds * classes * bins).
    """
    scaled = weights.copy()
    _normalize_rows(scaled)
    for _ in range(rounds):
        for j in range(capacity.size):
            bin_weight = 0.0
            for i in range(amounts.size):
                bin_weight += amounts[i] * scaled[i, j]
            if bin_weight > 0:
                for i in range(amounts.size):
                    scaled[i, j] = scaled[i, j] / bin_weight * capacity[j]
        if _normalize_rows(scaled) < 0.05:
            break
    return scaled


@kernel
def _normalize_rows(scaled):
    """Divide each row by its sum; return how far the sums were from 1. O(classes * bins)."""
    drift = 0.0
    for i in range(scaled.shape[0]):
        row_sum = 0.0
        for j in range(scaled.shape[1]):
            row_sum += scaled[i, j]
        if row_sum > 0:
            drift = max(drift, abs(row_sum - 1.0))
            for j in range(scaled.shape[1]):
                scaled[i, j] /= row_sum
    return drift


@kernel
def compute_expected_counts(weights, amounts, capacity, ahead, behind):
    """Return how many members of class i are expected to have a value of bin j (classes x bins), over all worlds, and
    whether there is any world.

    `ahead` and `behind` are scratch arrays of at least `count_states(capacity)` numbers. The members are seated one
    after another; after t members the state says how many of each bin are taken, so a state belongs to exactly one t.
    A forward and a backward pass, O(states * bins) time, O(states) memory.
    """
    bins, total = capacity.size, 0
    for i in range(amounts.size):
        total += amounts[i]
    owner, seat = np.empty(total, np.int64), 0
    for i in range(amounts.size):
        for _ in range(amounts[i]):
            owner[seat] = i
            seat += 1
    stride = np.ones(bins, np.int64)
    for j in range(1, bins):
        stride[j] = stride[j - 1] * (capacity[j - 1] + 1)
    last = 0
    for j in range(bins):
        last += stride[j] * capacity[j]
    result = np.zeros((amounts.size, bins))
    scaled = balance_weights(weights, amounts, capacity, ROUNDS if total >= _BALANCE else 0)
    _walk_forward(scaled, owner, capacity, stride, last, ahead)
    if ahead[last] < _FAINT and total < _BALANCE:
        scaled = balance_weights(weights, amounts, capacity, ROUNDS)
        _walk_forward(scaled, owner, capacity, stride, last, ahead)
    total_weight = ahead[last]
    if not total_weight > 0.0:
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
        i, weight_onward, weight_before = owner[seated], 0.0, ahead[state]
        for j in range(bins):
            if taken[j] < capacity[j]:
                onward = scaled[i, j] * behind[state + stride[j]]
                weight_onward += onward
                result[i, j] += weight_before * onward
        behind[state] = weight_onward
    for i in range(amounts.size):
        for j in range(bins):
            result[i, j] /= total_weight
    return result, True


@kernel
def _walk_forward(scaled, owner, capacity, stride, last, ahead):
    """Fill `ahead` with the weight of all ways into each state, in rising order of states. O(states * bins)."""
    bins = capacity.size
    ahead[: last + 1] = 0.0
    ahead[0] = 1.0
    taken = np.zeros(bins, np.int64)
    seated = 0
    for state in range(last):
        weight_before = ahead[state]
        if weight_before > 0.0:
            i = owner[seated]
            for j in range(bins):
                if taken[j] < capacity[j]:
                    ahead[state + stride[j]] += weight_before * scaled[i, j]
        j = 0
        while taken[j] == capacity[j]:
            seated -= taken[j]
            taken[j] = 0
            j += 1
        taken[j] += 1
        seated += 1


@kernel
def bound_by_swaps(weights, amounts, capacity, x):
    """Return, for each class, an upper bound on the belief that a member has a value of bin x.

    Exchanging the values of two members maps the worlds in which one has x to those in which the other has it, and
    changes the weight by a bounded factor. Sound, not exact. O(classes^2 * bins).
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
        swap_weight = 0.0
        for v in range(classes):
            people = amounts[v] - (1 if u == v else 0)
            if people == 0:
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
                swap_weight = np.inf  # no world gives x to u and another value to v
            else:
                swap_weight += people / factor
        bound[u] = min(1.0, capacity[x] / (1.0 + swap_weight))
    return bound

"""One partition of a group: the probability that all of its parts may be shown, by convolution over the parts."""

from __future__ import annotations

import numpy as np

from voile.attacks.minimality.kernel.states import (
    list_states,
    log_factorials,
    log_shares,
    weigh_group,
    weigh_states,
)
from voile.kernels.compilation import kernel

TINY = 1e-60  # smaller probabilities change nothing: no result is read off below 1e-15


@kernel
def _find_span(chances):
    """Return the range of positions outside which an array is zero: the first, and the one after the last."""
    low, high = 0, chances.size
    while low < high and chances[low] < TINY:
        low += 1
    while high > low and chances[high - 1] < TINY:
        high -= 1
    return low, high


@kernel
def _add_part(before, after, states, chances, may_show, digits, counts):
    """Add one part: then[s + h] += now[s] * chance(h), over states h that may be shown. O(states * states of a part)"""
    types = counts.size
    after[:] = 0.0
    low, high = _find_span(before)
    for i in range(states.size):
        h = states[i]
        if not may_show[h] or chances[i] < TINY:
            continue
        for s in range(low, min(high, before.size - h)):
            if before[s] < TINY:
                continue
            possible = True
            for t in range(types):
                possible &= digits[s, t] + digits[h, t] <= counts[t]
            if possible:
                after[s + h] += before[s] * chances[i]


@kernel
def convolve_parts(sizes, size_rows, may_show, counts, last):
    """Return the probability that every part of a partition may be shown and, jointly with that event, the expected
    number of people per part and type. `may_show[size_rows[i], s]` says whether part i may be shown in state s. Parts
    of one size share their states: sorted `sizes` are fastest.

    By convolution over the parts, forwards and backwards. O(parts * states * states of one part): for two types at most
    O(people * people of the rarer type), and less for large parts, whose counts stay near their means.
    """
    parts, types, total = sizes.size, counts.size, 0
    for i in range(parts):
        total += sizes[i]
    digits, logs, shares = list_states(counts), log_factorials(total), log_shares(counts, last, total)
    all_states = digits.shape[0]
    before = np.zeros((parts + 1, all_states))
    after = np.zeros((parts + 1, all_states))
    before[0, 0] = 1.0
    # after[i, s]: the probability of filling parts i.. with exactly s; read off at (all - what came before)
    after[parts, 0] = 1.0
    states, chances = weigh_states(sizes[0], digits, counts, last, logs, shares)
    size = sizes[0]
    for i in range(parts):
        if sizes[i] != size:
            size = sizes[i]
            states, chances = weigh_states(size, digits, counts, last, logs, shares)
        _add_part(before[i], before[i + 1], states, chances, may_show[size_rows[i]], digits, counts)
    for i in range(parts - 1, -1, -1):
        if sizes[i] != size:
            size = sizes[i]
            states, chances = weigh_states(size, digits, counts, last, logs, shares)
        _add_part(after[i + 1], after[i], states, chances, may_show[size_rows[i]], digits, counts)
    group_chance = weigh_group(counts, last, logs, shares)
    expected = np.zeros((parts, types + 1))
    for i in range(parts):
        twin = -1
        for j in range(i):
            if sizes[j] == sizes[i]:
                twin = j
                break
        if twin >= 0:
            expected[i] = expected[twin]
            continue
        states, chances = weigh_states(sizes[i], digits, counts, last, logs, shares)
        low, high = _find_span(before[i])
        for m in range(states.size):
            h = states[m]
            if not may_show[size_rows[i], h] or chances[m] < TINY:
                continue
            weight = 0.0
            for s in range(low, min(high, all_states - h)):
                other_state = all_states - 1 - h - s
                if before[i, s] < TINY or after[i + 1, other_state] < TINY:
                    continue
                possible = True
                for t in range(types):
                    possible &= digits[s, t] + digits[h, t] <= counts[t]
                if possible:
                    weight += before[i, s] * after[i + 1, other_state]
            weight *= chances[m] / group_chance
            of_last = sizes[i]
            for t in range(types):
                expected[i, t] += weight * digits[h, t]
                of_last -= digits[h, t]
            expected[i, types] += weight * of_last
    return before[parts, all_states - 1] / group_chance, expected

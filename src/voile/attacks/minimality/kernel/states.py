"""The states of some people of a group, the probability of each, and the steps that a world allows."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def list_states(counts):
    """Return every state of some types (states x types). O(states * types)."""
    states = 1
    for t in range(counts.size):
        states *= counts[t] + 1
    table = np.empty((states, counts.size), np.int64)
    for s in range(states):
        quotient = s
        for t in range(counts.size - 1, -1, -1):
            table[s, t] = quotient % (counts[t] + 1)
            quotient //= counts[t] + 1
    return table


@kernel
def log_factorials(n):
    """Return log 0!, log 1!, ..., log n!"""
    table = np.zeros(n + 1)
    for i in range(2, n + 1):
        table[i] = table[i - 1] + np.log(i)
    return table


@kernel
def log_shares(counts, last, total):
    """Return the logarithm of each type's share of the group; the last type at the end."""
    shares = np.zeros(counts.size + 1)
    for t in range(counts.size):
        shares[t] = np.log(counts[t] / total)
    if last > 0:
        shares[counts.size] = np.log(last / total)
    return shares


@kernel
def weigh_states(size, digits, counts, last, logs, shares):
    """Return the states that `size` people may be in, and the probability of each."""
    states, chances = np.empty(digits.shape[0], np.int64), np.empty(digits.shape[0])
    types, possible = counts.size, 0
    for s in range(digits.shape[0]):
        total = 0
        for t in range(types):
            total += digits[s, t]
        of_last = size - total
        if of_last < 0 or of_last > last:
            continue
        weight = logs[size] - logs[of_last]
        if of_last > 0:
            weight += of_last * shares[types]
        for t in range(types):
            if digits[s, t] > 0:
                weight += digits[s, t] * shares[t] - logs[digits[s, t]]
        states[possible], chances[possible] = s, np.exp(weight)
        possible += 1
    return states[:possible], chances[:possible]


@kernel
def weigh_group(counts, last, logs, shares):
    """Return the probability of the counts of the whole group."""
    total = last
    for t in range(counts.size):
        total += counts[t]
    weight = logs[total] - logs[last] + last * shares[counts.size]
    for t in range(counts.size):
        weight += counts[t] * shares[t] - logs[counts[t]]
    return np.exp(weight)


@kernel
def allowed_steps(atom_states, parts, part_counts, size_rows, may_show, part_states):
    """Return the steps that a world allows: bit s is set if every part of step s may be shown. Overwrites
    `part_states`."""
    mask = 0
    for s in range(parts.shape[1]):
        for p in range(part_counts[s]):
            part_states[p] = 0
        for a in range(atom_states.size):
            part_states[parts[a, s]] += atom_states[a]
        allowed = True
        for p in range(part_counts[s]):
            allowed &= may_show[size_rows[s, p], part_states[p]]
        if allowed:
            mask |= 1 << s
    return mask

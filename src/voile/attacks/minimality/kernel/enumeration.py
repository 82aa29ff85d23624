"""All worlds of a small group, one by one."""

from __future__ import annotations

import numpy as np

from voile.attacks.minimality.kernel.states import (
    allowed_steps,
    list_states,
    log_factorials,
    log_shares,
    weigh_group,
    weigh_states,
)
from voile.kernels.compilation import kernel


@kernel
def enumerate_worlds(atoms, parts, part_counts, size_rows, may_show, counts, last, by_set, max_worlds):
    """Return the probability of each set of steps that a world may allow and, jointly with it, the expected number of
    people per atom and type; without `by_set` only for the empty set. `parts[a, s]` is the part of atom a in step s,
    `part_counts[s]` the number of parts of the step, `size_rows[s, p]` the row of `may_show` for the size of part p.

    The first value returned is the number of worlds, or -1 if there are more than `max_worlds`.
    O(worlds * atoms * steps).
    """
    people, types, total = atoms.size, counts.size, 0
    for a in range(people):
        total += atoms[a]
    digits, logs, shares = list_states(counts), log_factorials(total), log_shares(counts, last, total)
    bins = 1 << parts.shape[1] if by_set else 1
    weights, expected = np.zeros(bins), np.zeros((bins, people, types + 1))
    kinds = np.unique(atoms)  # atoms of one size may be in the same states
    kind = np.searchsorted(kinds, atoms)
    menus, chances = np.empty((kinds.size, digits.shape[0]), np.int64), np.empty((kinds.size, digits.shape[0]))
    lengths = np.empty(kinds.size, np.int64)
    for k in range(kinds.size):
        states, state_chances = weigh_states(kinds[k], digits, counts, last, logs, shares)
        lengths[k] = states.size
        menus[k, : states.size], chances[k, : states.size] = states, state_chances
    widest = 1
    for s in range(part_counts.size):
        widest = max(widest, part_counts[s])
    part_states = np.empty(widest, np.int64)
    atom_states, at, used_state = np.zeros(people, np.int64), np.zeros(people, np.int64), np.zeros(people + 1, np.int64)
    chance, of_last = np.ones(people + 1), np.zeros(people + 1, np.int64)  # of_last: people of the last type so far
    depth, worlds, attempts = 0, 0, 0
    while depth >= 0:
        if depth == people:
            worlds += 1
            if worlds > max_worlds:
                return -1, weights, expected
            mask = allowed_steps(atom_states, parts, part_counts, size_rows, may_show, part_states)
            if by_set or mask == 0:
                weights[mask] += chance[depth]
                for a in range(people):
                    of_last_here = atoms[a]
                    for t in range(types):
                        expected[mask, a, t] += chance[depth] * digits[atom_states[a], t]
                        of_last_here -= digits[atom_states[a], t]
                    expected[mask, a, types] += chance[depth] * of_last_here
            depth -= 1
            continue
        advanced, k = False, kind[depth]
        if depth == people - 1 and at[depth] == 0:  # the last atom gets the remaining values
            at[depth] = lengths[k]
            atom_states[depth] = digits.shape[0] - 1 - used_state[depth]
            weight, of_last_here = logs[atoms[depth]] - logs[last - of_last[depth]], last - of_last[depth]
            weight += of_last_here * shares[types]
            for t in range(types):
                count = digits[atom_states[depth], t]
                weight += count * shares[t] - logs[count]
            chance[depth + 1] = chance[depth] * np.exp(weight)
            advanced = True
        while at[depth] < lengths[k] and not advanced:
            attempts += 1
            h = menus[k, at[depth]]
            of_last_here = atoms[depth]
            possible = True
            for t in range(types):
                possible &= digits[used_state[depth], t] + digits[h, t] <= counts[t]
                of_last_here -= digits[h, t]
            if possible and of_last[depth] + of_last_here <= last:
                atom_states[depth] = h
                used_state[depth + 1] = used_state[depth] + h
                of_last[depth + 1] = of_last[depth] + of_last_here
                chance[depth + 1] = chance[depth] * chances[k, at[depth]]
                advanced = True
            at[depth] += 1
        if attempts > 20 * max_worlds:
            return -1, weights, expected
        if advanced:
            depth += 1
            if depth < people:
                at[depth] = 0
        else:
            depth -= 1
    scale = weigh_group(counts, last, logs, shares)
    return worlds, weights / scale, expected / scale

"""Worlds of a group drawn at random, where there are too many to list."""

from __future__ import annotations

import numpy as np

from voile.attacks.minimality.kernel.states import allowed_steps
from voile.kernels.compilation import kernel


@kernel
def sample_worlds(atoms, parts, part_counts, size_rows, may_show, counts, last, by_set, draws, seed):
    """As `enumerate_worlds`, by drawing worlds at random; the first array returned says how many draws fell into each
    set of steps. O(draws * people)."""
    people, types, total = atoms.size, counts.size, 0
    for a in range(people):
        total += atoms[a]
    strides = np.ones(types + 1, np.int64)
    strides[types] = 0
    for t in range(types - 2, -1, -1):
        strides[t] = strides[t + 1] * (counts[t + 1] + 1)
    atom_of, kind = np.empty(total, np.int64), np.empty(total, np.int64)
    i, j = 0, 0
    for a in range(people):
        for _ in range(atoms[a]):
            atom_of[i] = a
            i += 1
    for t in range(types + 1):
        for _ in range(counts[t] if t < types else last):
            kind[j] = t
            j += 1
    bins = 1 << parts.shape[1] if by_set else 1
    hits, expected = np.zeros(bins, np.int64), np.zeros((bins, people, types + 1))
    widest = 1
    for s in range(part_counts.size):
        widest = max(widest, part_counts[s])
    part_states, atom_states = np.empty(widest, np.int64), np.empty(people, np.int64)
    random = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0xD1B54A32D192ED03)
    for _ in range(draws):
        for n in range(total - 1, 0, -1):  # Fisher-Yates, with xorshift64*
            random ^= random >> np.uint64(12)
            random ^= random << np.uint64(25)
            random ^= random >> np.uint64(27)
            swap = np.int64((random * np.uint64(0x2545F4914F6CDD1D) >> np.uint64(11)) % np.uint64(n + 1))
            kind[n], kind[swap] = kind[swap], kind[n]
        atom_states[:] = 0
        for n in range(total):
            atom_states[atom_of[n]] += strides[kind[n]]
        mask = allowed_steps(atom_states, parts, part_counts, size_rows, may_show, part_states)
        if by_set or mask == 0:
            hits[mask] += 1
            for n in range(total):
                expected[mask, atom_of[n], kind[n]] += 1.0
    return hits, expected / draws

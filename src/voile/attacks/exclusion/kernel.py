"""Find the values of one column whose exclusion reveals most about another."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def worst(starts, value, guessed, weight, size, wide, number):
    """For each group the largest share of any guessed value once up to `number` other values are removed.

    Group g has the pairs starts[g]..starts[g+1] of (value, guessed) with their weight. For a guessed value the best set
    is found by raising the share: remove the values that lie furthest below it, until it rises no more (Dinkelbach),
    which is exact. O(guessed * values * log values) per group and round; a few rounds.
    """
    found = np.zeros(starts.size - 1)
    at, there = np.full(size, -1, np.int64), np.full(wide, -1, np.int64)
    for g in range(starts.size - 1):
        rows, columns = 0, 0
        for i in range(starts[g], starts[g + 1]):
            if at[value[i]] < 0:
                at[value[i]] = rows
                rows += 1
            if there[guessed[i]] < 0:
                there[guessed[i]] = columns
                columns += 1
        table = np.zeros((columns, rows))
        for i in range(starts[g], starts[g + 1]):
            table[there[guessed[i]], at[value[i]]] += weight[i]
        struck = np.zeros(rows)
        for c in range(columns):
            struck += table[c]
        total = struck.sum()
        for c in range(columns):
            own = table[c].sum()
            share = own / total
            while True:
                gain = table[c] - share * struck
                order = np.argsort(gain)
                top, whole = own, total
                for place in range(min(number, rows)):
                    if gain[order[place]] >= 0.0:
                        break
                    top -= table[c, order[place]]
                    whole -= struck[order[place]]
                if top <= 0.0 or whole <= 0.0:
                    break
                raised = top / whole
                if raised <= share + 1e-13:
                    break
                share = raised
            found[g] = max(found[g], min(share, 1.0))
        for i in range(starts[g], starts[g + 1]):
            at[value[i]] = -1
            there[guessed[i]] = -1
    return found

"""Find the values of one column whose exclusion reveals most about another."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel
def find_largest_shares(starts, value, guessed, weight, size, wide, number):
    """Return, for each group, the largest share of a guessed value once up to `number` values of the other column go.

    Group g has the pairs starts[g]..starts[g+1] of (value, guessed) with their weight. For a guessed value the best set
    is found by raising the share: remove the values that lie furthest below it until it no longer rises (Dinkelbach).
    This is exact. O(guessed * values * log values) per group and round; a few rounds.
    """
    largest = np.zeros(starts.size - 1)
    row_of, column_of = np.full(size, -1, np.int64), np.full(wide, -1, np.int64)
    for g in range(starts.size - 1):
        rows, columns = 0, 0
        for i in range(starts[g], starts[g + 1]):
            if row_of[value[i]] < 0:
                row_of[value[i]] = rows
                rows += 1
            if column_of[guessed[i]] < 0:
                column_of[guessed[i]] = columns
                columns += 1
        table = np.zeros((columns, rows))
        for i in range(starts[g], starts[g + 1]):
            table[column_of[guessed[i]], row_of[value[i]]] += weight[i]
        row_totals = np.zeros(rows)
        for c in range(columns):
            row_totals += table[c]
        total = row_totals.sum()
        for c in range(columns):
            value_total = table[c].sum()
            share = value_total / total
            while True:
                gain = table[c] - share * row_totals
                order = np.argsort(gain)
                top, remaining = value_total, total
                for rank in range(min(number, rows)):
                    if gain[order[rank]] >= 0.0:
                        break
                    top -= table[c, order[rank]]
                    remaining -= row_totals[order[rank]]
                if top <= 0.0 or remaining <= 0.0:
                    break
                new_share = top / remaining
                if new_share <= share + 1e-13:
                    break
                share = new_share
            largest[g] = max(largest[g], min(share, 1.0))
        for i in range(starts[g], starts[g + 1]):
            row_of[value[i]] = -1
            column_of[guessed[i]] = -1
    return largest

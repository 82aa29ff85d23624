"""Find the value that all rows of a person are most likely to have."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel

NONE = -1.0  # no value fits all rows of a person


@kernel
def find_largest_beliefs(starts, group, rows, limit, value_starts, values, counts, sizes, width):
    """Return, for each person, the largest belief in a value that all their published rows have; NONE if none fits.

    Person i has rows[j] rows in group[j] for j in starts[i]..starts[i+1], of which `limit` are published, or all if
    there are no more. Group g has the values value_starts[g]..value_starts[g+1], all below `width`, with their counts,
    and sizes[g] rows. If t rows of g are published, all have a value of count c in C(c, t) of C(n, t) cases. Which ones
    are published is a matter of chance, so the weight of a value is the coefficient of z^limit in the product over the
    groups of sum_t C(m, t) C(c, t) / C(n, t) z^t. Weights are kept as logarithms, because they may be tiny.
    O(entries * limit * min(rows, limit)) for a person with more rows than `limit`, O(entries * rows) for the others.
    """
    largest = np.full(starts.size - 1, NONE)
    spot = np.full(width, -1, np.int64)
    found = np.empty(width, np.int64)
    fitting = np.empty(width, np.int64)
    weight = np.empty((width, limit + 1))
    step = np.empty(limit + 1)
    for i in range(starts.size - 1):
        total = rows[starts[i] : starts[i + 1]].sum()
        degree = limit if total > limit else 0
        number = 0
        for j in range(starts[i], starts[i + 1]):
            n, m = sizes[group[j]], rows[j]
            for entry in range(value_starts[group[j]], value_starts[group[j] + 1]):
                place = spot[values[entry]]
                if place < 0:
                    place = number
                    spot[values[entry]], found[place], fitting[place] = place, values[entry], 0
                    weight[place, 0] = 0.0
                    weight[place, 1 : degree + 1] = -np.inf
                    number += 1
                if degree == 0:
                    if counts[entry] >= m:
                        fitting[place] += 1
                        weight[place, 0] += _log_share(counts[entry], n, m)
                else:
                    _multiply(weight[place], degree, step, m, counts[entry], n)
        groups = starts[i + 1] - starts[i]
        best = -np.inf
        for place in range(number):
            if degree == 0 and fitting[place] < groups:
                weight[place, 0] = -np.inf
            best = max(best, weight[place, degree])
        if best > -np.inf:
            together = 0.0
            for place in range(number):
                together += np.exp(weight[place, degree] - best)
            largest[i] = 1.0 / together
        for place in range(number):
            spot[found[place]] = -1
    return largest


@kernel
def _log_share(count, size, rows):
    """Return the logarithm of C(count, rows) / C(size, rows)."""
    total = 0.0
    for j in range(rows):
        total += np.log((count - j) / (size - j))
    return total


@kernel
def _multiply(weight, degree, step, rows, count, size):
    """Multiply a polynomial of logarithms by sum_t C(rows, t) C(count, t) / C(size, t) z^t, up to a degree."""
    last = min(rows, count, degree)
    step[0] = 0.0
    for t in range(1, last + 1):
        step[t] = step[t - 1] + np.log((rows - t + 1) / t * ((count - t + 1) / (size - t + 1)))
    for d in range(degree, 0, -1):
        high = weight[d]
        for t in range(1, min(last, d) + 1):
            high = max(high, weight[d - t] + step[t])
        if high > -np.inf:
            total = np.exp(weight[d] - high)
            for t in range(1, min(last, d) + 1):
                total += np.exp(weight[d - t] + step[t] - high)
            weight[d] = high + np.log(total)

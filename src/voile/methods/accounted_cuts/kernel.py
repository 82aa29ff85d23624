"""What a refused cut says about the people on both sides of it, computed from the counts of the whole group.

A group of n people has H(v) people with value v, and every way to deal the values to the people is equally likely. A
cut puts the first `left` people to one side and the other `right` people to the other side. It is refused if a value
covers more than 1/l of a side. A coin hides the refusal: with the chance `stop` the cut is not even tried. After a cut
that is not made, belief in v may be at most 1/l; and if groups of k people are promised too, at most H(v)/k, so that
each of the H(v) rows that show v is a given person's with a probability of at most 1/k.
"""

from __future__ import annotations

from math import exp, lgamma

import numpy as np

from voile.kernels.compilation import kernel

EXACT = 2048  # larger groups are weighed by the sum of the chances that one value fails on one side
MARGIN = 1e-10  # more than the rounding errors of a belief
CERTAIN = 1e-12
MOST_STOP = 0.9  # a cut that needs a larger chance is not considered
NEXT = 0.9  # how much less the next best column is preferred
LATE = 0.1  # how much less a column is preferred that is to be cut last


@kernel
def choose_cuts(
    codes, weights, ids, starts, values, counts, kinds, lows, highs, cuts, order, late, limits, chosen, stops, passes
):
    """Choose a cut of every node (-1: none), and write the chance that it is not tried, and whether it may be shown.

    Row i has `weights[i]` people, and cell `ids[i]` has its values in `values[starts[id]:starts[id + 1]]`. The choice
    looks at the counts of the whole node and at the number of people on both sides. Only `passes` looks at which values
    are on which side; `limits` are l and k. O(rows * columns), and O(people^2) per cut of a node that is neither large
    nor safe.
    """
    l, k = limits  # noqa: E741 - the letter of the literature
    total, left = np.zeros(kinds, np.int64), np.zeros(kinds, np.int64)
    for node in range(lows.size):
        total[:] = 0
        for i in range(lows[node], highs[node]):
            for entry in range(starts[ids[i]], starts[ids[i] + 1]):
                total[values[entry]] += counts[entry]
        people = total.sum()
        chosen[node], stops[node], passes[node], best = -1, 0.0, False, 0.0
        for rank in range(order.shape[1]):
            d = order[node, rank]
            if d < 0:
                break
            left[:], size = 0, 0
            for i in range(lows[node], highs[node]):
                if codes[i, d] <= cuts[node, d]:
                    size += weights[i]
                    for entry in range(starts[ids[i]], starts[ids[i] + 1]):
                        left[values[entry]] += counts[entry]
            stop, success = weigh_refusal(total, size, people - size, l, k)
            worth = (1 - stop) * success * NEXT**rank * (LATE if late[d] else 1.0)
            if stop <= MOST_STOP and worth > best:
                chosen[node], stops[node], best = d, stop, worth
                passes[node] = is_diverse(left, size, l) and is_diverse(total - left, people - size, l)


@kernel
def is_diverse(histogram, people, l):  # noqa: E741 - the letter of the literature
    return histogram.max() * l <= people


@kernel
def weigh_refusal(total, left, right, l, k):  # noqa: E741
    """Return the least chance of not trying a cut that keeps every belief within its limit if the cut is not made, and
    the chance that the cut is not refused."""
    failure, has_left, has_right = describe_refusal(total, left, right, l)
    if left == right:  # both sides are alike, so a refusal says nothing about either
        return 0.0, max(1 - failure, 0.0)
    people, stop = left + right, 0.0
    for v in range(total.size):
        if total[v] > 0:
            limit = min(1 / l, total[v] / k)
            excess = max(has_left[v], has_right[v]) - failure * limit
            stop = max(stop, find_stop(excess, limit - total[v] / people))
    return stop, max(1 - failure, 0.0)


@kernel
def describe_refusal(total, left, right, l):  # noqa: E741
    """Return the chance that a cut is refused, and the chance that it is and a given person of the left or the right
    side has each value: exactly (up to a margin for rounding), or upper bounds of all three if the group is large or a
    refusal all but impossible."""
    people, failure = left + right, 0.0
    for count in total:
        failure += tail(people, count, left, left // l + 1) + tail(people, count, right, right // l + 1)
    if failure < CERTAIN or people > EXACT:
        whatever = np.full(total.size, failure)
        return failure, whatever, whatever
    success, both = count_successes(total, left, right, l)
    has_left = total / people - both / left + MARGIN
    has_right = total / people - (total * success - both) / right + MARGIN
    return 1 - success, has_left, has_right


@kernel
def believe_uncut(total, left, right, l, k):  # noqa: E741
    """Return what is believed of somebody on the left and on the right if the cut is not made, and whether that is
    exact; otherwise it is an upper bound."""
    people = left + right
    share = total / people
    if left == right:
        return share, share, True
    stop, _ = weigh_refusal(total, left, right, l, k)
    failure, has_left, has_right = describe_refusal(total, left, right, l)
    uncut = stop + (1 - stop) * failure
    if uncut <= 0:
        return share, share, True
    on_left = (stop * share + (1 - stop) * has_left) / uncut
    return on_left, (stop * share + (1 - stop) * has_right) / uncut, people <= EXACT and failure >= CERTAIN


@kernel
def find_stop(excess, room):
    """Return the chance of stopping at which (1 - stop) * excess = stop * room. `excess` is by how much a refusal lifts
    a belief above its limit, times the chance of the refusal; `room` is what the belief has left without it."""
    return excess / (excess + max(room, 0.0)) if excess > 0 else 0.0


@kernel
def count_successes(total, left, right, l):  # noqa: E741
    """Return the chance that no value fails on either side, and the expected number of people on the left with each
    value, where cuts that are refused count 0.

    Values that cannot fail are taken together. The numbers on the left are independent binomial ones, given their sum;
    their distributions are multiplied up from the first value and from the last. O(people^2).
    """
    people, most_left, most_right = left + right, left // l, right // l
    risky = np.flatnonzero(total > min(most_left, most_right))
    free = people - total[risky].sum()
    rate, rows = left / people, risky.size + 1
    chances = np.zeros((rows, left + 1))
    for row in range(rows):
        number = free if row == risky.size else total[risky[row]]
        low, high = (0, number) if row == risky.size else (max(0, number - most_right), min(number, most_left))
        full = binomial(number, rate)
        for count in range(low, min(high, left) + 1):
            chances[row, count] = full[count]
    before, after = np.zeros((rows + 1, left + 1)), np.zeros((rows + 1, left + 1))
    before[0, 0], after[rows, 0] = 1.0, 1.0
    for row in range(rows):
        multiply(before[row], chances[row], before[row + 1])
        multiply(after[rows - row], chances[rows - 1 - row], after[rows - 1 - row])
    whole = binomial(people, rate)[left]
    both = np.zeros(total.size)
    for row in range(rows):
        expected = 0.0
        for count in range(1, left + 1):
            if chances[row, count] > 0:
                others = 0.0
                for x in range(left - count + 1):
                    others += before[row, x] * after[row + 1, left - count - x]
                expected += count * chances[row, count] * others
        if row < risky.size:
            both[risky[row]] = expected / whole
        elif free > 0:
            for v in range(total.size):
                if total[v] <= min(most_left, most_right):
                    both[v] = expected / whole * total[v] / free
    return min(before[rows, left] / whole, 1.0), both


@kernel
def multiply(first, second, product):
    """Add the product of two polynomials to a third, up to its degree."""
    for i in range(first.size):
        if first[i] > 0:
            for j in range(first.size - i):
                if second[j] > 0:
                    product[i + j] += first[i] * second[j]


@kernel
def binomial(number, rate):
    """Return the chances of 0, 1, ... `number` successes, multiplied up and down from the likeliest."""
    chances = np.zeros(number + 1)
    top = min(int((number + 1) * rate), number)
    chances[top] = 1.0
    odds = rate / (1 - rate)
    for count in range(top, 0, -1):
        chances[count - 1] = chances[count] * count / ((number - count + 1) * odds)
    for count in range(top, number):
        chances[count + 1] = chances[count] * (number - count) * odds / (count + 1)
    return chances / chances.sum()


@kernel
def tail(people, having, drawn, least):
    """Return (slightly more than) the chance that at least `least` of `drawn` people have a value that `having` of all
    have. O(least)."""
    most = min(having, drawn)
    if least > most:
        return 0.0
    if least <= drawn * having / people:
        return 1.0
    chance = exp(
        _log_choices(having, least) + _log_choices(people - having, drawn - least) - _log_choices(people, drawn)
    )
    answer = 0.0
    for count in range(least, most + 1):
        answer += chance
        if chance < 1e-17 * answer:
            break
        chance *= (having - count) * (drawn - count) / ((count + 1.0) * (people - having - drawn + count + 1.0))
    return answer * (1 + 1e-6)


@kernel
def _log_choices(number, count):
    if count < 0 or count > number:
        return -np.inf
    return lgamma(number + 1.0) - lgamma(count + 1.0) - lgamma(number - count + 1.0)


@kernel
def sum_tails(people, having, drawn, least):
    """Add up the tails of many draws. O(sum of least)."""
    answer = 0.0
    for i in range(people.size):
        answer += tail(people[i], having[i], drawn[i], least[i])
    return answer

"""What the number of cases in a group tells about each member, whose chances are independent and known.

Somebody who learns that a group has k cases, or at least k, believes that a member is one of them with probability
P(member is a case and the number fits) / P(the number fits). Both are sums over a Poisson-binomial distribution. They
are taken by Fourier inversion after all odds are multiplied by one factor, which changes no belief given the number
and moves the number into the middle of the distribution, so that nothing cancels.
"""

from __future__ import annotations

import math

import numpy as np

from voile.kernels.compilation import kernel

WIDTH, MARGIN, SMALL = 14.0, 32, 512  # the distribution is followed this many deviations and cases to either side


@kernel
def sum_cases(chances, people, tilt):
    """Return the mean and the variance of the number of cases if all odds are multiplied by `tilt`. O(classes)."""
    mean, variance = 0.0, 0.0
    for i in range(chances.size):
        chance = chances[i] * tilt / (1.0 - chances[i] + chances[i] * tilt)
        mean += people[i] * chance
        variance += people[i] * chance * (1.0 - chance)
    return mean, variance


@kernel
def find_tilt(chances, people, cases):
    """Return the factor of all odds that makes `cases` the expected number. O(classes) per halving."""
    low, high = -60.0, 60.0  # as a logarithm
    for _ in range(60):
        middle = 0.5 * (low + high)
        if sum_cases(chances, people, math.exp(middle))[0] < cases:
            low = middle
        else:
            high = middle
    return math.exp(high)


@kernel
def compute_count_beliefs(chances, people, cases, exact, wanted, beliefs):
    """Fill in the belief that a member of each `wanted` class is a case, given that a group has `cases` of them
    (`exact`) or at least so many; return whether the chances allow that number at all.

    Class i has `people[i]` members with chance `chances[i]`. O(classes * deviation of the number of cases).
    """
    possible, certain = 0, 0
    for i in range(chances.size):
        possible += people[i] if chances[i] > 0.0 else 0
        certain += people[i] if chances[i] >= 1.0 else 0
    if cases > possible or (exact and cases < certain):
        return False
    if not exact and cases <= certain:
        for w in range(wanted.size):
            beliefs[w] = chances[wanted[w]]
        return True
    if cases in (possible, certain):  # everybody who can be a case, or only those who must be
        for w in range(wanted.size):
            chance = chances[wanted[w]]
            beliefs[w] = 1.0 if chance >= 1.0 or (chance > 0.0 and cases == possible) else 0.0
        return True
    _invert(chances, people, cases, exact, possible, wanted, beliefs)
    return True


@kernel
def _invert(chances, people, cases, exact, possible, wanted, beliefs):
    tilt = find_tilt(chances, people, float(cases))
    tilt = tilt if exact else max(tilt, 1.0)
    mean, variance = sum_cases(chances, people, tilt)
    reach = int(WIDTH * math.sqrt(variance)) + MARGIN
    points = possible + 1 if possible < SMALL else min(possible + 1, 2 * reach + 1)
    first = cases if exact else max(cases, int(mean) - reach)
    terms = 1 if exact else max(min(possible, int(mean) + reach) - first + 1, 1)
    sizes, angles = np.zeros(chances.size), np.zeros(chances.size)
    total = 0.0
    beliefs[:] = 0.0
    for j in range(points):
        turn = 2.0 * math.pi * j / points
        zeros, log_size, angle = 0, 0.0, 0.0
        for i in range(chances.size):
            if chances[i] <= 0.0:
                continue
            chance = chances[i] * tilt / (1.0 - chances[i] + chances[i] * tilt)
            real, imaginary = 1.0 - chance + chance * math.cos(turn), chance * math.sin(turn)
            size = math.hypot(real, imaginary)
            if size < 1e-150:
                sizes[i] = -math.inf
                zeros += people[i]
                continue
            sizes[i], angles[i] = math.log(size), math.atan2(imaginary, real)
            log_size += people[i] * sizes[i]
            angle += people[i] * angles[i]
        if zeros > 1:
            continue
        # the sum of tilt^-(k - first) * exp(-i * turn * (k - 1)) over the numbers k that fit
        start = -2.0 * math.pi * ((j * (first - 1)) % points) / points
        ratio_real, ratio_imaginary = 1.0, 0.0
        if terms > 1:
            ratio_real, ratio_imaginary = _geometric_sum(turn, tilt, terms)
        weight = math.hypot(ratio_real, ratio_imaginary)
        phase = start + math.atan2(ratio_imaginary, ratio_real)
        if zeros == 0:
            total += math.exp(log_size) * weight * math.cos(angle + phase - turn)
        for w in range(wanted.size):
            i = wanted[w]
            if chances[i] <= 0.0:
                continue
            if sizes[i] == -math.inf:
                beliefs[w] += math.exp(log_size) * weight * math.cos(angle + phase)
            elif zeros == 0:
                beliefs[w] += math.exp(log_size - sizes[i]) * weight * math.cos(angle - angles[i] + phase)
    for w in range(wanted.size):
        chance = chances[wanted[w]]
        tilted = chance * tilt / (1.0 - chance + chance * tilt)
        beliefs[w] = min(max(tilted * beliefs[w] / total, 0.0), 1.0)


@kernel
def _geometric_sum(turn, tilt, terms):
    """Return the sum of (exp(-i * turn) / tilt)^t for t below `terms`."""
    real, imaginary = math.cos(turn) / tilt, -math.sin(turn) / tilt
    below = (1.0 - real) ** 2 + imaginary**2
    if below < 1e-12:
        total_real, total_imaginary, step_real, step_imaginary = 0.0, 0.0, 1.0, 0.0
        for _ in range(terms):
            total_real += step_real
            total_imaginary += step_imaginary
            step_real, step_imaginary = (
                step_real * real - step_imaginary * imaginary,
                step_real * imaginary + step_imaginary * real,
            )
        return total_real, total_imaginary
    last = math.exp(-terms * math.log(tilt))
    end_real, end_imaginary = 1.0 - last * math.cos(terms * turn), last * math.sin(terms * turn)
    return (
        (end_real * (1.0 - real) - end_imaginary * imaginary) / below,
        (end_imaginary * (1.0 - real) + end_real * imaginary) / below,
    )


@kernel
def gather_classes(chance, index, members, counts, chances, people, home, slot, stamps, stamp):
    """Gather the members of one group into classes of equal chance: their chances and numbers, and the class of each
    entry (`home`). Returns the number of classes. O(entries)."""
    classes = 0
    for e in range(members.size):
        row = index[members[e]]
        if stamps[row] != stamp:
            stamps[row], slot[row] = stamp, classes
            chances[classes], people[classes] = chance[row], 0
            classes += 1
        home[e] = slot[row]
        people[slot[row]] += counts[e]
    return classes


@kernel
def believe_counts(chance, index, starts, members, counts, cases, exact, floor, lift, first, last):
    """Return, for every entry of the groups first..last-1, the greatest belief over all column sets that a member is a
    case, and the greatest excess of a belief over max(floor, lift * chance); and for every group whether some column
    set contradicts its number of cases, and the column set of the greatest belief.

    `chance[index[a, members[e]]]` is the chance of entry e (`counts[e]` people) under column set a. Group g has
    `cases[g]` cases, or at least so many where `exact[g]` is false.
    """
    entries = starts[last] - starts[first]
    risk, excess = np.zeros(entries), np.full(entries, -1.0)
    contradicted, where = np.zeros(last - first, np.bool_), np.zeros(last - first, np.int64)
    slot, stamps = np.zeros(chance.size, np.int64), np.full(chance.size, -1, np.int64)
    stamp = 0
    for g in range(first, last):
        begin, end = starts[g], starts[g + 1]
        size = end - begin
        chances, people, home = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
        worst = -1.0
        for a in range(index.shape[0]):
            classes = gather_classes(
                chance, index[a], members[begin:end], counts[begin:end], chances, people, home, slot, stamps, stamp
            )
            stamp += 1
            beliefs = np.zeros(classes)
            fits = compute_count_beliefs(
                chances[:classes], people[:classes], cases[g], exact[g], np.arange(classes), beliefs
            )
            contradicted[g - first] |= not fits
            for e in range(size):
                entry, belief = begin - starts[first] + e, beliefs[home[e]]
                risk[entry] = max(risk[entry], belief)
                excess[entry] = max(excess[entry], belief - max(floor, lift * chances[home[e]]))
                if belief > worst:
                    worst, where[g - first] = belief, a
    return risk, excess, contradicted, where


@kernel
def find_caps(chance, index, starts, members, counts, floor, lift, slack):
    """Return for each group the largest number c such that somebody who learns that it has at least c cases believes
    of nobody more than max(floor, lift * chance) under any column set; one more than its people if c may be any number.

    Belief grows with the number of cases. Given "at least c", belief grows with a member's chance, and belief divided
    by chance falls with it: so two members decide, the largest chance up to floor / lift and the smallest above.
    """
    groups = starts.size - 1
    caps = np.empty(groups, np.int64)
    slot, stamps = np.zeros(chance.size, np.int64), np.full(chance.size, -1, np.int64)
    stamp = 0
    for g in range(groups):
        begin, end = starts[g], starts[g + 1]
        size = end - begin
        caps[g] = counts[begin:end].sum() + 1
        chances, people, home = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
        for a in range(index.shape[0]):
            classes = gather_classes(
                chance, index[a], members[begin:end], counts[begin:end], chances, people, home, slot, stamps, stamp
            )
            stamp += 1
            caps[g] = _lower_cap(chances[:classes], people[:classes], caps[g], floor, lift, slack)
    return caps


@kernel
def _lower_cap(chances, people, cap, floor, lift, slack):
    """Return the cap that one column set allows, at most `cap`."""
    low, high, possible = -1, -1, 0
    for i in range(chances.size):
        possible += people[i] if chances[i] > 0.0 else 0
        if chances[i] * lift <= floor:
            low = i if low < 0 or chances[i] > chances[low] else low
        elif chances[i] * lift < 1.0:
            high = i if high < 0 or chances[i] < chances[high] else high
    wanted = np.array([i for i in (low, high) if i >= 0], dtype=np.int64)
    if wanted.size == 0 or possible == 0:
        return cap
    limits = np.array([max(floor, lift * chances[i]) + slack for i in wanted])
    beliefs = np.zeros(wanted.size)
    top = min(cap, possible)  # more cases than that are impossible in the eyes of this adversary
    compute_count_beliefs(chances, people, top, False, wanted, beliefs)
    if (beliefs <= limits).all():
        return cap
    safe, unsafe = 0, top
    while unsafe - safe > 1:
        middle = (safe + unsafe) // 2
        compute_count_beliefs(chances, people, middle, False, wanted, beliefs)
        if (beliefs <= limits).all():
            safe = middle
        else:
            unsafe = middle
    return safe

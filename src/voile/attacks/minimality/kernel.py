"""Counting the ways to give a group's values to its people.

A group has people of several kinds (atoms), and values of several types with their counts. A state says how many of
each type some people have; the last type is left out, because the number of people tells it. States are numbered in
mixed radix, so the state of a union of atoms is the sum of their states. Whether people in a state may be shown is
looked up in a table, one row for each number of people that matters.

All weights are multinomial probabilities with the group's own shares, so nothing overflows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TINY = 1e-60  # chances below this change nothing: what is read off is never below 1e-15


@njit(nogil=True, cache=True)
def digits_of(counts):
    """Every state of some types: states x types. O(states * types)."""
    states = 1
    for t in range(counts.size):
        states *= counts[t] + 1
    table = np.empty((states, counts.size), np.int64)
    for s in range(states):
        left = s
        for t in range(counts.size - 1, -1, -1):
            table[s, t] = left % (counts[t] + 1)
            left //= counts[t] + 1
    return table


@njit(nogil=True, cache=True)
def _logs(n):
    """log 0!, log 1!, ..."""
    table = np.zeros(n + 1)
    for i in range(2, n + 1):
        table[i] = table[i - 1] + np.log(i)
    return table


@njit(nogil=True, cache=True)
def _menu(size, digits, counts, last, logs, shares):
    """The states that `size` people may be in, and the probability of each."""
    states, chances = np.empty(digits.shape[0], np.int64), np.empty(digits.shape[0])
    types, found = counts.size, 0
    for s in range(digits.shape[0]):
        total = 0
        for t in range(types):
            total += digits[s, t]
        rest = size - total
        if rest < 0 or rest > last:
            continue
        weight = logs[size] - logs[rest]
        if rest > 0:
            weight += rest * shares[types]
        for t in range(types):
            if digits[s, t] > 0:
                weight += digits[s, t] * shares[t] - logs[digits[s, t]]
        states[found], chances[found] = s, np.exp(weight)
        found += 1
    return states[:found], chances[:found]


@njit(nogil=True, cache=True)
def _shares(counts, last, total):
    shares = np.zeros(counts.size + 1)
    for t in range(counts.size):
        shares[t] = np.log(counts[t] / total)
    if last > 0:
        shares[counts.size] = np.log(last / total)
    return shares


@njit(nogil=True, cache=True)
def _whole(counts, last, logs, shares):
    """The probability of the whole group's counts."""
    total = last
    for t in range(counts.size):
        total += counts[t]
    weight = logs[total] - logs[last] + last * shares[counts.size]
    for t in range(counts.size):
        weight += counts[t] * shares[t] - logs[counts[t]]
    return np.exp(weight)


@njit(nogil=True, cache=True)
def _span(now):
    """Where an array holds more than nothing: the first place, and the one after the last."""
    low, high = 0, now.size
    while low < high and now[low] < TINY:
        low += 1
    while high > low and now[high - 1] < TINY:
        high -= 1
    return low, high


@njit(nogil=True, cache=True)
def _pass(now, then, menu, chances, fine, digits, counts):
    """One part more: then[s + h] += now[s] * chance(h), over states h that may be shown. O(states * menu)."""
    types = counts.size
    then[:] = 0.0
    low, high = _span(now)
    for i in range(menu.size):
        h = menu[i]
        if not fine[h] or chances[i] < TINY:
            continue
        for s in range(low, min(high, now.size - h)):
            if now[s] < TINY:
                continue
            fits = True
            for t in range(types):
                fits &= digits[s, t] + digits[h, t] <= counts[t]
            if fits:
                then[s + h] += now[s] * chances[i]


@njit(nogil=True, cache=True)
def shown(sizes, row, fine, counts, last):
    """One partition of a group into parts: the probability that every part may be shown, and for each part and type
    the expected number of people (jointly with that event). By convolution over the parts, forwards and backwards;
    parts of one size are alike. `fine[row[i], s]` says whether part i may be shown in state s.

    O(parts * states * states of one part): for two types O(people * people of the rarer type) at most, and less for
    large parts, whose counts stay near their means.
    """
    parts, types, total = sizes.size, counts.size, 0
    for i in range(parts):
        total += sizes[i]
    digits, logs, shares = digits_of(counts), _logs(total), _shares(counts, last, total)
    states = digits.shape[0]
    before = np.zeros((parts + 1, states))
    after = np.zeros((parts + 1, states))
    before[0, 0] = 1.0
    # after[i, s]: the chance of filling parts i.. with exactly s; read off at (all - what came before)
    after[parts, 0] = 1.0
    menu, chances = _menu(sizes[0], digits, counts, last, logs, shares)
    size = sizes[0]
    for i in range(parts):
        if sizes[i] != size:
            size = sizes[i]
            menu, chances = _menu(size, digits, counts, last, logs, shares)
        _pass(before[i], before[i + 1], menu, chances, fine[row[i]], digits, counts)
    for i in range(parts - 1, -1, -1):
        if sizes[i] != size:
            size = sizes[i]
            menu, chances = _menu(size, digits, counts, last, logs, shares)
        _pass(after[i + 1], after[i], menu, chances, fine[row[i]], digits, counts)
    whole = _whole(counts, last, logs, shares)
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
        menu, chances = _menu(sizes[i], digits, counts, last, logs, shares)
        low, high = _span(before[i])
        for m in range(menu.size):
            h = menu[m]
            if not fine[row[i], h] or chances[m] < TINY:
                continue
            weight = 0.0
            for s in range(low, min(high, states - h)):
                left = states - 1 - h - s
                if before[i, s] < TINY or after[i + 1, left] < TINY:
                    continue
                fits = True
                for t in range(types):
                    fits &= digits[s, t] + digits[h, t] <= counts[t]
                if fits:
                    weight += before[i, s] * after[i + 1, left]
            weight *= chances[m] / whole
            rest = sizes[i]
            for t in range(types):
                expected[i, t] += weight * digits[h, t]
                rest -= digits[h, t]
            expected[i, types] += weight * rest
    return before[parts, states - 1] / whole, expected


@njit(nogil=True, cache=True)
def _mask(place, parts, number, row, fine, totals):
    """Which steps could have been taken: bit s is set where all parts of step s may be shown. `place` are the states of
    the atoms."""
    mask = 0
    for s in range(parts.shape[1]):
        for p in range(number[s]):
            totals[p] = 0
        for a in range(place.size):
            totals[parts[a, s]] += place[a]
        good = True
        for p in range(number[s]):
            good &= fine[row[s, p], totals[p]]
        if good:
            mask |= 1 << s
    return mask


@njit(nogil=True, cache=True)
def listed(atoms, parts, number, row, fine, counts, last, whole, most):
    """All worlds of a small group, one by one: for each set of steps that could have been taken (with `whole`; else
    only for none) the probability, and for each atom and type the expected number of people. `parts[a, s]` is the part
    of atom a in step s, `number[s]` how many parts it has, `row[s, p]` the line of `fine` for its size.

    Returns worlds = -1 where there are more than `most`. O(worlds * atoms * steps).
    """
    people, types, total = atoms.size, counts.size, 0
    for a in range(people):
        total += atoms[a]
    digits, logs, shares = digits_of(counts), _logs(total), _shares(counts, last, total)
    bins = 1 << parts.shape[1] if whole else 1
    weights, expected = np.zeros(bins), np.zeros((bins, people, types + 1))
    kinds = np.unique(atoms)  # atoms of one size have one menu
    kind = np.searchsorted(kinds, atoms)
    menus, chances = np.empty((kinds.size, digits.shape[0]), np.int64), np.empty((kinds.size, digits.shape[0]))
    lengths = np.empty(kinds.size, np.int64)
    for k in range(kinds.size):
        states, some = _menu(kinds[k], digits, counts, last, logs, shares)
        lengths[k] = states.size
        menus[k, : states.size], chances[k, : states.size] = states, some
    widest = 1
    for s in range(number.size):
        widest = max(widest, number[s])
    totals = np.empty(widest, np.int64)
    place, at, used = np.zeros(people, np.int64), np.zeros(people, np.int64), np.zeros(people + 1, np.int64)
    chance, others = np.ones(people + 1), np.zeros(people + 1, np.int64)  # `others`: people of the last type so far
    depth, worlds, looked = 0, 0, 0
    while depth >= 0:
        if depth == people:
            worlds += 1
            if worlds > most:
                return -1, weights, expected
            mask = _mask(place, parts, number, row, fine, totals)
            if whole or mask == 0:
                weights[mask] += chance[depth]
                for a in range(people):
                    rest = atoms[a]
                    for t in range(types):
                        expected[mask, a, t] += chance[depth] * digits[place[a], t]
                        rest -= digits[place[a], t]
                    expected[mask, a, types] += chance[depth] * rest
            depth -= 1
            continue
        moved, k = False, kind[depth]
        if depth == people - 1 and at[depth] == 0:  # the last atom gets what is left
            at[depth] = lengths[k]
            place[depth] = digits.shape[0] - 1 - used[depth]
            weight, rest = logs[atoms[depth]] - logs[last - others[depth]], last - others[depth]
            weight += rest * shares[types]
            for t in range(types):
                count = digits[place[depth], t]
                weight += count * shares[t] - logs[count]
            chance[depth + 1] = chance[depth] * np.exp(weight)
            moved = True
        while at[depth] < lengths[k] and not moved:
            looked += 1
            h = menus[k, at[depth]]
            rest = atoms[depth]
            fits = True
            for t in range(types):
                fits &= digits[used[depth], t] + digits[h, t] <= counts[t]
                rest -= digits[h, t]
            if fits and others[depth] + rest <= last:
                place[depth] = h
                used[depth + 1] = used[depth] + h
                others[depth + 1] = others[depth] + rest
                chance[depth + 1] = chance[depth] * chances[k, at[depth]]
                moved = True
            at[depth] += 1
        if looked > 20 * most:
            return -1, weights, expected
        if moved:
            depth += 1
            if depth < people:
                at[depth] = 0
        else:
            depth -= 1
    scale = _whole(counts, last, logs, shares)
    return worlds, weights / scale, expected / scale


@njit(nogil=True, cache=True)
def drawn(atoms, parts, number, row, fine, counts, last, whole, draws, seed):
    """As `listed`, by drawing worlds at random; also how many draws fell into each set of steps. O(draws * people)."""
    people, types, total = atoms.size, counts.size, 0
    for a in range(people):
        total += atoms[a]
    strides = np.ones(types + 1, np.int64)
    strides[types] = 0
    for t in range(types - 2, -1, -1):
        strides[t] = strides[t + 1] * (counts[t + 1] + 1)
    who, kind = np.empty(total, np.int64), np.empty(total, np.int64)
    i, j = 0, 0
    for a in range(people):
        for _ in range(atoms[a]):
            who[i] = a
            i += 1
    for t in range(types + 1):
        for _ in range(counts[t] if t < types else last):
            kind[j] = t
            j += 1
    bins = 1 << parts.shape[1] if whole else 1
    hits, expected = np.zeros(bins, np.int64), np.zeros((bins, people, types + 1))
    widest = 1
    for s in range(number.size):
        widest = max(widest, number[s])
    totals, place = np.empty(widest, np.int64), np.empty(people, np.int64)
    coin = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0xD1B54A32D192ED03)
    for _ in range(draws):
        for n in range(total - 1, 0, -1):
            coin ^= coin >> np.uint64(12)
            coin ^= coin << np.uint64(25)
            coin ^= coin >> np.uint64(27)
            other = np.int64((coin * np.uint64(0x2545F4914F6CDD1D) >> np.uint64(11)) % np.uint64(n + 1))
            kind[n], kind[other] = kind[other], kind[n]
        place[:] = 0
        for n in range(total):
            place[who[n]] += strides[kind[n]]
        mask = _mask(place, parts, number, row, fine, totals)
        if whole or mask == 0:
            hits[mask] += 1
            for n in range(total):
                expected[mask, who[n], kind[n]] += 1.0
    return hits, expected / draws

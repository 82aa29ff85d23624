"""Groups of equal 64-bit keys, in no order: number them, or add up the weights of each.

Keys are dealt into parts by the top bits of a product, which spreads them evenly, and each part is counted in a hash
table that stays in the cache. Each key costs the same however many there are, where a sort would cost O(log n).
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.packed_keys import SMALL

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # an odd number whose multiples fill all parts evenly
PART_BITS = 10  # a part has about this many bits' worth of keys


def number_keys(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each key, and the place of the first key of each group. O(n)."""
    if len(key) < SMALL:  # loading the compiler costs more than sorting
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        return group.astype(np.int64), first.astype(np.int64)
    place, dealt, start = _deal_keys(key.astype(np.uint64, copy=False), _choose_shift(len(key)), len(key))
    dealt_group, dealt_first, _ = _number_parts(dealt, start, len(key))
    group = np.empty(len(key), dtype=np.int64)
    group[place] = dealt_group
    return group, place[dealt_first]


def sum_keys(key: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return how many times each different key occurs, or the sum of its weights. O(n)."""
    if len(key) < SMALL or weights is not None:
        group, first = number_keys(key)
        return np.bincount(group, weights=weights, minlength=len(first)).astype(np.int64)
    _, dealt, start = _deal_keys(key.astype(np.uint64, copy=False), _choose_shift(len(key)), 0)
    return np.array(_number_parts(dealt, start, 0)[2])


def _choose_shift(keys: int) -> int:
    """Return by how many bits a product is shifted to give its part; there is one part at least."""
    return 64 - max(keys.bit_length() - PART_BITS, 1)


@kernel
def _deal_keys(key, shift, places):
    """Return the places of the keys, part by part, the keys in that order, and where each part starts; no places if
    there are to be 0 of them. O(n)."""
    parts = 1 << (64 - shift)
    start = np.zeros(parts + 1, np.int64)
    for i in range(key.size):
        start[np.int64((key[i] * SPREAD) >> np.uint64(shift)) + 1] += 1
    for part in range(parts):
        start[part + 1] += start[part]
    following = start.copy()
    place, dealt = np.empty(places, np.int64), np.empty(key.size, np.uint64)
    for i in range(key.size):
        home = np.int64((key[i] * SPREAD) >> np.uint64(shift))
        if places:
            place[following[home]] = i
        dealt[following[home]] = key[i]
        following[home] += 1
    return place, dealt, start


@kernel
def _number_parts(dealt, start, places):
    """Number the groups of dealt keys; return the group of each key and one key of each group (nothing if there are to
    be 0 places), and how many keys each group has. O(n)."""
    group, first, total = np.empty(places, np.int64), np.empty(places, np.int64), np.empty(dealt.size, np.int64)
    groups = 0
    table, number = np.empty(2, np.uint64), np.empty(2, np.int64)
    for part in range(start.size - 1):
        slots = 2
        while slots < 2 * (start[part + 1] - start[part]):
            slots *= 2
        if slots > table.size:
            table, number = np.empty(slots, np.uint64), np.empty(slots, np.int64)
        number[:slots] = -1
        for i in range(start[part], start[part + 1]):
            slot = np.int64((dealt[i] * SPREAD) >> np.uint64(20)) & (slots - 1)
            while number[slot] >= 0 and table[slot] != dealt[i]:
                slot = (slot + 1) & (slots - 1)
            if number[slot] < 0:
                table[slot], number[slot], total[groups] = dealt[i], groups, 0
                if places:
                    first[groups] = i
                groups += 1
            if places:
                group[i] = number[slot]
            total[number[slot]] += 1
    return group, first[: min(groups, places)], total[:groups]

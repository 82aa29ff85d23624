"""Negative rules: values that people with certain items do not have.

An item set stands for the people who share some values. It excludes a sensitive value if enough people have the items,
and few or none of them have the value. Excluded values are kept as bits, 64 per word.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel

WORD = 64


@kernel(steps=64)
def _mark_excluded(order, items, values, weights, people, tolerated, needed, ranks, bits):
    """Set the bits of the values that each item set excludes. O(rows + item sets * values)."""
    people_with = np.zeros(needed.size, np.int64)
    start = 0
    while start < order.size:
        item = items[order[start]]
        stop = start
        while stop < order.size and items[order[stop]] == item:
            people_with[values[order[stop]]] += weights[order[stop]]
            stop += 1
        for value in ranks:
            if needed[value] > people[item]:
                break  # the values after it are rarer and need more people
            if people_with[value] <= tolerated[item]:
                bits[item, value // WORD] |= np.uint64(1) << np.uint64(value % WORD)
        for i in range(start, stop):
            people_with[values[order[i]]] = 0
        start = stop


def find_excluded_values(
    items: np.ndarray, values: np.ndarray, weights: np.ndarray, needed: np.ndarray, tolerated: np.ndarray
) -> np.ndarray:
    """Return the bits of the values that each item set excludes (item sets x words).

    Row i has the item set `items[i]` (numbered from 0, without gaps) and stands for `weights[i]` people with
    `values[i]`. A value is excluded if at least `needed[value]` people have the items and at most
    `tolerated[item set]` of them have the value (Li, Li: Injector, ICDE 2008).
    O(rows log rows + item sets * values).
    """
    people = np.bincount(items, weights=weights, minlength=len(tolerated)).astype(np.int64)
    bits = np.zeros((len(tolerated), -(-len(needed) // WORD)), dtype=np.uint64)
    order, ranks = np.argsort(items, kind="stable"), np.argsort(needed, kind="stable")
    _mark_excluded(order, items, values, weights, people, tolerated, needed, ranks, bits)
    return bits


def number_patterns(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of bits, and the number of each row's pattern among them. O(rows log rows)."""
    patterns, pattern_numbers = np.unique(bits, axis=0, return_inverse=True)
    return patterns, pattern_numbers.reshape(-1)


def unpack_bits(bits: np.ndarray, values: int) -> np.ndarray:
    """Return bits as booleans, one column per value. O(rows * values)."""
    shifts = np.arange(WORD, dtype=np.uint64)
    flags = (bits[:, :, None] >> shifts) & np.uint64(1)
    return flags.reshape(len(bits), -1)[:, :values].astype(bool)


def pack_bits(flags: np.ndarray) -> np.ndarray:
    """Return booleans as bits: the inverse of `unpack_bits`. O(rows * values)."""
    words = np.zeros((len(flags), -(-flags.shape[1] // WORD), WORD), dtype=np.uint64)
    words.reshape(len(flags), -1)[:, : flags.shape[1]] = flags
    return np.asarray(np.bitwise_or.reduce(words << np.arange(WORD, dtype=np.uint64), axis=2))

"""Negative rules: of whom the table says that they do not have a value.

An item set stands for the people who share some values; it rules a value out where enough people have the items, and
few or none of them have the value. The values that are ruled out are kept as bits, 64 to a word.
"""

from __future__ import annotations

import numpy as np
from numba import njit

WORD = 64


@njit(nogil=True, cache=True)
def _ruled_out(order, items, values, weights, people, tolerated, needed, ranks, bits):
    """O(rows + item sets * values)."""
    seen = np.zeros(needed.size, np.int64)
    start = 0
    while start < order.size:
        item = items[order[start]]
        stop = start
        while stop < order.size and items[order[stop]] == item:
            seen[values[order[stop]]] += weights[order[stop]]
            stop += 1
        for value in ranks:
            if needed[value] > people[item]:
                break  # the values after it are rarer and need more
            if seen[value] <= tolerated[item]:
                bits[item, value // WORD] |= np.uint64(1) << np.uint64(value % WORD)
        for i in range(start, stop):
            seen[values[order[i]]] = 0
        start = stop


def ruled_out(
    items: np.ndarray, values: np.ndarray, weights: np.ndarray, needed: np.ndarray, tolerated: np.ndarray
) -> np.ndarray:
    """The bits of the values that each item set rules out (item sets x words).

    Row i has the item set `items[i]`, all numbers from 0 on being used, and stands for `weights[i]` people with
    `values[i]`. A value is ruled out where at least `needed[value]` people have the items and at most
    `tolerated[item set]` of them have the value. O(rows log rows + item sets * values).
    """
    people = np.bincount(items, weights=weights, minlength=len(tolerated)).astype(np.int64)
    bits = np.zeros((len(tolerated), -(-len(needed) // WORD)), dtype=np.uint64)
    order, ranks = np.argsort(items, kind="stable"), np.argsort(needed, kind="stable")
    _ruled_out(order, items, values, weights, people, tolerated, needed, ranks, bits)
    return bits


def alike(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of bits, and which of them each row is. O(rows log rows)."""
    found, which = np.unique(bits, axis=0, return_inverse=True)
    return found, which.reshape(-1)


def unpacked(bits: np.ndarray, values: int) -> np.ndarray:
    """Bits as true and false, one column a value."""
    shifts = np.arange(WORD, dtype=np.uint64)
    whole = (bits[:, :, None] >> shifts) & np.uint64(1)
    return whole.reshape(len(bits), -1)[:, :values].astype(bool)


def packed(flags: np.ndarray) -> np.ndarray:
    """The way back: true and false as bits."""
    whole = np.zeros((len(flags), -(-flags.shape[1] // WORD), WORD), dtype=np.uint64)
    whole.reshape(len(flags), -1)[:, : flags.shape[1]] = flags
    return np.asarray(np.bitwise_or.reduce(whole << np.arange(WORD, dtype=np.uint64), axis=2))

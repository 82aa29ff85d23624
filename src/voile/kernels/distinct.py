"""Distinct rows: pack the codes of several columns into one 64-bit key, sort, count the runs.

Sorting 64-bit numbers is the fastest grouping there is on these tables (numpy sorts with vector instructions), and the
result comes in rising order of the codes, whatever the order of the rows was. O(n log n), two threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

CORES = 2
SMALL = 200_000


def bits(sizes: Sequence[int]) -> list[int]:
    """How many bits the codes of each column need."""
    return [max(int(size) - 1, 0).bit_length() for size in sizes]


def fits(sizes: Sequence[int]) -> bool:
    """Whether the codes of these columns pack into 63 bits."""
    return sum(bits(sizes)) <= 63


def pack(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """One int64 a row, ordered as the rows are."""
    rows = len(columns[0]) if len(columns) else 0
    key = np.empty(rows, dtype=np.int64)
    widths = bits(sizes)

    def part(low: int, high: int) -> None:
        piece = key[low:high]
        piece[:] = 0
        for column, width in zip(columns, widths, strict=True):
            piece <<= width
            piece |= column[low:high]

    # blocks that stay in the cache, so that eight columns cost little more than one
    _in_parts(part, rows, 1 << 15)
    return key


def unpack(key: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """The codes of packed keys, rows x columns."""
    limit = max(sizes, default=1)
    codes = np.empty((len(key), len(sizes)), dtype=np.uint16 if limit <= 1 << 16 else np.uint32)
    widths = bits(sizes)
    shifts = np.array([sum(widths[j + 1 :]) for j in range(len(widths))], dtype=np.int64)
    masks = np.array([(1 << width) - 1 for width in widths], dtype=np.int64)
    _in_parts(lambda low, high: _unpack(key[low:high], shifts, masks, codes[low:high]), len(key), 1 << 20)
    return codes


def _in_parts(work: Callable[[int, int], None], rows: int, block: int) -> None:
    """Run `work(low, high)` over all rows, on two threads where there are many."""
    edges = range(0, rows, block)
    if rows < SMALL:
        for low in edges:
            work(low, min(low + block, rows))
        return
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda low: work(low, min(low + block, rows)), edges))


@njit(nogil=True, cache=True)
def _unpack(key: np.ndarray, shifts: np.ndarray, masks: np.ndarray, codes: np.ndarray) -> None:
    """O(n * columns)."""
    for i in range(key.size):
        for j in range(shifts.size):
            codes[i, j] = (key[i] >> shifts[j]) & masks[j]


def runs(key: np.ndarray) -> np.ndarray:
    """Where each run of equal keys starts, and the length of the array at the end."""
    if not len(key):
        return np.zeros(1, dtype=np.int64)
    return np.concatenate([[0], np.flatnonzero(key[1:] != key[:-1]) + 1, [len(key)]])


def sort_keys(key: np.ndarray) -> np.ndarray:
    """The keys in rising order: two halves sorted at once and merged."""
    if len(key) < SMALL:
        return np.sort(key)
    middle = len(key) // 2
    copy = key.copy()
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(np.ndarray.sort, (copy[:middle], copy[middle:])))
    return _merged(copy, middle)


@njit(nogil=True, cache=True)
def _merged(key: np.ndarray, middle: int) -> np.ndarray:
    """Merge two sorted halves. O(n)."""
    result = np.empty_like(key)
    i, j, n = 0, middle, key.size
    for place in range(n):
        if j >= n or (i < middle and key[i] <= key[j]):
            result[place] = key[i]
            i += 1
        else:
            result[place] = key[j]
            j += 1
    return result


def distinct(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows (as codes, rising) and how often each occurs."""
    if not fits(sizes):
        return _distinct_wide(columns, sizes)
    key = sort_keys(pack(columns, sizes))
    starts = runs(key)
    return unpack(key[starts[:-1]], sizes), np.diff(starts)


def _distinct_wide(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Columns that do not fit one key: the leading ones become a dense rank, which leads the next key."""
    key, first = ranked(columns, sizes)
    counts = np.bincount(key)
    limit = max(sizes)
    codes = np.stack([column[first] for column in columns], axis=1)
    return codes.astype(np.uint16 if limit <= 1 << 16 else np.uint32), counts


def ranked(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each row among the distinct rows, and one row of each rank."""
    key: np.ndarray | None = None
    width = 1
    first = np.zeros(0, dtype=np.int64)
    position = 0
    while position < len(columns):
        taken: list[np.ndarray] = [] if key is None else [key]
        spans = [] if key is None else [width]
        while position < len(columns) and fits([*spans, sizes[position]]):
            taken.append(columns[position])
            spans.append(sizes[position])
            position += 1
        _, first, inverse = np.unique(pack(taken, spans), return_index=True, return_inverse=True)
        key, width = inverse.astype(np.int64), max(len(first), 1)
    assert key is not None
    return key, first


def groups_of(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The group of each row (rows equal in all columns, numbered in rising order) and one row of each group."""
    if fits(sizes):
        key = pack(columns, sizes)
        starts = runs(key)
        heads = key[starts[:-1]]
        if bool((heads[1:] > heads[:-1]).all()):  # a table that voile wrote is already in order
            return np.repeat(np.arange(len(heads)), np.diff(starts)), starts[:-1]
    return ranked(columns, sizes)


def weighted(columns: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows (as codes, rising) and the weight of each.

    Counted in a dense array where the key is short, else sorted: O(n + 2**bits) or O(n log n).
    """
    if not fits(sizes):
        key, first = ranked(columns, sizes)
        return np.stack([column[first] for column in columns], axis=1), _sums(key, weights, len(first))
    key = pack(columns, sizes)
    width = 1 << sum(bits(sizes))
    if width <= 8 * len(key) + 1_000_000:
        dense = _sums(key, weights, width)
        found = np.flatnonzero(dense)
        return unpack(found, sizes), dense[found]
    order = np.argsort(key)
    ordered = key[order]
    starts = runs(ordered)[:-1]
    totals = np.add.reduceat(weights[order], starts) if len(starts) else weights[:0]
    return unpack(ordered[starts], sizes), totals


@njit(nogil=True, cache=True)
def _sums(key, weights, size):
    """Weights summed by key. O(n + size)."""
    total = np.zeros(size, np.int64)
    for i in range(key.size):
        total[key[i]] += weights[i]
    return total


def collapse(columns: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row of each distinct combination, and its weight. O(n log n)."""
    if not fits(sizes):
        rank, first = ranked(columns, sizes)
        return first, _sums(rank, weights, len(first))
    key = pack(columns, sizes)
    order = np.argsort(key)
    starts = runs(key[order])[:-1]
    return order[starts], np.add.reduceat(weights[order], starts) if len(starts) else weights[:0]

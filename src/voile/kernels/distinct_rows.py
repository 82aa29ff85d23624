"""Distinct rows: pack the codes of several columns into one 64-bit key, sort, count the runs.

Sorting 64-bit numbers is the fastest grouping there is on these tables (numpy sorts with vector instructions), and the
result comes in rising order of the codes, whatever the order of the rows was. O(n log n), two threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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


def smallest(sizes: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """The narrowest type that holds every code."""
    limit = max(sizes, default=1)
    return np.uint8 if limit <= 1 << 8 else np.uint16 if limit <= 1 << 16 else np.uint32


def pack(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """One whole number a row, ordered as the rows are: 32 bits where they suffice, which sort twice as fast."""
    rows = len(columns[0]) if len(columns) else 0
    widths = bits(sizes)
    key = np.empty(rows, dtype=np.int32 if sum(widths) <= 31 else np.int64)

    def part(low: int, high: int) -> None:
        piece = key[low:high]
        piece[:] = 0
        for column, width in zip(columns, widths, strict=True):
            np.left_shift(piece, width, out=piece)
            np.bitwise_or(piece, column[low:high], out=piece, casting="unsafe")

    # blocks that stay in the cache, so that eight columns cost little more than one
    _in_parts(part, rows, 1 << 15)
    return key


def unpack(key: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """The codes of packed keys, rows x columns."""
    codes = np.empty((len(key), len(sizes)), dtype=smallest(sizes))
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


def count_keys(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys, rising, and how often each occurs: two halves sorted and counted at once, then merged."""
    if len(key) < SMALL:
        return _counted(np.sort(key))  # type: ignore[no-any-return]
    middle = len(key) // 2

    def half(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        part.sort()
        return _counted(part)  # type: ignore[no-any-return]

    with ThreadPoolExecutor(CORES) as pool:
        (left, many), (right, more) = pool.map(half, (key[:middle], key[middle:]))
    return _merged(left, many, right, more)  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def _counted(key):
    """Runs of sorted keys. O(n)."""
    distinct, counts = np.empty_like(key), np.empty(key.size, np.int64)
    place = -1
    for i in range(key.size):
        if place >= 0 and distinct[place] == key[i]:
            counts[place] += 1
        else:
            place += 1
            distinct[place] = key[i]
            counts[place] = 1
    return distinct[: place + 1], counts[: place + 1]


@njit(nogil=True, cache=True)
def _merged(left, many, right, more):
    """Merge two sorted lists of counted keys. O(n)."""
    distinct, counts = np.empty(left.size + right.size, left.dtype), np.empty(left.size + right.size, np.int64)
    i, j, place = 0, 0, 0
    while i < left.size or j < right.size:
        if j >= right.size or (i < left.size and left[i] < right[j]):
            distinct[place], counts[place] = left[i], many[i]
            i += 1
        elif i >= left.size or right[j] < left[i]:
            distinct[place], counts[place] = right[j], more[j]
            j += 1
        else:
            distinct[place], counts[place] = left[i], many[i] + more[j]
            i += 1
            j += 1
        place += 1
    return distinct[:place], counts[:place]


def distinct(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows (as codes, rising) and how often each occurs."""
    if not fits(sizes):
        return _distinct_wide(columns, sizes)
    found, counts = count_keys(pack(columns, sizes))
    return unpack(found, sizes), counts


def _distinct_wide(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Columns that do not fit one key: the leading ones become a dense rank, which leads the next key."""
    key, first = ranked(columns, sizes)
    counts = np.bincount(key)
    return np.stack([column[first] for column in columns], axis=1).astype(smallest(sizes)), counts


def ranked(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each row among the distinct rows, and one row of each rank."""
    key: np.ndarray | None = None
    width = 1
    first = np.zeros(0, dtype=np.int64)
    position = 0
    while position < len(columns):
        taken: list[np.ndarray] = [] if key is None else [key]
        spans = [] if key is None else [width]
        if not fits([*spans, sizes[position]]):  # a huge domain: the values that occur are numbered first
            found, dense = np.unique(columns[position], return_inverse=True)
            taken, spans, position = [*taken, dense], [*spans, len(found)], position + 1
        while position < len(columns) and fits([*spans, sizes[position]]):
            taken.append(columns[position])
            spans.append(sizes[position])
            position += 1
        _, first, inverse = np.unique(pack(taken, spans), return_index=True, return_inverse=True)
        key, width = inverse.astype(np.int64), max(len(first), 1)
    assert key is not None
    return key, first


def groups_of(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The group of each row (rows equal in all columns, numbered in rising order) and one row of each group.

    Equal neighbours are found first, and only one row of each run is sorted: a table that voile wrote is in order.
    """
    keys, spans = [], []
    position = 0
    while position < len(columns):
        stop = position + 1
        while stop < len(columns) and fits(sizes[position : stop + 1]):
            stop += 1
        keys.append(pack(columns[position:stop], sizes[position:stop]))
        spans.append(1 << sum(bits(sizes[position:stop])))
        position = stop
    rows = len(keys[0]) if keys else 0
    fresh = np.zeros(max(rows - 1, 0), dtype=bool)
    for key in keys:
        fresh |= key[1:] != key[:-1]
    starts = np.append(0, np.flatnonzero(fresh) + 1) if rows else np.zeros(0, np.int64)
    rank, first = ranked([key[starts] for key in keys], spans)
    return np.repeat(rank, np.diff(starts, append=rows)), starts[first]


def weighted(columns: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows (as codes, rising) and the weight of each.

    Counted in a dense array where the key is short, else sorted: O(n + 2**bits) or O(n log n).
    """
    if not fits(sizes):
        key, first = ranked(columns, sizes)
        return np.stack([column[first] for column in columns], axis=1), _sums(key, weights, len(first))
    key = pack(columns, sizes)
    found, totals = tallied(key, weights, 1 << sum(bits(sizes)))
    return unpack(found, sizes), totals


def tallied(key: np.ndarray, weights: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur (all below `width`), rising, and their weights: counted densely where that is small."""
    if width <= 8 * len(key) + 1_000_000:
        return _filled(_sums(key, weights, width))  # type: ignore[no-any-return]
    order = np.argsort(key)
    ordered = key[order]
    starts = runs(ordered)[:-1]
    totals = np.add.reduceat(weights[order].astype(np.int64), starts) if len(starts) else np.zeros(0, np.int64)
    return ordered[starts], totals


@njit(nogil=True, cache=True)
def _filled(dense):
    """Where a dense array is not zero, and what is there. O(n)."""
    total = 0
    for i in range(dense.size):
        total += dense[i] != 0
    where, what = np.empty(total, np.int64), np.empty(total, np.int64)
    place = 0
    for i in range(dense.size):
        if dense[i] != 0:
            where[place] = i
            what[place] = dense[i]
            place += 1
    return where, what


@njit(nogil=True, cache=True)
def heads(codes, columns):
    """Sorted rows by their first columns: the first row of each combination, and the combination of each row. O(n)."""
    first, index = np.empty(codes.shape[0], np.int64), np.empty(codes.shape[0], np.int64)
    place = -1
    for i in range(codes.shape[0]):
        fresh = i == 0
        for j in range(columns):
            if fresh:
                break
            fresh = codes[i, j] != codes[i - 1, j]
        if fresh:
            place += 1
            first[place] = i
        index[i] = place
    return first[: place + 1], index


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


def frequencies(codes: np.ndarray, sizes: Sequence[int], weights: np.ndarray) -> list[np.ndarray]:
    """How many people have each code, for each column of a table of rows x columns. O(n * columns)."""
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    parts = np.linspace(0, len(codes), CORES + 1 if len(codes) >= SMALL else 2).astype(np.int64)
    with ThreadPoolExecutor(CORES) as pool:
        work = pool.map(lambda a, b: _frequencies(codes[a:b], offset, weights[a:b]), parts[:-1], parts[1:])
        total = np.sum(list(work), axis=0)
    return [total[offset[j] : offset[j + 1]] for j in range(len(sizes))]


@njit(nogil=True, cache=True)
def _frequencies(codes, offset, weights):
    total = np.zeros(offset[-1], np.int64)
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            total[offset[j] + codes[i, j]] += weights[i]
    return total


def recoded(codes: np.ndarray, ranks: Sequence[np.ndarray | None], width: int) -> np.ndarray:
    """The first columns of a table of codes with every code replaced by its rank where ranks are given; the rest of
    `width` columns is zero."""
    sizes = [len(rank) if rank is not None else 0 for rank in ranks]
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    table = np.concatenate([rank for rank in ranks if rank is not None] or [np.zeros(0, np.int64)]).astype(codes.dtype)
    result = np.zeros((len(codes), width), dtype=codes.dtype)
    given = np.array([rank is not None for rank in ranks])
    _in_parts(lambda a, b: _recoded(codes[a:b], offset, given, table, result[a:b]), len(codes), 1 << 20)
    return result


@njit(nogil=True, cache=True)
def _recoded(codes, offset, given, table, result):
    for i in range(codes.shape[0]):
        for j in range(given.size):
            result[i, j] = table[offset[j] + codes[i, j]] if given[j] else codes[i, j]

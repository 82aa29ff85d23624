"""Rows packed into one 64-bit key each: the codes of all columns side by side, so that keys sort as the rows do.

Sorting 64-bit numbers is the fastest way to group these tables (numpy sorts them with vector instructions). Large
arrays are worked on by two threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from voile.kernels.compilation import kernel

CORES = 2


SMALL = 200_000


def bit_widths(sizes: Sequence[int]) -> list[int]:
    """Return how many bits the codes of each column need."""
    return [max(int(size) - 1, 0).bit_length() for size in sizes]


def fits_one_key(sizes: Sequence[int]) -> bool:
    """Return whether the codes of these columns pack into 63 bits."""
    return sum(bit_widths(sizes)) <= 63


def narrowest_type(sizes: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds every code."""
    limit = max(sizes, default=1)
    return np.uint8 if limit <= 1 << 8 else np.uint16 if limit <= 1 << 16 else np.uint32


def pack_rows(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """Return one integer per row, ordered as the rows are: 32 bits where they suffice, which sort twice as fast.
    O(n * columns)."""
    rows = len(columns[0]) if len(columns) else 0
    widths = bit_widths(sizes)
    key = np.empty(rows, dtype=np.int32 if sum(widths) <= 31 else np.int64)

    def pack_block(low: int, high: int) -> None:
        piece = key[low:high]
        piece[:] = 0
        for column, width in zip(columns, widths, strict=True):
            np.left_shift(piece, width, out=piece)
            np.bitwise_or(piece, column[low:high], out=piece, casting="unsafe")

    # a block stays in the cache, so eight columns cost little more than one
    in_blocks(pack_block, rows, 1 << 15)
    return key


def unpack_keys(key: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return the codes of packed keys, rows x columns. O(n * columns)."""
    codes = np.empty((len(key), len(sizes)), dtype=narrowest_type(sizes))
    widths = bit_widths(sizes)
    shifts = np.array([sum(widths[j + 1 :]) for j in range(len(widths))], dtype=np.int64)
    masks = np.array([(1 << width) - 1 for width in widths], dtype=np.int64)
    in_blocks(lambda low, high: _unpack_block(key[low:high], shifts, masks, codes[low:high]), len(key), 1 << 20)
    return codes


def in_blocks(work: Callable[[int, int], None], rows: int, block: int) -> None:
    """Run `work(low, high)` over all rows, block by block; on two threads if there are many rows."""
    edges = range(0, rows, block)
    if rows < SMALL:
        for low in edges:
            work(low, min(low + block, rows))
        return
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda low: work(low, min(low + block, rows)), edges))


@kernel(steps=1)
def _unpack_block(key: np.ndarray, shifts: np.ndarray, masks: np.ndarray, codes: np.ndarray) -> None:
    """Write the codes of some keys into `codes`. O(n * columns)."""
    for i in range(key.size):
        for j in range(shifts.size):
            codes[i, j] = (key[i] >> shifts[j]) & masks[j]


def run_starts(key: np.ndarray) -> np.ndarray:
    """Return where each run of equal keys starts, followed by the length of the array. O(n)."""
    if not len(key):
        return np.zeros(1, dtype=np.int64)
    return np.concatenate([[0], np.flatnonzero(key[1:] != key[:-1]) + 1, [len(key)]])


def count_keys(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct keys, rising, and how often each occurs. O(n log n).

    Large arrays are sorted in place as two halves, one per thread, and their counts merged.
    """
    if len(key) < SMALL:
        return _count_sorted(np.sort(key))  # type: ignore[no-any-return]
    middle = len(key) // 2

    def count_half(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        part.sort()
        return _count_sorted(part)  # type: ignore[no-any-return]

    with ThreadPoolExecutor(CORES) as pool:
        (left, left_counts), (right, right_counts) = pool.map(count_half, (key[:middle], key[middle:]))
    return _merge_counts(left, left_counts, right, right_counts)  # type: ignore[no-any-return]


@kernel(steps=1)
def _count_sorted(key):
    """Return the distinct keys of a sorted array and how often each occurs. O(n)."""
    distinct, counts = np.empty_like(key), np.empty(key.size, np.int64)
    last = -1
    for i in range(key.size):
        if last >= 0 and distinct[last] == key[i]:
            counts[last] += 1
        else:
            last += 1
            distinct[last] = key[i]
            counts[last] = 1
    return distinct[: last + 1], counts[: last + 1]


@kernel(steps=1)
def _merge_counts(left, left_counts, right, right_counts):
    """Merge two sorted lists of counted keys. O(n)."""
    distinct, counts = np.empty(left.size + right.size, left.dtype), np.empty(left.size + right.size, np.int64)
    i, j, end = 0, 0, 0
    while i < left.size or j < right.size:
        if j >= right.size or (i < left.size and left[i] < right[j]):
            distinct[end], counts[end] = left[i], left_counts[i]
            i += 1
        elif i >= left.size or right[j] < left[i]:
            distinct[end], counts[end] = right[j], right_counts[j]
            j += 1
        else:
            distinct[end], counts[end] = left[i], left_counts[i] + right_counts[j]
            i += 1
            j += 1
        end += 1
    return distinct[:end], counts[:end]


def is_dense(rows: int, width: int) -> bool:
    """Whether an array with a place for every possible key is not much larger than the rows."""
    return width <= 8 * rows + 1_000_000


def sum_by_key(key: np.ndarray, weights: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys that occur (all below `width`), rising, and the sum of the weights of each.

    Added up in a dense array if `width` is small enough, O(n + width); otherwise sorted, O(n log n).
    """
    if is_dense(len(key), width):
        totals = sum_densely(key, weights, width)
        where = np.flatnonzero(totals)
        return where, totals[where]
    order = np.argsort(key)
    sorted_keys = key[order]
    starts = run_starts(sorted_keys)[:-1]
    totals = np.add.reduceat(weights[order].astype(np.int64), starts) if len(starts) else np.zeros(0, np.int64)
    return sorted_keys[starts], totals


@kernel(steps=1)
def sum_densely(key, weights, size):
    """Return the sum of the weights of each key below `size`. O(n + size)."""
    total = np.zeros(size, np.int64)
    for i in range(key.size):
        total[key[i]] += weights[i]
    return total


def _count_block_steps(key: np.ndarray, weights: np.ndarray, size: int, blocks: int) -> int:
    return key.size + blocks * (size + 1)


@kernel(steps=_count_block_steps)
def sum_by_block(key, weights, size, blocks):
    """Sum the weights of keys whose blocks rise: block b has the keys from b * size on. O(n + size * blocks).

    Returns the places in their blocks that have weight, the sums, and where each block starts among them. If the blocks
    do not rise, the last array is empty.
    """
    places, sums = np.empty(key.size, np.int64), np.empty(key.size, np.int64)
    starts = np.zeros(blocks + 1, np.int64)
    bucket = np.zeros(size, np.int64)
    i, end = 0, 0
    for block in range(blocks):
        first, begin = block * size, i
        while i < key.size and key[i] < first + size:
            if key[i] < first:
                return places[:0], sums[:0], starts[:0]
            bucket[key[i] - first] += weights[i]
            i += 1
        if i > begin:
            for place in range(size):
                if bucket[place] != 0:
                    places[end], sums[end] = place, bucket[place]
                    bucket[place] = 0
                    end += 1
        starts[block + 1] = end
    return places[:end], sums[:end], starts

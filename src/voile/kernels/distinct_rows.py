"""Distinct rows of a table of codes: count them, weigh them, rank them, number them as groups.

Rows are packed into 64-bit keys and sorted, so answers come in rising order of the codes, whatever the order of the
rows. O(n log n) unless stated otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.packed_keys import (
    bit_widths,
    count_keys,
    fits_one_key,
    narrowest_type,
    pack_rows,
    run_starts,
    sum_by_key,
    sum_densely,
    unpack_keys,
)


def count_rows(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows (as codes, rising) and how often each occurs."""
    if not fits_one_key(sizes):
        return _count_wide_rows(columns, sizes)
    keys, counts = count_keys(pack_rows(columns, sizes))
    return unpack_keys(keys, sizes), counts


def _count_wide_rows(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Count rows whose columns do not fit one key, by their ranks."""
    key, first = rank_rows(columns, sizes)
    counts = np.bincount(key)
    return np.stack([column[first] for column in columns], axis=1).astype(narrowest_type(sizes)), counts


def rank_rows(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank of each row among the distinct rows, and one row of each rank.

    If the columns do not fit one key, the leading ones become a dense rank, which leads the next key.
    """
    key: np.ndarray | None = None
    width = 1
    first = np.zeros(0, dtype=np.int64)
    position = 0
    while position < len(columns):
        key_columns: list[np.ndarray] = [] if key is None else [key]
        spans = [] if key is None else [width]
        if not fits_one_key([*spans, sizes[position]]):  # a huge domain: number the values that occur first
            distinct, dense = np.unique(columns[position], return_inverse=True)
            key_columns, spans, position = [*key_columns, dense], [*spans, len(distinct)], position + 1
        while position < len(columns) and fits_one_key([*spans, sizes[position]]):
            key_columns.append(columns[position])
            spans.append(sizes[position])
            position += 1
        key, first = _rank_keys(pack_rows(key_columns, spans), 1 << sum(bit_widths(spans)))
        width = max(len(first), 1)
    assert key is not None
    return key, first


def _rank_keys(key: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank of each key (all below `width`) among the distinct ones, and the first place of each rank.

    Looked up in a dense array if `width` is small enough, O(n + width); otherwise sorted, O(n log n).
    """
    if width > 4 * len(key):
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        return inverse.astype(np.int64), first
    place = np.full(width, -1)
    place[key[::-1]] = np.arange(len(key) - 1, -1, -1)  # of equal keys, the first place is written last
    occurs = np.flatnonzero(place >= 0)
    first = place[occurs]
    place[occurs] = np.arange(len(occurs))
    return place[key], first


def number_groups(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each row (rows equal in all columns, numbered in rising order) and one row of each group.

    Equal neighbours are found first, and only one row of each run is sorted: a table that voile wrote is in order.
    """
    keys, spans = [], []
    position = 0
    while position < len(columns):
        stop = position + 1
        while stop < len(columns) and fits_one_key(sizes[position : stop + 1]):
            stop += 1
        keys.append(pack_rows(columns[position:stop], sizes[position:stop]))
        spans.append(1 << sum(bit_widths(sizes[position:stop])))
        position = stop
    rows = len(keys[0]) if keys else 0
    fresh = np.zeros(max(rows - 1, 0), dtype=bool)
    for key in keys:
        fresh |= key[1:] != key[:-1]
    starts = np.append(0, np.flatnonzero(fresh) + 1) if rows else np.zeros(0, np.int64)
    rank, first = rank_rows([key[starts] for key in keys], spans)
    return np.repeat(rank, np.diff(starts, append=rows)), starts[first]


def weigh_rows(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows (as codes, rising) and the sum of the weights of each.

    Added up in a dense array if the key is short, otherwise sorted: O(n + 2**bits) or O(n log n).
    """
    if not fits_one_key(sizes):
        key, first = rank_rows(columns, sizes)
        return np.stack([column[first] for column in columns], axis=1), sum_densely(key, weights, len(first))
    key = pack_rows(columns, sizes)
    distinct, totals = sum_by_key(key, weights, 1 << sum(bit_widths(sizes)))
    return unpack_keys(distinct, sizes), totals


@kernel(steps=1)
def group_sorted_rows(codes, columns):
    """Group sorted rows by their first columns: return the first row of each group, and the group of each row. O(n)."""
    first, index = np.empty(codes.shape[0], np.int64), np.empty(codes.shape[0], np.int64)
    group = -1
    for i in range(codes.shape[0]):
        is_new = i == 0
        for j in range(columns):
            if is_new:
                break
            is_new = codes[i, j] != codes[i - 1, j]
        if is_new:
            group += 1
            first[group] = i
        index[i] = group
    return first[: group + 1], index


def merge_rows(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of one row of each distinct combination, and the sum of its weights.

    Added up in a dense array if the key is short, otherwise sorted: O(n + 2**bits) or O(n log n).
    """
    if not fits_one_key(sizes):
        rank, first = rank_rows(columns, sizes)
        return first, sum_densely(rank, weights, len(first))
    key, width = pack_rows(columns, sizes), 1 << sum(bit_widths(sizes))
    if width <= 4 * len(key):
        row = np.empty(width, dtype=np.int64)
        row[key] = np.arange(len(key))
        totals = sum_densely(key, weights, width)
        occurs = np.flatnonzero(totals)
        return row[occurs], totals[occurs]
    order = np.argsort(key)
    starts = run_starts(key[order])[:-1]
    return order[starts], np.add.reduceat(weights[order], starts) if len(starts) else weights[:0]

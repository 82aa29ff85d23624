"""Thousands of COUNT queries at once: exact answers, and estimates from each kind of release.

A query is a row of `chosen`, which says for every column (from its offset on) which codes the query admits. Queries are
shared out to two threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from voile.kernels.compilation import kernel

CORES = 2


@kernel
def _count(codes, weights, offset, chosen, first, last, answer):
    """Count the people who satisfy queries first..last-1. O(queries * rows * columns)."""
    for q in range(first, last):
        total = 0
        for i in range(codes.shape[0]):
            fits = True
            for d in range(codes.shape[1]):
                if chosen[q, offset[d] + codes[i, d]] == 0:
                    fits = False
                    break
            if fits:
                total += weights[i]
        answer[q] = total


@kernel
def _estimate_boxes(shares, cell_of, entries, codes, weights, offset, chosen, first, last, answer):
    """Estimate queries first..last-1 from boxes. O(queries * (groups * columns + entries))."""
    for q in range(first, last):
        total = 0.0
        for g in range(entries.size - 1):
            part = 1.0
            for d in range(cell_of.shape[1]):
                part *= shares[q, cell_of[g, d]]
                if part == 0.0:
                    break
            if part == 0.0:
                continue
            people = 0
            for e in range(entries[g], entries[g + 1]):
                fits = True
                for d in range(codes.shape[1]):
                    if chosen[q, offset[d] + codes[e, d]] == 0:
                        fits = False
                        break
                if fits:
                    people += weights[e]
            total += part * people
        answer[q] = total


@kernel
def _mark_fitting(codes, offset, chosen, fitting):
    """Mark the quasi-identifiers that a query admits. O(rows * columns)."""
    for i in range(codes.shape[0]):
        fitting[i] = 1
        for d in range(codes.shape[1]):
            if chosen[offset[d] + codes[i, d]] == 0:
                fitting[i] = 0
                break


@kernel
def _count_fitting(rows, cell, fitting, group):
    """Return how many people of a group fit. O(people)."""
    fitting_people = 0
    for i in range(rows[group], rows[group + 1]):
        fitting_people += fitting[cell[i]]
    return fitting_people


@kernel
def _estimate_buckets(rows, cell, codes, entries, values, weights, offset, chosen, first, last, answer):
    """Estimate queries first..last-1 from buckets. O(queries * rows)."""
    quasi = codes.shape[1]
    fitting = np.empty(codes.shape[0], np.int64)
    for q in range(first, last):
        _mark_fitting(codes, offset, chosen[q], fitting)
        total = 0.0
        for g in range(rows.size - 1):
            matching = _count_fitting(rows, cell, fitting, g)
            if matching == 0:
                continue
            people = 0
            for e in range(entries[g], entries[g + 1]):
                if chosen[q, offset[quasi] + values[e]]:
                    people += weights[e]
            total += matching * people / (rows[g + 1] - rows[g])
        answer[q] = total


@kernel
def _estimate_lists(rows, cell, codes, slots, kind, shares, offset, chosen, first, last, answer):
    """Estimate queries first..last-1 from lists. O(queries * people)."""
    fitting = np.empty(codes.shape[0], np.int64)
    for q in range(first, last):
        _mark_fitting(codes, offset, chosen[q], fitting)
        total = 0.0
        for g in range(rows.size - 1):
            matching = _count_fitting(rows, cell, fitting, g)
            if matching == 0:
                continue
            people = 0.0
            for s in range(slots[g], slots[g + 1]):
                people += shares[q, kind[s]]
            total += matching * people / (rows[g + 1] - rows[g])
        answer[q] = total


def _share_out(kernel: Any, queries: int, arguments: tuple[np.ndarray, ...], answer: np.ndarray) -> np.ndarray:
    """Let each thread answer its share of the queries; return `answer`."""
    cuts = np.linspace(0, queries, CORES + 1).astype(np.int64)
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda first, last: kernel(*arguments, first, last, answer), cuts[:-1], cuts[1:]))
    return answer


def count_matches(codes: np.ndarray, weights: np.ndarray, offset: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return how many people satisfy each query, or the sum of their weights where these are no whole numbers.
    O(queries * rows * columns)."""
    answer = np.zeros(len(chosen), np.float64 if weights.dtype.kind == "f" else np.int64)
    return _share_out(_count, len(chosen), (codes, weights, offset, chosen), answer)


def estimate_from_boxes(
    shares: np.ndarray,
    cell_of: np.ndarray,
    entries: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    offset: np.ndarray,
    chosen: np.ndarray,
) -> np.ndarray:
    """Estimate each query from boxes: the product of the shares of a group's cells, times its matching sensitive rows.

    `shares[q, cell_of[g, d]]` is the share of group g's cell in column d; the group's sensitive rows are
    entries[g]..entries[g+1] of `codes`. O(queries * (groups * columns + entries)).
    """
    arguments = (shares, cell_of, entries, codes, weights, offset, chosen)
    return _share_out(_estimate_boxes, len(chosen), arguments, np.zeros(len(chosen)))


def estimate_from_buckets(
    rows: np.ndarray,
    cell: np.ndarray,
    codes: np.ndarray,
    entries: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    offset: np.ndarray,
    chosen: np.ndarray,
) -> np.ndarray:
    """Estimate each query from buckets: the share of a group's people that match, times its matching sensitive values.

    Group g has the people rows[g]..rows[g+1] of `cell`, which says where in `codes` a person's values are, and the
    values entries[g]..entries[g+1]. O(queries * rows).
    """
    arguments = (rows, cell, codes, entries, values, weights, offset, chosen)
    return _share_out(_estimate_buckets, len(chosen), arguments, np.zeros(len(chosen)))


def estimate_from_lists(
    rows: np.ndarray,
    cell: np.ndarray,
    codes: np.ndarray,
    slots: np.ndarray,
    kind: np.ndarray,
    shares: np.ndarray,
    offset: np.ndarray,
    chosen: np.ndarray,
) -> np.ndarray:
    """Estimate each query from lists: the people of a group that fit, times the mean share of its slots.

    The slots of group g are slots[g]..slots[g+1] of `kind`; `shares[q, k]` is the share of kind k that satisfies query
    q. O(queries * people).
    """
    arguments = (rows, cell, codes, slots, kind, shares, offset, chosen)
    return _share_out(_estimate_lists, len(chosen), arguments, np.zeros(len(chosen)))

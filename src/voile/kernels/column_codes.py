"""Codes of a table, column by column: how often each occurs, and codes replaced by their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from voile.kernels.compilation import kernel
from voile.kernels.packed_keys import CORES, SMALL, in_blocks


def count_codes(codes: np.ndarray, sizes: Sequence[int], weights: np.ndarray) -> list[np.ndarray]:
    """Return, for each column of a table (rows x columns), how many people have each code. O(n * columns)."""
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if len(codes) < SMALL:
        total = _count_block(codes, offset, weights)
    else:
        parts = np.linspace(0, len(codes), CORES + 1).astype(np.int64)
        with ThreadPoolExecutor(CORES) as pool:
            work = pool.map(lambda a, b: _count_block(codes[a:b], offset, weights[a:b]), parts[:-1], parts[1:])
            total = np.sum(list(work), axis=0)
    return [total[offset[j] : offset[j + 1]] for j in range(len(sizes))]


@kernel(steps=1)
def _count_block(codes, offset, weights):
    """Return how many people of some rows have each code; column j's codes start at `offset[j]`. O(n * columns)."""
    total = np.zeros(offset[-1], np.int64)
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            total[offset[j] + codes[i, j]] += weights[i]
    return total


def recode_columns(codes: np.ndarray, ranks: Sequence[np.ndarray | None], width: int) -> np.ndarray:
    """Return the first columns of a table of codes, each code replaced by its rank if the column has ranks, and padded
    with columns of zeros up to `width` columns. O(n * columns)."""
    sizes = [len(rank) if rank is not None else 0 for rank in ranks]
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    table = np.concatenate([rank for rank in ranks if rank is not None] or [np.zeros(0, np.int64)]).astype(codes.dtype)
    result = np.zeros((len(codes), width), dtype=codes.dtype)
    has_ranks = np.array([rank is not None for rank in ranks])
    in_blocks(lambda a, b: _recode_block(codes[a:b], offset, has_ranks, table, result[a:b]), len(codes), 1 << 20)
    return result


@kernel(steps=1)
def _recode_block(codes, offset, has_ranks, table, result):
    """Write the rank of each code into `result`, or the code itself if its column has no ranks. O(n * columns)."""
    for i in range(codes.shape[0]):
        for j in range(has_ranks.size):
            result[i, j] = table[offset[j] + codes[i, j]] if has_ranks[j] else codes[i, j]

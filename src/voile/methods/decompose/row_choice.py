"""Which rows are published, and which rows of a bucket go together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.tables.secret_key import Key

CURVE_BITS = 60


def withhold_surplus(
    codes: Sequence[np.ndarray], counts: np.ndarray, levels: Sequence[int], key: Key
) -> tuple[np.ndarray, int]:
    """Return how many rows of each cell to publish so that no value of a column covers more than 1/l of them, and how
    many are withheld. These are drawn from the rows with the value that is too frequent.

    A withheld row is also one row fewer to hide among: of n rows, n_1 of them with the value, x are withheld such that
    n_1 - x <= (n - x) / l. This may make another value too frequent, so the columns take turns until none is.
    """
    counts, start, turn, in_order = counts.copy(), int(counts.sum()), 0, 0
    while in_order < len(codes):
        column = turn % len(codes)
        people = np.bincount(codes[column], weights=counts).astype(np.int64)
        value, total = int(people.argmax()), int(counts.sum())
        surplus = -(-(int(people[value]) * levels[column] - total) // max(levels[column] - 1, 1))
        in_order += 1
        if levels[column] > 1 and surplus > 0:
            cells = np.flatnonzero((codes[column] == value) & (counts > 0))
            rows = np.repeat(cells, counts[cells])
            drawn = rows[key.shuffle(f"decompose surplus, turn {turn}", len(rows))[:surplus]]
            counts -= np.bincount(drawn, minlength=len(counts))
            in_order = 0  # the next value may be too frequent now
        turn += 1
    return counts, start - int(counts.sum())


def order_along_curve(codes: np.ndarray) -> np.ndarray:
    """Return an order of cells in which neighbours have similar codes in all columns: along a Morton curve through the
    ranks of their values. O(cells * columns)."""
    cells, columns = codes.shape
    bits = max(1, CURVE_BITS // max(columns, 1))
    place = np.zeros(cells, dtype=np.int64)
    ranks = [_scale_ranks(codes[:, column], bits) for column in range(columns)]
    for bit in range(bits - 1, -1, -1) if columns * bits <= CURVE_BITS else ():
        for rank in ranks:
            place = (place << 1) | ((rank >> bit) & 1)
    return np.argsort(place, kind="stable")


def _scale_ranks(code: np.ndarray, bits: int) -> np.ndarray:
    """Return the share of cells with a lower code, as a whole number of so many bits."""
    values, place, number = np.unique(code, return_inverse=True, return_counts=True)
    before = np.cumsum(number) - number
    return np.asarray((before[place] * (2.0**bits - 1) / max(len(code), 1)).astype(np.int64)) if len(values) else code


def sort_seats(starts: np.ndarray, group: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Return the groups of the rows of each bucket (rows sorted by bucket) in rising order of their random `label`, so
    that rows at the same place of their buckets meet in a group."""
    bucket = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.asarray(group[np.lexsort((label[group], bucket))])

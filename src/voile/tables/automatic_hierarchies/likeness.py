"""Group the categories of a column by how alike their rows are in other columns.

The hierarchy is decided from quasi-identifier columns alone, so it tells nothing about a sensitive value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.tables.row_protocol import Table
from voile.tables.schema import Column

MOST = 2_000  # categories that can be compared pair by pair
BINS = 16  # groups of neighbouring values of a column that profiles tell apart
PRIOR = 5.0  # rows of the usual profile that every category starts with: a rare one says little about itself
FANOUT = 3  # groups that become one at the next level


def measure_profiles(column: Column, others: Sequence[Column], rows: Table) -> np.ndarray | None:
    """Return one profile per category: how its rows are spread over the values of the other columns. None if there are
    no other columns or too many categories. O(rows) per column."""
    size = len(column.domain.values)
    if not others or not 2 < size <= MOST:
        return None
    parts = []
    for other in others:
        table = rows.histogram([column.name, other.name])
        counts = np.zeros((column.size, other.size))
        counts[table.column(column.name), table.column(other.name)] = table.counts
        binned = _bin_columns(counts)
        usual = binned.sum(axis=0) / max(binned.sum(), 1)
        spread = (binned + PRIOR * usual) / (binned.sum(axis=1, keepdims=True) + PRIOR)
        parts.append(np.sqrt(spread[:size]))  # distances of square roots are Hellinger distances
    return np.concatenate(parts, axis=1)


def _bin_columns(counts: np.ndarray) -> np.ndarray:
    """Merge neighbouring values until there are at most BINS groups of about equally many rows."""
    if counts.shape[1] <= BINS:
        return counts
    before = np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0)
    group = np.minimum((before * BINS // max(counts.sum(), 1)).astype(np.int64), BINS - 1)
    binned = np.zeros((counts.shape[0], BINS))
    np.add.at(binned.T, group, counts.T)
    return binned


def group_alike(profiles: np.ndarray) -> list[np.ndarray]:
    """Return the group of each category at each level, the finest level first (Ward's clustering, O(n^2))."""
    from scipy.cluster import hierarchy as clustering

    size = len(profiles)
    merges = clustering.linkage(np.round(profiles, 9), "ward")
    levels, groups = [], -(-size // FANOUT)
    while groups > 1:
        levels.append(clustering.fcluster(merges, groups, "maxclust"))
        groups = -(-groups // FANOUT) if groups > FANOUT else 1
    return levels

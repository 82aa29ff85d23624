"""What the cells of each column cost, as the kernels need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voile.kernels import lazy_module
from voile.methods.steering.column_cells import shows_labels
from voile.tables.schema import Column

kernel = lazy_module("voile.methods.cluster.kernel")

MISSING_GAP = 1.0  # a missing value lies as far behind the greatest value as that lies behind the least


def frame_columns(quasi: Sequence[Column], recoding: str) -> tuple[Any, list[np.ndarray]]:
    """Return the columns as the kernels know them, and the position of each code of a range, as a cost."""
    kinds, scales, offsets, points = [], [], [], []
    nodes, leaves, width, place = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0, 0
    for column in quasi:
        others = max(column.size - 1, 1)
        scales.append(column.steer.weight / others)
        points.append(_positions(column) * column.steer.weight)
        if column.hierarchy is not None and shows_labels(column, recoding):
            kinds.append(kernel.TREE)
            offsets.append(place)
            for level in column.hierarchy.maps[column.steer.finest :]:
                nodes.append(np.asarray(level, dtype=np.int64))
                leaves.append(np.bincount(level)[level].astype(np.int64))
                place += len(level)
        elif column.kind == "categorical":
            kinds.append(kernel.SET)
            offsets.append(width)
            width += column.size
        else:
            kinds.append(kernel.RANGE)
            offsets.append(0)
    frame = kernel.Frame(
        np.array(kinds),
        np.array(scales),
        np.array(offsets, dtype=np.int64),
        np.array([column.size for column in quasi]),
        np.concatenate(nodes),
        np.concatenate(leaves),
        width,
    )
    return frame, points


def _positions(column: Column) -> np.ndarray:
    """Return where each code lies in its range, from 0 to 1."""
    domain = column.domain
    by_value = domain.uses_intervals and not column.steer.by_rank
    values = domain.numeric_values.astype(np.float64) if by_value else np.arange(len(domain.values) * 1.0)
    positions = np.full(column.size, 1 + MISSING_GAP)
    if len(values):
        positions[: len(values)] = (values - values[0]) / max(values[-1] - values[0], 1e-300)
    return positions

"""The cells that a column shows under its wishes, and what they lose."""

from __future__ import annotations

import numpy as np

from voile.releases.cells.cell_choice import ancestor_cells, tight_cells
from voile.releases.cells.cells import Cells
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column


def shows_labels(column: Column, recoding: str) -> bool:
    """Whether a column is shown by the labels of its hierarchy: if that is asked of all columns, or if a wish names its
    levels."""
    return column.hierarchy is not None and (recoding == "hierarchy" or column.steer.has_levels)


def choose_cells(column: Column, rows: Rows, recoding: str) -> tuple[Cells, np.ndarray]:
    """Return the smallest cell of each group that the recoding and the finest level allow."""
    if shows_labels(column, recoding):
        return ancestor_cells(column, rows, column.steer.finest)
    return tight_cells(column, rows)


def weigh_losses(column: Column, cells: Cells, occurs: np.ndarray | None = None) -> np.ndarray:
    """Return the certainty penalty of each cell, by width or by rank as the column wishes, times its weight. `occurs`
    marks the values that count as the domain, by default all."""
    return np.asarray(_measure_losses(column, cells, occurs) * column.steer.weight)


def _measure_losses(column: Column, cells: Cells, occurs: np.ndarray | None) -> np.ndarray:
    if not column.steer.by_rank:
        return cells.loss(occurs)
    seen = np.ones(column.size, dtype=bool) if occurs is None else occurs
    inside = cells.matrix @ seen.astype(np.float64)
    return np.asarray(np.maximum(inside - 1, 0) / max(int(seen.sum()) - 1, 1))

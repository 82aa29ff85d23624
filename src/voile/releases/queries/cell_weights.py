"""Survey weights of generalized cells: how many people of the population a row stands for."""

from __future__ import annotations

import numpy as np

from voile.releases.cells.cells import Cells
from voile.releases.queries.query import Condition
from voile.releases.queries.query_literals import numeric_point, whole_number_end


def weigh_cells(cells: Cells, condition: Condition | None = None) -> np.ndarray:
    """Return what a row counts, by the cell of its weight: the weights between the cell's ends are taken as equally
    likely, so the mean is that of the ends. With a condition on the weight, only the part of the cell that satisfies it
    counts. A missing weight counts 0."""
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    points = cells.domain.numeric_values.astype(np.float64)
    if not len(points):
        return np.zeros(len(cells))
    low, high = points[np.clip(cells.low, 0, None)], points[np.clip(cells.high, 0, None)]
    step = 0 if cells.domain.values.dtype.is_float() else 1
    if condition is not None and condition.values is not None:
        mean = _weigh_values(low, high, [numeric_point(v, cells.domain.values.dtype) for v in condition.values])
    else:
        least, most = _clip_ends(condition, cells, low, high, step)
        mean = (least + most) / 2
    width = high - low + step if step else np.where(high > low, high - low, 1.0)
    # as in cell_shares, a missing weight is one more value; no condition admits it
    some = np.where(cells.missing & (condition is None), width / (width + 1), 1.0)
    some = np.where(cells.high < cells.low, 0.0, some)
    return np.asarray(mean * some)


def _clip_ends(
    condition: Condition | None, cells: Cells, low: np.ndarray, high: np.ndarray, step: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the part of each cell that satisfies a range; the cell's own where nothing does."""
    if condition is None:
        return low, high
    dtype = cells.domain.values.dtype
    least = -np.inf if condition.low is None else numeric_point(condition.low, dtype)
    most = np.inf if condition.high is None else numeric_point(condition.high, dtype)
    if step:
        least, most = whole_number_end(least, 1, condition.above), whole_number_end(most, -1, condition.below)
    left, right = np.maximum(low, least), np.minimum(high, most)
    return np.where(left <= right, left, low), np.where(left <= right, right, high)


def _weigh_values(low: np.ndarray, high: np.ndarray, wanted: list[float]) -> np.ndarray:
    """Return the mean of the wanted weights that each cell holds; 0 where it holds none."""
    values = np.unique(np.array(wanted))
    inside = ((low[:, None] <= values) & (values <= high[:, None])).astype(np.float64)
    return np.asarray(inside @ values / np.maximum(inside.sum(axis=1), 1))

"""Random values from published cells: each value that a cell may stand for is equally likely."""

from __future__ import annotations

import numpy as np
import polars as pl

from voile.releases.cells.cells import Cells


def draw_values(cells: Cells, cell: np.ndarray, rng: np.random.Generator) -> pl.Series:
    """Draw one value for each row from its cell."""
    coins = rng.random(len(cell))
    if not cells.domain.size:  # `*` in every row
        return pl.repeat(None, len(cell), dtype=cells.domain.values.dtype, eager=True)
    if cells.members is not None and cells.starts is not None:
        size = np.diff(cells.starts)[cell]
        return cells.domain.decode(cells.members[cells.starts[cell] + (coins * size).astype(np.int64)])
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    values = cells.domain.values
    if not len(values):
        return pl.repeat(None, len(cell), dtype=values.dtype, eager=True)
    physical = values.to_physical().to_numpy()
    low, high = physical[cells.low[cell]], physical[np.clip(cells.high, 0, None)[cell]]
    step = 0 if values.dtype.is_float() else 1
    width = np.asarray(high - low, dtype=np.float64) + step
    absent = cells.missing[cell]
    none = absent & (coins * (width + absent) >= width) | (cells.high < cells.low)[cell]
    part = np.minimum(coins * (width + absent), width - step)
    numbers = low + (np.floor(part).astype(low.dtype) if step else part.astype(low.dtype))
    drawn = pl.Series(numbers, dtype=values.to_physical().dtype).cast(values.dtype)
    return drawn.set(pl.Series(none), None) if none.any() else drawn

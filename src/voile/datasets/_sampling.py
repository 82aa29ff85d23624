"""Vectorised draws from many categorical distributions at once, by the alias method."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.intp]


class AliasTable(NamedTuple):
    """One distribution per cell, flattened: slot s of cell c sits at c * size + s."""

    size: int
    keep: Floats
    other: Codes


def alias_table(weights: npt.ArrayLike) -> AliasTable:
    """Prepare draws from the rows of a matrix of non-negative weights (one row per cell, at most 256 columns)."""
    share = np.atleast_2d(np.array(weights, dtype=np.float64))
    cells, size = share.shape
    share *= size / share.sum(axis=1, keepdims=True)
    keep = np.ones_like(share)
    other = np.tile(np.arange(size, dtype=np.uint8), (cells, 1))
    open_ = np.ones(share.shape, dtype=bool)
    row = np.arange(cells)
    for _ in range(size - 1):
        poor = np.where(open_, share, np.inf).argmin(axis=1)
        open_[row, poor] = False
        rich = np.where(open_, share, -np.inf).argmax(axis=1)
        keep[row, poor] = share[row, poor]
        other[row, poor] = rich
        share[row, rich] -= 1.0 - share[row, poor]
    return AliasTable(size, keep.ravel(), other.ravel())


def draw(rng: np.random.Generator, table: AliasTable, cell: Cells) -> Codes:
    """Draw one category code for each entry of `cell`, from that cell's distribution.

    Only plain uniforms are taken from the generator: their stream is the most stable across numpy versions.
    """
    part = rng.random(len(cell)) * table.size
    slot = part.astype(np.intp)
    part -= slot
    at = cell * table.size + slot
    return np.where(part < table.keep[at], slot.astype(np.uint8), table.other[at])

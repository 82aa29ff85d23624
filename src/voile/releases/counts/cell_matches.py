"""How many rows of a box can satisfy a condition on one column, by what the column's cell shows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from voile.adversaries.prior import CAPPED
from voile.releases.cells.cells import Cells
from voile.releases.cells.label_meanings import match_prefix
from voile.releases.dictionary import ALTERED_VALUE
from voile.releases.known_rows import KnownColumn
from voile.releases.queries.query import Condition
from voile.releases.queries.query_literals import numeric_point, whole_number_end
from voile.tables.value_text import format_value


class CellMatches(NamedTuple):
    """For each cell: whether all its values satisfy a condition, whether any does, and how many of the values that must
    occur in a box with this cell satisfy it, and how many do not."""

    inside: np.ndarray
    possible: np.ndarray
    needed_inside: np.ndarray
    needed_outside: np.ndarray

    def count_rows(self, cell: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the least and the greatest number of matching rows of boxes with these cells and sizes."""
        inside, possible = self.inside[cell], self.possible[cell]
        low = np.where(inside, sizes, np.where(possible, np.minimum(self.needed_inside[cell], sizes), 0))
        high = np.where(possible, np.where(inside, sizes, sizes - self.needed_outside[cell]), 0)
        return low, np.maximum(high, low)


def match_cells(column: KnownColumn, condition: Condition) -> CellMatches:
    """Compare the cells of a column with a condition."""
    cells = column.cells
    if cells.members is None and cells.domain.uses_intervals and len(cells.domain.values):
        return _match_ranges(column, condition)
    return _match_sets(column, condition)


def matching_codes(column: KnownColumn, condition: Condition) -> np.ndarray:
    """Which codes of the column's domain satisfy a condition."""
    return condition.matches(column.domain.values, column.domain.missing)


def may_be_any(column: KnownColumn) -> np.ndarray:
    """Which cells may stand for a value that the dictionary does not list: `*`, unless the domain is declared."""
    declared = column.entry["domain"].get("declared") is True
    return np.asarray(column.cells.whole & (not declared))


def _match_sets(column: KnownColumn, condition: Condition) -> CellMatches:
    cells, chosen = column.cells, matching_codes(column, condition)
    hits = np.asarray(cells.matrix @ chosen.astype(np.float64)).ravel()
    inside, possible = hits == cells.sizes, hits > 0
    inside &= cells.sizes > 0
    wild = may_be_any(column)
    for number, label in enumerate(cells.labels if cells.prefixes else ()):
        if label in cells.prefixes:
            texts = [format_value(value) for value in condition.values or ()]
            inside[number] = False
            possible[number] = condition.values is None or bool(match_prefix(label, texts))
    needed = np.zeros((2, len(cells)), np.int64)
    if column.tight:
        starts, members = cells.matrix.indptr, cells.matrix.indices
        owner, must = _needed_members(column, starts, members)
        for side, wanted in enumerate((chosen, ~chosen)):
            needed[side] = np.bincount(owner[must & wanted[members]], minlength=len(cells))
    return CellMatches(inside & ~wild, possible | wild, *needed)


def _needed_members(column: KnownColumn, starts: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cell of each member, and which members must occur in a box with that cell."""
    owner, place = np.repeat(np.arange(len(starts) - 1), np.diff(starts)), np.arange(len(members))
    if column.domain.kind == "ordered":  # a set of ordered values lists all between the two that occur
        ends = (place == starts[owner]) | (place == starts[owner + 1] - 1)
        return owner, column.is_plain[owner] & ends
    return owner, column.is_listed[members] & (column.is_plain[owner] | (not column.grown))


def _match_ranges(column: KnownColumn, condition: Condition) -> CellMatches:
    cells = column.cells
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    points = cells.domain.values.to_physical().to_numpy()
    low, high = (points[np.clip(codes, 0, None)].astype(np.float64) for codes in (cells.low, cells.high))
    none = cells.high < cells.low
    inside, possible = _compare_ranges(low, high, condition, cells)
    inside, possible = inside & ~none & ~cells.missing, possible & ~none
    wild = may_be_any(column)
    needed = np.zeros((2, len(cells)), np.int64)
    if column.tight:
        chosen = condition.matches(cells.domain.values)
        first, last = chosen[np.clip(cells.low, 0, None)], chosen[np.clip(cells.high, 0, None)]
        two = cells.high > cells.low
        plain = ~cells.whole
        for side, (a, b) in enumerate(((first, last), (~first, ~last))):
            needed[side] = plain * (~none * (a.astype(np.int64) + (two & b)) + (cells.missing if side else 0))
    return CellMatches(inside & ~wild, possible | wild, *needed)


def _compare_ranges(
    low: np.ndarray, high: np.ndarray, condition: Condition, cells: Cells
) -> tuple[np.ndarray, np.ndarray]:
    """Return which ranges lie inside a condition, and which meet it."""
    dtype = cells.domain.values.dtype
    whole = not dtype.is_float()
    if condition.values is not None:
        wanted = np.unique([numeric_point(value, dtype) for value in condition.values])
        if whole:
            wanted = wanted[wanted == np.floor(wanted)]
        hits = np.searchsorted(wanted, high, side="right") - np.searchsorted(wanted, low, side="left")
        return (hits == high - low + 1) if whole else ((hits > 0) & (low == high)), hits > 0
    least = -np.inf if condition.low is None else numeric_point(condition.low, dtype)
    most = np.inf if condition.high is None else numeric_point(condition.high, dtype)
    if whole:
        least, most = whole_number_end(least, 1, condition.above), whole_number_end(most, -1, condition.below)
        return (low >= least) & (high <= most), (high >= least) & (low <= most) & (least <= most)
    starts = low > least if condition.above else low >= least
    ends = high < most if condition.below else high <= most
    meets = (high > least if condition.above else high >= least) & (low < most if condition.below else low <= most)
    return starts & ends, meets & (least <= most)


def is_altered(column: KnownColumn) -> bool:
    """Whether some values of the column may have been replaced before publication."""
    return column.entry.get("cell") == ALTERED_VALUE


def hidden_codes(column: KnownColumn) -> np.ndarray:
    """Which codes of an indicator say that a value is not shown."""
    if column.entry.get("indicator") is not True:
        return np.zeros(column.domain.size, dtype=bool)
    return np.array([label == CAPPED[-1] for label in column.domain.labels], dtype=bool)

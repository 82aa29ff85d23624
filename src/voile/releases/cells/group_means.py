"""Group means: beside the ranges of a column, the mean of each group's own values, where the publisher asks for it.

A mean does not follow from the label. What can be checked from the folder is that it is one of the means that people
with such cells can have, written in the one way in which voile writes it; the rest is the publisher's word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.cells import Cells
from voile.releases.cells.end_columns import holds_ranges
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column
from voile.tables.steering.steer import FEWEST_IN_MEAN
from voile.tables.steering.value_coding import round_numbers
from voile.tables.value_text import MISSING, TOP, format_value

Entry = Mapping[str, Any]
SLACK = 1e-9  # relative: sums of numbers are not exact
FINEST = 2.0**49  # multiples of the base, beyond which numbers are coarser than it


def mean_name(entry: Entry) -> str | None:
    """Return the name of the column of group means beside a column, if it has one."""
    mean = entry.get("mean")
    return str(mean["name"]) if isinstance(mean, Mapping) else None


def describe_means(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the entries of a dictionary with columns of means for all ranges whose publisher asks for them. Their
    names differ from those of other columns in more than capital letters."""
    taken = {str(entry["name"]).casefold() for entry in entries}
    described = []
    for entry in entries:
        entry = {key: value for key, value in entry.items() if key != "mean"}
        base = entry.get("steering", {}).get("mean")
        if base is not None and holds_ranges(entry):
            name = f"{entry['name']}_mean"
            while name.casefold() in taken:
                name += "_"
            taken.add(name.casefold())
            entry["mean"] = {"name": name, "means": _explain(base)}
        described.append(entry)
    return described


def _explain(base: float) -> str:
    return (
        f"the mean of the people who share the cells of all quasi-identifier columns, rounded to multiples of "
        f"{format_value(base)} and kept inside the cell, as the publisher states it; empty where the cell is {TOP} or "
        f"may be {MISSING}. Whoever knows the values of all these people but one can work out the last one's"
    )


def average_groups(column: Column, rows: Rows) -> np.ndarray:
    """Return the mean of the numbers of a column in each group; a missing one counts as the least."""
    group, table = rows.count_by_group([column.name])
    points = np.asarray(column.domain.numeric_values, dtype=np.float64)
    value = np.append(points, points[:1])[table.codes[:, 0]]
    people = np.bincount(group, table.counts, rows.groups)
    return np.asarray(np.bincount(group, table.counts * value, rows.groups) / np.maximum(people, 1))


def compute_means(entry: Entry, cells: Cells, cell: np.ndarray, means: np.ndarray) -> pl.Series:
    """Return the published mean of each group, of its exact mean and its cell."""
    low, high, hidden = _read_bounds(cells, cell)
    kept = pl.Series(_round_means(np.where(hidden, 0.0, means), entry["steering"]["mean"], low, high))
    return pl.select(pl.when(pl.Series(~hidden)).then(kept)).to_series().alias(str(mean_name(entry)))


def find_mean_faults(
    entry: Entry, column: pl.Series, cells: Cells, cell: np.ndarray, groups: np.ndarray, sizes: np.ndarray, tight: bool
) -> list[str]:
    """Return what is wrong with a column of means. `cell` has the cell of each group, `groups` the group of each row,
    and with `tight` both ends of a cell occur in its group."""
    where = repr(column.name)
    if column.dtype != pl.Float64:
        return [f"{where} does not hold numbers of 64 bits with decimals."]
    first = np.zeros(len(sizes), dtype=np.int64)
    first[groups] = np.arange(len(groups))
    stated = column.gather(first)
    low, high, hidden = _read_bounds(cells, cell)
    mean, empty = stated.fill_null(0.0).to_numpy(), stated.is_null().to_numpy()
    rows = column.fill_null(0.0).to_numpy().view(np.int64)
    faults = []
    if (rows != rows[first][groups]).any() or (column.is_null().to_numpy() != empty[groups]).any():
        faults.append(f"{where} differs between people of one group.")
    if (sizes < FEWEST_IN_MEAN).any():
        faults.append(f"{where} states means of fewer than {FEWEST_IN_MEAN} people.")
    wrong = empty != hidden
    wrong |= ~hidden & (~np.isfinite(mean) | ((mean == 0) & np.signbit(mean)))
    plain = np.where(wrong | hidden, 0.0, mean)
    base = float(entry["steering"]["mean"])
    written = _round_means(plain, base, low, high)
    whole = str(entry["type"]).startswith(("Int", "UInt"))
    wrong |= ~hidden & ((written != plain) | ~_can_occur(plain, base, low, high, sizes, tight, whole))
    if wrong.any():
        faults.append(f"{where} has {count_noun(int(wrong.sum()), 'mean')} that no such group can have.")
    return faults


def _round_means(means: np.ndarray, base: float, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return means as they are published: the nearest multiple of the base, moved into the cell."""
    many = abs(means) >= FINEST * base
    rounded = np.where(many, means, round_numbers(pl.Series(np.where(many, 0.0, means)), base).to_numpy())
    return np.asarray(np.clip(rounded, low, high) + 0.0)  # no -0


def _can_occur(
    mean: np.ndarray, base: float, low: np.ndarray, high: np.ndarray, sizes: np.ndarray, tight: bool, whole: bool
) -> np.ndarray:
    """Mark the published means that some people can have: so many, all inside the cell, with both ends among them where
    it is tight, and with a whole sum where values are whole. A mean at an end may have been moved there."""
    slack = SLACK * np.maximum(1.0, np.maximum(abs(low), abs(high)))
    inwards = np.where(tight, (high - low) / np.maximum(sizes, 1), 0.0)
    least = np.maximum(low + inwards, np.where(mean == low, -np.inf, mean - base / 2)) - slack
    most = np.minimum(high - inwards, np.where(mean == high, np.inf, mean + base / 2)) + slack
    possible = least <= most
    if whole:
        possible &= np.ceil(least * sizes) <= np.floor(most * sizes)
    return np.asarray(possible)


def _read_bounds(cells: Cells, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the least and the greatest value of each group's cell as numbers, and whether it has no mean."""
    assert cells.low is not None and cells.high is not None and cells.missing is not None, "the cells are ranges"
    hidden = cells.whole | cells.missing | (cells.high < cells.low)
    values = np.asarray(cells.domain.numeric_values, dtype=np.float64)
    points = values if len(values) else np.zeros(1)
    low, high = (points[np.where(hidden, 0, code)][cell] for code in (cells.low, cells.high))
    return low, high, np.asarray(hidden)[cell]

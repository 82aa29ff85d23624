"""The dictionary: what each published column is, and what its cells stand for."""

from __future__ import annotations

import calendar
import re
from typing import Any

import polars as pl

from voile.releases.cells import Cells, node_names, ranges
from voile.tables.schema import Column
from voile.tables.value_text import format_value, parse_values

WEIGHT = (
    "a survey weight, coarsened like a quasi-identifier: how many people of the population the row stands for; "
    "estimates count the mean of the ends of its cell"
)


def describe(column: Column, cells: Cells | None) -> dict[str, Any]:
    """Return the dictionary's entry for one published column: kind, type, domain, and what a cell stands for."""
    domain = column.domain
    entry: dict[str, Any] = {"name": column.name, "role": column.role, "kind": column.kind}
    entry |= {"type": _type_name(domain.values.dtype), "shown": "exact", "domain": domain.as_json()}
    if column.weight:
        entry |= {"weight": True, "means": WEIGHT}
    if cells is None or cells.exact:
        entry["cell"] = "the person's own value"
        if column.role == "sensitive" and column.hierarchy is not None:
            entry["hierarchy"] = column.hierarchy.rows()
        return entry
    entry["shown"] = "generalized"
    if domain.uses_intervals:
        entry["cell"] = "a value, or [lo, hi] for any value between (ends included), or * for any value"
        entry["names"] = _range_names(cells)
    else:
        entry["cell"] = "a value, or {A|B} for one of several, or * for any value, or a name listed under names"
        if column.hierarchy is not None:
            written = set(cells.labels)
            found = node_names(domain, column.hierarchy)
            entry["names"] = {
                name: [domain.labels[code] for code in codes] for name, codes in found.items() if name in written
            }
    return entry


def _range_names(cells: Cells) -> dict[str, list[str]]:
    """Return the ends of labels other than a value or [lo, hi]: periods such as 2025-03, and a hierarchy's own names.

    The ends are those that the label itself states, never the least and greatest value that occur below it, unless
    the label states none.
    """
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    plain = ranges(cells.domain, cells.low, cells.high, cells.missing).labels
    values = cells.domain.values
    found = {}
    for label, usual, low, high in zip(cells.labels, plain, cells.low, cells.high, strict=True):
        if label == usual or high < low:
            continue
        told = label_ends(label, values.dtype)
        if told is None or not _tells(told, values, int(low), int(high)):
            found[label] = [format_value(values[int(low)]), format_value(values[int(high)])]
        elif not label.startswith("["):  # [lo, hi] is read as it stands
            found[label] = list(told)
    return found


def _tells(told: tuple[str, str], values: pl.Series, low: int, high: int) -> bool:
    """Whether the ends that a label states hold exactly the values that it stands for: a name may mean anything."""
    ends = parse_values(pl.Series(told, dtype=pl.String), values.dtype)
    if ends.null_count() or ends[0] > ends[1]:
        return False
    inside = values.is_between(ends[0], ends[1])
    return int(inside.sum()) == high - low + 1 and bool(inside[low : high + 1].all())


def label_ends(label: str, dtype: pl.DataType) -> tuple[str, str] | None:
    """Return the ends that a label states: a year, a month, a decade, or two numbers with a dash.

    >>> label_ends("1990s", pl.Date()), label_ends("20-24", pl.Int64()), label_ends("elderly", pl.Int64())
    (('1990-01-01', '1999-12-31'), ('20', '24'), None)
    """
    if dtype in (pl.Date, pl.Datetime):
        period = re.fullmatch(r"(\d{4})(?:-(\d{2}))?(s?)", label)
        if not period:
            return None
        year, month, decade = int(period[1]), period[2], bool(period[3])
        last_year = year + 9 if decade else year
        first_month, last_month = (int(month), int(month)) if month else (1, 12)
        last_day = calendar.monthrange(last_year, last_month)[1]
        ends = f"{year:04d}-{first_month:02d}-01", f"{last_year:04d}-{last_month:02d}-{last_day:02d}"
        return ends if dtype == pl.Date else (f"{ends[0]} 00:00:00", f"{ends[1]} 23:59:59.999999")
    numbers = re.fullmatch(r"\[?(-?\d+(?:\.\d+)?)\s*(?:-|, )\s*(-?\d+(?:\.\d+)?)\]?", label)
    return (numbers[1], numbers[2]) if numbers else None


def _type_name(dtype: pl.DataType) -> str:
    return "String" if isinstance(dtype, pl.Enum) else str(dtype)

"""The ends that the label of a range states: `[lo, hi]`, a period such as 2025-03, two numbers with a dash, the first
digits of a number."""

from __future__ import annotations

import calendar
import datetime
import re
import zoneinfo
from collections.abc import Sequence

import numpy as np
import polars as pl

from voile.tables.domain import Domain
from voile.tables.value_text import format_value, parse_values

Ends = tuple[str, str]


def range_ends(label: str) -> Ends | None:
    """Return the two ends of `[lo, hi]`; None for any other label."""
    first, comma, last = label[1:-1].partition(", ")
    return (first, last) if comma and label.startswith("[") and label.endswith("]") else None


def label_ends(label: str, dtype: pl.DataType) -> Ends | None:
    """Return the ends that a label states: a year, a month, a decade, two numbers with a dash, the first digits.

    >>> label_ends("1990s", pl.Date()), label_ends("20-24", pl.Int64()), label_ends("elderly", pl.Int64())
    (('1990-01-01', '1999-12-31'), ('20', '24'), None)
    >>> label_ends("123**", pl.Int64())
    ('12300', '12399')
    """
    if dtype in (pl.Date, pl.Datetime):
        return _period_ends(label, dtype)
    numbers = re.fullmatch(r"\[?(-?\d+(?:\.\d+)?)\s*(?:-|, )\s*(-?\d+(?:\.\d+)?)\]?", label)
    if numbers:
        return numbers[1], numbers[2]
    digits = re.fullmatch(r"(-?\d+)(\*+)", label) if dtype.is_integer() else None
    if digits is None:
        return None
    least, most = (digits[1] + digit * len(digits[2]) for digit in "09")
    return (most, least) if label.startswith("-") else (least, most)


def _period_ends(label: str, dtype: pl.DataType) -> Ends | None:
    """Return the first and the last day of a period; for a column of times, the first and the last moment."""
    period = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(s?)", label)
    if not period or (period[2] and period[4]):
        return None
    year, month, day = int(period[1]), period[2], period[3]
    last_year = year + 9 if period[4] else year
    try:
        first = datetime.date(max(year, 1), int(month or 1), int(day or 1))
        last_month = int(month or 12)
        last = datetime.date(last_year, last_month, int(day or calendar.monthrange(last_year, last_month)[1]))
    except ValueError:
        return None
    if dtype == pl.Date:
        return first.isoformat(), last.isoformat()
    zone = getattr(dtype, "time_zone", None)
    clock = zoneinfo.ZoneInfo(zone) if zone else None
    moments = (first, datetime.time.min), (last, datetime.time.max)
    least, most = (format_value(datetime.datetime.combine(*moment, tzinfo=clock)) for moment in moments)
    return least, most


def hold_exactly(ends: Sequence[Ends | None], values: pl.Series, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return for which pairs of ends, as text, the values between them are those from code `low` to code `high`."""
    points = values.to_physical()
    left, right = (
        parse_values(pl.Series([pair[side] if pair else "" for pair in ends], dtype=pl.String), values.dtype)
        for side in (0, 1)
    )
    ordered = (left <= right).fill_null(False).to_numpy()
    first = points.search_sorted(left.to_physical().fill_null(strategy="zero"), side="left").to_numpy()
    last = points.search_sorted(right.to_physical().fill_null(strategy="zero"), side="right").to_numpy() - 1
    return np.asarray(ordered & (first == low) & (last == high))


def code_ranges(domain: Domain, starts: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the least and greatest code of each cell, and whether it holds the missing value (members rising)."""
    last = members[starts[1:] - 1]
    missing = (last == domain.size - 1) if domain.missing else np.zeros(len(starts) - 1, dtype=bool)
    low = members[starts[:-1]].astype(np.int64)
    before = members[np.maximum(starts[1:] - 1 - missing, starts[:-1])].astype(np.int64)
    only = missing & (np.diff(starts) == 1)
    return np.where(only, 0, low), np.where(only, -1, before), missing

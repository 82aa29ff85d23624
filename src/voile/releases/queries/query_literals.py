"""What a person writes in a query, as values of a column: dates and truth may be written as text."""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Any

import numpy as np
import polars as pl

from voile.errors import SpecError

TRUTH = {"true": True, "false": False}


def is_text(dtype: pl.DataType) -> bool:
    return dtype == pl.String or isinstance(dtype, (pl.Enum, pl.Categorical))


def typed_literal(value: Any, dtype: pl.DataType) -> pl.Series:
    """A literal as a value of the column; dates and truth may be written as text. A number it cannot hold is none."""
    if is_text(dtype):
        return pl.Series([_as_text(value)], dtype=pl.String)
    if dtype.is_numeric():
        number = comparable_value(value, dtype)
        fits = pl.Series([number], strict=False).cast(dtype, strict=False)
        return fits.filter(fits == number) if fits.null_count() == 0 else fits.drop_nulls()
    if dtype == pl.Boolean:
        value = TRUTH.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(value, (bool, np.bool_)):
            raise unreadable_query("a value does not have the type of its column")
        return pl.Series([bool(value)])
    return pl.Series([comparable_value(value, dtype)], dtype=pl.Int64).cast(dtype)


def _as_text(value: Any) -> str:
    """A literal for a column of text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def comparable_value(value: Any, dtype: pl.DataType) -> Any:
    """A literal that can be compared: a number, a text, or for times the number behind them (days, microseconds)."""
    if is_text(dtype):
        return _as_text(value)
    try:
        if not dtype.is_temporal():
            if isinstance(value, str) or not (dtype.is_numeric() or dtype == pl.Boolean):
                raise ValueError
            number = value.item() if isinstance(value, np.generic) else value + 0
            return max(min(number, 1 << 100), -1 << 100) if isinstance(number, int) else number
        moment = _parse_moment(value, dtype)
        zone = getattr(dtype, "time_zone", None)
        if zone and moment.tzinfo is None:
            moment = moment.replace(tzinfo=zoneinfo.ZoneInfo(zone))
        return pl.Series([moment], strict=False).cast(dtype).to_physical()[0]
    except (ValueError, TypeError, pl.exceptions.PolarsError):
        raise unreadable_query("a value does not have the type of its column") from None


def _parse_moment(value: Any, dtype: pl.DataType) -> Any:
    """A literal as a date, a time, or both."""
    kinds = {pl.Date: datetime.date, pl.Time: datetime.time, pl.Datetime: datetime.datetime}
    kind: Any = kinds[dtype.base_type()]  # type: ignore[index]
    if isinstance(value, str):
        return kind.fromisoformat(value)
    if kind is datetime.datetime and type(value) is datetime.date:
        return datetime.datetime.combine(value, datetime.time())
    if isinstance(value, kind):
        return value
    raise TypeError


def whole_number_end(point: float, inward: int, open_end: bool) -> float:
    """The first whole number from an end on, inwards."""
    first = float(np.ceil(point) if inward > 0 else np.floor(point))
    return first + inward if open_end and first == point else first


def numeric_point(value: Any, dtype: pl.DataType) -> float:
    """A literal as a number: days for dates, microseconds for times."""
    try:
        return float(comparable_value(value, dtype))
    except (ValueError, TypeError, OverflowError):
        raise unreadable_query("a value does not have the type of its column") from None


def unreadable_query(why: str) -> SpecError:
    return SpecError(
        f"The query cannot be read: {why}.",
        code="spec.query",
        hint="Write conditions joined by AND: column = value, column in (...), column between a and b, column >= a.",
    )

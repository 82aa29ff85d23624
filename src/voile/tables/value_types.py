"""The types of values that voile can compare, write and read back; other types are cast or refused."""

from __future__ import annotations

import polars as pl

from voile.errors import DataError
from voile.plugins.counted_nouns import count_noun

_OTHER_TYPES = (pl.String, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Enum, pl.Categorical, pl.Null)


def normalize_type(column: str, values: pl.Series) -> pl.Series:
    """Cast values to a type that can be compared, written and read back."""
    dtype = values.dtype
    if not (dtype.is_numeric() or dtype in _OTHER_TYPES):
        raise DataError(
            f"Column {column!r} has the type {type_name(dtype)}, whose values cannot be compared.",
            code="data.type",
            hint="Flatten or convert it, or leave the column out.",
        )
    if isinstance(dtype, pl.Decimal):
        values = _cast_decimals(column, values)
    elif str(dtype) == "Float16":
        values = values.cast(pl.Float64)
    elif dtype == pl.Null:
        values = values.cast(pl.String)
    elif dtype == pl.Categorical:
        # only categories that occur, sorted: a Categorical may carry other columns' categories and the input's order
        texts = values.cast(pl.String)
        values = texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))
    elif dtype in (pl.Int128, pl.UInt128):
        values = _cast_to_64_bits(column, values)
    elif isinstance(dtype, pl.Datetime) and dtype.time_unit == "ns":
        values = values.cast(pl.Datetime("us", dtype.time_zone))  # the precision of a written date and time
    check_calendar(column, values)
    if dtype == pl.Time:
        values = (values.cast(pl.Int64) // 1_000 * 1_000).cast(pl.Time)  # the precision of a written time
    if values.dtype.is_float():
        values = values.fill_nan(None)
        values = values.set(values == 0, 0.0)  # -0 and 0 are the same number
        infinite = int(values.is_infinite().sum())
        if infinite:
            raise DataError(
                f"Column {column!r} has {infinite} infinite numbers.",
                code="data.infinite",
                hint="Replace them with a number, or leave the cells empty.",
            )
    return values


DAYS = (-719_162, 2_932_896)  # from 0001-01-01 to 9999-12-31, the dates that can be written and read back
_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def check_calendar(column: str, values: pl.Series) -> None:
    """Refuse dates beyond the years 1 to 9999, and times beyond a day, which no program can write."""
    dtype = values.dtype
    if dtype == pl.Date:
        low, high = DAYS
    elif isinstance(dtype, pl.Datetime) and dtype.time_unit != "ns":  # 64 bits of nanoseconds reach the year 2262
        low, high = (DAYS[0] + 1) * _DAY[dtype.time_unit], DAYS[1] * _DAY[dtype.time_unit]  # whatever the time zone
    elif dtype == pl.Time:
        low, high = 0, _DAY["ns"] - 1
    else:
        return
    beyond = int((~values.to_physical().is_between(low, high)).sum())
    if beyond:
        raise DataError(
            f"Column {column!r} has {beyond} dates or times that no calendar from the year 1 to 9999 has.",
            code="data.date",
            hint="Correct them, leave the cells empty, or convert the column to text.",
        )


_EXACT = 1e15  # floats below hold every digit before the point


def _cast_decimals(column: str, values: pl.Series) -> pl.Series:
    """Return decimals as floats; large ones that would lose digits, and become equal to others, are refused."""
    floats = values.cast(pl.Float64)
    lost = int(((floats.abs() >= _EXACT) & (floats.cast(values.dtype, strict=False) != values)).sum())
    if lost:
        raise DataError(
            f"Column {column!r} has {count_noun(lost, 'decimal number')} of more digits than can be kept.",
            code="data.type",
            hint="Convert the column to text.",
        )
    return floats


def _cast_to_64_bits(column: str, values: pl.Series) -> pl.Series:
    narrow = values.cast(pl.Int64, strict=False)
    if narrow.null_count() != values.null_count():
        raise DataError(
            f"Column {column!r} has {count_noun(narrow.null_count() - values.null_count(), 'number')} beyond 64 bits.",
            code="data.type",
            hint="Convert the column to text.",
        )
    return narrow


def type_name(dtype: pl.DataType) -> str:
    """Return the name of a type, without the categories that an Enum or a Categorical would show."""
    return str(dtype.base_type())

"""The types of published columns: their names in the dictionary, and the types that they stand for."""

from __future__ import annotations

import re
import zoneinfo

import polars as pl

_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
_PLAIN = {str(kind): kind() for kind in (pl.String, pl.Boolean, pl.Date, pl.Time, pl.Float32, pl.Float64, *_WHOLE)}
_MOMENT = re.compile(r"Datetime\(time_unit='(us|ms)', time_zone=(?:None|'([A-Za-z0-9_+\-/:]{1,64})')\)")


def format_type(dtype: pl.DataType) -> str:
    """Return the name of a type as the dictionary states it: that of a type alone, without any category."""
    return "String" if isinstance(dtype, pl.Enum) else str(dtype)


def parse_type(name: str) -> pl.DataType | None:
    """Return the type of a name in the dictionary; None if no published column has such a type.

    >>> parse_type("Int64"), parse_type("Object")
    (Int64, None)
    """
    moment = _MOMENT.fullmatch(name)
    if moment:
        known = moment[2] is None or _is_zone(moment[2])
        return pl.Datetime("us" if moment[1] == "us" else "ms", moment[2]) if known else None
    return _PLAIN.get(name)


def _is_zone(name: str) -> bool:
    """Whether there is such a time zone."""
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return True


def holds_numbers(name: str) -> bool:
    """Whether a column of this type holds numbers."""
    return name.startswith(("Int", "UInt", "Float"))


def is_text(dtype: pl.DataType) -> bool:
    """Whether a column holds texts, in whatever way they are stored."""
    return dtype == pl.String or isinstance(dtype, (pl.Enum, pl.Categorical))

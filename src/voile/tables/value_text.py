"""How values are written in published cells, and read back."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

import polars as pl

MISSING = "(missing)"


def format_value(value: Any) -> str:
    """Return a value as it is written in a published cell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def parse_values(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Parse texts of published values as the column's type; a text that cannot be read becomes null."""
    if dtype == pl.Date:
        return texts.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        return _parse_datetimes(texts).cast(dtype)
    if dtype == pl.Boolean:
        return texts.replace_strict(["true", "false"], [True, False], default=None, return_dtype=pl.Boolean)
    if dtype == pl.Time:
        return texts.str.to_time("%H:%M:%S%.f", strict=False)
    return texts.cast(dtype, strict=False)


def _parse_datetimes(texts: pl.Series) -> pl.Series:
    """Parse dates with times; those written with an offset from UTC become the time in UTC."""
    plain = texts.str.replace("T", " ", literal=True)
    if bool(plain.str.contains(r"[+-]\d{2}:?\d{2}$").any()):
        return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f%z", time_unit="us", strict=False).dt.replace_time_zone(None)
    return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)


def escape(value: str) -> str:
    """Escape a value inside a set, so that the set can be read back."""
    for character in "\\|{}":
        value = value.replace(character, "\\" + character)
    return value


def format_set(values: Sequence[str]) -> str:
    """Write a set of categories.

    >>> format_set(["A", "B"])
    '{A|B}'
    """
    return "{" + "|".join(escape(value) for value in values) + "}"


def split_set(inner: str) -> list[str]:
    """Split a set at its unescaped bars."""
    if "\\" not in inner:
        return inner.split("|")
    parts, part, escaped = [], "", False
    for character in inner:
        if character == "|" and not escaped:
            parts.append(part)
            part = ""
            continue
        part += character
        escaped = character == "\\" and not escaped
    return [*parts, part]


def unescape(part: str) -> str:
    return re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) if "\\" in part else part

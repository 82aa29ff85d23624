"""How values are written in published cells, and read back."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

MISSING = "(missing)"
TOP = "*"  # any value
_IGNORABLE = (  # Default_Ignorable_Code_Point of Unicode, and the blank of Braille
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
    (0xE0000, 0xE0FFF),
)


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


def shield_label(leaf: str) -> str:
    """Return a single category as a label, escaped where it would read as something else."""
    return "\\" + leaf if leaf.startswith(("{", "\\")) or leaf in (TOP, MISSING) else leaf


def count_lookalikes(texts: Iterable[str]) -> int:
    """Count the texts that a reader cannot tell from an earlier one: they differ only in blanks, in invisible
    characters, or in characters that Unicode calls compatible.

    >>> count_lookalikes(["flu", "HIV", "flu\u200b", "ﬂu", "Flu"])
    2
    """
    looks = [fold_look(text) for text in texts]
    return len(looks) - len(set(looks))


def fold_look(text: str) -> str:
    """Return what a reader sees of a text."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    compatible = unicodedata.normalize("NFKC", text)
    visible = "".join(letter for letter in compatible if letter.isspace() or not _is_invisible(letter))
    return " ".join(unicodedata.normalize("NFKC", visible).split())


def _is_invisible(letter: str) -> bool:
    """Whether a character shows nothing: a control, a format character, or one that Unicode lets readers ignore."""
    code = ord(letter)
    ignorable = any(first <= code <= last for first, last in _IGNORABLE)
    return ignorable or unicodedata.category(letter) in ("Cc", "Cf")

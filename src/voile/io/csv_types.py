"""The types of CSV columns: what a column of text can be read as, decided by all its cells."""

from __future__ import annotations

import re

import polars as pl

LEADING_ZERO = r"^[+-]?0\d"  # a code such as 01069, not a quantity
_WHOLE_NUMBER = r"^[+-]?\d+$"
# The form that a cell of each type must have. polars also reads 31/12/2025, where day and month cannot be told apart.
_FORMS = {
    pl.Date: r"^\d{4}-\d{2}-\d{2}$",
    pl.Datetime: r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}",
    pl.Time: r"^\d{2}:\d{2}:\d{2}",
}

TYPES: dict[str, pl.DataType] = {
    "boolean": pl.Boolean(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "date": pl.Date(),
    "datetime": pl.Datetime("us"),
    "time": pl.Time(),
    "text": pl.String(),
}


_POSTCODE = re.compile(
    r"(?i)(?:^|[^a-z])(?:zip5?|zip ?codes?|plz|postleitzahl|post ?codes?|postal[ _]?codes?|code[ _]postal)(?:[^a-z]|$)"
)


def names_postcode(column: str) -> bool:
    """Whether a column is named as one of postcodes, whose digits are no quantity.

    >>> names_postcode("PLZ"), names_postcode("zip_code"), names_postcode("zipper")
    (True, True, False)
    """
    return _POSTCODE.search(column.replace("_", " ")) is not None


def possible_types(texts: pl.Series) -> frozenset[str] | None:
    """Return the types that can read every cell of a text column; None for a column without cells."""
    cells = texts.drop_nulls()
    if not len(cells):
        return None
    codes = _matches_some(cells, LEADING_ZERO) or (
        _matches_all(cells, _WHOLE_NUMBER) and cells.cast(pl.Int64, strict=False).null_count() > 0
    )
    possible = set()
    for name, dtype in TYPES.items():
        if dtype.is_numeric() and codes:
            continue
        form = _FORMS.get(type(dtype))
        if form is not None and not _matches_all(cells, form):
            continue
        if cast_text(cells, name).null_count() == 0:
            possible.add(name)
    return frozenset(possible)


def cast_text(texts: pl.Series, type_name: str) -> pl.Series:
    """Read a text column as one of `TYPES`; cells that do not fit become missing."""
    if type_name == "boolean":
        lower = texts.str.to_lowercase()  # R and workbooks write TRUE
        return lower.replace_strict(["true", "false"], [True, False], default=None, return_dtype=pl.Boolean)
    if type_name == "date":
        return texts.str.to_date("%Y-%m-%d", strict=False)
    if type_name == "datetime":
        whole = texts.str.replace("T", " ", literal=True).str.replace(r"^(.{16})$", "$1:00")
        return whole.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False)
    if type_name == "time":
        return texts.str.to_time("%H:%M:%S%.f", strict=False)
    return texts.cast(TYPES[type_name], strict=False)


def certain_type(texts: pl.Series, guess: pl.DataType) -> pl.DataType:
    """Return the type that polars guessed for a column if the form of its cells leaves no doubt, else text."""
    if guess in (pl.Int128, pl.UInt128):
        return pl.String()  # no quantity has twenty digits; an account number does
    if isinstance(guess, pl.Datetime) and guess.time_zone is not None:
        return pl.String()  # every cell must be seen
    for dtype, form in _FORMS.items():
        if guess == dtype:
            return guess if _matches_all(texts.drop_nulls(), form) else pl.String()
    return guess


def may_be_time(texts: pl.Series) -> bool:
    """Whether all cells of a column of text have the form of a date, a time, or both."""
    return any(_matches_all(texts.drop_nulls(), form) for form in _FORMS.values())


def _matches_all(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.str.contains(pattern).all())


def _matches_some(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.str.contains(pattern).any())

"""The types of CSV columns: what a column of text can be read as, decided by all its cells."""

from __future__ import annotations

import re

import polars as pl

from voile.io.csv_byte_scan import PHONE_DIGITS

LEADING_ZERO = r"^[+-]?0\d"  # a code such as 01069, not a quantity
# programs write a number with the sign of its exponent or a point (1e+05, 1.0E5), so 4E3 is a ward, not 4000
EXPONENT_CODE = r"^\d+[eE]\d+$"
TELEPHONE = rf"^\+\d{{{PHONE_DIGITS},}}$"
CODE = "|".join((LEADING_ZERO, EXPONENT_CODE, TELEPHONE))
_WHOLE_NUMBER = r"^[+-]?\d+$"
_LONG_NUMBER = r"^[+-]?\d{16,}(?:\.\d*)?$"  # as a float, it would lose its last digits
EXACT = 1e15  # numbers below keep every digit as a float
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


_DATE = re.compile(
    r"(?i)(?:^|[^a-z])(?:dates?|birth(?:day|date)?|born|dob|datum|geburt\w*|geb|naissance|fecha|nacimiento|nascita)"
    r"(?:[^a-z]|$)|datum$"
)


def names_date(column: str) -> bool:
    """Whether a column is named as one of dates.

    >>> names_date("date_of_birth"), names_date("Aufnahmedatum"), names_date("candidates")
    (True, True, False)
    """
    return _DATE.search(column.replace("_", " ")) is not None


def possible_types(texts: pl.Series) -> frozenset[str] | None:
    """Return the types that can read every cell of a text column; None for a column without cells."""
    cells = texts.drop_nulls()
    if not len(cells):
        return None
    codes = matches_some(cells, CODE)
    long = matches_some(cells, _LONG_NUMBER)
    possible = set()
    for name, dtype in TYPES.items():
        if (dtype.is_numeric() and codes) or (dtype.is_float() and long):
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


def matches_some(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.str.contains(pattern).any())

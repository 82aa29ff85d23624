"""The ways in which people write dates and numbers as text, beside those that need no conversion.

A form either reads every cell of a column or none: a column is never converted row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import polars as pl

from voile.io.conversions.month_names import NAMED_DATES, TWO_DIGIT_NAMED, read_named_dates

_SPACE = "[ \u00a0\u202f]"
_CURRENCY = "€|\\$|£|¥|EUR|USD|GBP|CHF|Fr\\.|SEK|NOK|DKK|kr\\.?|PLN|zł|CZK|Kč|HUF|Ft|JPY|BRL|R\\$|INR|₹|TRY|₺|RUB|₽"
_TIME = r"(?:[ T]+\d{1,2}:\d{2}(?::\d{2})?)"
_HALF_DAY = r"(?:[ T]+\d{1,2}:\d{2}(?::\d{2})? ?[AaPp][Mm])"
_UTC = r"(?:T\d{1,2}:\d{2}:\d{2}(?:\.\d{1,6})?Z)"
EIGHT_DIGITS = "year-first in eight digits"  # a number unless somebody says that it is a date
EXPONENTS = "decimal-point with exponents"  # codes such as 4E3 unless somebody says that they are numbers
_SHORT, _YEAR = r"\d{1,2}", r"\d{4}"


@dataclass(frozen=True)
class TextForm:
    """A form of text: the word that asks for it (`reading`), what every cell must look like, and how cells are cast."""

    reading: str
    pattern: str
    cast: Callable[[pl.Series], pl.Series]


def _date_pattern(order: str, time: str) -> str:
    parts = [_YEAR if part == "y" else _SHORT for part in order]
    dates = "|".join(sign.join(parts) for sign in (r"\.", "/", "-"))
    return f"^(?:{dates}){time}$"


def _date_caster(order: str, with_time: bool) -> Callable[[pl.Series], pl.Series]:
    """Return a function that reads dates; a date that no calendar has becomes missing."""
    text = "-".join({"d": "%d", "m": "%m", "y": "%Y"}[part] for part in order)

    def cast(cells: pl.Series) -> pl.Series:
        same_sign = cells.str.replace_all(r"[./]", "-")
        if not with_time:
            return same_sign.str.to_date(text, strict=False)
        whole = same_sign.str.replace(r"[ T]+", " ")
        whole = whole.to_frame("cell").select(
            pl.when(pl.col("cell").str.contains(":\\d{2}:"))
            .then(pl.col("cell"))
            .when(pl.col("cell").str.contains(":"))
            .then(pl.col("cell") + ":00")
            .otherwise(pl.col("cell") + " 00:00:00")
        )["cell"]
        return whole.str.to_datetime(f"{text} %H:%M:%S", time_unit="us", strict=False)

    return cast


def _read_half_days(order: str) -> Callable[[pl.Series], pl.Series]:
    """Return a function that reads dates with hours before and after noon."""
    text = "-".join({"d": "%d", "m": "%m", "y": "%Y"}[part] for part in order)

    def cast(cells: pl.Series) -> pl.Series:
        same = cells.str.replace_all(r"[./]", "-").str.to_uppercase().str.replace(r"[ T]+", " ")
        whole = same.str.replace(r" (\d{1,2}:\d{2}) ?([AP]M)$", " $1:00 $2").str.replace(r" ?([AP]M)$", " $1")
        return whole.str.to_datetime(f"{text} %I:%M:%S %p", time_unit="us", strict=False)

    return cast


def _read_utc(cells: pl.Series) -> pl.Series:
    return cells.str.strip_chars_end("Z").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)


def _number_pattern(decimal: str, group: str, whole: bool) -> str:
    signs = (group, _SPACE, "['’]")
    grouped = "|".join(rf"[1-9]\d{{0,2}}(?:{sign}\d{{3}}){{1,4}}" for sign in signs)
    body = rf"(?:{grouped}|0|[1-9]\d{{0,14}})" + ("" if whole else rf"(?:{decimal}\d+)?")
    unit = rf"(?:{_SPACE}?(?:{_CURRENCY}|%))?"
    return rf"^[+-]?(?:(?:{_CURRENCY}){_SPACE}?)?[+-]?{body}{unit}$"


def _number_caster(decimal: str, dtype: pl.DataType) -> Callable[[pl.Series], pl.Series]:
    def cast(cells: pl.Series) -> pl.Series:
        kept = cells.str.replace_all(rf"[^0-9+\-{decimal}]", "").str.strip_chars_end(decimal)
        return kept.str.strip_chars_start(decimal).str.replace(decimal, ".", literal=True).cast(dtype, strict=False)

    return cast


def _list_forms() -> dict[str, TextForm]:
    forms = {}
    for reading, order in (("day-first", "dmy"), ("month-first", "mdy"), ("year-first", "ymd")):
        forms[reading] = TextForm(reading, _date_pattern(order, ""), _date_caster(order, False))
        timed = _date_pattern(order, _TIME + "?")
        forms[reading + " with times"] = TextForm(reading, timed, _date_caster(order, True))
        half = _date_pattern(order, _HALF_DAY)
        forms[reading + " with am and pm"] = TextForm(reading, half, _read_half_days(order))
    for reading, pattern in NAMED_DATES.items():
        forms[reading + " with names of months"] = TextForm(reading, f"^(?:{pattern})$", read_named_dates)
    forms["year-first in UTC"] = TextForm("year-first", rf"^{_YEAR}-\d{{2}}-\d{{2}}{_UTC}$", _read_utc)
    eight = r"^(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$"
    forms[EIGHT_DIGITS] = TextForm("year-first", eight, lambda cells: cells.str.to_date("%Y%m%d", strict=False))
    for reading, decimal, group in (("decimal-comma", ",", r"\."), ("decimal-point", ".", ",")):
        for suffix, dtype in ((" in whole numbers", pl.Int64()), ("", pl.Float64())):
            pattern = _number_pattern("\\" + decimal, group, bool(suffix))
            forms[reading + suffix] = TextForm(reading, pattern, _number_caster(decimal, dtype))
    exponents = r"^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"
    forms[EXPONENTS] = TextForm("decimal-point", exponents, lambda cells: cells.cast(pl.Float64(), strict=False))
    return forms


FORMS = _list_forms()  # the narrower form of a reading comes before the wider one
ASKED_FORMS = {EIGHT_DIGITS, EXPONENTS}  # taken only if somebody asks for their reading
DATE_READINGS = ("day-first", "month-first", "year-first")
NUMBER_READINGS = ("decimal-comma", "decimal-point")
READINGS = ("text", *DATE_READINGS, *NUMBER_READINGS, "labels", "codes")


_TWO_DIGIT_YEAR = r"^(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|[12]\d|3[01])[./]\d{2}$"


def find_forms(cells: pl.Series, names: Collection[str] = tuple(FORMS)) -> frozenset[str]:
    """Return the forms that read every one of some distinct cells.

    >>> sorted(find_forms(pl.Series(["31.12.2025", "1.1.2026"])))
    ['day-first', 'day-first with times']
    """
    return frozenset(
        name
        for name in names
        if cells.str.contains(FORMS[name].pattern).all() and FORMS[name].cast(cells).null_count() == 0
    )


def looks_like_date(cell: pl.Expr) -> pl.Expr:
    """Mark the cells that have the form of a date, ISO dates and years of two digits among them."""
    date = r"\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}"
    whole = cell.str.contains(rf"^(?:{date})(?:{_TIME}|{_HALF_DAY}|{_UTC})?$") | cell.str.contains(_TWO_DIGIT_YEAR)
    return whole | cell.str.contains(f"^(?:{'|'.join([*NAMED_DATES.values(), TWO_DIGIT_NAMED])})$")


def looks_like_number(cell: pl.Expr) -> pl.Expr:
    """Mark the cells that have the form of a number, with a decimal comma or point, a currency sign or percent."""
    patterns = [form.pattern for name, form in FORMS.items() if name in NUMBER_READINGS]
    return cell.str.contains(patterns[0]) | cell.str.contains(patterns[1])


def find_unit(cell: pl.Expr) -> pl.Expr:
    """Return the currency sign or the percent sign of each number; an empty text where there is none."""
    return cell.str.extract(rf"({_CURRENCY}|%)", 1).fill_null("")


def may_group_thousands(cells: pl.Series) -> bool:
    """Whether every cell of some numbers may have its points before thousands, and some cell has one."""
    filled = cells.drop_nulls().str.strip_chars()
    pattern = FORMS["decimal-comma in whole numbers"].pattern
    return bool(filled.str.contains(pattern).all() and filled.str.contains(".", literal=True).any())


def may_be_eight_digits(cells: pl.Series) -> bool:
    """Whether every cell has the form of a date in eight digits, the year first."""
    filled = cells.drop_nulls().str.strip_chars()
    return bool(len(filled) and filled.str.contains(FORMS[EIGHT_DIGITS].pattern).all())

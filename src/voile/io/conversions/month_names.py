"""Dates with the name of their month, in English or German: 12 Mar 2020, 3. Oktober 1990, March 12, 2020."""

from __future__ import annotations

import polars as pl

_MONTHS = (
    "(?i:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz?|mrz|apr(?:il)?|may|mai|june?|juni|july?|juli|"
    "aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?)"
)
_STARTS = ("jan", "feb", "mar mär mrz", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez")
_NUMBERS = {start: str(number) for number, starts in enumerate(_STARTS, 1) for start in starts.split()}
_DAY_AND_MONTH = rf"\d{{1,2}}(?:\. ?|[ -]){_MONTHS}\.?[ -]"
NAMED_DATES = {"day-first": rf"{_DAY_AND_MONTH}\d{{4}}", "month-first": rf"{_MONTHS}\.? \d{{1,2}},? \d{{4}}"}
TWO_DIGIT_NAMED = rf"{_DAY_AND_MONTH}\d{{2}}"


def read_named_dates(cells: pl.Series) -> pl.Series:
    """Read dates whose months have names; a date that no calendar has becomes missing.

    >>> read_named_dates(pl.Series(["12 Mar 2020", "3. Okt. 1990"])).to_list()
    [datetime.date(2020, 3, 12), datetime.date(1990, 10, 3)]
    """
    cell = pl.col("cell")
    month = cell.str.to_lowercase().str.extract("([a-zä]{3})").replace_strict(_NUMBERS, default=None)
    parts = (cell.str.extract(r"(\d{4})$"), month, cell.str.extract(r"\b(\d{1,2})\b"))
    dates = pl.concat_str(parts, separator="-").str.to_date("%Y-%m-%d", strict=False)
    return cells.to_frame("cell").select(dates).to_series()

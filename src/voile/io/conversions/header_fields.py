"""What stands in the first line of a table: names of columns, or somebody's data, which no message may show.

Without a header the cells of the first row would become names of columns, and names are shown everywhere. So a first
line is refused if a field of it holds what no column is called: an e-mail address, an account, a telephone number or
another long number, a date, an amount, or if several fields are plain numbers. Numbers and dates that follow each other
as in a wide table (2019, 2020; 1 to 12; the last day of each month) are names all the same.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from voile.errors import DataError

_SEPARATOR_LINE = re.compile(r'(?i)"?sep=(.)"?')
_PERSONAL = re.compile(
    r"[^@\s]+@[^@\s]+\.[^@\s]+"  # an e-mail address
    r"|(?=(?:[A-Z0-9] ?){15,34}$)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4})+(?: ?[A-Z0-9]{1,3})?"  # an account (IBAN)
    r"|(?:\+|00|0|\(0?)\d[\d ()/.-]{5,}\d"  # a telephone number
    r"|\d{3}[ -]\d{2,3}[ -]\d{4}|\(\d{3}\) ?\d{3}-\d{4}"  # the same in North America, and its numbers of persons
    r"|\d(?:[ ./-]?\d){8,}"  # any other number of nine digits: of an insurance, of a person
)
_YEAR = r"((?:18|19|20|21)\d{2})"
_YEAR_FIRST = re.compile(r"(?=\d{4}\D|\d{8}$)" + _YEAR + r"([-/.]?)(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2" + _YEAR)
_YEAR_AND_MONTH = re.compile(_YEAR + r"(0[1-9]|1[0-2])")
_TIME = re.compile(r"[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?$")
_CURRENCY = re.compile(r"^[€$£¥] ?| ?(?:[€$£¥]|EUR|USD|CHF|GBP)$")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,'’ ]\d{3})*(?:[.,]\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")
_SHORTEST_SERIES = 5  # numbers in order at any distance
_SHORTEST_OF_DATES = 6  # the dates of a person are in order anyway: birth, admission, discharge, death
_YEARS = range(1900, 2101)
_MOST_YEARS_APART = 10  # of two years that are names; a year of birth and one of a visit lie further apart
_UNEVEN = 0.15  # by which steps of one series may differ: months have 28 to 31 days

_GROWTH = 1.5  # of doses such as 0.5, 1, 2


def find_named_separator(line: str) -> str | None:
    """Return the separator that a line names for spreadsheets, above the header.

    >>> find_named_separator("sep=;"), find_named_separator("sep;age")
    (';', None)
    """
    match = _SEPARATOR_LINE.fullmatch(line.rstrip("\r\n"))
    return match[1] if match else None


def refuse_data_in_header(path: Path, names: Sequence[str]) -> None:
    """Raise if the first line of a file looks like a row of its table."""
    count = count_data_fields(names)
    if count:
        raise DataError(
            f"The first line of {path.name!r} looks like a row of the table, not like the names of its columns (fields "
            f"that look like dates, numbers or addresses: {count} of {len(names)}).",
            code="data.header",
            hint="Name the columns in the first line. If these are names, put a letter before each number or date.",
        )


def count_data_fields(names: Sequence[str]) -> int:
    """Count the fields of a first line that are data rather than names of columns.

    >>> count_data_fields(["Ann", "27.05.1991", "12,50 €"]), count_data_fields(["name", "2019", "2020"])
    (2, 0)
    """
    texts = [name.strip() for name in names]
    dates = min((_list_stray_dates(texts, order) for order in ("dmy", "mdy")), key=len)
    numbers = {place: number for place, text in enumerate(texts) if (number := _parse_number(text)) is not None}
    stray = _list_stray(numbers, _SHORTEST_SERIES)
    certain = {place for place in stray if not _WHOLE.fullmatch(texts[place]) or len(stray) > 1}
    days = {place for place, text in enumerate(texts) if _is_date(text)}
    others = set(range(len(texts))) - days - (numbers.keys() - stray)
    return len(dates | certain - days | {place for place in others if _PERSONAL.fullmatch(texts[place])})


def _is_date(text: str) -> bool:
    day = _TIME.sub("", text)
    return bool(_YEAR_FIRST.fullmatch(day) or _YEAR_LAST.fullmatch(day))


def _parse_date(text: str, order: str) -> float | None:
    """Return the day of a date as a number; None for a day that no calendar has."""
    day = _TIME.sub("", text)
    match = _YEAR_FIRST.fullmatch(day) or _YEAR_LAST.fullmatch(day)
    if match is None:
        return None
    order = "ymd" if _YEAR_FIRST.fullmatch(day) else order
    numbers = dict(zip(order, (int(match[group]) for group in (1, 3, 4)), strict=True))
    try:
        return float(datetime.date(numbers["y"], numbers["m"], numbers["d"]).toordinal())
    except ValueError:
        return None


def _parse_number(text: str) -> float | None:
    """Return a number, or a month such as 202401 as the number of months; None for anything else."""
    month = _YEAR_AND_MONTH.fullmatch(text)
    if month:
        return float(12 * int(month[1]) + int(month[2]))
    bare = _CURRENCY.sub("", text)
    if _NUMBER.fullmatch(bare) is None:
        return None
    whole, sign, decimals = bare.rpartition(max(",.", key=bare.rfind)) if "," in bare or "." in bare else (bare, "", "")
    return float((re.sub(r"[^\d+-]", "", whole) or "0") + ("." + decimals if sign else ""))


def _list_stray_dates(texts: Sequence[str], order: str) -> set[int]:
    """Return the places of the dates that are in no series if they are read in an order."""
    places = {place for place, text in enumerate(texts) if _is_date(text)}
    days = {place: day for place in places if (day := _parse_date(texts[place], order)) is not None}
    return _list_stray(days, _SHORTEST_OF_DATES) | (places - days.keys())


def _list_stray(values: Mapping[int, float], shortest: int) -> set[int]:
    """Return the places of the values that are in no series of neighbours, upwards or downwards."""
    upwards = _list_stray_upwards(values, shortest)
    downwards = _list_stray_upwards({place: -value for place, value in values.items()}, shortest)
    return min(upwards, downwards, key=len)


def _list_stray_upwards(values: Mapping[int, float], shortest: int) -> set[int]:
    runs: list[list[int]] = []
    for place in sorted(values):
        if runs and runs[-1][-1] == place - 1 and values[place - 1] < values[place]:
            runs[-1].append(place)
        else:
            runs.append([place])
    return {place for run in runs if not _is_series([values[place] for place in run], shortest) for place in run}


def _is_series(values: Sequence[float], shortest: int) -> bool:
    """Whether ascending values (or descending ones with a minus sign) are many, evenly spaced, or years."""
    steps = [later - earlier for earlier, later in pairwise(values)]
    if len(values) >= shortest:
        return True
    if all(abs(value) in _YEARS for value in values) and len(values) > 1:
        return len(values) > 2 or steps[0] <= _MOST_YEARS_APART
    if len(values) > 2:
        sizes = sorted(abs(value) for value in values)
        ratios = [later / earlier for earlier, later in pairwise(sizes) if earlier]
        return _are_alike(steps) or (len(ratios) == len(steps) and min(ratios) >= _GROWTH and _are_alike(ratios))
    return sorted(abs(value) for value in values) in ([0, 1], [1, 2])


def _are_alike(steps: Sequence[float]) -> bool:
    return max(steps) - min(steps) <= _UNEVEN * min(steps)

"""Top and bottom coding, and rounding: values are recoded by public parameters alone, whatever the table holds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import polars as pl

from voile.errors import SchemaError
from voile.tables.steering.steer import Steer
from voile.tables.value_text import format_value, parse_values
from voile.tables.value_types import normalize_type


def code_values(column: str, values: pl.Series, steer: Steer | None) -> pl.Series:
    """Recode the values of a column, as far as their type allows; `check_coding` refuses what it does not allow."""
    values = normalize_type(column, values)
    if steer is None or not steer.is_coded:
        return values
    if isinstance(steer.round, str):
        values = _round_dates(values, steer.round)
    elif steer.round is not None and values.dtype.is_numeric():
        values = _round_values(values, steer.round)
    bottom, top = (find_limit(limit, values.dtype) for limit in (steer.bottom, steer.top))
    return values.clip(bottom, top) if bottom is not None or top is not None else values


def _round_values(values: pl.Series, base: float) -> pl.Series:
    """Return the nearest multiple of a base, the greater one if two are as near. Whole numbers stay whole."""
    if values.dtype.is_integer() and float(base).is_integer():
        step = int(base)
        wide = values if values.dtype == pl.UInt64 else values.cast(pl.Int64)
        return (wide + step // 2) // step * step
    if values.dtype.is_integer():
        return values
    return round_numbers(values, base).cast(values.dtype)


def round_numbers(values: pl.Series, base: float) -> pl.Series:
    """Return the nearest multiples of a base, the greater one if two are as near."""
    return ((values / base + 0.5).floor() * base).round(_count_decimals(base))


def _round_dates(values: pl.Series, period: str) -> pl.Series:
    """Return the year of dates as a number, or the first day of their month; other values stay."""
    if values.dtype not in (pl.Date, pl.Datetime):
        return values
    return values.dt.year() if period == "year" else values.cast(pl.Date).dt.month_start()


def _count_decimals(base: float) -> int:
    denominator, digits = Fraction(str(base)).denominator, 0
    while 10**digits % denominator and digits < 15:
        digits += 1
    return digits


def find_limit(limit: Any, dtype: pl.DataType) -> Any:
    """Return a top or a bottom as a value of a type; None if it is none."""
    if limit is None or not (dtype.is_numeric() or dtype in (pl.Date, pl.Datetime)):
        return None
    if isinstance(limit, (int, float)) != dtype.is_numeric():
        return None
    text = f"{limit} 00:00:00" if isinstance(dtype, pl.Datetime) and len(str(limit)) == 10 else str(limit)
    if dtype.is_integer() and isinstance(limit, float):
        text = str(int(limit)) if limit.is_integer() else text
    value = parse_values(pl.Series([text], dtype=pl.String), dtype)
    return value[0]


def check_coding(column: str, kind: str, dtype: pl.DataType, steer: Steer) -> None:
    """Raise SchemaError where a column cannot be coded as asked: categories are not rounded, and limits have a type."""
    numeric = kind == "numeric" and dtype.is_numeric()
    rounded_dates = (steer.round == "year" and dtype == pl.Int32) or (steer.round == "month" and dtype == pl.Date)
    if isinstance(steer.round, str) and not rounded_dates:
        raise _misfit(column, f"holds no dates that could be rounded to a {steer.round}", "Round numbers to a number.")
    if steer.by_rank and kind not in ("numeric", "date"):
        raise _misfit(column, f"is {kind}, and only the loss of numbers and dates can be measured by rank")
    if isinstance(steer.round, (int, float)) and not numeric:
        raise _misfit(column, f"is {kind}, and only numbers can be rounded", "Coarsen it by the levels of a hierarchy.")
    if isinstance(steer.round, (int, float)) and dtype.is_integer() and not float(steer.round).is_integer():
        raise _misfit(column, "holds whole numbers, and the base of rounding is none")
    if steer.tails is not None and not numeric:
        raise _misfit(column, f"is {kind}, and only numbers have tails", "Give a bottom and a top, or no tails.")
    if steer.mean is not None and not numeric:
        raise _misfit(column, f"is {kind}, and only numbers have group means")
    for what in ("bottom", "top"):
        limit = getattr(steer, what)
        if limit is not None and (kind not in ("numeric", "date") or find_limit(limit, dtype) is None):
            raise _misfit(
                column, f"is {kind}, and its {what} is no such value", "Give a number or a date such as 1930-01-01."
            )


def _misfit(column: str, why: str, hint: str = "") -> SchemaError:
    return SchemaError(f"Column {column!r} {why}.", code="schema.steering", hint=hint)


def describe_coding(steer: Steer) -> str:
    """Say in words what coded values stand for; empty if values are not coded.

    >>> describe_coding(Steer(top=90, round=5))
    'rounded to multiples of 5; 90 stands for 90 or more'
    """
    rules = [_describe_rounding(steer.round)] if steer.round is not None else []
    for limit, words in ((steer.bottom, ("less", "earlier")), (steer.top, ("more", "later"))):
        if limit is not None:
            text = str(limit) if isinstance(limit, str) else format_value(limit)
            rules.append(f"{text} stands for {text} or {words[not isinstance(limit, (int, float))]}")
    if steer.tails is not None:
        rules.append(f"at least {steer.tails} people share the least value, and as many the greatest")
    return "; ".join(rules)


def _describe_rounding(base: float | str) -> str:
    if base == "year":
        return "dates are shown by their year"
    if base == "month":
        return "dates are shown by the first day of their month, which stands for any day in it"
    return f"rounded to multiples of {format_value(base)}"


def breaks_coding(steer: Steer, dtype: pl.DataType, values: pl.Series) -> bool:
    """Whether some values cannot have been coded so: they lie beyond the limits, or are no multiples."""
    return not code_values("", values, steer).cast(dtype).equals(values.cast(dtype))


def coding_of(steer: Steer) -> Steer:
    """Return the part of the wishes that recodes values."""
    return Steer(bottom=steer.bottom, top=steer.top, round=steer.round)


def read_wishes(entry: Mapping[str, Any]) -> Steer:
    """Return the wishes that a dictionary states for a column. SchemaError or TypeError if it states them wrongly."""
    return Steer(**entry.get("steering", {}))

"""Rounded dates: what to ask of columns of dates, so that no exact date that others may know is published.

A range states the least and the greatest value of its group, and both are values of real people. Of secret dates only
the span of dates of birth is looked at.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace

import polars as pl

from voile.flow.explore.improvements import list_exact_dates
from voile.tables.microdata import Microdata
from voile.tables.roles.column_words import find_meanings
from voile.tables.schema import Column
from voile.tables.steering.steer import Steer

YEARS = datetime.timedelta(days=3650)  # that dates must span to be shown by year
MONTHS = datetime.timedelta(days=180)  # that dates must span to be shown by month


@dataclass(frozen=True)
class DateRounding:
    """What is asked of one column of dates, and why; without a `steer` its exact dates stay."""

    column: str
    steer: Steer | None
    reason: str


def round_dates(data: Microdata) -> list[DateRounding]:
    """Choose how the dates that others may know are shown: by year where they span ten years, else by month where they
    span half a year. A date of birth is always rounded.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "admitted"], sensitive=["disease"]))
    >>> [(item.column, item.steer) for item in round_dates(data)]
    [('birth', Steer(round='year')), ('admitted', Steer(round='month'))]
    """
    known = [_choose_rounding(column) for column in list_exact_dates(data)]
    shown = [column for column in (*data.columns.sensitive, *data.columns.other) if _shows_births(column)]
    return [*known, *map(_choose_rounding, shown)]


def _shows_births(column: Column) -> bool:
    """Whether a column that nobody coarsens holds exact dates of birth."""
    coded = column.steer.round is not None or column.domain.declared
    return column.kind == "date" and not coded and "birth" in find_meanings(column.name)


def _choose_rounding(column: Column) -> DateRounding:
    days = column.domain.values.cast(pl.Date)
    span = days[-1] - days[0] if len(days) else datetime.timedelta()
    birth = "birth" in find_meanings(column.name)
    period = "year" if span >= YEARS and column.hierarchy is None else "month" if birth or span >= MONTHS else None
    what = "dates of birth" if birth else "dates"
    if period is None:
        return DateRounding(column.name, None, f"exact {what} in {column.name!r}: ranges end at those of real people")
    why = f"A range ends at two values of real people, so ranges of {column.name!r} would publish exact {what}."
    if column.role != "quasi":
        why = f"{column.name!r} is published as it is, and would publish exact {what}."
    reason = f"{why} Shown by {period}, it publishes none, at hardly any loss."
    return DateRounding(column.name, replace(column.steer, round=period), reason)

"""Coding of values: the same as plain arithmetic on each value, on every type."""

from __future__ import annotations

import datetime
import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.tables.steering.value_coding import breaks_coding, code_values, describe_coding


def nearest_multiple(value: float, base: float) -> Fraction:
    """Round by exact arithmetic: up where two multiples are as near."""
    return math.floor(Fraction(str(value)) / Fraction(str(base)) + Fraction(1, 2)) * Fraction(str(base))


@pytest.mark.parametrize("base", [1, 3, 5, 10, 1000])
def test_whole_numbers_are_rounded_exactly(base: int) -> None:
    values = np.random.default_rng(1).integers(-5000, 5000, 400)
    coded = code_values("x", pl.Series(values), vl.Steer(round=base))
    assert coded.to_list() == [nearest_multiple(value, base) for value in values.tolist()]
    assert coded.dtype == pl.Int64


@pytest.mark.parametrize("base", [0.5, 0.1, 0.25, 2.5, 10])
def test_real_numbers_are_written_as_multiples(base: float) -> None:
    values = [round(value, 3) for value in np.random.default_rng(2).uniform(-50, 50, 300)]
    coded = code_values("x", pl.Series(values), vl.Steer(round=base))
    assert coded.to_list() == pytest.approx([float(nearest_multiple(value, base)) for value in values], abs=1e-12)
    assert all(len(repr(value)) < 8 for value in coded.to_list())


def test_small_types_do_not_overflow() -> None:
    assert code_values("x", pl.Series([126, -128], dtype=pl.Int8), vl.Steer(round=10)).to_list() == [130, -130]
    assert code_values("x", pl.Series([255], dtype=pl.UInt8), vl.Steer(top=90)).to_list() == [90]


def test_limits_of_numbers_and_dates() -> None:
    assert code_values("x", pl.Series([1, None, 95]), vl.Steer(bottom=18, top=90)).to_list() == [18, None, 90]
    days = pl.Series([datetime.date(1905, 3, 1), datetime.date(2001, 1, 1)])
    assert code_values("x", days, vl.Steer(bottom="1920-01-01"))[0] == datetime.date(1920, 1, 1)
    times = days.cast(pl.Datetime("us"))
    assert code_values("x", times, vl.Steer(top="1999-12-31"))[1] == datetime.datetime(1999, 12, 31)


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("us"), pl.Datetime("ns", "UTC")])
def test_dates_become_years_and_months(dtype: Any) -> None:
    days = pl.Series([datetime.date(1899, 12, 31), None, datetime.date(2024, 2, 29)]).cast(dtype)
    years = code_values("x", days, vl.Steer(round="year", bottom=1920))
    assert (years.to_list(), years.dtype) == ([1920, None, 2024], pl.Int32)
    months = code_values("x", days, vl.Steer(round="month"))
    assert months.to_list() == [datetime.date(1899, 12, 1), None, datetime.date(2024, 2, 1)]
    assert breaks_coding(vl.Steer(round="month"), pl.Date(), days.cast(pl.Date))
    assert not breaks_coding(vl.Steer(round="month"), pl.Date(), months)
    assert describe_coding(vl.Steer(round="year")) == "dates are shown by their year"


def test_coding_is_said_in_words_and_recognised() -> None:
    steer = vl.Steer(bottom=20, top=90, round=5)
    words = "rounded to multiples of 5; 20 stands for 20 or less; 90 stands for 90 or more"
    assert describe_coding(steer) == words
    assert describe_coding(vl.Steer(weight=2)) == ""
    assert not breaks_coding(steer, pl.Int64(), pl.Series([20, 45, 90]))
    assert all(breaks_coding(steer, pl.Int64(), pl.Series([value])) for value in (15, 47, 95))

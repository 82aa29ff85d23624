"""The types of CSV columns: numbers, dates, codes with leading zeros."""

from __future__ import annotations

import datetime
from pathlib import Path

import polars as pl
import pytest
from sample_files import read_text


def test_types_of_cells(tmp_path: Path) -> None:
    content = "i,f,d,t,m,b,s\n1,1.5,2025-12-31,08:30:00,2025-01-01 10:00:00,true,x\n-2,2,2024-02-29,23:59:59,"
    frame = read_text(tmp_path, content + "2025-01-01 10:00:01,false,y\n")
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.Date, pl.Time, pl.Datetime("us"), pl.Boolean, pl.String]
    assert frame.row(1)[2] == datetime.date(2024, 2, 29)


def test_a_date_that_could_be_two_days_stays_text(tmp_path: Path) -> None:
    assert read_text(tmp_path, "d,x\n01/02/2025,1\n03/02/2025,2\n")["d"].to_list() == ["01/02/2025", "03/02/2025"]


def test_codes_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    frame = read_text(tmp_path, "zip,n,nace\n01234,5,01.10\n13001,6,10.20\n")
    assert frame.rows() == [("01234", 5, "01.10"), ("13001", 6, "10.20")]


def test_zeros_that_lead_nothing_are_numbers(tmp_path: Path) -> None:
    frame = read_text(tmp_path, "a,b\n0,0.5\n-0,-0.25\n10,100\n")
    assert frame.dtypes == [pl.Int64, pl.Float64]


@pytest.mark.parametrize("where", [0, 9_999, 10_000, 50_000, 59_999])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_leading_zero_deep_in_the_file(tmp_path: Path, where: int, quoted: bool) -> None:
    rows = [f"{number},{10_000 + number},{number % 7}" for number in range(60_000)]
    rows[where] = '1,"01234",3' if quoted else "1,01234,3"
    frame = read_text(tmp_path, "a,zip,n\n" + "\n".join(rows) + "\n")
    assert frame.dtypes == [pl.Int64, pl.String, pl.Int64]
    assert frame["zip"][where] == "01234"
    assert frame["zip"][59_998] in ("69998", "01234")


def test_a_number_that_turns_into_text_late(tmp_path: Path) -> None:
    rows = "\n".join(str(number) for number in range(20_000))
    assert read_text(tmp_path, f"a,b\n{rows.replace(chr(10), ',1' + chr(10))},1\nn/a,1\n")["a"][-1] == "n/a"
    late = read_text(tmp_path, f"a,b\n{rows.replace(chr(10), ',1' + chr(10))},1\n2.5,1\n")
    assert late.dtypes == [pl.Float64, pl.Int64]


def test_a_date_that_turns_up_late_makes_no_date_of_numbers(tmp_path: Path) -> None:
    rows = "2025-01-01,1\n" * 12_000
    assert read_text(tmp_path, f"a,b\n{rows}soon,1\n")["a"].dtype == pl.String
    assert read_text(tmp_path, f"a,b\n{rows}2025-02-03,x\n")["a"].dtype == pl.Date


def test_account_numbers_beyond_64_bits_stay_text(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a,b\n98765432109876543210,1\n1,2\n")["a"].to_list() == ["98765432109876543210", "1"]
    late = "1,1\n" * 12_000 + "98765432109876543210,1\n"
    assert read_text(tmp_path, "a,b\n" + late)["a"][-1] == "98765432109876543210"


def test_empty_cells_and_named_texts_are_missing(tmp_path: Path) -> None:
    frame = read_text(tmp_path, 'a,b,c\n1,,?\n,"",x\n-9,y,\n', null_values=["?", "-9"])
    assert frame.rows() == [(1, None, None), (None, None, "x"), (None, "y", None)]


def test_a_late_empty_text_in_quotes_is_missing(tmp_path: Path) -> None:
    frame = read_text(tmp_path, "a,b\n" + "1,x\n" * 70_000 + '2,""\n,y\n')
    assert frame.rows()[-2:] == [(2, None), (None, "y")]


def test_times_are_found_beside_words(tmp_path: Path) -> None:
    rows = "x,2025-01-02,2025-01-02 10:30:00,10:30:00,\n" * 3_000
    frame = read_text(tmp_path, "word,day,moment,time,nothing\n" + rows)
    assert [frame[name].dtype.base_type() for name in frame.columns[1:4]] == [pl.Date, pl.Datetime, pl.Time]
    assert frame["word"].dtype == pl.String

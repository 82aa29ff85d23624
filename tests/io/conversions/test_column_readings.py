"""Dates and numbers as people write them: what is read, what is asked, and what stays text."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sample_files import read_text, write_file

import voile as vl
from voile.engines import base
from voile.errors import DataError, SpecError
from voile.io.conversions.column_readings import ReadingRecord
from voile.io.conversions.reading_decisions import decide_reading
from voile.io.conversions.text_summaries import summarize_text

D = datetime.date
READ = [  # cells of a column, and how they are read
    (["31.12.2025", "1.2.2024"], [D(2025, 12, 31), D(2024, 2, 1)], "day-first"),
    (["01.02.2025", "03.04.2024"], [D(2025, 2, 1), D(2024, 4, 3)], "day-first"),  # points: never the month first
    (["31/12/2025", "01/02/2024"], [D(2025, 12, 31), D(2024, 2, 1)], "day-first"),
    (["12/31/2025", "01/02/2024"], [D(2025, 12, 31), D(2024, 1, 2)], "month-first"),
    (["2025/12/31", "2024/1/2"], [D(2025, 12, 31), D(2024, 1, 2)], "year-first"),
    (
        ["31.12.2025 08:30", "1.2.2024"],
        [datetime.datetime(2025, 12, 31, 8, 30), datetime.datetime(2024, 2, 1)],
        "day-first",
    ),
    (
        ["01/31/2024 10:00 AM", "2/1/2024 12:30 pm"],
        [datetime.datetime(2024, 1, 31, 10), datetime.datetime(2024, 2, 1, 12, 30)],
        "month-first",
    ),
    (
        ["2024-01-01T10:00:00Z", "2024-02-01T11:30:00.250Z"],
        [datetime.datetime(2024, 1, 1, 10), datetime.datetime(2024, 2, 1, 11, 30, 0, 250_000)],
        "year-first",
    ),
    (["12 Mar 2020", "3. Okt. 1990", "05-may-2001"], [D(2020, 3, 12), D(1990, 10, 3), D(2001, 5, 5)], "day-first"),
    (["March 12, 2020", "Oct 3 1990"], [D(2020, 3, 12), D(1990, 10, 3)], "month-first"),
    (["31.12.2025", "01/02/2024", "31/01/2024"], [D(2025, 12, 31), D(2024, 2, 1), D(2024, 1, 31)], "day-first"),
    (["3,5", "1.234,25"], [3.5, 1234.25], "decimal-comma"),
    (["1.234,50 €", "12,00 €"], [1234.5, 12.0], "decimal-comma"),
    (["$1,234.50", "$3"], [1234.5, 3.0], "decimal-point"),
    (["12,5 %", "3 %"], [12.5, 3.0], "decimal-comma"),
    (["1.234.567", "1.000"], [1234567, 1000], "decimal-comma"),
    (["1 234", "56", "-7"], [1234, 56, -7], "decimal-point"),
    (["CHF 1'234.50", "CHF 2.00"], [1234.5, 2.0], "decimal-point"),
    (["5 €", "7 €"], [5, 7], "decimal-point"),
]
STAY = [  # cells that stay text, and a word of the note, if there is one
    (["31.12.2025", "unknown"], "1 of 2 cells look like dates"),
    (["12,5", "3,5", "see letter"], "2 of 3 cells look like numbers"),
    (["31.13.2025", "01.01.2025"], "no calendar has"),
    (["31/12/2025", "12/31/2025"], "several forms"),
    (["5 €", "7 $"], "different signs"),
    (["5 %", "7"], "different signs"),
    (["123 456 789", "987 654 321"], ""),  # digits in equal groups are a code
    (["030 123 456", "040 987 654"], ""),
    (["01069", "80331"], ""),
    (["31.12.25", "01.02.24"], "a year of two digits"),
    (["9.007.199.254.740.993,1", "9.007.199.254.740.992,1"], ""),  # floats would be equal
    (["12-Mar-20", "3-Oct-90"], "a year of two digits"),
    (["31 Feb 2020", "1 Mar 2020"], "2 of 2 cells look like dates"),
    (["1E1", "10E0", "4E3"], "4E3) are a code, so it stays text"),
    (["1.5", "7", "4e3"], "4E3) are a code, so it stays text"),
    (["1E1", "North"], ""),
    (["+4922112345", "12"], "telephone number, so it stays text"),
    (["12,5", "3,5", "n/a", "-"], "2 of 4 cells look like numbers; the other 2 are not"),
    (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00+02:00"], "1 of 2 cells look like dates"),
]
ASKED = [
    (["31.12.2025", "01/02/2024"], ("day-first",)),
    (["11.12.2025", "01/02/2024"], ("day-first", "month-first")),
    (["11.12.2025", "01/31/2024"], ("month-first",)),
    (["01/02/2025", "03/04/2024"], ("day-first", "month-first")),
    (["1,234", "12"], ("decimal-comma", "decimal-point")),
    (["1,234 €", "2,500 €"], ("decimal-comma", "decimal-point")),
]


def read_cells(folder: Path, cells: list[str], **options: Any) -> tuple[pl.Series, ReadingRecord]:
    record = ReadingRecord()
    text = "x\tn\n" + "".join(f"{cell}\t1\n" for cell in cells)
    return read_text(folder, text, record=record, **options)["x"], record


@pytest.mark.parametrize(("cells", "values", "reading"), READ, ids=lambda value: str(value)[:24])
def test_whole_columns_are_converted(tmp_path: Path, cells: list[str], values: list[Any], reading: str) -> None:
    series, record = read_cells(tmp_path, cells)
    assert series.to_list() == values
    assert [entry.reading for entry in record.columns] == [reading]
    assert record.as_spec() == {"convert": {"x": reading}}
    undone, again = read_cells(tmp_path, cells, convert={"x": "text"})
    assert undone.to_list() == cells
    assert again.columns[0].is_forced
    forced, _ = read_cells(tmp_path, cells, convert={"x": reading})
    assert forced.to_list() == values


@pytest.mark.parametrize(("cells", "note"), STAY, ids=lambda value: str(value)[:24])
def test_columns_that_do_not_fit_as_a_whole_stay_text(tmp_path: Path, cells: list[str], note: str) -> None:
    series, record = read_cells(tmp_path, cells)
    assert series.to_list() == cells
    assert [note in entry.note for entry in record.columns] == [True] * bool(note)
    assert record.as_spec() == {}


@pytest.mark.parametrize(("cells", "choices"), ASKED, ids=lambda value: str(value)[:24])
def test_what_can_be_read_in_two_ways_is_asked(tmp_path: Path, cells: list[str], choices: tuple[str, ...]) -> None:
    series, record = read_cells(tmp_path, cells)
    assert series.to_list() == cells
    assert record.columns[0].choices == choices
    for choice in choices:
        decided, _ = read_cells(tmp_path, cells, convert={"x": choice})
        assert decided.dtype != pl.String


def test_a_point_before_three_digits_is_asked_only_where_commas_are_decimals(tmp_path: Path) -> None:
    text = "x{0}n\n1.234{0}1\n12.500{0}2\n"
    assert read_text(tmp_path, text.format(","))["x"].to_list() == [1.234, 12.5]
    record = ReadingRecord()
    assert read_text(tmp_path, text.format(";"), record=record)["x"].to_list() == ["1.234", "12.500"]
    assert record.columns[0].choices == ("decimal-comma", "decimal-point")
    assert read_text(tmp_path, text.format(";"), convert={"x": "decimal-comma"})["x"].to_list() == [1234, 12500]
    assert read_text(tmp_path, text.format(";"), convert={"x": "decimal-point"})["x"].to_list() == [1.234, 12.5]
    assert read_text(tmp_path, text.format(";") + "0.5;1\n")["x"].to_list() == [1.234, 12.5, 0.5]


def test_a_reading_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read as dates, the month first") as error:
        read_cells(tmp_path, ["31.12.2025"], convert={"x": "month-first"})
    assert "31.12.2025" not in str(error.value).replace("(31.12.2025)", "")
    with pytest.raises(SpecError, match="no reading 'us'"):
        read_cells(tmp_path, ["1"], convert={"x": "us"})


@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
def test_what_only_some_readers_know_is_the_same_on_every_engine(
    tmp_path: Path, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "CHUNK_ROWS", 2)
    text = "born;alive;seen;left\n19800517;TRUE;2024-01-01T10:00:00Z;2024-01-01 10:00\n"
    text += "20010203;False;2024-01-02T10:00:00Z;2024-01-02 10:00\n" * 5
    path = write_file(tmp_path, text.encode())
    schema = vl.Schema(quasi=["born", "alive", "seen", "left"])
    data = vl.read(path, schema, engine=engine)
    types = [column.domain.values.dtype for column in data.columns]
    assert types == [pl.Date, pl.Boolean, pl.Datetime("us"), pl.Datetime("us")]
    assert data.columns["born"].domain.values.to_list() == [D(1980, 5, 17), D(2001, 2, 3)]
    assert [reading.column for reading in data.reading.columns] == ["born", "seen"]
    path = write_file(tmp_path, text.replace("born", "key").encode())
    schema = vl.Schema(quasi=["key", "alive", "seen", "left"])
    data = vl.read(path, schema, engine=engine)
    assert data.columns["key"].domain.values.dtype == pl.Int64
    assert "key: all its numbers could be dates" in data.reading.describe()[0]
    dates = vl.read(path, schema, engine=engine, convert={"key": "year-first"}).columns["key"]
    assert dates.domain.values.to_list() == [D(1980, 5, 17), D(2001, 2, 3)]


def test_chunks_decide_together() -> None:
    """A chunk of whole numbers must not forbid what the other chunks show, nor decide for them."""
    chunks = [pl.Series(["12", "7"]), pl.Series(["3,5"]), pl.Series([None], dtype=pl.String)]
    assert decide_reading("x", [summarize_text(chunk) for chunk in chunks]).reading == "decimal-comma"
    unclear = [pl.Series(["01/02/2024"]), pl.Series(["03/04/2024"])]
    assert decide_reading("x", [summarize_text(chunk) for chunk in unclear]).choices
    decided = [*unclear, pl.Series(["30/04/2024"])]
    assert decide_reading("x", [summarize_text(chunk) for chunk in decided]).reading == "day-first"


def test_a_second_header_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"{20 + n};{n},5;x\n" for n in range(12))
    with pytest.raises(DataError, match=r"second header: 2 columns") as error:
        read_text(tmp_path, "age;height;note\nyears;cm;\n" + rows)
    assert error.value.code == "data.header"
    assert read_text(tmp_path, "age;height;note\n31;1,5;y\n" + rows).height == 13


TABLE = "birth;sex;cost;seen\n" + "".join(
    f"{1 + n % 28:02}.{1 + n % 12:02}.{1940 + n % 60};{'Mm'[n % 2]};{1 + n % 9}.{n:03},50 €;0{1 + n % 9}/02/2024\n"
    for n in range(100, 160)
)


@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
def test_engines_read_the_same(tmp_path: Path, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CHUNK_ROWS", 7)
    path = write_file(tmp_path, TABLE.encode("cp1252"))
    schema = vl.Schema(quasi=["birth", "sex", "seen"], sensitive=["cost"])
    with pytest.raises(DataError, match="'seen' can be read in several ways") as error:
        vl.read(path, schema, engine=engine)
    assert "convert={'seen': 'day-first'}" in str(error.value)
    options: Any = {"convert": {"seen": "day-first"}, "merge": ["sex"], "engine": engine}
    data = vl.read(path, schema, **options)
    assert data.columns["sex"].domain.labels == ["M"]
    assert [column.kind for column in data.columns] == ["date", "categorical", "date", "numeric"]
    assert data.reading.as_spec() == {
        "encoding": "cp1252",
        "convert": {"birth": "day-first", "seen": "day-first", "cost": "decimal-comma"},
    }
    release = vl.publish(data, vl.KAnonymity(k=5), key=vl.Key(bytes(32)))
    expected = vl.publish(
        vl.read(path, schema, **{**options, "engine": None}), vl.KAnonymity(k=5), key=vl.Key(bytes(32))
    )
    assert release.certificate.as_json() == expected.certificate.as_json()


def test_variants_are_told_and_not_merged_by_themselves(tmp_path: Path) -> None:
    path = write_file(tmp_path, "sex,city,disease\n" + 3 * "M,Ulm,flu\nm,ULM,HIV\nM,Bonn,flu\n")
    data = vl.read(path, vl.Schema(quasi=["sex", "city"], sensitive=["disease"]))
    assert [(one.column, one.spellings, one.rows) for one in data.variants] == [
        ("sex", ("M", "m"), (6, 3)),
        ("city", ("ULM", "Ulm"), (3, 3)),
    ]
    assert data.columns["sex"].domain.labels == ["M", "m"]
    assert vl.inspect(path, merge=["sex"])["sex"].distinct == 1
    with pytest.raises(SpecError, match="no column 'town'"):
        vl.inspect(path, merge=["town"])
    with pytest.raises(SpecError, match="'town', which is not read"):
        vl.read(path, vl.Schema(quasi=["sex"]), merge=["town"])


LATE = [  # a late cell, and how the column is then read
    ("4E3", "4E3) are a code"),
    ("+4922112345", "telephone number"),
    ("9007199254740993", "so it stays text"),  # beside decimals it would lose its last digit
    ("9007199254740993.5", "so it stays text"),
    ("1e+05", ""),
    ("1.5E3", ""),
]


@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
@pytest.mark.parametrize(("cell", "note"), LATE)
def test_late_codes_make_a_text_of_a_column(
    tmp_path: Path, cell: str, note: str, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "CHUNK_ROWS", 500)
    cells = [f"{number}.5" for number in range(1_500)] + [cell]
    path = write_file(tmp_path, "ward,n\n" + "".join(f"{cell},1\n" for cell in cells))
    data = vl.read(path, vl.Schema(quasi=["ward", "n"]), engine=engine)
    values = data.columns["ward"].domain.values
    assert (values.dtype == pl.String, len(values), len(data.reading.columns)) == (bool(note), 1_501, bool(note))
    assert all(note in line for line in data.reading.describe())
    if len(cell) < 16:
        numbers = vl.read(path, vl.Schema(quasi=["ward"]), engine=engine, convert={"ward": "decimal-point"})
        assert numbers.columns["ward"].domain.values.dtype == pl.Float64


def test_postcodes_stay_text_on_every_engine(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("PLZ;age\n" + "".join(f"{10_100 + n % 7};{20 + n}\n" for n in range(40)))
    for engine in (None, vl.Disk()):
        data = vl.read(path, vl.Schema(quasi=["PLZ", "age"]), engine=engine)
        assert data.columns["PLZ"].kind == "categorical"
        assert "PLZ: postcodes are no quantities" in data.reading.describe()[0]
        numbers = vl.read(path, vl.Schema(quasi=["PLZ"]), engine=engine, convert={"PLZ": "decimal-point"})
        assert numbers.columns["PLZ"].kind == "numeric"
    assert vl.inspect(path)["PLZ"].role == "quasi"


def test_no_mark_of_a_message_reaches_a_result(tmp_path: Path) -> None:
    """Notes name options in the words of the surface, wherever they are looked up."""
    dates = [f"0{1 + n % 9}/03/2024;{'?' if n == 7 else f'{1 + n % 28}.02.2024'}" for n in range(60)]
    rows = "".join(f"{'NA' if n == 5 else n};{date};{10_000 + n};{n}.500\n" for n, date in enumerate(dates))
    path = write_file(tmp_path, "count;seen;born;PLZ;size\n" + rows)
    inspection = vl.inspect(path)
    page = inspection.save(tmp_path / "page.html")
    data = vl.read(path, vl.Schema(quasi=["count", "born", "PLZ"]))
    for reading in (inspection.reading, data.reading):
        told = repr(reading) + reading._repr_html_() + repr(reading.columns) + str(reading.as_json())
        told += "".join(one.note for one in reading.columns) + str(reading.as_spec())
        assert "null_values=..." in told
        assert not set("\ue000\ue001") & set(told)
        assert "ue000" not in told
    told = page.read_text() + page.with_suffix(".json").read_text() + str(inspection.as_json()) + inspection.html
    assert not set("\ue000\ue001") & set(told)
    assert "ue000" not in told


def test_a_day_that_no_calendar_has_is_the_reason(tmp_path: Path) -> None:
    rows = "".join(f"{1 + n % 28}.02.1980;{n}\n" for n in range(20))
    for day in ("30.02.2024", "31/04/2024"):
        path = write_file(tmp_path, f"born;x\n{day};1\n{rows}")
        note = vl.inspect(path).reading.columns[0].note
        assert "21 of 21 cells look like dates; 1 of them is a day that no calendar has, so it stays text." in note
    path = write_file(tmp_path, "born;x\n" + "".join(f"{1 + n % 28}.02.80;{n}\n" for n in range(20)))
    assert "a year of two digits" in vl.inspect(path).reading.columns[0].note


@pytest.mark.parametrize("word", ["unknown", "Unbekannt", "n/a", "Infinity"])
@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
def test_a_word_for_missing_in_the_first_row_is_no_second_header(
    tmp_path: Path, word: str, engine: base.Engine | None
) -> None:
    path = write_file(tmp_path, f"born;sex\n{word};m\n" + "".join(f"1980-02-{10 + n};f\n" for n in range(12)))
    data = vl.read(path, vl.Schema(quasi=["born"]), engine=engine)
    assert "the other 1 is not, so it stays text" in data.reading.columns[0].note
    named = vl.read(path, vl.Schema(quasi=["born"], missing="drop"), null_values=[word], engine=engine)
    assert named.columns["born"].kind == "date"


def test_the_advice_on_a_second_header_works(tmp_path: Path) -> None:
    path = write_file(tmp_path, "born;sex\nsoon;m\n" + "".join(f"1980-02-{10 + n};f\n" for n in range(12)))
    with pytest.raises(DataError, match="1 column holds dates or numbers") as error:
        vl.inspect(path)
    assert "convert={'born': 'text'}" in error.value.hint
    assert vl.inspect(path, convert={"born": "text"})["born"].kind == "categorical"


@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
def test_blanks_around_cells_are_dropped_and_said_so(
    tmp_path: Path, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "CHUNK_ROWS", 2)
    path = write_file(tmp_path, 'sex,town,age\nM ,Ulm, 31\nM,"Ulm\t",32\nF,Ulm,33\n')
    data = vl.read(path, vl.Schema(quasi=["sex", "town", "age"]), engine=engine)
    assert data.columns["sex"].domain.labels == ["F", "M"]
    assert data.reading.describe() == ["Blanks at the ends of cells are dropped in 2 columns: sex, town."]
    assert data.reading.as_json() == {"padded": ["sex", "town"]}
    path = write_file(tmp_path, "sex,age\nM, 31\nM,32\nF,33\n")
    assert not vl.read(path, vl.Schema(quasi=["sex", "age"]), engine=engine).reading.describe()

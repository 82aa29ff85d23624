"""A first line that holds data is refused, and wide tables are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import Voile
from sample_files import read_text, write_file

import voile as vl
from voile.errors import DataError
from voile.io.conversions.header_fields import count_data_fields

NAMES = [
    "id|2019|2020",
    "2024|2023|2022",
    "1990|1995|2002",  # rounds of a survey
    "id|1|2|3|4|5|6|7|8|9|10|11|12",
    "-2|-1|0|1|2",
    "|0",  # pandas writes series and unnamed columns so
    "0|1",
    "1|2|3|1.1|2.1|3.1",  # columns that R and pandas numbered
    "dose|0.5|1|2",
    "2.5 %|97.5 %",
    "id|2024-01|2024-02|202401|202402|202403",
    "id|202311|202312|202401",
    "id|2024-01-31|2024-02-29|2024-03-31",
    "id|31.01.2023|28.02.2023|31.03.2023",
    "id|12/31/2021|12/31/2022|12/31/2023",
    "2024-01-01 08:00|2024-01-02 08:00|2024-01-03 08:00",
    "20240101|20240102|20240103",
    "2024-01-03|2024-01-04|2024-01-08|2024-01-15|2024-02-01|2024-02-29",
    "id|250|401|428|493|585",  # codes in order
    "0-17|18-64|65+|00-04|05-09|2019/20|2019-2020|08:00",
    "Wie alt sind Sie?|How often in the last 12 months?|1. Sex|q1.1|5.0 mg|id 5|A@B|DE|C50.9|ID1234567890",
    "id|7",
]
DATA = [
    "Quirin Lang|34|50733",
    "Quirin Lang|27.05.1991|m",
    "27.05.1991|09.06.2024|12.06.2024",  # birth, admission and discharge are in order, too
    "m|1950-01-01|flu",
    "m|1950-01-01 08:30|flu",
    "m|30.02.2024",
    "q.lang@example.org|m",
    "DE95253771328943588915|m",
    "DE95 2537 7132 8943 5889 15|m",
    "0221 575359|m",
    "+49 171 1234567|m",
    "(555) 123-4567|m",
    "123-45-6789|m",
    "756.1234.5678.97|m",
    "85073003328|m",
    "1,38|m",
    "2.296,26 €|m",
    "$12.50|m",
    "1967|2024|m",
    "34|45000|50210",
]


@pytest.mark.parametrize("line", NAMES)
def test_names_of_columns_are_read(line: str) -> None:
    assert count_data_fields(line.split("|")) == 0


@pytest.mark.parametrize("line", DATA)
def test_data_is_refused_without_being_shown(line: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="looks like a row of the table") as error:
        read_text(tmp_path, line + "\n" + line + "\n", delimiter="|")
    assert error.value.code == "data.header"
    shown = str(error.value)
    assert not [field for field in line.split("|") if len(field) > 2 and field in shown]


@pytest.mark.parametrize("engine", [None, vl.Disk()], ids=["memory", "disk"])
def test_every_engine_refuses_a_table_without_a_header(tmp_path: Path, engine: vl.Engine | None) -> None:
    path = write_file(tmp_path, "".join(f"Quirin Lang;{1 + n}.05.1991;flu\n" for n in range(20)))
    with pytest.raises(DataError, match="looks like a row") as error:
        vl.read(path, vl.Schema(quasi=["age"]), engine=engine)  # before a message lists the columns that there are
    assert "Quirin" not in str(error.value)


@pytest.mark.parametrize("verb", ["inspect", "init", "publish"])
def test_every_verb_refuses_a_table_without_a_header(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_file(tmp_path, "".join(f"Quirin Lang;{1 + n}.05.1991;flu\n" for n in range(20)))
    more = ["--quasi", "age", "--model", "k-anonymity:k=2", "--out", "out"] if verb == "publish" else []
    answer = Voile(monkeypatch, capsys, tmp_path)(verb, path, *more)
    assert answer.code == 3
    assert "looks like a row of the table" in answer.err
    assert "Quirin" not in answer.out + answer.err

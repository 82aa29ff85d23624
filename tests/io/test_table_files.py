"""Reading: what a file, a frame or a database may look like, and what is said where it cannot be read."""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import voile as vl
from voile.errors import DataError, EngineError, SpecError, VoileError
from voile.io import table_files
from voile.io.csv_byte_scan import scan_bytes
from voile.io.csv_files import guess_delimiter

SCHEMA = vl.Schema(quasi=["age", "zip"], sensitive=["disease"])
FRAME = pl.DataFrame({"age": [30, 41, 52], "zip": ["01234", "13001", "83000"], "disease": ["flu", "HIV", "flu"]})


def csv(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(folder: Path, content: str | bytes, **options: Any) -> pl.DataFrame:
    return table_files.read_file(csv(folder, content), **options)


def told(error: pytest.ExceptionInfo[VoileError], *parts: str) -> bool:
    return all(part in str(error.value) for part in parts)


# CSV: form ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_any_delimiter_is_found(tmp_path: Path, sign: str) -> None:
    frame = read(tmp_path, f"age{sign}name{sign}x\n1{sign}a{sign}2.5\n2{sign}b{sign}3\n")
    assert frame.rows() == [(1, "a", 2.5), (2, "b", 3.0)]


def test_a_given_delimiter_wins(tmp_path: Path) -> None:
    assert read(tmp_path, "a:b,c\n1:x\n", delimiter=":").columns == ["a", "b,c"]
    assert read(tmp_path, "a\tb,c\n1\tx\n", delimiter="\\t").rows() == [(1, "x")]
    assert read(tmp_path, "a\tb,c\n1\tx\n", delimiter="tab").rows() == [(1, "x")]


@pytest.mark.parametrize("sign", ["::", "", "é", '"', "\n"])
def test_a_delimiter_is_one_sign(tmp_path: Path, sign: str) -> None:
    with pytest.raises(SpecError) as error:
        read(tmp_path, "a,b\n1,2\n", delimiter=sign)
    assert error.value.code == "spec.delimiter"


def test_delimiters_inside_quotes_do_not_count() -> None:
    assert guess_delimiter('"a,b,c";d') == ";"
    assert guess_delimiter("one") == ","


def test_quotes_and_line_ends_inside_cells(tmp_path: Path) -> None:
    frame = read(tmp_path, 'a,"b ""x"""\r\n1,"u, v"\r\n2,"line\r\nbreak"\r\n3,"say ""hi"""\r\n')
    assert frame.columns == ["a", 'b "x"']
    assert frame.rows() == [(1, "u, v"), (2, "line\r\nbreak"), (3, 'say "hi"')]


def test_a_header_may_break_inside_quotes(tmp_path: Path) -> None:
    frame = read(tmp_path, 'a,"b\nc"\n1,2\n')
    assert frame.columns == ["a", "b\nc"]
    assert frame.rows() == [(1, 2)]


@pytest.mark.parametrize("encoding", ["utf8", "utf-8", "UTF-8", "utf-8-sig"])
def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path, encoding: str) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfage,b\n1,2\n", encoding=encoding).columns == ["age", "b"]
    assert read(tmp_path, b'\xef\xbb\xbf"age",b\n1,2\n', encoding=encoding).columns == ["age", "b"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_are_nobody(tmp_path: Path, end: str) -> None:
    content = end.join(["a,b", "1,x", "", '2,"y' + end + end + 'z"', "", "", "3,z", "", ""])
    assert read(tmp_path, content).rows() == [(1, "x"), (2, f"y{end}{end}z"), (3, "z")]


def test_a_last_line_without_an_end(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b\n1,x\n2,y").rows() == [(1, "x"), (2, "y")]


def test_a_blank_line_in_a_single_column_is_a_missing_cell(tmp_path: Path) -> None:
    assert read(tmp_path, "a\n1\n\n3\n")["a"].to_list() == [1, None, 3]


def test_spaces_around_cells_are_dropped(tmp_path: Path) -> None:
    frame = read(tmp_path, "age, work, hours\n39, State-gov, 40\n50, ?, 13\n38, Private, ?\n", null_values=["?"])
    assert frame.columns == ["age", "work", "hours"]
    assert frame.rows() == [(39, "State-gov", 40), (50, None, 13), (38, "Private", None)]


def test_only_the_wanted_columns_are_read(tmp_path: Path) -> None:
    frame = read(tmp_path, "a,b,c\n1,x,3\n2,y,4\n", columns=["c", "a"])
    assert frame.columns == ["a", "c"]
    assert read(tmp_path, "a,b\n1,2\n", columns=[]).shape == (0, 0)


def test_signs_of_a_pattern_in_a_path_are_taken_literally(tmp_path: Path) -> None:
    folder = tmp_path / "a[1]*"
    folder.mkdir()
    FRAME.write_csv(folder / "t?.csv")
    FRAME.write_parquet(folder / "t?.parquet")
    FRAME.write_ipc(folder / "t?.arrow")
    for ending in ("csv", "parquet", "arrow"):
        assert table_files.read_file(folder / f"t?.{ending}").rows() == FRAME.rows()


# CSV: types ---------------------------------------------------------------------------------------------------------
def test_types_of_cells(tmp_path: Path) -> None:
    content = "i,f,d,t,m,b,s\n1,1.5,2025-12-31,08:30:00,2025-01-01 10:00:00,true,x\n-2,2,2024-02-29,23:59:59,"
    frame = read(tmp_path, content + "2025-01-01 10:00:01,false,y\n")
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.Date, pl.Time, pl.Datetime("us"), pl.Boolean, pl.String]
    assert frame.row(1)[2] == datetime.date(2024, 2, 29)


def test_a_date_that_could_be_two_days_stays_text(tmp_path: Path) -> None:
    assert read(tmp_path, "d,x\n01/02/2025,1\n13/02/2025,2\n")["d"].to_list() == ["01/02/2025", "13/02/2025"]


def test_codes_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    frame = read(tmp_path, "zip,n,nace\n01234,5,01.10\n13001,6,10.20\n")
    assert frame.rows() == [("01234", 5, "01.10"), ("13001", 6, "10.20")]


def test_zeros_that_lead_nothing_are_numbers(tmp_path: Path) -> None:
    frame = read(tmp_path, "a,b\n0,0.5\n-0,-0.25\n10,100\n")
    assert frame.dtypes == [pl.Int64, pl.Float64]


@pytest.mark.parametrize("where", [0, 9_999, 10_000, 50_000, 59_999])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_leading_zero_deep_in_the_file(tmp_path: Path, where: int, quoted: bool) -> None:
    rows = [f"{number},{10_000 + number},{number % 7}" for number in range(60_000)]
    rows[where] = '1,"01234",3' if quoted else "1,01234,3"
    frame = read(tmp_path, "a,zip,n\n" + "\n".join(rows) + "\n")
    assert frame.dtypes == [pl.Int64, pl.String, pl.Int64]
    assert frame["zip"][where] == "01234"
    assert frame["zip"][59_998] in ("69998", "01234")


def test_a_leading_zero_at_every_place_of_a_block(tmp_path: Path) -> None:
    for shift in range(60, 72):
        content = b"a,b\n" + b"1,2\n" * ((1 << 14) - 17) + b"x" * (shift - 60) + b"1,02\n" + b"3,4\n" * 5
        assert scan_bytes(content, ",", 2).zero_columns == {1}, shift


def test_zeros_in_one_column_leave_the_others_alone(tmp_path: Path) -> None:
    seen = scan_bytes(b'a,"b,b",c\n1,"x, 05",2\n3,y,007\n', ",", 3)
    assert seen.zero_columns == {1, 2}
    assert not seen.ragged


def test_a_number_that_turns_into_text_late(tmp_path: Path) -> None:
    rows = "\n".join(str(number) for number in range(20_000))
    assert read(tmp_path, f"a,b\n{rows.replace(chr(10), ',1' + chr(10))},1\nn/a,1\n")["a"][-1] == "n/a"
    late = read(tmp_path, f"a,b\n{rows.replace(chr(10), ',1' + chr(10))},1\n2.5,1\n")
    assert late.dtypes == [pl.Float64, pl.Int64]


def test_a_date_that_turns_up_late_makes_no_date_of_numbers(tmp_path: Path) -> None:
    rows = "2025-01-01,1\n" * 12_000
    assert read(tmp_path, f"a,b\n{rows}soon,1\n")["a"].dtype == pl.String
    assert read(tmp_path, f"a,b\n{rows}2025-02-03,x\n")["a"].dtype == pl.Date


def test_account_numbers_beyond_64_bits_stay_text(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b\n98765432109876543210,1\n1,2\n")["a"].to_list() == ["98765432109876543210", "1"]
    late = "1,1\n" * 12_000 + "98765432109876543210,1\n"
    assert read(tmp_path, "a,b\n" + late)["a"][-1] == "98765432109876543210"


def test_empty_cells_and_named_texts_are_missing(tmp_path: Path) -> None:
    frame = read(tmp_path, 'a,b,c\n1,,?\n,"",x\n-9,y,\n', null_values=["?", "-9"])
    assert frame.rows() == [(1, None, None), (None, None, "x"), (None, "y", None)]


# CSV: faults --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("line", "fields"), [("7", 1), ("7,8,9,secret", 4), ('7,"8\n9"', 2)])
@pytest.mark.parametrize("columns", [None, ["a"]])
def test_ragged_lines_are_named(tmp_path: Path, line: str, fields: int, columns: list[str] | None) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, f"a,b,c\n1,2,3\n4,5,6\n{line}\n1,2,3\n", columns=columns)
    assert error.value.code == "data.ragged"
    assert told(error, f"Line {4 + line.count(chr(10))} ", "'t.csv'", f"{fields} fields", "has 3")


def test_a_long_and_a_short_line_do_not_cancel_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Line 2 of 't.csv' has 3 fields, the header has 2"):
        read(tmp_path, "a,b\n1,2,3\n4\n5,6\n", columns=["a"])


def test_a_ragged_line_deep_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Line 40002 "):
        read(tmp_path, "a,b\n" + "1,x\n" * 40_000 + "2\n" + "1,x\n" * 10)


def test_a_quote_inside_a_cell_is_no_fault(tmp_path: Path) -> None:
    assert read(tmp_path, 'a,b\n1,5" pipe\n2,x\n').rows() == [(1, '5" pipe'), (2, "x")]


def test_an_open_quote_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, 'a,b\n1,"x\n2,y\n3,z\n')
    assert error.value.code in ("data.csv", "data.ragged")


def test_wrong_encoding_is_reported_by_line(tmp_path: Path) -> None:
    content = "name,city\n" + "a,Paris\n" * 3000
    with pytest.raises(DataError) as error:
        read(tmp_path, content.encode() + "b,Orléans\nc,Besançon\n".encode("latin-1"))
    assert error.value.code == "data.encoding"
    assert told(error, "'t.csv'", "2 lines", "line 3002, byte 6", "latin-1")
    with pytest.raises(DataError, match="line 1, byte 3"):
        read(tmp_path, "pré,b\n1,2\n".encode("latin-1"), encoding="ascii", columns=["b"])


def test_an_encoding_may_be_named(tmp_path: Path) -> None:
    content = 'näme,b\nOrléans,1\n"x\r\ny",2\n'
    for encoding in ("latin-1", "cp1252", "utf-16"):
        frame = read(tmp_path, content.encode(encoding), encoding=encoding)
        assert frame.columns == ["näme", "b"]
        assert frame["näme"].to_list() == ["Orléans", "x\r\ny"]


def test_text_that_is_not_in_the_named_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not utf-16: 1 lines cannot be decoded, the first at byte 5 of the file"):
        read(tmp_path, b"\xff\xfea\x00\xd8\xd8", encoding="utf-16")
    with pytest.raises(DataError, match="line 2, byte 1"):
        read(tmp_path, b"a,b\n\x81,1\n", encoding="cp1252")


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "utf8-lossy", "hex"])
def test_unknown_encodings(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(DataError, match="There is no encoding"):
        read(tmp_path, "a,b\n1,2\n", encoding=encoding)


def test_names_twice(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, "a,b, a\n1,2,3\n")
    assert error.value.code == "data.header"
    assert told(error, "1 column names twice", "'a'")


def test_empty_files_and_files_without_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        read(tmp_path, "")
    with pytest.raises(DataError, match="has no header"):
        read(tmp_path, "\n\n")
    assert read(tmp_path, "a,b\n").shape == (0, 2)
    with pytest.raises(DataError, match="no rows"):
        vl.read(csv(tmp_path, "age,zip,disease\n"), SCHEMA)


def test_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'none.csv' does not exist"):
        vl.read(tmp_path / "none.csv", SCHEMA)
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        vl.read(str(tmp_path / "d.csv"), SCHEMA)
    with pytest.raises(DataError, match="no known file extension") as error:
        vl.read(csv(tmp_path, "a\n", "t.xlsx"), SCHEMA)
    assert ".parquet" in error.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = csv(tmp_path, "age,zip,disease\n1,2,3\n")
    path.chmod(0)
    with pytest.raises(DataError, match="Permission denied"):
        vl.read(path, SCHEMA)


# Parquet and Arrow --------------------------------------------------------------------------------------------------
def write(frame: pl.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.name.startswith("stream"):
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)
    return path


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ipc", "t.feather", "stream.arrow", "stream.arrows"])
def test_columnar_files(tmp_path: Path, name: str) -> None:
    path = write(FRAME, tmp_path / name)
    assert table_files.read_column_names(path) == FRAME.columns
    assert table_files.read_file(path).rows() == FRAME.rows()
    assert table_files.read_file(path, ["zip"]).columns == ["zip"]
    assert vl.read(path, SCHEMA).rows.total == 3


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "stream.arrow"])
def test_truncated_columnar_files(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame({"age": range(500), "zip": [f"{n:05}" for n in range(500)], "disease": ["flu", "HIV"] * 250})
    whole = write(frame, tmp_path / name).read_bytes()
    for size in (1, 7, 11, len(whole) // 3, len(whole) // 2, len(whole) - 9):
        (tmp_path / name).write_bytes(whole[:size])
        with pytest.raises(DataError, match="is not a complete"):
            vl.read(tmp_path / name, SCHEMA)
    (tmp_path / name).write_bytes(b"age,zip\n1,2\n")
    with pytest.raises(DataError, match="is not a complete"):
        table_files.read_file(tmp_path / name)


def test_types_of_parquet_are_kept(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": pl.Series([1], dtype=pl.Int8), "b": pl.Series(["x"], dtype=pl.Enum(["x", "y"]))})
    frame.write_parquet(tmp_path / "t.parquet")
    assert table_files.read_file(tmp_path / "t.parquet").dtypes == frame.dtypes


# frames -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "table",
    [
        FRAME,
        FRAME.lazy(),
        FRAME.to_pandas(),
        FRAME.to_arrow(),
        FRAME.to_arrow().to_batches()[0],
    ],
    ids=["polars", "lazy", "pandas", "arrow", "batch"],
)
def test_frames(table: Any) -> None:
    data = vl.read(table, SCHEMA)
    assert data.rows.total == 3
    assert data.columns["zip"].domain.labels == ["01234", "13001", "83000"]
    assert data.columns["age"].kind == "numeric"


def test_a_pandas_index_is_no_data() -> None:
    frame = pl.DataFrame({"age": range(40), "zip": [f"{n % 8:05}" for n in range(40)], "disease": ["flu", "HIV"] * 20})
    plain = frame.to_pandas()
    shuffled = plain.sample(frac=1, random_state=4)
    filtered = pd.concat([plain, plain]).iloc[:40]
    labelled = plain.set_index(pd.Index(np.arange(40)[::-1] // 2, name="age_"))
    key = vl.Key(bytes(32))
    wanted = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=4), key=key).tables["table"]
    for table in (plain, shuffled, filtered, labelled):
        release = vl.publish(vl.read(table, SCHEMA), vl.KAnonymity(k=4), key=key)
        assert release.tables["table"].equals(wanted)
    half = plain[plain["age"] % 2 == 0]
    assert vl.read(half, SCHEMA).rows.total == 20


def test_an_ordered_pandas_categorical_keeps_its_order() -> None:
    table = pd.DataFrame({"size": pd.Categorical(["S", "L", "M"], categories=["S", "M", "L"], ordered=True)})
    data = vl.read(table, vl.Schema(quasi=["size"], kinds={"size": "ordered"}))
    assert data.columns["size"].domain.labels == ["S", "M", "L"]


def test_pandas_columns_that_cannot_be_read_are_named() -> None:
    mixed = pd.DataFrame({"age": [1, "SECRET", 2.5], "zip": ["a", "b", "c"], "disease": ["x", "y", "z"]})
    with pytest.raises(DataError, match="Column 'age' of the pandas table") as error:
        vl.read(mixed, SCHEMA)
    assert "SECRET" not in str(error.value)
    assert vl.read(mixed, vl.Schema(quasi=["zip"], sensitive=["disease"])).rows.total == 3
    twice = pd.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(DataError, match="names twice: 'age'"):
        vl.read(twice, SCHEMA)
    numbered = pd.DataFrame({0: [1, 2], "zip": ["a", "b"]})
    assert vl.read(numbered, vl.Schema(quasi=["0", "zip"])).rows.total == 2


def test_a_lazy_frame_that_fails_says_no_cell() -> None:
    lazy = FRAME.lazy().with_columns(pl.col("disease").cast(pl.Int64))
    with pytest.raises(DataError, match="polars table cannot be read") as error:
        vl.read(lazy, SCHEMA)
    assert "HIV" not in str(error.value)


@pytest.mark.parametrize("thing", [None, 5, {"age": [1]}, [1], FRAME["age"], pd.Series([1]), pa.array([1])])
def test_things_that_are_no_table(thing: Any) -> None:
    with pytest.raises(DataError, match="cannot be read") as error:
        vl.read(thing, SCHEMA)
    assert error.value.code == "data.source"


# databases ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    path = tmp_path / "people #1.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("create table people (age integer, zip text, disease text, note)")
        connection.executemany("insert into people values (?, ?, ?, ?)", [(*row, "n") for row in FRAME.rows()])
        connection.execute("insert into people values ('CANARY', '1', 'flu', null)")
        connection.commit()
    return f"sqlite:///{path}"


@pytest.fixture
def duck(tmp_path: Path) -> str:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table people (age integer, zip varchar, disease varchar)")
        connection.executemany("insert into people values (?, ?, ?)", FRAME.rows())
    return f"duckdb:///{path}"


def test_sqlite(sqlite: str) -> None:
    statement = "select age, zip, disease from people where typeof(age) = 'integer'"
    data = vl.read(sqlite, SCHEMA, query=statement)
    assert data.rows.total == 3
    assert data.columns["zip"].domain.labels[0] == "01234"
    with pytest.raises(DataError, match="no rows"):
        vl.read(sqlite, SCHEMA, query=statement + " and age > 100")


def test_duckdb(duck: str) -> None:
    assert vl.read(duck, SCHEMA, query="select * from people").rows.total == 3
    with pytest.raises(DataError, match="no rows"):
        vl.read(duck, SCHEMA, query="select * from people where age > 100")


@pytest.mark.parametrize("statement", ["select nothing from nowhere", "drop table people", "selec", "", ";;"])
@pytest.mark.parametrize("engine", ["sqlite", "duck"])
def test_bad_statements(engine: str, statement: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(engine)
    with pytest.raises(DataError) as error:
        vl.read(url, SCHEMA, query=statement)
    assert error.value.code in ("data.query", "data.no-rows")
    assert "people" not in error.value.message


def test_a_column_of_several_types_says_no_cell(sqlite: str) -> None:
    with pytest.raises(VoileError) as error:
        vl.read(sqlite, vl.Schema(quasi=["age"], kinds={"age": "numeric"}), query="select age from people")
    assert "CANARY" not in str(error.value)


def test_urls_that_lead_nowhere(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path}/none.db", f"duckdb:///{tmp_path}/none.duckdb"):
        with pytest.raises(DataError, match="There is no database"):
            vl.read(url, SCHEMA, query="select 1")
    with pytest.raises(DataError, match="scheme 'oracle' is not known"):
        vl.read("oracle://scott:tiger@host/db", SCHEMA, query="select 1")
    with pytest.raises(DataError, match="needs the URL of a database") as error:
        vl.read("scott:tiger@host", SCHEMA, query="select 1")
    assert "tiger" not in str(error.value)
    with pytest.raises(DataError, match="needs the URL of a database, not a DataFrame"):
        vl.read(FRAME, SCHEMA, query="select 1")


@pytest.mark.parametrize("url", ["postgresql://scott:tiger@host/db", "postgresql://scott:tiger@host", "sqlite:///a.db"])
def test_a_url_needs_a_query(url: str) -> None:
    with pytest.raises(DataError, match="needs a query") as error:
        vl.read(url, SCHEMA)
    assert "tiger" not in str(error.value)
    assert "host" not in str(error.value)


def test_a_database_that_nobody_serves() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DataError, match="The postgresql query failed") as error:
        vl.read(f"postgresql://scott:tiger@127.0.0.1:{port}/db", SCHEMA, query="select 1")
    assert "tiger" not in str(error.value)
    assert "scott" not in str(error.value)


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch, duck: str) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(EngineError, match="needs the package 'duckdb'") as error:
        vl.read(duck, SCHEMA, query="select 1")
    assert error.value.hint == "Install voile[database]."


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of our own on a free port; as root it is run by the postgres user, who may."""
    if not shutil.which("initdb") or not shutil.which("pg_ctl"):
        pytest.skip("there is no PostgreSQL server on this machine")
    folder = tmp_path_factory.mktemp("pg")
    other: dict[str, Any] = {}
    if os.geteuid() == 0:
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("a PostgreSQL server does not run as root, and there is no postgres user")
        other = {"user": "postgres", "group": "postgres", "extra_groups": []}
        for parent in folder.parents:
            if not parent.stat().st_mode & 1:
                parent.chmod(parent.stat().st_mode | 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=60, **other)

    run("initdb", "-D", f"{folder}/data", "-U", "scott", "-A", "trust", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    subprocess.run(
        ["pg_ctl", "-D", f"{folder}/data", "-o", options, "-l", f"{folder}/log", "-w", "start"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        timeout=60,
        **other,
    )
    yield f"postgresql://scott:tiger@127.0.0.1:{port}/postgres"
    run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")


def test_postgresql(postgres: str) -> None:
    rows = "select * from (values (30, '01234', 'flu', date '2025-01-02'), (41, '13001', 'HIV', null)) t(age, zip, "
    statement = rows + "disease, day)"
    schema = vl.Schema(quasi=["age", "zip", "day"], sensitive=["disease"], missing="value")
    data = vl.read(postgres, schema, query=statement)
    assert data.rows.total == 2
    assert data.columns["zip"].domain.labels == ["01234", "13001"]
    assert data.columns["day"].domain.labels == ["2025-01-02", "(missing)"]
    with pytest.raises(DataError, match="The postgresql query failed") as error:
        vl.read(postgres, schema, query="select nothing from nowhere where x = 'CANARY'")
    assert not any(part in str(error.value) for part in ("tiger", "nowhere", "CANARY"))
    with pytest.raises(DataError, match="The postgresql query failed") as error:
        vl.read(postgres, schema, query="select cast(disease as integer) as age from (values ('CANARY')) t(disease)")
    assert "CANARY" not in str(error.value)

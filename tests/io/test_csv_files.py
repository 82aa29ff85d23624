"""CSV files: delimiters, quotes, blank lines, spaces, and the columns that are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_files import FRAME, read_text, write_file

import voile as vl
from voile.errors import DataError, SpecError
from voile.io import table_files
from voile.io.csv_files import guess_delimiter


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_any_delimiter_is_found(tmp_path: Path, sign: str) -> None:
    frame = read_text(tmp_path, f"age{sign}name{sign}x\n1{sign}a{sign}2.5\n2{sign}b{sign}3\n")
    assert frame.rows() == [(1, "a", 2.5), (2, "b", 3.0)]


def test_a_given_delimiter_wins(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a:b,c\n1:x\n", delimiter=":").columns == ["a", "b,c"]
    assert read_text(tmp_path, "a\tb,c\n1\tx\n", delimiter="\\t").rows() == [(1, "x")]
    assert read_text(tmp_path, "a\tb,c\n1\tx\n", delimiter="tab").rows() == [(1, "x")]


@pytest.mark.parametrize("sign", ["::", "", "é", '"', "\n", "\0", "\ud800"])
def test_a_delimiter_is_one_sign(tmp_path: Path, sign: str) -> None:
    with pytest.raises(SpecError) as error:
        read_text(tmp_path, "a,b\n1,2\n", delimiter=sign)
    assert error.value.code == "spec.delimiter"


def test_delimiters_inside_quotes_do_not_count() -> None:
    assert guess_delimiter('"a,b,c";d') == ";"
    assert guess_delimiter("one") == ","


def test_quotes_and_line_ends_inside_cells(tmp_path: Path) -> None:
    frame = read_text(tmp_path, 'a,"b ""x"""\r\n1,"u, v"\r\n2,"line\r\nbreak"\r\n3,"say ""hi"""\r\n')
    assert frame.columns == ["a", 'b "x"']
    assert frame.rows() == [(1, "u, v"), (2, "line\r\nbreak"), (3, 'say "hi"')]


def test_a_header_may_break_inside_quotes(tmp_path: Path) -> None:
    frame = read_text(tmp_path, 'a,"b\nc"\n1,2\n')
    assert frame.columns == ["a", "b\nc"]
    assert frame.rows() == [(1, 2)]


@pytest.mark.parametrize("encoding", ["utf8", "utf-8", "UTF-8", "utf-8-sig"])
def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path, encoding: str) -> None:
    assert read_text(tmp_path, b"\xef\xbb\xbfage,b\n1,2\n", encoding=encoding).columns == ["age", "b"]
    assert read_text(tmp_path, b'\xef\xbb\xbf"age",b\n1,2\n', encoding=encoding).columns == ["age", "b"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_are_nobody(tmp_path: Path, end: str) -> None:
    content = end.join(["a,b", "1,x", "", '2,"y' + end + end + 'z"', "", "", "3,z", "", ""])
    assert read_text(tmp_path, content).rows() == [(1, "x"), (2, f"y{end}{end}z"), (3, "z")]


def test_a_last_line_without_an_end(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a,b\n1,x\n2,y").rows() == [(1, "x"), (2, "y")]


def test_spaces_around_cells_are_dropped(tmp_path: Path) -> None:
    frame = read_text(tmp_path, "age, work, hours\n39, State-gov, 40\n50, ?, 13\n38, Private, ?\n", null_values=["?"])
    assert frame.columns == ["age", "work", "hours"]
    assert frame.rows() == [(39, "State-gov", 40), (50, None, 13), (38, "Private", None)]


def test_only_the_wanted_columns_are_read(tmp_path: Path) -> None:
    frame = read_text(tmp_path, "a,b,c\n1,x,3\n2,y,4\n", columns=["c", "a"])
    assert frame.columns == ["a", "c"]
    assert read_text(tmp_path, "a,b\n1,2\n", columns=[]).shape == (0, 0)


def test_signs_of_a_pattern_in_a_path_are_taken_literally(tmp_path: Path) -> None:
    folder = tmp_path / "a[1]*"
    folder.mkdir()
    FRAME.write_csv(folder / "t?.csv")
    FRAME.write_parquet(folder / "t?.parquet")
    FRAME.write_ipc(folder / "t?.arrow")
    for ending in ("csv", "parquet", "arrow"):
        assert table_files.read_file(folder / f"t?.{ending}").rows() == FRAME.rows()


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_line_that_names_the_separator_is_no_header(tmp_path: Path, line: str, encoding: str) -> None:
    rows = "".join(f"Köln;{20 + n}\r\n" for n in range(30))
    path = write_file(tmp_path, f"{line}\r\ntown;age\r\n{rows}".encode(encoding))
    for delimiter in (None, ";"):
        columns = vl.inspect(path, delimiter=delimiter).columns
        assert [(column.name, column.kind) for column in columns] == [("town", "categorical"), ("age", "numeric")]
    schema = vl.Schema(quasi=["town", "age"])
    labels = [vl.read(path, schema, engine=engine).columns["age"].domain.labels for engine in (None, vl.Disk())]
    assert labels[0] == labels[1]
    assert len(labels[0]) == 30


def test_faults_below_a_line_that_names_the_separator_have_the_line_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Line 4 of .* has 3 fields"):
        read_text(tmp_path, "sep=;\na;b\n1;2\n1;2;3\n")
    assert read_text(tmp_path, "sep=;\na\n1\n2\n").rows() == [(1,), (2,)]

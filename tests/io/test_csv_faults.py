"""Faults of a CSV are named by line and never show a cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_files import SCHEMA, read_text, says, write_file

import voile as vl
from voile.errors import DataError


@pytest.mark.parametrize(("line", "fields"), [("7", 1), ("7,8,9,secret", 4), ('7,"8\n9"', 2)])
@pytest.mark.parametrize("columns", [None, ["a"]])
def test_ragged_lines_are_named(tmp_path: Path, line: str, fields: int, columns: list[str] | None) -> None:
    with pytest.raises(DataError) as error:
        read_text(tmp_path, f"a,b,c\n1,2,3\n4,5,6\n{line}\n1,2,3\n", columns=columns)
    assert error.value.code == "data.ragged"
    assert says(error, f"Line {4 + line.count(chr(10))} ", "'t.csv'", f"{fields} fields", "has 3")


def test_a_long_and_a_short_line_do_not_cancel_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Line 2 of 't.csv' has 3 fields, the header has 2"):
        read_text(tmp_path, "a,b\n1,2,3\n4\n5,6\n", columns=["a"])


def test_a_ragged_line_deep_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Line 40002 "):
        read_text(tmp_path, "a,b\n" + "1,x\n" * 40_000 + "2\n" + "1,x\n" * 10)


def test_wrong_encoding_is_reported_by_line(tmp_path: Path) -> None:
    content = "name,city\n" + "a,Paris\n" * 3000
    with pytest.raises(DataError) as error:
        read_text(tmp_path, content.encode() + "b,Orléans\nc,Besançon\n".encode("latin-1"), encoding="utf8")
    assert error.value.code == "data.encoding"
    assert says(error, "'t.csv'", "2 lines", "line 3002, byte 6", "cp1252")
    with pytest.raises(DataError, match="line 1, byte 3"):
        read_text(tmp_path, "pré,b\n1,2\n".encode("latin-1"), encoding="ascii", columns=["b"])


def test_an_encoding_may_be_named(tmp_path: Path) -> None:
    content = 'näme,b\nOrléans,1\n"x\r\ny",2\n'
    for encoding in ("latin-1", "cp1252", "utf-16"):
        frame = read_text(tmp_path, content.encode(encoding), encoding=encoding)
        assert frame.columns == ["näme", "b"]
        assert frame["näme"].to_list() == ["Orléans", "x\r\ny"]


def test_text_that_is_not_in_the_named_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not utf-16: 1 lines cannot be decoded, the first at byte 5 of the file"):
        read_text(tmp_path, b"\xff\xfea\x00\xd8\xd8", encoding="utf-16")
    with pytest.raises(DataError, match="line 2, byte 1"):
        read_text(tmp_path, b"a,b\n\x81,1\n", encoding="cp1252")


@pytest.mark.parametrize(
    "encoding", ["klingon", "rot13", "utf8-lossy", "hex", "undefined", "punycode", "idna", "a\0b", "\ud800"]
)
def test_unknown_encodings(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(DataError, match="There is no encoding"):
        read_text(tmp_path, "a,b\n1,2\n", encoding=encoding)


def test_names_twice(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_text(tmp_path, "a,b, a\n1,2,3\n")
    assert error.value.code == "data.header"
    assert says(error, "1 column names twice", "'a'")


def test_empty_files_and_files_without_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        read_text(tmp_path, "")
    with pytest.raises(DataError, match="has no header"):
        read_text(tmp_path, "\n\n")
    assert read_text(tmp_path, "a,b\n").shape == (0, 2)
    with pytest.raises(DataError, match="no rows"):
        vl.read(write_file(tmp_path, "age,zip,disease\n"), SCHEMA)

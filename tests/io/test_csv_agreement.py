"""Every CSV that is accepted has exactly the cells that Python's strict parser sees; all others are refused by line."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import polars as pl
import pytest
from sample_files import write_file

from voile.engines.base import Source
from voile.engines.disk import Disk
from voile.errors import DataError
from voile.io import csv_byte_scan, table_files
from voile.io.conversions.text_options import TextOptions
from voile.io.csv_files import InspectedCsv, inspect_csv, scan_csv, trim_cells
from voile.io.csv_ranges import RangeReader, list_ranges
from voile.tables.schema import Schema

MARKS = [*'a10,,"\r\n\n; \0\ufeffé\t\u00a0-.e', "\r\n", "a,1\n", '"a"', "2020-01-01", "true"]
CELLS = [
    "a",
    "1",
    "1e1",
    "+1234567890",
    '"a"',
    '"x""y"',
    '""',
    "",
    " b ",
    '"p,q"',
    '"l\nm"',
    '"l\r\nm"',
    "05",
    "1.5",
    '"1"',
    "é",
    "#",
    "\\",
]


def draw_content(rng: random.Random) -> bytes:
    """Draw a small CSV: marks in any order, or proper records in which at most one mark is out of place."""
    width, separator, end = rng.choice([1, 2, 2, 3]), rng.choice(",;"), rng.choice(["\n", "\r\n"])
    if rng.random() < 0.5:
        body = "".join(rng.choices(MARKS, k=rng.randrange(14)))
    else:
        records = [separator.join(rng.choices(CELLS, k=width)) for _ in range(rng.randrange(4))]
        body = end.join(records) + rng.choice(["", end])
        if rng.random() < 0.5:
            place = rng.randrange(len(body) + 1)
            body = body[:place] + rng.choice(MARKS) + body[place:]
    header = rng.choice(",,;").join("pqr"[:width])
    return (rng.choice(["", "\ufeff"]) + header + rng.choice(["\n", "\r\n"]) + body).encode()


def python_cells(content: bytes, delimiter: str) -> list[tuple[str | None, ...]]:
    """The rows after the header as Python's strict parser reads them; blank lines are no rows, empty cells missing."""
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    rows = [row for row in csv.reader(text, delimiter=delimiter, strict=True) if row]
    return [tuple(cell.strip(" \t") or None for cell in row) for row in rows[1:]]


def inspect_or_refuse(path: Path) -> InspectedCsv | DataError:
    try:
        return inspect_csv(path)
    except DataError as error:
        return error


def read_on_disk(path: Path, names: list[str]) -> pl.DataFrame:
    return pl.concat(Disk().read(Source(path), Schema(quasi=names[:1], sensitive=names[1:])))


def trim(frame: pl.DataFrame) -> pl.DataFrame:
    return trim_cells(frame, ())[0]


@pytest.mark.parametrize("block", [3, 7, 1 << 16])
def test_what_is_accepted_has_the_cells_that_python_sees(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_byte_scan, "BLOCK", block)
    monkeypatch.setattr(csv_byte_scan, "RANGE", 5)
    rng, accepted, refused = random.Random(block), 0, 0
    for _ in range(700):
        content = draw_content(rng)
        path = write_file(tmp_path, content)
        inspected = inspect_or_refuse(path)
        if isinstance(inspected, DataError):
            assert str(inspected).startswith("Line ") or inspected.code == "data.header", content
            for read in (table_files.read_file, lambda path: read_on_disk(path, ["p"])):
                with pytest.raises(DataError) as again:
                    read(path)
                assert str(again.value) == str(inspected), content
            refused += 1
            continue
        expected = python_cells(content, inspected.delimiter)
        frame, _ = scan_csv(path, inspected.names, TextOptions())
        assert (trim(frame.collect()).rows(), inspected.rows) == (expected, len(expected)), content
        blank = inspected.scan.has_blank_lines
        reader = RangeReader(inspected.names, inspected.names, inspected.delimiter, (), blank)
        assert trim(pl.concat(map(reader, list_ranges(path, inspected)))).rows() == expected, content
        in_memory = table_files.read_file(path)
        on_disk = read_on_disk(path, inspected.names)
        assert (in_memory.rows(), in_memory.schema) == (on_disk.rows(), on_disk.schema), content
        accepted += 1
    assert min(accepted, refused) > 150


FAULTS = [
    (b"name,disease\nAnn,flu\rBob Smith,HIV\nCid,flu\n", 2, "carriage return"),
    (b'name,disease\nAnn,"flu\rBob Smith"\nCid,flu\n', 2, "carriage return"),
    (b"name,disease\rAnn,flu\rBob,HIV\r", 1, "carriage return"),
    (b"name,disease\nAnn,flu\r", 2, "carriage return"),
    (b'name,disease\nAnn,"flu\nBob,HIV\nCid,flu\n', 2, "never closed"),
    (b'name,disease\nAnn,"flu\nBob,"HIV\nCid,"flu"\n', 3, "after a closing quote"),
    (b'name,disease\nAnn,"flu"x\nBob,HIV\n', 2, "after a closing quote"),
    (b'name,disease\nAnn,"flu" \nBob,HIV\n', 2, "after a closing quote"),
    (b'name,disease\nAnn,flu\nBob,5" pipe\n', 3, "quote inside a cell"),
    (b'name,disease\nAnn, "flu"\n', 2, "quote inside a cell"),
    (b"name,disease\nAnn,f\0lu\n", 2, "zero byte"),
    (b"name,disease\nAnn,flu\n\xef\xbb\xbfname,disease\nBob,HIV\n", 3, "byte order mark"),
    (b"name\nAnn\n\nBob\n", 3, "blank"),
    (b"name,disease\nAnn,flu\nBob\nCid,flu,1\n", 3, "1 fields"),
    (b"name,disease\nAnn,fluBob,HIV\nCid,flu\n", 2, "3 fields"),
]


@pytest.mark.parametrize(("content", "line", "what"), FAULTS)
def test_a_fault_is_named_by_its_line(tmp_path: Path, content: bytes, line: int, what: str) -> None:
    path = write_file(tmp_path, content)
    with pytest.raises(DataError, match=f"Line {line} of 't.csv' .*{what}") as error:
        table_files.read_file(path)
    assert "Smith" not in str(error.value)
    deep = write_file(tmp_path, content.replace(b"\n", b"\n" + b"A,f\n" * 40_000, 1), "deep.csv")
    if line > 1 and content.count(b",") > 2:
        with pytest.raises(DataError, match=f"Line {line + 40_000} of 'deep.csv' .*{what}"):
            table_files.read_file(deep)


def test_a_parser_that_returns_other_rows_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path, "a,b\n1,x\n2,y\n")
    parse = pl.read_csv
    monkeypatch.setattr(pl, "read_csv", lambda *source, **options: parse(*source, **options).head(1))
    with pytest.raises(DataError, match="not a readable CSV"):
        table_files.read_file(path)

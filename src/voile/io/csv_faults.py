"""Name what is wrong with a CSV, by line and never by cell."""

from __future__ import annotations

import codecs
import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voile.errors import DataError, option
from voile.io.conversions.encoding_candidates import list_candidates
from voile.io.csv_byte_scan import MARK, ByteScan

Content = bytes | mmap.mmap
_QUOTED = rb'"[^"]*+(?:""[^"]*+)*+"'
_STRAY_RETURN = re.compile(rb"\r(?!\n)")


def raise_fault(path: Path, source: Path | bytes, scan: ByteScan) -> None:
    """Raise the fault that ended a scan: its line, and what is wrong there."""
    if not isinstance(source, bytes):
        check_encoding(path, "utf-8-sig", "utf8")
    with _open_content(source) as content:
        if not content:
            return
        start = len(MARK) if content[: len(MARK)] == MARK else 0
        _check_marks(path, content, start)
        _check_record(path, content, max(scan.record_start, start), scan)
    raise unreadable_csv(path)


def unreadable_csv(path: Path) -> DataError:
    """The error for a CSV in which a parser does not see the lines that its bytes show."""
    return DataError(
        f"{path.name!r} is not a readable CSV file.",
        code="data.csv",
        hint="Check its quotes and line ends, or write it anew, e.g. as Parquet.",
    )


@contextmanager
def _open_content(source: Path | bytes) -> Iterator[Content]:
    """Open the bytes of a source, without reading a large file into memory."""
    if isinstance(source, bytes) or source.stat().st_size == 0:
        yield source if isinstance(source, bytes) else b""
        return
    with source.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


def _check_marks(path: Path, content: Content, start: int) -> None:
    """Raise if the content has bytes that no table has: zero bytes, a second byte order mark, a stray return."""
    zero, mark = content.find(b"\0"), content.find(MARK, start)
    if zero >= 0:
        raise _faulty_line(
            path,
            _line_number(content, zero),
            "has a zero byte",
            f"If the file is UTF-16, say so ({option('encoding', 'utf-16')}).",
        )
    if mark >= 0:
        raise _faulty_line(
            path,
            _line_number(content, mark),
            "has a byte order mark in its middle",
            "Were two files joined? Remove the mark, and the second header.",
        )
    stray = _STRAY_RETURN.search(content)
    if stray is not None:
        raise _faulty_line(
            path,
            _line_number(content, stray.start()),
            "has a carriage return without a line feed",
            "Programs disagree whether a line ends there. Write line ends as \\n or \\r\\n, and none into cells.",
        )


def _check_record(path: Path, content: Content, position: int, scan: ByteScan) -> None:
    """Raise the first fault of the records from here on: their quotes, or the number of their fields."""
    delimiter = re.escape(bytes([scan.delimiter]))
    quoted, plain = re.compile(_QUOTED), re.compile(rb'[^"\r\n' + delimiter + rb"]*+")
    line_end, blank = re.compile(rb"\r?\n|\Z"), re.compile(rb"(?:\r?\n)+")
    while position < len(content):
        empty = blank.match(content, position)
        if empty is not None:
            if scan.width == 1:
                line = _line_number(content, position)
                raise _faulty_line(path, line, "is blank", 'Write "" for an empty cell, or remove the line.')
            position = empty.end()
            continue
        fields, record = 0, position
        while True:
            fields += 1
            is_quoted = content[position : position + 1] == b'"'
            cell = (quoted if is_quoted else plain).match(content, position)
            if cell is None:
                line = _line_number(content, position)
                raise _faulty_line(path, line, "opens a quote that is never closed", "Close it.")
            position = cell.end()
            end = line_end.match(content, position)
            if end is not None:
                break
            if content[position] != scan.delimiter:
                line = _line_number(content, position)
                what = "has text after a closing quote" if is_quoted else "has a quote inside a cell without quotes"
                raise _faulty_line(path, line, what, 'Write a cell with quotes as "a ""b"" c".')
            position += 1
        if fields != scan.width:
            raise _ragged_line(path, _line_number(content, position), fields, scan.width)
        position = max(end.end(), record + 1)


def _line_number(content: Content, position: int) -> int:
    """Return the line of a position, as an editor counts them."""
    lines, start = 1, 0
    while start < position:
        stop = min(start + (1 << 24), position)
        lines += content[start:stop].count(b"\n")
        start = stop
    return lines


def _ragged_line(path: Path, line: int, width: int, header_width: int) -> DataError:
    return DataError(
        f"Line {line} of {path.name!r} has {width} fields, the header has {header_width}.",
        code="data.ragged",
        hint=f"Repair the line, or name the separator (e.g. {option('delimiter', ';')}).",
    )


def _faulty_line(path: Path, line: int, what: str, hint: str) -> DataError:
    return DataError(f"Line {line} of {path.name!r} {what}.", code="data.csv", hint=hint)


def check_encoding(path: Path, codec: str, encoding: str) -> None:
    """Raise if some lines cannot be decoded, and name the first one."""
    bad_lines, first_fault = 0, ""
    if codec.startswith(("utf-16", "utf-32")):  # a line end is more than one byte there
        try:
            codecs.decode(path.read_bytes(), codec)
        except UnicodeDecodeError as error:
            bad_lines, first_fault = 1, f"byte {error.start + 1} of the file"
    else:
        with path.open("rb") as handle:
            for number, line in enumerate(handle, 1):
                try:
                    line.decode(codec)
                except UnicodeDecodeError as error:
                    bad_lines += 1
                    first_fault = first_fault or f"line {number}, byte {error.start + 1}"
    if bad_lines:
        candidates = list_candidates(path.read_bytes()) if codec.startswith("utf-8") else []
        raise DataError(
            f"{path.name!r} is not {encoding}: {bad_lines} lines cannot be decoded, the first at {first_fault}.",
            code="data.encoding",
            hint=_advise_encoding(candidates),
        )


def _advise_encoding(candidates: list[str]) -> str:
    if not candidates:
        return f"Name the encoding (e.g. {option('encoding', 'latin-1')}), or convert the file."
    others = f"; it may also be {' or '.join(candidates[1:])}" if candidates[1:] else ""
    return f"Name the encoding: perhaps {option('encoding', candidates[0])}{others}. Or convert the file."

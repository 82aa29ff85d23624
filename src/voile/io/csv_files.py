"""CSV and its relatives as polars frames: delimiter, encoding and types are found, and faults are named by line.

A file is looked at twice: `scan_bytes` walks over its bytes and sees what a parser hides, then polars reads it.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError, SpecError
from voile.io.csv_byte_scan import ByteScan, drop_blank_lines, scan_bytes
from voile.io.csv_faults import check_encoding, open_text, raise_fault, unreadable_csv
from voile.io.csv_types import certain_type, narrow_column

DELIMITERS = ",;\t|"
HEAD = 1_000  # rows that suggest the types; later rows may overrule them


@dataclass(frozen=True)
class _OpenedCsv:
    """A CSV whose header has been read: its content as polars takes it, the header's fields, and the delimiter."""

    source: Path | bytes  # the file, or its bytes recoded as UTF-8
    header: list[str]
    delimiter: str

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.header]


def read_csv(
    path: Path,
    columns: Sequence[str] | None,
    delimiter: str | None,
    encoding: str,
    null_values: Sequence[str],
    check: Callable[[list[str]], None] | None = None,
) -> pl.DataFrame:
    """Read the requested columns of a file. Empty cells are missing; codes with leading zeros stay text."""
    opened, scan = _inspect_csv(path, delimiter, encoding, check)
    source, names = opened.source, opened.names
    requested = [number for number, name in enumerate(names) if columns is None or name in columns]
    if not requested:
        return pl.DataFrame()
    options: dict[str, Any] = {
        "separator": opened.delimiter,
        "columns": requested,
        "null_values": ["", *null_values],
        "glob": False,
    }
    zero_columns = [requested.index(number) for number in scan.zero_columns if number in requested]
    frame = _read_typed(source, options, zero_columns)
    if frame is None:
        frame = _read_as_text(source, options)
    if frame is None:
        raise_fault(path, source, opened.delimiter, strict=True)
        frame = _read_as_text(_requote(source, opened.delimiter), options)
    if frame is None:
        raise unreadable_csv(path)
    frame.columns = [names[number] for number in requested]
    return _trim_cells(frame, null_values)


def scan_csv(
    path: Path,
    columns: Sequence[str],
    delimiter: str | None,
    encoding: str,
    null_values: Sequence[str],
    check: Callable[[list[str]], None] | None = None,
) -> pl.LazyFrame:
    """Return the requested columns as text, read when they are collected; `csv_types` finds and casts their types."""
    opened, _ = _inspect_csv(path, delimiter, encoding, check)
    frame = pl.scan_csv(
        opened.source,
        separator=opened.delimiter,
        infer_schema=False,
        null_values=["", *null_values],
        glob=False,
        new_columns=opened.names,
    )
    cell = pl.col(*columns).str.strip_chars()
    return frame.select(pl.when(cell.is_in(["", *null_values])).then(None).otherwise(cell).name.keep())


def guess_delimiter(header: str) -> str:
    """Return the delimiter that separates most fields of the header, outside quotes.

    >>> guess_delimiter('age;"name, first";zip')
    ';'
    """
    unquoted = "".join(text for number, text in enumerate(header.split('"')) if number % 2 == 0)
    return max(DELIMITERS, key=lambda delimiter: (unquoted.count(delimiter), -DELIMITERS.index(delimiter)))


def _inspect_csv(
    path: Path, delimiter: str | None, encoding: str, check: Callable[[list[str]], None] | None
) -> tuple[_OpenedCsv, ByteScan]:
    """Check the header and scan the bytes. The source is returned without blank lines; faults are named by line."""
    opened = _open_csv(path, delimiter, encoding)
    if check is not None:
        check(opened.names)
    _check_header(path, opened.names)
    scan = scan_bytes(opened.source, opened.delimiter, len(opened.header))
    if scan.ragged:
        raise_fault(path, opened.source, opened.delimiter, strict=False)
    if scan.has_blank_lines:
        opened = _OpenedCsv(drop_blank_lines(opened.source), opened.header, opened.delimiter)
    return opened, scan


def _open_csv(path: Path, delimiter: str | None, encoding: str) -> _OpenedCsv:
    """Read the header, and recode a file that is not UTF-8."""
    codec = _find_codec(encoding)
    source: Path | bytes = path
    header, separator = list[str](), ""
    try:
        with path.open(encoding=codec, newline="") as handle:
            first_line = handle.readline()
            separator = _parse_delimiter(delimiter) or guess_delimiter(first_line.rstrip("\r\n"))
            header = next(csv.reader(_chain_lines(first_line, handle), delimiter=separator), [])
        if codec != "utf-8-sig":
            source = codecs.decode(path.read_bytes(), codec).encode()
    except UnicodeError:
        header = []
    except OSError as error:
        raise DataError(f"{path.name!r} cannot be read ({error.strerror}).", code="data.no-file") from None
    except csv.Error:
        raise DataError(
            f"The header of {path.name!r} cannot be read as CSV.", code="data.header", hint="Check its quotes."
        ) from None
    if not header:
        check_encoding(path, codec, encoding)
        raise DataError(f"{path.name!r} has no header.", code="data.header", hint="Name the columns in the first line.")
    return _OpenedCsv(source, header, separator)


def _chain_lines(first_line: str, handle: io.TextIOWrapper) -> Iterator[str]:
    yield first_line
    yield from handle


def _find_codec(encoding: str) -> str:
    """Return Python's name for an encoding, such that a byte order mark is never part of the first column's name."""
    try:
        "".encode(encoding)  # codecs.lookup would also find zip and rot13
    except LookupError:
        raise DataError(f"There is no encoding {encoding!r}.", code="data.encoding", hint="E.g. latin-1.") from None
    name = codecs.lookup(encoding).name
    return "utf-8-sig" if name in ("utf-8", "utf-8-sig", "ascii") else name


def _parse_delimiter(delimiter: str | None) -> str | None:
    """Accept a delimiter as users write it, e.g. `tab`."""
    character = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    if character is not None and (len(character.encode()) != 1 or character in '"\r\n'):
        raise SpecError(
            f"{delimiter!r} cannot separate the fields of a CSV.",
            code="spec.delimiter",
            hint="Give one character, e.g. ';'.",
        )
    return character


def _check_header(path: Path, names: list[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        # without a header, the first line holds somebody's data, which no message may show
        looks_like_data = any(name[:1].isdigit() or not name for name in names)
        listed = "" if looks_like_data else ": " + ", ".join(map(repr, repeated))
        raise DataError(
            f"{path.name!r} has {len(repeated)} column names twice{listed}.",
            code="data.header",
            hint="Name the columns in the first line." if looks_like_data else "Rename the columns.",
        )


def _read_typed(source: Path | bytes, options: dict[str, Any], zero_columns: Sequence[int]) -> pl.DataFrame | None:
    """Read the table with the types that its first rows suggest; None if a later row does not fit them.

    A column of numbers in which some have leading zeros is read as text, and only there every cell is examined.
    """
    try:
        texts = pl.read_csv(source, infer_schema=False, n_rows=HEAD, **options)
        head = pl.read_csv(source, try_parse_dates=True, infer_schema_length=HEAD, n_rows=HEAD, **options)
        types = {name: certain_type(texts[name], dtype) for name, dtype in head.schema.items()}
        codes = [name for name in (head.columns[number] for number in zero_columns) if types[name].is_numeric()]
        overrides = {**types, **dict.fromkeys(codes, pl.String())}
        frame = pl.read_csv(source, schema_overrides=overrides, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, OSError):
        return None
    return frame.with_columns(*(narrow_column(frame[name]) for name in codes))


def _read_as_text(source: Path | bytes, options: dict[str, Any]) -> pl.DataFrame | None:
    """Read the table as text, then give each column the narrowest type that all its cells allow."""
    try:
        frame = pl.read_csv(source, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, OSError):
        return None
    return frame.with_columns(*(narrow_column(frame[name]) for name in frame.columns))


def _requote(source: Path | bytes, delimiter: str) -> bytes:
    """Write the same rows with standard quotes: a quote inside a cell is no fault, but polars stumbles over it."""
    text = io.StringIO(newline="")
    with open_text(source) as handle:
        csv.writer(text, delimiter=delimiter).writerows(csv.reader(handle, delimiter=delimiter, strict=True))
    return text.getvalue().encode()


def _trim_cells(frame: pl.DataFrame, null_values: Sequence[str]) -> pl.DataFrame:
    """Strip the spaces around cells ("a, b, c" files); a column that then holds numbers becomes numeric."""
    strings = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    if not strings:
        return frame
    cell = pl.col(strings).str
    padded = frame.select((cell.starts_with(" ") | cell.ends_with(" ") | cell.ends_with("\t")).any()).row(0)
    for name in (name for name, is_padded in zip(strings, padded, strict=True) if is_padded):
        stripped = frame[name].str.strip_chars()
        stripped = stripped.set(stripped.is_in(["", *null_values]), None)
        frame = frame.with_columns(narrow_column(stripped).alias(name))
    return frame

"""CSV and its relatives as polars frames: delimiter, encoding and types are found, and faults are named by line.

`scan_bytes` decides where lines and fields end, and refuses a file that another parser could see otherwise; only then
polars reads it, and must return as many rows as the scan counted.
"""

from __future__ import annotations

import codecs
import csv
import io
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError, SpecError
from voile.io.conversions.converted_frames import convert_frame
from voile.io.conversions.encodings import AUTO, detect_encoding
from voile.io.conversions.header_fields import find_named_separator, refuse_data_in_header
from voile.io.conversions.text_options import TextOptions
from voile.io.conversions.typed_reading import read_as_text, read_typed
from voile.io.csv_byte_scan import ByteScan, drop_blank_lines, scan_bytes
from voile.io.csv_faults import check_encoding, raise_fault, unreadable_csv
from voile.io.csv_types import names_postcode

DELIMITERS = ",;\t|"
UNSAID = TextOptions()  # nothing is said: delimiter, encoding and types are found
PADDING = " \t"  # dropped around cells
# codecs that escape characters instead of naming a character set
NO_CHARACTER_SETS = {"undefined", "punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7"}


@dataclass(frozen=True)
class InspectedCsv:
    """A CSV whose lines are known to be the same for every parser: its content as polars takes it, the header's
    fields, the delimiter, and what its bytes show."""

    source: Path | bytes  # the file, or its bytes recoded as UTF-8
    header: list[str]
    delimiter: str
    scan: ByteScan

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.header]

    @property
    def rows(self) -> int:
        return self.scan.records - 1


def read_csv(
    path: Path,
    columns: Sequence[str] | None,
    how: TextOptions,
    check: Callable[[list[str]], None] | None = None,
) -> pl.DataFrame:
    """Read the requested columns of a file. Empty cells are missing; codes with leading zeros stay text."""
    inspected = _without_blank_lines(inspect_csv(path, how, check))
    source, names = inspected.source, inspected.names
    requested = [number for number, name in enumerate(names) if columns is None or name in columns]
    if not requested:
        return pl.DataFrame()
    options: dict[str, Any] = {
        "separator": inspected.delimiter,
        "columns": requested,
        # a cell without quotes that is empty is missing anyway, and looking for "" takes time
        "null_values": ["", *how.null_values] if inspected.scan.has_quotes or how.null_values else None,
        "glob": False,
    }
    codes, examined = (
        inspected.scan.code_columns,
        {name for name in names if name in how.convert or names_postcode(name)},
    )
    texts = [requested.index(number) for number in requested if number in codes or names[number] in examined]
    frame = read_typed(source, _read_head(inspected), options, texts)
    if frame is None:
        frame = read_as_text(source, options)
    if frame is None or frame.height != inspected.rows:
        raise unreadable_csv(path)
    frame.columns = [names[number] for number in requested]
    padded = list[str]()
    if inspected.scan.has_padding:
        frame, padded = trim_cells(frame, how.null_values)
    frame = convert_frame(frame, how, inspected.delimiter)
    how.record.padded = [name for name in padded if frame.schema[name] == pl.String]
    return frame


def scan_csv(
    path: Path,
    columns: Sequence[str],
    how: TextOptions,
    check: Callable[[list[str]], None] | None = None,
) -> tuple[pl.LazyFrame, InspectedCsv]:
    """Return the requested columns as text, read when they are collected, and the file that was inspected; the types
    of the columns are decided by all their chunks, of which `trim_cells` drops the blanks."""
    inspected = _without_blank_lines(inspect_csv(path, how, check))
    frame = pl.scan_csv(
        inspected.source,
        separator=inspected.delimiter,
        infer_schema=False,
        null_values=["", *how.null_values],
        glob=False,
        new_columns=inspected.names,
    )
    return frame.select(columns), inspected


def guess_delimiter(header: str) -> str:
    """Return the delimiter that separates most fields of the header, outside quotes.

    >>> guess_delimiter('age;"name, first";zip')
    ';'
    """
    unquoted = "".join(text for number, text in enumerate(header.split('"')) if number % 2 == 0)
    return max(DELIMITERS, key=lambda delimiter: (unquoted.count(delimiter), -DELIMITERS.index(delimiter)))


def inspect_csv(
    path: Path, how: TextOptions = UNSAID, check: Callable[[list[str]], None] | None = None
) -> InspectedCsv:
    """Check the header and scan the bytes. A file that parsers could read differently is refused by line."""
    encoding = detect_encoding(path) if how.encoding == AUTO else how.encoding
    if how.encoding == AUTO and not encoding.startswith("utf-8"):
        how.record.encoding = encoding
    codec = _find_codec(encoding)
    header, delimiter, names_separator = _read_header(path, how.delimiter, codec, encoding)
    names = [name.strip() for name in header]
    refuse_data_in_header(path, names)  # before a message names columns
    if check is not None:
        check(names)
    _check_header(path, names)
    source: Path | bytes = path
    if codec != "utf-8-sig":
        try:
            source = codecs.decode(path.read_bytes(), codec).encode()
        except UnicodeError:
            check_encoding(path, codec, encoding)
            raise unreadable_csv(path) from None
    source = _without_first_line(source, len(header)) if names_separator else source
    scan = scan_bytes(source, delimiter, len(header))
    if scan.is_faulty:
        raise_fault(path, source, scan)
        raise unreadable_csv(path)
    return InspectedCsv(source, header, delimiter, scan)


def _without_blank_lines(inspected: InspectedCsv) -> InspectedCsv:
    if not inspected.scan.has_blank_lines:
        return inspected
    return replace(inspected, source=drop_blank_lines(inspected.source))


def _without_first_line(source: Path | bytes, width: int) -> bytes:
    """Return the content without the line that names the separator. A blank line takes its place, so that faults have
    the line numbers of the file, but in a file of one column, where that would be an empty cell."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    return content[content.index(b"\n") + (width == 1) :]


def _read_header(path: Path, delimiter: str | None, codec: str, encoding: str) -> tuple[list[str], str, bool]:
    """Return the fields of the header, the delimiter, and whether a line above the header names it."""
    header, separator, named = list[str](), _parse_delimiter(delimiter), None
    try:
        with path.open(encoding=codec, newline="") as handle:
            first_line = handle.readline().removeprefix("\ufeff")
            named = find_named_separator(first_line)
            first_line = handle.readline() if named else first_line
            separator = separator or named or guess_delimiter(first_line.rstrip("\r\n"))
            header = next(csv.reader(_chain_lines(first_line, handle), delimiter=separator), [])
    except UnicodeError:
        header = []
    except OSError as error:
        raise DataError(f"{path.name!r} cannot be read ({error.strerror}).", code="data.no-file") from None
    except csv.Error:
        raise DataError(
            f"The header of {path.name!r} cannot be read as CSV.", code="data.header", hint="Check its quotes."
        ) from None
    if not header or separator is None:
        check_encoding(path, codec, encoding)
        raise DataError(f"{path.name!r} has no header.", code="data.header", hint="Name the columns in the first line.")
    return header, separator, named is not None


def _chain_lines(first_line: str, handle: io.TextIOWrapper) -> Iterator[str]:
    yield first_line
    yield from handle


def _find_codec(encoding: str) -> str:
    """Return Python's name for an encoding, such that a byte order mark is never part of the first column's name."""
    try:
        "".encode(encoding)  # codecs.lookup would also find zip and rot13
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = "undefined"
    if name in NO_CHARACTER_SETS:
        raise DataError(f"There is no encoding {encoding!r}.", code="data.encoding", hint="E.g. latin-1.")
    return "utf-8-sig" if name in ("utf-8", "utf-8-sig", "ascii") else name


def _parse_delimiter(delimiter: str | None) -> str | None:
    """Accept a delimiter as users write it, e.g. `tab`."""
    character = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    if character is not None and (len(character) != 1 or not character.isascii() or character in '"\r\n\0'):
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
        if repeated == [""]:
            raise DataError(
                f"{names.count('')} columns of {path.name!r} have no name in the first line.",
                code="data.header",
                hint="Remove titles above the table, so that its first line names every column once.",
            )
        raise DataError(
            f"{path.name!r} has {len(repeated)} column names twice{listed}.",
            code="data.header",
            hint="Name the columns in the first line." if looks_like_data else "Rename the columns.",
        )


def _read_head(inspected: InspectedCsv) -> Path | bytes:
    """Return the bytes of the first rows, which take polars less time than to look for them in a large file."""
    source, stop = inspected.source, inspected.scan.head_stop
    if isinstance(source, bytes) or not stop:
        return source
    with source.open("rb") as handle:
        return handle.read(stop)


def trim_cells(frame: pl.DataFrame, null_values: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Strip the blanks around the cells of text columns ("a, b, c" files), and return which columns had any. Cells that
    are then empty, or a null value, are missing."""
    strings = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    if not strings:
        return frame, []
    cell = pl.col(strings).str
    is_padded = [end(character) for character in PADDING for end in (cell.starts_with, cell.ends_with)]
    padded = frame.select(reduce(operator.or_, is_padded).any()).row(0)
    names = [name for name, some in zip(strings, padded, strict=True) if some]
    if not names:
        return frame, []
    trimmed = pl.col(names).str.strip_chars(PADDING)
    missing = trimmed.is_in(["", *null_values])
    return frame.with_columns(pl.when(missing).then(None).otherwise(trimmed).name.keep()), names

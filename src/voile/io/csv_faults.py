"""Name what is wrong with a CSV, by line and never by cell."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path

from voile.errors import DataError, option


def raise_fault(path: Path, source: Path | bytes, delimiter: str, *, strict: bool) -> None:
    """Raise the first fault of a CSV: its encoding, or a line whose number of fields differs from the header's.

    With `strict`, quotes that cannot be parsed are a fault too. Return if there is none.
    """
    if not isinstance(source, bytes):
        check_encoding(path, "utf-8-sig", "utf8")
    header_width, width, line = 0, 0, 0
    with open_text(source) as handle:
        reader = csv.reader(handle, delimiter=delimiter, strict=strict)
        try:
            for fields in reader:
                line, width = reader.line_num, len(fields)
                header_width = header_width or width
                if width not in (0, header_width):
                    raise DataError(
                        f"Line {line} of {path.name!r} has {width} fields, the header has {header_width}.",
                        code="data.ragged",
                        hint=f"Repair the line, or name the separator (e.g. {option('delimiter', ';')}).",
                    )
        except csv.Error:
            if strict:
                raise unparsable_line(path, line + 1) from None


def unparsable_line(path: Path, line: int) -> DataError:
    """The error for a line whose quotes cannot be parsed."""
    return DataError(f"Line {line} of {path.name!r} cannot be read as CSV.", code="data.csv", hint="Check its quotes.")


def unreadable_csv(path: Path) -> DataError:
    """The error for a CSV that no parser reads although no line of it is at fault."""
    return DataError(
        f"{path.name!r} is not a readable CSV file.", code="data.csv", hint="Check its quotes and line ends."
    )


def open_text(source: Path | bytes) -> io.TextIOWrapper:
    """Open a file, or its bytes, as UTF-8 text with its own line ends."""
    binary = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
    return io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")


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
        raise DataError(
            f"{path.name!r} is not {encoding}: {bad_lines} lines cannot be decoded, the first at {first_fault}.",
            code="data.encoding",
            hint=f"Name the encoding (e.g. {option('encoding', 'latin-1')}), or convert the file.",
        )

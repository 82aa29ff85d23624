"""What is wrong with a CSV, by line."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path

from voile.errors import DataError, option


def explain(path: Path, source: Path | bytes, sign: str, unreadable: bool) -> None:
    """Raise what is wrong with a CSV, by line: its encoding, or a line with another number of fields."""
    if not isinstance(source, bytes):
        complain_of_encoding(path, "utf-8-sig", "utf8")
    with opened_text(source) as handle:
        width, wrong, number = 0, 0, 0
        reader = csv.reader(handle, delimiter=sign, strict=unreadable)
        try:
            for fields in reader:
                number = reader.line_num
                width = width or len(fields)
                if fields and len(fields) != width:
                    wrong = len(fields)
                    break
        except csv.Error:
            wrong, number = -1, number + 1
    if wrong > 0:
        raise DataError(
            f"Line {number} of {path.name!r} has {wrong} fields, the header has {width}.",
            code="data.ragged",
            hint=f"Repair the line, or name the separator (e.g. {option('delimiter', ';')}).",
        )
    if wrong < 0 and unreadable:
        raise DataError(
            f"Line {number} of {path.name!r} cannot be read as CSV.", code="data.csv", hint="Check its quotes."
        )


def opened_text(source: Path | bytes) -> io.TextIOWrapper:
    binary = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
    return io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")


def complain_of_encoding(path: Path, codec: str, encoding: str) -> None:
    """Raise where a line does not decode, naming the first one."""
    bad, where = 0, ""
    if codec.startswith(("utf-16", "utf-32")):  # a line end is no single byte there
        try:
            codecs.decode(path.read_bytes(), codec)
        except UnicodeDecodeError as error:
            bad, where = 1, f"byte {error.start + 1} of the file"
    else:
        with path.open("rb") as handle:
            for number, line in enumerate(handle, 1):
                try:
                    line.decode(codec)
                except UnicodeDecodeError as error:
                    bad += 1
                    where = where or f"line {number}, byte {error.start + 1}"
    if bad:
        raise DataError(
            f"{path.name!r} is not {encoding}: {bad} lines cannot be decoded, first in {where}.",
            code="data.encoding",
            hint=f"Name the encoding (e.g. {option('encoding', 'latin-1')}), or convert the file.",
        )

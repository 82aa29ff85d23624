"""CSV and its kin to polars: the delimiter, the encoding and the types are found, and faults are named by line.

The file is looked at twice: `scan` walks over its bytes and sees what a parser hides, then polars reads it.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError, SpecError
from voile.io.csv_faults import complain_of_encoding, explain, opened_text
from voile.io.csv_scan import Scan, content_of, scan, without_blank_lines

DELIMITERS = ",;\t|"
HEAD = 1_000  # rows that suggest the types; later rows may overrule them
_ZERO = r"^[+-]?0\d"
# what a field of each type looks like; polars also reads 31/12/2025, where nobody can tell the day from the month
_SHAPES = {
    pl.Date: r"^\d{4}-\d{2}-\d{2}$",
    pl.Datetime: r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}",
    pl.Time: r"^\d{2}:\d{2}:\d{2}",
}

TYPES: dict[str, pl.DataType] = {
    "boolean": pl.Boolean(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "date": pl.Date(),
    "datetime": pl.Datetime("us"),
    "time": pl.Time(),
    "text": pl.String(),
}


def read(
    path: Path, columns: Sequence[str] | None, delimiter: str | None, encoding: str, null_values: Sequence[str]
) -> pl.DataFrame:
    """The wanted columns of a file. Empty cells are missing; codes with leading zeros stay text."""
    source, names, sign, seen = _looked_at(path, delimiter, encoding)
    wanted = [number for number, name in enumerate(names) if columns is None or name in columns]
    if not wanted:
        return pl.DataFrame()
    options: dict[str, Any] = {
        "separator": sign,
        "columns": wanted,
        "null_values": ["", *null_values],
        "glob": False,
    }
    frame = _typed(source, options, [wanted.index(number) for number in seen.zeros if number in wanted])
    if frame is None:
        frame = _as_text(source, options)
    if frame is None:
        explain(path, source, sign, unreadable=True)
        frame = _as_text(_requoted(source, sign), options)
    if frame is None:
        raise unreadable(path)
    frame.columns = [names[number] for number in wanted]
    return _trimmed(frame, null_values)


def lazily(
    path: Path, columns: Sequence[str], delimiter: str | None, encoding: str, null_values: Sequence[str]
) -> pl.LazyFrame:
    """The wanted columns of a file as text, read when asked for; `types_of` and `as_type` make them what they are."""
    source, names, sign, _ = _looked_at(path, delimiter, encoding)
    frame = pl.scan_csv(
        source, separator=sign, infer_schema=False, null_values=["", *null_values], glob=False, new_columns=names
    )
    cell = pl.col(*columns).str.strip_chars()
    return frame.select(pl.when(cell.is_in(["", *null_values])).then(None).otherwise(cell).name.keep())


def unreadable(path: Path) -> DataError:
    return DataError(
        f"{path.name!r} is not a readable CSV file.", code="data.csv", hint="Check its quotes and line ends."
    )


def _looked_at(path: Path, delimiter: str | None, encoding: str) -> tuple[Path | bytes, list[str], str, Scan]:
    """What a file shows before it is read: the source without blank lines, the names, the delimiter, and what the scan
    saw. Faults are named by line."""
    source, header, sign = _opened(path, delimiter, encoding)
    names = [name.strip() for name in header]
    _check_header(path, names)
    seen = scan(source, sign, len(header))
    if seen.ragged:
        explain(path, source, sign, unreadable=False)
    return without_blank_lines(content_of(source)) if seen.blanks else source, names, sign, seen


def types_of(texts: pl.Series) -> frozenset[str] | None:
    """The types that read every cell of a text column; None where it has no cell."""
    known = texts.drop_nulls()
    if not len(known):
        return None
    zeros = bool(known.str.contains(_ZERO).any())
    long = bool(known.str.contains(r"^[+-]?\d+$").all()) and known.cast(pl.Int64, strict=False).null_count() > 0
    found = set()
    for kind in TYPES:
        if TYPES[kind].is_numeric() and (zeros or long):
            continue
        shape = _SHAPES.get(type(TYPES[kind]))
        if shape is not None and not bool(known.str.contains(shape).all()):
            continue
        if as_type(known, kind).null_count() == 0:
            found.add(kind)
    return frozenset(found)


def as_type(texts: pl.Series, kind: str) -> pl.Series:
    """A text column as one of the types."""
    if kind == "boolean":
        return texts.replace_strict(["true", "false"], [True, False], default=None, return_dtype=pl.Boolean)
    if kind == "date":
        return texts.str.to_date("%Y-%m-%d", strict=False)
    if kind == "datetime":
        return texts.str.replace("T", " ", literal=True).str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False)
    if kind == "time":
        return texts.str.to_time("%H:%M:%S%.f", strict=False)
    return texts.cast(TYPES[kind], strict=False)


def narrowest(told: Sequence[frozenset[str] | None]) -> str:
    """The first type that reads a column in every chunk of it."""
    known = [one for one in told if one is not None]
    return next((kind for kind in TYPES if known and all(kind in one for one in known)), "text")


def names_of(path: Path, delimiter: str | None, encoding: str) -> list[str]:
    """The column names in the header."""
    return [name.strip() for name in _opened(path, delimiter, encoding, header_only=True)[1]]


def guess_delimiter(header: str) -> str:
    """The sign that parts most fields of the header, outside quotes.

    >>> guess_delimiter('age;"name, first";zip')
    ';'
    """
    bare = "".join(piece for number, piece in enumerate(header.split('"')) if number % 2 == 0)
    return max(DELIMITERS, key=lambda sign: (bare.count(sign), -DELIMITERS.index(sign)))


def _opened(
    path: Path, delimiter: str | None, encoding: str, header_only: bool = False
) -> tuple[Path | bytes, list[str], str]:
    """The source as polars reads it (the file, or its bytes recoded as UTF-8), the header, and the delimiter."""
    codec = _codec(encoding)
    source: Path | bytes = path
    header, sign = list[str](), ""
    try:
        with path.open(encoding=codec, newline="") as handle:
            first = handle.readline()
            sign = _sign(delimiter) or guess_delimiter(first.rstrip("\r\n"))
            header = next(csv.reader(_chained(first, handle), delimiter=sign), [])
        if codec != "utf-8-sig" and not header_only:
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
        complain_of_encoding(path, codec, encoding)
        raise DataError(f"{path.name!r} has no header.", code="data.header", hint="Name the columns in the first line.")
    return source, header, sign


def _chained(first: str, handle: io.TextIOWrapper) -> Iterator[str]:
    yield first
    yield from handle


def _codec(encoding: str) -> str:
    """Python's name of an encoding; a byte order mark is never part of the first name."""
    try:
        "".encode(encoding)  # codecs.lookup would also find zip and rot13
    except LookupError:
        raise DataError(f"There is no encoding {encoding!r}.", code="data.encoding", hint="E.g. latin-1.") from None
    name = codecs.lookup(encoding).name
    return "utf-8-sig" if name in ("utf-8", "utf-8-sig", "ascii") else name


def _sign(delimiter: str | None) -> str | None:
    """A delimiter as a user may write it."""
    sign = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    if sign is not None and (len(sign.encode()) != 1 or sign in '"\r\n'):
        raise SpecError(
            f"{delimiter!r} cannot part the fields of a CSV.", code="spec.delimiter", hint="Give one sign, e.g. ';'."
        )
    return sign


def _check_header(path: Path, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        # where the header is missing, the names are somebody's cells
        data = any(name[:1].isdigit() or not name for name in names)
        listed = "" if data else ": " + ", ".join(map(repr, twice))
        raise DataError(
            f"{path.name!r} has {len(twice)} column names twice{listed}.",
            code="data.header",
            hint="Name the columns in the first line." if data else "Rename the columns.",
        )


def _typed(source: Path | bytes, options: dict[str, Any], zeros: Sequence[int]) -> pl.DataFrame | None:
    """The table with the types that its first rows suggest; None where a later row does not fit them.

    Numbers in columns with leading zeros are read as text; only there it is looked at every cell.
    """
    try:
        texts = pl.read_csv(source, infer_schema=False, n_rows=HEAD, **options)
        head = pl.read_csv(source, try_parse_dates=True, infer_schema_length=HEAD, n_rows=HEAD, **options)
        kinds = {name: _kind(texts[name], dtype) for name, dtype in head.schema.items()}
        suspects = [name for name in (head.columns[number] for number in zeros) if kinds[name].is_numeric()]
        asked = {**kinds, **dict.fromkeys(suspects, pl.String())}
        frame = pl.read_csv(source, schema_overrides=asked, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, OSError):
        return None
    return frame.with_columns(*(narrowed(frame[name]) for name in suspects))


def _kind(texts: pl.Series, dtype: pl.DataType) -> pl.DataType:
    """What the first rows suggest, where their form leaves no doubt."""
    if dtype in (pl.Int128, pl.UInt128):
        return pl.String()  # no quantity has twenty digits; an account number does
    for kind, shape in _SHAPES.items():
        if dtype == kind:
            return dtype if bool(texts.drop_nulls().str.contains(shape).all()) else pl.String()
    return dtype


def _as_text(source: Path | bytes, options: dict[str, Any]) -> pl.DataFrame | None:
    """The table read as text, then each column as narrowly as all its cells allow."""
    try:
        frame = pl.read_csv(source, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, OSError):
        return None
    return frame.with_columns(*(narrowed(frame[name]) for name in frame.columns))


def _requoted(source: Path | bytes, sign: str) -> bytes:
    """The same rows, written properly: a quote in the midst of a cell is no fault, but polars stumbles over it."""
    text = io.StringIO(newline="")
    with opened_text(source) as handle:
        csv.writer(text, delimiter=sign).writerows(csv.reader(handle, delimiter=sign, strict=True))
    return text.getvalue().encode()


def narrowed(texts: pl.Series) -> pl.Series:
    """The narrowest type that reads every cell of a text column: whole number, number, date, else text."""
    known = texts.drop_nulls()
    if not len(known) or bool(known.str.contains(_ZERO).any()):
        return texts
    for kind in (pl.Int64, pl.Float64):
        if known.cast(kind, strict=False).null_count() == 0:
            return texts.cast(kind)
        if kind == pl.Int64 and bool(known.str.contains(r"^[+-]?\d+$").all()):
            return texts  # longer than a number can be
    if bool(known.str.contains(_SHAPES[pl.Date]).all()):
        with contextlib.suppress(pl.exceptions.PolarsError):
            return texts.str.to_date("%Y-%m-%d")
    return texts


def _trimmed(frame: pl.DataFrame, null_values: Sequence[str]) -> pl.DataFrame:
    """Cells without the spaces around them ("a, b, c" files); what is then a number becomes one."""
    strings = [name for name, kind in frame.schema.items() if kind == pl.String]
    if not strings:
        return frame
    cell = pl.col(strings).str
    padded = frame.select((cell.starts_with(" ") | cell.ends_with(" ") | cell.ends_with("\t")).any()).row(0)
    for name in (name for name, found in zip(strings, padded, strict=True) if found):
        bare = frame[name].str.strip_chars()
        bare = bare.set(bare.is_in(["", *null_values]), None)
        frame = frame.with_columns(narrowed(bare).alias(name))
    return frame

"""Tables from files, frames and databases to polars. Errors name the file, the line and the column, never a cell."""

from __future__ import annotations

import contextlib
import csv
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError, EngineError

FILE_KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}
DELIMITERS = ",;\t|"


def read_file(
    path: Path,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf8",
    null_values: Sequence[str] = (),
) -> pl.DataFrame:
    """A CSV, Parquet or Arrow file. `columns` limits what is read; the others never enter memory."""
    if not path.exists():
        raise DataError(f"There is no file {path.name!r}.", code="data.no-file", hint="Check the path.")
    kind = FILE_KINDS.get(path.suffix.lower())
    if kind is None:
        raise DataError(
            f"{path.name!r} has no known ending.",
            code="data.format",
            hint="Known are " + ", ".join(sorted(FILE_KINDS)) + ".",
        )
    if path.stat().st_size == 0:
        raise DataError(f"{path.name!r} is empty.", code="data.empty", hint="Give a file with a header and rows.")
    if kind == "csv":
        return _csv(path, columns, delimiter, encoding, null_values)
    try:
        scan = pl.scan_parquet(path) if kind == "parquet" else pl.scan_ipc(path)
        names = scan.collect_schema().names()
        wanted = [name for name in columns if name in names] if columns is not None else names
        return scan.select(wanted).collect() if wanted else pl.DataFrame()
    except (pl.exceptions.PolarsError, OSError):
        raise DataError(
            f"{path.name!r} is not a whole {kind} file.", code="data.corrupt", hint="Write or fetch it again."
        ) from None


def names_of(path: Path, delimiter: str | None = None, encoding: str = "utf8") -> list[str]:
    """The column names of a file."""
    return (
        read_header(path, delimiter, encoding)
        if FILE_KINDS.get(path.suffix.lower()) == "csv"
        else (read_file(path).columns)
    )


def read_header(path: Path, delimiter: str | None, encoding: str) -> list[str]:
    line = _first_line(path, encoding)
    return next(csv.reader([line], delimiter=delimiter or guess_delimiter(line)))


def _first_line(path: Path, encoding: str) -> str:
    with path.open(encoding="utf-8-sig" if encoding == "utf8" else encoding, newline="") as handle:
        try:
            return handle.readline().rstrip("\r\n")
        except UnicodeDecodeError:
            raise _bad_encoding(path, encoding) from None


def guess_delimiter(header: str) -> str:
    """The sign that parts most fields of the header, outside quotes.

    >>> guess_delimiter('age;"name, first";zip')
    ';'
    """
    bare = "".join(piece for number, piece in enumerate(header.split('"')) if number % 2 == 0)
    return max(DELIMITERS, key=lambda sign: (bare.count(sign), -DELIMITERS.index(sign)))


def _csv(
    path: Path, columns: Sequence[str] | None, delimiter: str | None, encoding: str, null_values: Sequence[str]
) -> pl.DataFrame:
    header = read_header(path, delimiter, encoding)
    sign = delimiter or guess_delimiter(_first_line(path, encoding))
    twice = {name for name in header if header.count(name) > 1}
    if twice:
        raise DataError(
            f"{path.name!r} has {len(twice)} column names twice.", code="data.header", hint="Rename the columns."
        )
    wanted = [name for name in header if columns is None or name in columns]
    source: Path | bytes = path
    if encoding.lower().replace("-", "") not in ("utf8", "utf8lossy"):
        try:
            source = path.read_text(encoding=encoding).encode()
        except (UnicodeDecodeError, LookupError):
            raise _bad_encoding(path, encoding) from None
    options: dict[str, Any] = {"separator": sign, "columns": wanted or None, "null_values": ["", *null_values]}
    try:
        frame = pl.read_csv(source, try_parse_dates=True, infer_schema_length=10_000, **options)
        texts = _coded(source, frame, options)
    except (pl.exceptions.PolarsError, OSError):
        # a later line does not fit what the first lines suggested, or the file is broken: read text, then decide
        frame, texts = _csv_as_text(path, source, sign, encoding, options), {}
    frame = frame.with_columns(**texts)
    strings = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(pl.col(strings).str.strip_chars()) if _padded(frame, strings) else frame


def _padded(frame: pl.DataFrame, strings: list[str]) -> bool:
    """Whether the first rows show cells with spaces around them ("a, b, c" files)."""
    head = frame.head(1000).select(strings)
    return any(bool((head[name] != head[name].str.strip_chars()).any()) for name in strings)


def _coded(source: Path | bytes, frame: pl.DataFrame, options: dict[str, Any]) -> dict[str, pl.Series]:
    """Columns that look like whole numbers but are codes (leading zeros): kept as text.

    Only columns whose numbers are shorter than their longest text can be such codes.
    """
    suspects = [name for name, kind in frame.schema.items() if kind.is_integer()]
    if not suspects:
        return {}
    given = dict.fromkeys(suspects, pl.String)
    limited = {**options, "columns": suspects}
    texts = pl.read_csv(source, infer_schema=False, schema_overrides=given, n_rows=10_000, **limited)
    zero = [name for name in suspects if bool(texts[name].str.contains(r"^[+-]?0\d").any())]
    if not zero:
        return {}
    whole = pl.read_csv(source, infer_schema=False, **{**options, "columns": zero})
    return {name: whole[name] for name in zero}


def _csv_as_text(path: Path, source: Path | bytes, sign: str, encoding: str, options: dict[str, Any]) -> pl.DataFrame:
    try:
        frame = pl.read_csv(source, infer_schema=False, **options)
    except (pl.exceptions.PolarsError, OSError):
        _explain(path, sign, encoding)
        raise DataError(
            f"{path.name!r} is not a readable CSV file.", code="data.csv", hint="Check its quotes and line ends."
        ) from None
    return frame.with_columns(*(_narrowed(frame[name]) for name in frame.columns))


def _narrowed(texts: pl.Series) -> pl.Series:
    """The narrowest type that reads every cell of a text column: whole number, number, date, else text."""
    known = texts.drop_nulls()
    if not len(known) or bool(known.str.contains(r"^[+-]?0\d").any()):
        return texts
    for kind in (pl.Int64, pl.Float64):
        if known.cast(kind, strict=False).null_count() == 0:
            return texts.cast(kind)
    with contextlib.suppress(pl.exceptions.PolarsError):
        return texts.str.to_date("%Y-%m-%d")
    return texts


def _explain(path: Path, sign: str, encoding: str) -> None:
    """Raise what is wrong with a CSV, by line: its encoding, or a line with another number of fields."""
    width = 0
    codec = "utf-8-sig" if encoding == "utf8" else encoding
    with path.open("rb") as handle:
        for line in handle:
            try:
                line.decode(codec)
            except UnicodeDecodeError:
                raise _bad_encoding(path, encoding) from None
    with path.open(encoding=codec, newline="") as handle:
        reader = csv.reader(handle, delimiter=sign)
        try:
            for fields in reader:
                width = width or len(fields)
                if fields and len(fields) != width:
                    raise DataError(
                        f"Line {reader.line_num} of {path.name!r} has {len(fields)} fields, the header has {width}.",
                        code="data.ragged",
                        hint="Repair the line, or name the delimiter with --delimiter.",
                    )
        except csv.Error:
            raise DataError(
                f"Line {reader.line_num} of {path.name!r} cannot be read as CSV.",
                code="data.csv",
                hint="Check its quotes.",
            ) from None


def _bad_encoding(path: Path, encoding: str) -> DataError:
    """The first line that does not decode."""
    codec = "utf-8" if encoding == "utf8" else encoding
    bad = 0
    where = "somewhere"
    with path.open("rb") as handle:
        for number, line in enumerate(handle, 1):
            try:
                line.decode(codec)
            except UnicodeDecodeError as error:
                bad += 1
                if bad == 1:
                    where = f"first in line {number}, byte {error.start + 1}"
            except LookupError:
                return DataError(f"There is no encoding {encoding!r}.", code="data.encoding", hint="E.g. latin-1.")
    return DataError(
        f"{path.name!r} is not {encoding}: {bad} lines cannot be decoded, {where}.",
        code="data.encoding",
        hint="Name the encoding, e.g. --encoding latin-1, or convert the file.",
    )


def from_object(table: Any) -> pl.DataFrame | None:
    """A polars frame from polars, pandas or Arrow; None if it is none of these."""
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    library = type(table).__module__.split(".")[0]
    if library == "pandas":
        # the index is a label, not data: rows are taken by position
        return pl.from_pandas(table.reset_index(drop=True), include_index=False)
    if library == "pyarrow":
        found = pl.from_arrow(table)
        return found if isinstance(found, pl.DataFrame) else None
    return None


def query(statement: str, url: str) -> pl.DataFrame:
    """The result of a database query. SQLite and DuckDB by file, PostgreSQL by URL through ADBC."""
    scheme = url.split(":", 1)[0].lower()
    try:
        if scheme == "sqlite":
            return _embedded(sqlite3.connect(f"file:{_file(url)}?mode=ro", uri=True), statement)
        if scheme == "duckdb":
            import duckdb

            with duckdb.connect(str(_file(url)), read_only=True) as connection:
                return connection.sql(statement).pl()
        if scheme in ("postgresql", "postgres"):
            return pl.read_database_uri(statement, url, engine="adbc")
    except ImportError as error:
        raise EngineError(
            f"Reading from {scheme} needs the package {error.name!r}.",
            code="engine.extra",
            hint="Install voile[database].",
        ) from None
    except Exception as error:
        # a driver's message may quote the query's data or a password: only its kind is passed on
        raise DataError(
            f"The {scheme} query failed ({type(error).__name__}).",
            code="data.query",
            hint="Run the statement in the database's own client to see why.",
        ) from None
    raise DataError(
        f"The database scheme {scheme!r} is not known.",
        code="data.url",
        hint="Use sqlite:///file.db, duckdb:///file.duckdb or postgresql://...",
    )


def _file(url: str) -> Path:
    """`sqlite:///a.db` is relative, `sqlite:////a.db` absolute."""
    path = Path(url.split(":", 1)[1].removeprefix("///"))
    if not path.is_file():
        raise FileNotFoundError(path.name)
    return path


def _embedded(connection: sqlite3.Connection, statement: str) -> pl.DataFrame:
    with contextlib.closing(connection):
        return pl.read_database(statement, connection, infer_schema_length=None)

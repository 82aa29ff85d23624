"""Tables in files as polars frames. Errors name the file, the line and the column, never a cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from voile.errors import DataError, VoileError
from voile.io import csv_files
from voile.io.conversions.text_options import TextOptions
from voile.io.library_border import library_border
from voile.io.size_limits import check_size, find_size_fault

FILE_KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".arrows": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}


def read_file(
    path: Path,
    columns: Sequence[str] | None = None,
    how: TextOptions | None = None,
    check: Callable[[list[str]], None] | None = None,
) -> pl.DataFrame:
    """Read a CSV, Parquet or Arrow file. With `columns`, no other column enters memory. `check` is called with the
    names of all columns before any row is read."""
    if _find_kind(path) == "csv":
        return csv_files.read_csv(path, columns, how or TextOptions(), check)
    try:
        with library_border(corrupt_file(path)):
            frame = _scan_binary(path)
            names = frame.collect_schema().names()
            if check is not None:
                check(names)
            requested = [name for name in names if columns is None or name in columns]
            check_size(path.name, _count_rows(path, frame), len(requested), path.stat().st_size)
            return frame.select(requested).collect() if requested else pl.DataFrame()
    except DataError as error:
        raise _explain_fault(path, error) from None


def scan_file(
    path: Path,
    columns: Sequence[str],
    how: TextOptions | None = None,
    check: Callable[[list[str]], None] | None = None,
) -> tuple[pl.LazyFrame, csv_files.InspectedCsv | None]:
    """Return columns of a file, read when they are collected, and what was found of a CSV, whose columns are all text;
    None for other files. `check` is called with the names of all columns."""
    if _find_kind(path) == "csv":
        return csv_files.scan_csv(path, columns, how or TextOptions(), check)
    try:
        with library_border(corrupt_file(path)):
            frame = _scan_binary(path)
            if check is not None:
                check(frame.collect_schema().names())
            fault = find_size_fault(_count_rows(path, frame), path.stat().st_size)
            if fault:
                raise DataError(f"{path.name!r} cannot be read: {fault}.", code="data.size", hint="Write it again.")
            return frame.select(columns), None
    except DataError as error:
        raise _explain_fault(path, error) from None


def corrupt_file(path: Path) -> DataError:
    """The error for a Parquet or Arrow file that cannot be read."""
    kind = "Parquet" if FILE_KINDS[path.suffix.lower()] == "parquet" else "Arrow"
    return DataError(
        f"{path.name!r} is not a complete {kind} file.", code="data.corrupt", hint="Write or fetch it again."
    )


def _explain_fault(path: Path, fault: DataError) -> DataError:
    """Return a fault that names the columns whose types polars does not have, if they are why it reads no row."""
    columns: list[str] = []
    with suppress(VoileError), library_border(fault):
        for field in _read_arrow_schema(path):
            try:
                with library_border(fault):
                    pl.from_arrow(pa.table({"column": pa.array([], field.type)}))
            except DataError:
                columns.append(field.name)
    if not columns:
        return fault
    return DataError(
        f"{path.name!r} has columns of a type that cannot be read: {', '.join(map(repr, columns))}.",
        code="data.type",
        hint="Convert them, e.g. to text, or leave them out of the file.",
    )


def _read_arrow_schema(path: Path) -> pa.Schema:
    if FILE_KINDS[path.suffix.lower()] == "parquet":
        return pq.read_schema(path)
    with path.open("rb") as handle:
        is_file = handle.read(6) == b"ARROW1"
        handle.seek(0)
        return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(handle).schema


def _find_kind(path: Path) -> str:
    """Return csv, parquet or ipc; raise if there is no such file, or if it is empty."""
    check_file(path)
    kind = FILE_KINDS.get(path.suffix.lower())
    if kind is None:
        raise DataError(
            f"{path.name!r} has no known file extension.",
            code="data.format",
            hint=f"Known extensions: {', '.join(sorted(FILE_KINDS))}.",
        )
    return kind


def check_file(path: Path) -> None:
    """Raise if there is no such file, or if it is empty."""
    if not path.is_file():
        fault = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise DataError(f"The file {path.name!r} {fault}.", code="data.no-file", hint="Check the path.")
    if path.stat().st_size == 0:
        raise DataError(f"{path.name!r} is empty.", code="data.empty", hint="Give a file with a header and rows.")


def _scan_binary(path: Path) -> pl.LazyFrame:
    """Open a Parquet or Arrow file lazily; the Arrow stream format can only be read whole."""
    if FILE_KINDS[path.suffix.lower()] == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    with path.open("rb") as handle:
        is_stream = handle.read(6) != b"ARROW1"  # the mark of the file format
    if is_stream:
        _check_stream(path)
        with path.open("rb") as handle:
            return pl.read_ipc_stream(handle).lazy()
    return pl.scan_ipc(path, glob=False, hive_partitioning=False)


def _count_rows(path: Path, frame: pl.LazyFrame) -> int:
    """Count the rows that a file claims, without reading them."""
    if FILE_KINDS[path.suffix.lower()] == "parquet":
        return int(pq.read_metadata(path).num_rows)
    return int(frame.select(pl.len()).collect().item())


def _check_stream(path: Path) -> None:
    """Raise if a stream claims too many rows; it does not say how many before it has been read."""
    rows = 0
    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as stream:
        for batch in stream:
            rows += batch.num_rows
            check_size(path.name, rows, len(stream.schema), path.stat().st_size)

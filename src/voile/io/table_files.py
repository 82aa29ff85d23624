"""Tables in files as polars frames. Errors name the file, the line and the column, never a cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl
import pyarrow as pa

from voile.errors import DataError, VoileError
from voile.io import csv_files, labelled_files
from voile.io.arrow.batch_sizes import is_arrow_file, measure_batches
from voile.io.conversions.text_options import TextOptions
from voile.io.library_border import library_border
from voile.io.parquet.row_group_sizes import measure_row_groups
from voile.io.size_limits import PieceSize, add_sizes, check_claims, require_memory

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
    **dict.fromkeys(labelled_files.KINDS, "labelled"),
}
_CONTENTS = {"csv": "text", "parquet": "Parquet", "ipc": "Arrow"}


def read_file(
    path: Path,
    columns: Sequence[str] | None = None,
    how: TextOptions | None = None,
    check: Callable[[list[str]], None] | None = None,
) -> pl.DataFrame:
    """Read a CSV, Parquet or Arrow file, a workbook, or a file of Stata or SPSS. With `columns`, no other column enters
    memory. `check` is called with the names of all columns before any row is read."""
    kind = _find_kind(path)
    if kind == "csv":
        return csv_files.read_csv(path, columns, how or TextOptions(), check)
    if kind == "labelled":
        return labelled_files.read_labelled(path, columns, how or TextOptions(), check)
    try:
        with library_border(corrupt_file(path)):
            pieces = _measure_pieces(path)
            frame = _scan_binary(path, pieces)
            names = frame.collect_schema().names()
            if check is not None:
                check(names)
            requested = [name for name in names if columns is None or name in columns]
            _require_memory(path, pieces, len(requested))
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
    kind = _find_kind(path)
    if kind == "csv":
        return csv_files.scan_csv(path, columns, how or TextOptions(), check)
    if kind == "labelled":
        return labelled_files.read_labelled(path, columns, how or TextOptions(), check).select(columns).lazy(), None
    try:
        with library_border(corrupt_file(path)):
            pieces = _measure_pieces(path)
            frame = _scan_binary(path, pieces)
            if check is not None:
                check(frame.collect_schema().names())
            for piece in pieces:
                _require_memory(path, [piece], len(columns))
            return frame.select(columns), None
    except DataError as error:
        raise _explain_fault(path, error) from None


def corrupt_file(path: Path) -> DataError:
    """The error for a Parquet or Arrow file that cannot be read."""
    names = {**labelled_files.KINDS, ".parquet": "Parquet", ".pq": "Parquet"}
    kind = names.get(path.suffix.lower(), "Arrow")
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


def _refuse_repeated_names(path: Path) -> None:
    names: list[str] = []
    with suppress(VoileError), library_border(corrupt_file(path)):
        names = _read_arrow_schema(path).names
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise DataError(
            f"{path.name!r} has {len(repeated)} column names twice: {', '.join(map(repr, repeated))}.",
            code="data.header",
            hint="Rename the columns.",
        )


def _read_arrow_schema(path: Path) -> pa.Schema:
    if FILE_KINDS[path.suffix.lower()] == "parquet":
        import pyarrow.parquet as pq  # loads file systems of clouds, too

        return pq.read_schema(path)
    with path.open("rb") as handle:
        return (pa.ipc.open_file if is_arrow_file(path) else pa.ipc.open_stream)(handle).schema


def _find_kind(path: Path) -> str:
    """Return csv, parquet, ipc or labelled; raise if there is no such file, if it is empty, or of another kind."""
    check_file(path)
    kind = FILE_KINDS.get(path.suffix.lower())
    if kind is None:
        raise DataError(
            f"{path.name!r} has no known file extension.",
            code="data.format",
            hint=f"Known extensions: {', '.join(sorted(FILE_KINDS))}.",
        )
    labelled_files.check_content(path, labelled_files.KINDS.get(path.suffix.lower()) or _CONTENTS[kind])
    return kind


def check_file(path: Path) -> None:
    """Raise if there is no such file, or if it is empty."""
    if not path.is_file():
        fault = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise DataError(f"The file {path.name!r} {fault}.", code="data.no-file", hint="Check the path.")
    if path.stat().st_size == 0:
        raise DataError(f"{path.name!r} is empty.", code="data.empty", hint="Give a file with a header and rows.")


def _scan_binary(path: Path, pieces: Sequence[PieceSize]) -> pl.LazyFrame:
    """Open a Parquet or Arrow file lazily; the Arrow stream format can only be read whole."""
    if FILE_KINDS[path.suffix.lower()] == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    if is_arrow_file(path):
        return pl.scan_ipc(path, glob=False, hive_partitioning=False)
    with path.open("rb") as handle:
        _require_memory(path, pieces, len(_read_arrow_schema(path)))
        return pl.read_ipc_stream(handle).lazy()


def _measure_pieces(path: Path) -> list[PieceSize]:
    """Return what the row groups or batches of a file claim, without reading them; raise if it cannot be true, or if
    columns have the same name."""
    _refuse_repeated_names(path)
    is_parquet = FILE_KINDS[path.suffix.lower()] == "parquet"
    pieces = measure_row_groups(path) if is_parquet else measure_batches(path)
    check_claims(path.name, pieces, path.stat().st_size)
    return pieces


def _require_memory(path: Path, pieces: Sequence[PieceSize], columns: int) -> None:
    rows, _, text_bytes = add_sizes(pieces)
    require_memory(path.name, rows, columns, text_bytes)

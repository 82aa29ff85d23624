"""Read the tables of a release folder, taking nothing for granted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError
from voile.io.release_folder.document_faults import ADDED_COLUMNS, stated_types, table_faults
from voile.io.release_folder.file_names import content_digest, file_digest

_TABLE_SUFFIXES = (".parquet", ".csv")
_NUMBERED_FILE = re.compile(r"(.+)\.(\d{5,})\.parquet")  # one of several files of a table

# Of each table: the file, the first row, and the number of rows
RowGroup = dict[str, tuple[str, int, int]]


def find_changed_files(folder: Path, files: Mapping[str, str], known: Mapping[str, str] | None = None) -> list[str]:
    """List the files of a certificate that are missing or differ from their digest.

    `known` are the digests of files that have been read already; they are not opened again.
    """
    return _compare_digests(folder, files, known or {}, file_digest)


def read_verified(
    folder: Path, files: Mapping[str, str], known: Mapping[str, str]
) -> tuple[dict[str, bytes], list[str]]:
    """Read each table file of a certificate once; return the contents, and the faults as `find_changed_files` does.

    If there are no faults, whoever parses the contents parses what was verified, even if the folder changes meanwhile.
    """
    contents: dict[str, bytes] = {}

    def read_and_digest(path: Path) -> str:
        if path.suffix not in _TABLE_SUFFIXES:
            return file_digest(path)
        contents[path.name] = path.read_bytes()
        return content_digest(contents[path.name])

    faults = _compare_digests(folder, files, known, read_and_digest)
    return contents, faults


def _compare_digests(
    folder: Path, files: Mapping[str, str], known: Mapping[str, str], digest: Callable[[Path], str]
) -> list[str]:
    faults = []
    for name, expected in files.items():
        path = folder / name
        if Path(name).name != name or not path.is_file():
            faults.append(f"{name} is missing.")
            continue
        try:
            actual = known[name] if name in known else digest(path)
        except OSError:
            actual = None
        if actual != expected:
            faults.append(f"{name} was changed after publishing.")
    return faults


def read_tables(
    folder: Path, files: Iterable[str], dictionary: Mapping[str, Any], contents: Mapping[str, bytes] | None = None
) -> dict[str, pl.DataFrame]:
    """Parse the tables of a folder, from the `contents` of `read_verified` if given, else from the files.

    A CSV column is text unless the dictionary states its type.
    """
    tables: dict[str, pl.DataFrame] = {}
    types = stated_types(dictionary)
    for table_name, names in _group_files(folder, files).items():
        sources = [folder / name if contents is None else contents[name] for name in names]
        try:
            pieces = [
                pl.read_parquet(source, glob=False) if name.endswith(".parquet") else _read_csv(source, types)
                for name, source in zip(names, sources, strict=True)
            ]
            table = pieces[0] if len(pieces) == 1 else pl.concat(pieces)
        except (OSError, pl.exceptions.PolarsError):
            table = None
        if table is None:
            raise _corrupt_table(folder, table_name)
        tables[table_name] = table
    check_tables(folder, tables, dictionary)
    return tables


def list_row_groups(
    folder: Path, files: Iterable[str], dictionary: Mapping[str, Any]
) -> tuple[dict[str, pl.DataFrame], list[RowGroup]]:
    """Return the tables of a folder of Parquet files without their rows, and where the rows are.

    The n-th entry says for each table where its n-th row group lies, as it was written.
    """
    import pyarrow.parquet as pq

    empty_tables, row_groups = {}, list[RowGroup]()
    for table_name, names in _group_files(folder, files).items():
        position = 0
        try:
            for name in names:
                first_row = 0
                metadata = pq.ParquetFile(folder / name).metadata
                for number in range(metadata.num_row_groups):
                    rows = metadata.row_group(number).num_rows
                    if position == len(row_groups):
                        row_groups.append({})
                    row_groups[position][table_name] = (str(folder / name), first_row, rows)
                    first_row, position = first_row + rows, position + 1
            empty_tables[table_name] = pl.scan_parquet(folder / names[0], glob=False).head(0).collect()
        except (OSError, ValueError, pl.exceptions.PolarsError):
            raise _corrupt_table(folder, table_name) from None
    check_tables(folder, empty_tables, dictionary)
    return empty_tables, row_groups


def _group_files(folder: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """List the files of each table, in order."""
    groups: dict[str, list[str]] = {}
    for file in files:
        name = Path(file).name
        if not name.endswith(_TABLE_SUFFIXES):
            continue
        numbered = _NUMBERED_FILE.fullmatch(name)
        table_name = numbered[1] if numbered else Path(name).stem
        if table_name in groups and not numbered:
            raise _corrupt_table(folder, file)
        groups.setdefault(table_name, []).append(name)
    return {table_name: sorted(names) for table_name, names in groups.items()}


def check_tables(folder: Path, tables: Mapping[str, pl.DataFrame], dictionary: Mapping[str, Any]) -> None:
    """Raise if the tables, with or without their rows, are not those that the dictionary describes."""
    faults = list(table_faults(tables, dictionary))
    if faults:
        raise DataError(
            f"The tables of {folder.name!r} do not fit their dictionary: {', '.join(faults)}.",
            code="data.tables",
            hint="Fetch the release again.",
        )


def _corrupt_table(folder: Path, name: str) -> DataError:
    return DataError(
        f"The table {name} of {folder.name!r} is corrupt, truncated, or present twice.",
        code="data.corrupt",
        hint="Fetch the release again.",
    )


def _read_csv(source: Path | bytes, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read a table; the columns that voile adds are whole numbers, unless columns of people have these names."""
    table = pl.read_csv(source, infer_schema=False, schema_overrides=types, glob=False)
    for name in ADDED_COLUMNS:
        if name in table.columns and table.schema[name] == pl.String:
            numbers = table[name].cast(pl.Int64, strict=False)
            table = table if numbers.null_count() else table.with_columns(numbers)
    return table

"""A release folder read, with nothing taken for granted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError
from voile.io.release_folder.document_faults import OWN, certificate_faults, dictionary_faults, table_faults, told_types
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, digest

_PART = re.compile(r"(.+)\.(\d{5,})\.parquet")  # one of several files of a table


def read_documents(place: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The certificate and the dictionary of a folder, as far as their outline is right."""
    if not (place / CERTIFICATE).is_file():
        raise DataError(
            f"{place.name!r} holds no {CERTIFICATE}.",
            code="data.no-release",
            hint="Name a folder that voile published.",
        )
    found = []
    for name, faults in ((CERTIFICATE, certificate_faults), (DICTIONARY, dictionary_faults)):
        try:
            document = json.loads((place / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            document = None
        if document is None:
            raise DataError(
                f"{name} of {place.name!r} cannot be read.", code="data.document", hint="Fetch the release again."
            )
        wrong = list(faults(document))
        if wrong:
            raise DataError(
                f"{name} of {place.name!r} is malformed: {', '.join(wrong)}.",
                code="data.document",
                hint="Fetch the release again.",
            )
        found.append(document)
    return found[0], found[1]


def changed_files(place: Path, files: Mapping[str, str]) -> list[str]:
    """Files that the certificate lists and that are absent or different."""
    wrong = []
    for name, expected in files.items():
        path = place / name
        if Path(name).name != name or not path.is_file():
            wrong.append(f"{name} is missing.")
            continue
        try:
            same = digest(path) == expected
        except OSError:
            same = False
        if not same:
            wrong.append(f"{name} was changed after publishing.")
    return wrong


def table_files(place: Path, files: Mapping[str, str]) -> dict[str, list[Path]]:
    """The files of each table of a folder, in order."""
    found: dict[str, list[Path]] = {}
    for name in files:
        path = place / Path(name).name
        if path.suffix not in (".parquet", ".csv"):
            continue
        part = _PART.fullmatch(path.name)
        table = part[1] if part else path.stem
        if table in found and not part:
            raise _corrupt(place, name)
        found.setdefault(table, []).append(path)
    return {table: sorted(paths) for table, paths in found.items()}


def read_tables(place: Path, files: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """The tables of a folder; in CSV a column is text unless the dictionary tells its type."""
    tables: dict[str, pl.DataFrame] = {}
    _, dictionary = read_documents(place)
    types = told_types(dictionary)
    for name, paths in table_files(place, files).items():
        try:
            pieces = [pl.read_parquet(p, glob=False) if p.suffix == ".parquet" else _read_csv(p, types) for p in paths]
            table = pieces[0] if len(pieces) == 1 else pl.concat(pieces)
        except (OSError, pl.exceptions.PolarsError):
            table = None
        if table is None:
            raise _corrupt(place, name)
        tables[name] = table
    check_tables(place, tables, dictionary)
    return tables


def check_tables(place: Path, tables: Mapping[str, pl.DataFrame], dictionary: Mapping[str, Any]) -> None:
    """Raise where the tables, or the same without their rows, are not those that the dictionary describes."""
    wrong = list(table_faults(tables, dictionary))
    if wrong:
        raise DataError(
            f"The tables of {place.name!r} do not fit their dictionary: {', '.join(wrong)}.",
            code="data.tables",
            hint="Fetch the release again.",
        )


Slice = dict[str, tuple[str, int, int]]


def slices(place: Path, files: Mapping[str, str]) -> tuple[dict[str, pl.DataFrame], list[Slice]]:
    """The tables of a folder of Parquet files without their rows, and the rows in slices: for each slice and table the
    file, the first row and the number of rows. A slice is a group of rows as they were written."""
    import pyarrow.parquet as pq

    empty, found = {}, list[Slice]()
    _, dictionary = read_documents(place)
    for name, paths in table_files(place, files).items():
        number = 0
        try:
            for path in paths:
                start = 0
                about = pq.ParquetFile(path).metadata
                for group in range(about.num_row_groups):
                    rows = about.row_group(group).num_rows
                    if number == len(found):
                        found.append({})
                    found[number][name] = (str(path), start, rows)
                    start, number = start + rows, number + 1
            empty[name] = pl.scan_parquet(paths[0], glob=False).head(0).collect()
        except (OSError, ValueError, pl.exceptions.PolarsError):
            raise _corrupt(place, name) from None
    check_tables(place, empty, dictionary)
    return empty, found


def _corrupt(place: Path, name: str) -> DataError:
    return DataError(
        f"The table {name} of {place.name!r} is corrupt, truncated or there twice.",
        code="data.corrupt",
        hint="Fetch the release again.",
    )


def _read_csv(path: Path, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Columns that voile itself adds are whole numbers, unless the table has columns of people by these names."""
    table = pl.read_csv(path, infer_schema=False, schema_overrides=types, glob=False)
    for name in OWN:
        if name in table.columns and table.schema[name] == pl.String:
            numbers = table[name].cast(pl.Int64, strict=False)
            table = table if numbers.null_count() else table.with_columns(numbers)
    return table

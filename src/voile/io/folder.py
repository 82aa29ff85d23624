"""The release folder: tables, dictionary.json, certificate.json, and nothing else.

A folder is written beside its place and moved in whole, so a crash leaves the earlier release or none.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import polars as pl

from voile.errors import DataError, SpecError
from voile.io.documents import OWN, certificate_faults, dictionary_faults, table_faults, told_types

CERTIFICATE, DICTIONARY = "certificate.json", "dictionary.json"
FORMATS = ("parquet", "csv")
REPORTS = ("report.html", "report.json")
_EXCHANGE = 2  # renameat2: swap two names in one step
_PART = re.compile(r"(.+)\.(\d{5,})\.parquet")  # one of several files of a table


@runtime_checkable
class Writes(Protocol):
    """Tables that are written by who keeps them."""

    def write(self, name: str, folder: Path, format: str) -> list[Path]: ...


def save(
    place: Path, tables: Mapping[str, pl.DataFrame], documents: Mapping[str, dict[str, Any]], format: str, force: bool
) -> Path:
    """Write tables and documents as a release folder. Returns the folder."""
    check_format(format)
    place = Path(os.path.realpath(place))  # a link stays a link; what it names is replaced
    refuse(place, force)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".partial", dir=place.parent))
    except OSError as error:
        raise _unwritable(place, error) from None
    try:
        _fill(fresh, tables, documents, format)
        fresh.chmod(0o755)
        _swap(fresh, place)
        _sync(place.parent)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unwritable(place, error) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def check_format(format: str) -> None:
    if format not in FORMATS:
        raise SpecError(f"format = {format!r} is not known.", code="spec.format", hint="Use parquet or csv.")


def refuse(place: Path, force: bool) -> None:
    """An earlier release is replaced only on demand; a folder of anything else never."""
    if not place.exists():
        return
    if not place.is_dir():
        raise SpecError(f"{place.name!r} is a file.", code="spec.out", hint="Name a folder for the release.")
    try:
        inside = {found.name: found.is_dir() for found in place.iterdir()}
    except OSError as error:
        raise _unwritable(place, error) from None
    if not inside:
        return
    if CERTIFICATE not in inside or any(inside.values()):
        what = "sub-folders" if CERTIFICATE in inside else "no release"
        raise SpecError(
            f"The folder {place.name!r} holds {len(inside)} files and {what}.",
            code="spec.out-not-a-release",
            hint="Name a new or an empty folder; voile does not delete what it did not write.",
        )
    if not force:
        raise SpecError(
            f"The folder {place.name!r} already holds a release.",
            code="spec.out-exists",
            hint="Name another folder, or replace it with --force (force=True).",
        )


def _fill(
    folder: Path, tables: Mapping[str, pl.DataFrame], documents: Mapping[str, dict[str, Any]], format: str
) -> None:
    digests = {}
    for name in tables:
        for path in _written(folder, tables, name, format):
            digests[path.name] = digest(path)
    path = folder / DICTIONARY
    path.write_text(json.dumps(documents["dictionary"], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    digests[path.name] = digest(path)
    certificate = {**documents["certificate"], "files": digests}
    path = folder / CERTIFICATE
    path.write_text(json.dumps(certificate, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for found in folder.iterdir():
        _sync(found)
        os.utime(found, (0, 0))  # file times say nothing about when or in which order tables were made


def _written(folder: Path, tables: Mapping[str, pl.DataFrame], name: str, format: str) -> list[Path]:
    """One table: as a file, or as its engine writes it."""
    if isinstance(tables, Writes):
        return tables.write(name, folder, format)
    path = folder / f"{name}.{format}"
    if format == "parquet":
        tables[name].write_parquet(path, compression="zstd", compression_level=1, statistics=False)
    else:
        tables[name].write_csv(path)
    return [path]


def _sync(path: Path) -> None:
    """To the disk, not only to the system's memory."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _swap(fresh: Path, place: Path) -> None:
    """Put the new folder in its place. An old one ends up under the temporary name and is removed by the caller."""
    if not place.exists():
        fresh.rename(place)
        return
    _carry_over(place, fresh)
    if _exchange(fresh, place):
        return
    # no atomic swap on this system: for a moment the old release is only there under its other name
    old = place.with_name(fresh.name.replace(".partial", ".old"))
    place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _carry_over(old: Path, fresh: Path) -> None:
    """Files that a user put beside the old release stay; its tables and reports go with it."""
    listed = _listed(old)
    for found in old.iterdir():
        if found.is_file() and found.name not in listed | {CERTIFICATE, DICTIONARY, *REPORTS}:
            shutil.copy2(found, fresh / found.name)


def _listed(folder: Path) -> set[str]:
    try:
        return set(json.loads((folder / CERTIFICATE).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return {f"{name}.{format}" for name in ("table", "quasi", "sensitive") for format in FORMATS}


def _exchange(first: Path, second: Path) -> bool:
    """Swap two names atomically, where the system can."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here = -100  # AT_FDCWD
    return bool(rename(here, os.fsencode(first), here, os.fsencode(second), _EXCHANGE) == 0)


def _unwritable(place: Path, error: Exception) -> DataError:
    reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    return DataError(
        f"The release cannot be written to {place.name!r} ({reason}).",
        code="data.write",
        hint="Check the space and the rights there; nothing was changed.",
    )


def digest(path: Path) -> str:
    with path.open("rb") as handle:
        return "sha256:" + hashlib.file_digest(handle, "sha256").hexdigest()


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

"""A release folder written: all of it, or nothing."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import polars as pl

from voile.errors import DataError, SpecError, option
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, FORMATS, REPORTS, digest

_EXCHANGE = 2  # renameat2: swap two names in one step


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
            hint=f"Name another folder, or replace it ({option('force', True)}).",
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

"""Write a release folder: all of it, or nothing."""

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
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, FORMATS, REPORTS, file_digest

_RENAME_EXCHANGE = 2  # renameat2: swap two names in one step
_AT_FDCWD = -100  # paths are relative to the working directory


@runtime_checkable
class WritableTables(Protocol):
    """Tables that write themselves, because an engine keeps them."""

    def write(self, name: str, folder: Path, format: str) -> list[Path]: ...


def write_release(
    target: Path, tables: Mapping[str, pl.DataFrame], documents: Mapping[str, dict[str, Any]], format: str, force: bool
) -> Path:
    """Write tables and documents as a release folder, and return its path."""
    check_format(format)
    target = Path(os.path.realpath(target))  # a link stays a link; its target is replaced
    check_target(target, force)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        _write_files(fresh, tables, documents, format)
        fresh.chmod(0o755)
        _move_into_place(fresh, target)
        _flush_to_disk(target.parent)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unwritable(target, error) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return target


def check_format(format: str) -> None:
    """Raise unless tables can be written in this format."""
    if format not in FORMATS:
        raise SpecError(f"format = {format!r} is not known.", code="spec.format", hint="Use parquet or csv.")


def check_target(target: Path, force: bool) -> None:
    """Raise if a release must not be written there: an earlier one is replaced only with `force`, other data never."""
    if not target.exists():
        return
    if not target.is_dir():
        raise SpecError(f"{target.name!r} is a file.", code="spec.out", hint="Name a folder for the release.")
    try:
        is_folder = {entry.name: entry.is_dir() for entry in target.iterdir()}
    except OSError as error:
        raise _unwritable(target, error) from None
    if not is_folder:
        return
    if CERTIFICATE not in is_folder or any(is_folder.values()):
        reason = "sub-folders" if CERTIFICATE in is_folder else "no release"
        raise SpecError(
            f"The folder {target.name!r} holds {len(is_folder)} files and {reason}.",
            code="spec.out-not-a-release",
            hint="Name a new or an empty folder; voile does not delete what it did not write.",
        )
    if not force:
        raise SpecError(
            f"The folder {target.name!r} already holds a release.",
            code="spec.out-exists",
            hint=f"Name another folder, or replace it ({option('force', True)}).",
        )


def _write_files(
    folder: Path, tables: Mapping[str, pl.DataFrame], documents: Mapping[str, dict[str, Any]], format: str
) -> None:
    digests = {}
    for name in tables:
        for path in _write_table(folder, tables, name, format):
            digests[path.name] = file_digest(path)
    path = folder / DICTIONARY
    path.write_text(json.dumps(documents["dictionary"], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    digests[path.name] = file_digest(path)
    certificate = {**documents["certificate"], "files": digests}
    path = folder / CERTIFICATE
    path.write_text(json.dumps(certificate, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for entry in folder.iterdir():
        _flush_to_disk(entry)
        os.utime(entry, (0, 0))  # file times must not tell when or in which order tables were made


def _write_table(folder: Path, tables: Mapping[str, pl.DataFrame], name: str, format: str) -> list[Path]:
    """Write one table as a file, or as its engine writes it."""
    if isinstance(tables, WritableTables):
        return tables.write(name, folder, format)
    path = folder / f"{name}.{format}"
    if format == "parquet":
        tables[name].write_parquet(path, compression="zstd", compression_level=1, statistics=False)
    else:
        tables[name].write_csv(path)
    return [path]


def _flush_to_disk(path: Path) -> None:
    """Wait until a file is on the disk, and not only in the system's memory."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _move_into_place(fresh: Path, target: Path) -> None:
    """Move the new folder into place. An old one ends up under the temporary name, and the caller removes it."""
    if not target.exists():
        fresh.rename(target)
        return
    _copy_other_files(target, fresh)
    if _exchange_names(fresh, target):
        return
    # no atomic swap on this system: for a moment the old release exists only under its other name
    old = target.with_name(fresh.name.replace(".partial", ".old"))
    target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _copy_other_files(old: Path, fresh: Path) -> None:
    """Keep the files that a user put beside the old release; its own tables and reports are not copied."""
    own_files = _list_tables(old) | {CERTIFICATE, DICTIONARY, *REPORTS}
    for entry in old.iterdir():
        if entry.is_file() and entry.name not in own_files:
            shutil.copy2(entry, fresh / entry.name)


def _list_tables(folder: Path) -> set[str]:
    """List the files that the certificate of an old release names."""
    try:
        return set(json.loads((folder / CERTIFICATE).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return {f"{name}.{format}" for name in ("table", "quasi", "sensitive") for format in FORMATS}


def _exchange_names(first: Path, second: Path) -> bool:
    """Swap two names in one step if the system can; return whether it did."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    status = rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
    return bool(status == 0)


def _unwritable(target: Path, error: Exception) -> DataError:
    reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    return DataError(
        f"The release cannot be written to {target.name!r} ({reason}).",
        code="data.write",
        hint="Check the free space and the permissions there; nothing was changed.",
    )

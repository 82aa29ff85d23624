"""Write a release folder: all of it, or nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import polars as pl

from voile.errors import DataError, SpecError, option
from voile.io.parquet.writing import split_rows, write_parquet
from voile.io.release_folder.companion import Companion
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, FORMATS, REPORTS, SIGNATURE, file_digest
from voile.io.release_folder.folder_replacement import NEW, move_into_place, put_back, recover, resolve_parents
from voile.io.safe_writing.file_replacement import flush_to_disk
from voile.io.safe_writing.interruptions import hold_signals, note_written, raise_if_interrupted
from voile.io.safe_writing.locks import lock_folders
from voile.io.safe_writing.staging import staging_folder

if TYPE_CHECKING:
    from voile.io.release_folder.signature import SigningKey


@runtime_checkable
class WritableTables(Protocol):
    """Tables that write themselves, because an engine keeps them."""

    def write(self, name: str, folder: Path, format: str) -> list[Path]: ...


def write_release(
    target: Path,
    tables: Mapping[str, pl.DataFrame],
    documents: Mapping[str, dict[str, Any]],
    format: str,
    force: bool,
    *,
    companion: Companion | None = None,
    sign: SigningKey | None = None,
) -> Path:
    """Write tables and documents as a release folder, and return its path. A companion changes with the folder."""
    check_format(format)
    check_target(target, force)
    target = resolve_parents(target)
    if companion is not None:
        companion.check_place(target)
    folders = [target.parent, *([companion.path.parent] if companion is not None else [])]
    missing = [path for folder in folders for path in (folder, *folder.parents) if not os.path.exists(path)]
    try:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        with staging_folder(target, partial(put_back, target)) as staging:
            fresh = staging / NEW
            fresh.mkdir()
            _write_files(fresh, tables, documents, format, sign)
            _commit(staging, target, force, companion)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unwritable(target, error) from None
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()  # only if it is empty: nothing was written
    return target


def _commit(staging: Path, target: Path, force: bool, companion: Companion | None) -> None:
    """Move the new folder into place, and its companion with it; other processes and signals wait."""
    folders = [target.parent, *([companion.path.parent] if companion is not None else [])]
    with lock_folders(*folders), hold_signals():
        raise_if_interrupted()
        check_target(target, force)  # another process may have been faster
        if target.exists():
            _copy_other_files(target, staging / NEW)
        flush_to_disk(staging / NEW)
        if companion is None:
            move_into_place(staging, target)
        else:
            companion.check()
            companion.write_both(target, file_digest(staging / NEW / CERTIFICATE))
            try:
                move_into_place(staging, target)
            except BaseException:
                companion.settle(in_place=False)
                raise
            note_written(companion.path)
        note_written(target)
        _confirm(target)
        if companion is not None:
            companion.settle(in_place=True)


def _confirm(target: Path) -> None:
    """Wait until the move is on the disk."""
    try:
        flush_to_disk(target.parent)
    except OSError as error:
        raise DataError(
            f"The release is in {target.name!r}, but the disk does not confirm it ({error.strerror}).",
            code="data.write",
            hint="Check the disk, then verify the release.",
        ) from None


_URL_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.:-]+:")  # the first part of the path that a URL becomes


def check_format(format: str) -> None:
    """Raise unless tables can be written in this format."""
    if format not in FORMATS:
        raise SpecError(f"format = {format!r} is not known.", code="spec.format", hint="Use parquet or csv.")


def check_target(target: Path, force: bool) -> None:
    """Raise if a release must not be written there: an earlier one is replaced only with `force`, other data never. If
    a process was killed while it replaced a release, put things right first."""
    if _URL_SCHEME.fullmatch(target.parts[0] if target.parts else ""):
        raise SpecError("A release cannot be written to a URL.", code="spec.out", hint="Name a folder of this machine.")
    try:
        target = resolve_parents(target)
    except (OSError, ValueError):
        raise SpecError("The path of the release cannot exist.", code="spec.out", hint="Name a folder.") from None
    if os.path.islink(target):
        raise SpecError(
            f"{target.name!r} is a link.", code="spec.out", hint="Name the folder that it leads to, or another one."
        )
    if not os.path.exists(target / CERTIFICATE):
        recover(target)
    if not os.path.exists(target):
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
        files = "1 file" if len(is_folder) == 1 else f"{len(is_folder)} files"
        raise SpecError(
            f"The folder {target.name!r} holds {files} and {reason}.",
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
    folder: Path,
    tables: Mapping[str, pl.DataFrame],
    documents: Mapping[str, dict[str, Any]],
    format: str,
    sign: SigningKey | None,
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
    if sign is not None:
        from voile.io.release_folder.signature import sign_certificate

        (folder / SIGNATURE).write_text(sign_certificate(path.read_bytes(), sign), encoding="ascii")
    for entry in folder.iterdir():
        flush_to_disk(entry)
        os.utime(entry, (0, 0))  # file times must not tell when or in which order tables were made


def _write_table(folder: Path, tables: Mapping[str, pl.DataFrame], name: str, format: str) -> list[Path]:
    """Write one table as a file, or as its engine writes it."""
    if isinstance(tables, WritableTables):
        return tables.write(name, folder, format)
    path = folder / f"{name}.{format}"
    if format == "parquet":
        write_parquet(path, split_rows(tables[name]))
    else:
        tables[name].write_csv(path)
    return [path]


def _copy_other_files(old: Path, fresh: Path) -> None:
    """Keep the files that a user put beside the old release; its own tables and reports are not copied."""
    own_files = _list_tables(old) | {CERTIFICATE, DICTIONARY, SIGNATURE, *REPORTS}
    for entry in old.iterdir():
        if entry.name not in own_files and not (fresh / entry.name).exists():
            shutil.copy2(entry, fresh / entry.name, follow_symlinks=False)
            if not entry.is_symlink():
                flush_to_disk(fresh / entry.name)


def _list_tables(folder: Path) -> set[str]:
    """List the files that the certificate of an old release names."""
    try:
        return set(json.loads((folder / CERTIFICATE).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return {f"{name}.{format}" for name in ("table", "quasi", "sensitive") for format in FORMATS}


def _unwritable(target: Path, error: Exception) -> DataError:
    reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    return DataError(
        f"The release cannot be written to {target.name!r} ({reason}).",
        code="data.write",
        hint="Check the free space and the permissions there; nothing was changed.",
    )

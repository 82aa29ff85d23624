"""The files that a visitor may name (only those inside one folder, once links are followed), and zipped releases."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from voile.errors import DataError, SpecError
from voile.io.release_folder import CERTIFICATE
from voile.io.table_files import FILE_KINDS

DEPTH = 3  # levels of folders that are listed
SHOWN = 200  # files that are listed
FILES, BYTES = 1_000, 4 << 30  # limits of a zip


def resolve_inside(folder: Path, text: str) -> Path:
    """Resolve a path that a visitor named, following all links; raise an error if it is outside the folder."""
    root = folder.resolve()
    try:
        path = (root / text.strip()).resolve()
    except (OSError, ValueError, RuntimeError):  # e.g. a NUL character, or a loop of links
        path = root.parent
    if path == root or not path.is_relative_to(root):
        raise SpecError(
            "This path is not inside the folder of the workbench.",
            code="spec.outside",
            hint=f"Name a file below {root.name!r}, or start the workbench in another folder.",
        )
    return path


def list_tables(folder: Path) -> list[str]:
    """List the tables in the folder and up to DEPTH levels below, by path."""
    return [name for name, entry in _walk(folder) if entry.is_file() and Path(name).suffix.lower() in FILE_KINDS]


def list_releases(folder: Path) -> list[str]:
    """List the release folders in the folder and up to DEPTH levels below."""
    return [name for name, entry in _walk(folder) if entry.is_dir() and (Path(entry.path) / CERTIFICATE).is_file()]


def _walk(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Walk through a folder, breadth first, skipping hidden names and links."""
    level, visited = [folder], 0
    for _ in range(DEPTH):
        below = []
        for parent in level:
            try:
                entries = sorted(os.scandir(parent), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                visited += 1
                if visited > 20 * SHOWN:
                    return
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                yield str(Path(entry.path).relative_to(folder)), entry
                if entry.is_dir() and not (Path(entry.path) / CERTIFICATE).is_file():
                    below.append(Path(entry.path))
        level = below


def unpack_release(archive: Path, destination: Path) -> Path:
    """Unpack the release folder of a zip: the plain files of one folder, and no links."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [member for member in packed.infolist() if not member.is_dir()]
            folder = _find_folder(members)
            if sum(member.file_size for member in members) > BYTES or len(members) > FILES:
                raise _not_a_release("it is too large")
            destination.mkdir(parents=True)
            for member in members:
                path = Path(member.filename)
                if str(path.parent) == folder and not stat.S_ISLNK(member.external_attr >> 16):
                    with packed.open(member) as source, (destination / path.name).open("xb") as target:
                        _copy(source, target, member.file_size)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        raise _not_a_release("it is damaged, or is not a zip") from None
    return destination


def _find_folder(members: list[zipfile.ZipInfo]) -> str:
    folders = {str(Path(member.filename).parent) for member in members if Path(member.filename).name == CERTIFICATE}
    if len(folders) != 1:
        raise _not_a_release(f"it holds {len(folders) or 'no'} {CERTIFICATE}")
    return folders.pop()


def _copy(source: IO[bytes], target: IO[bytes], size: int) -> None:
    """Copy at most as many bytes as the zip announces: a zip bomb announces few and unpacks to many."""
    remaining = size
    while remaining > 0:
        block = source.read(min(remaining, 1 << 20))
        if not block:
            return
        remaining -= len(block)
        target.write(block)


def _not_a_release(why: str) -> DataError:
    return DataError(
        f"This zip is not a release: {why}.",
        code="data.zip",
        hint="Choose the zip that voile made, or name the path of the unpacked folder.",
    )

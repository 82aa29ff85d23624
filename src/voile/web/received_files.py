"""Which files may be named: those inside one folder, wherever links lead. And release folders out of a zip."""

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

DEPTH = 3
SHOWN = 200
FILES, BYTES = 1_000, 4 << 30  # of a zip


def inside(folder: Path, text: str) -> Path:
    """The place that a visitor named, all links followed. An error where it is outside of the folder."""
    root = folder.resolve()
    try:
        place = (root / text.strip()).resolve()
    except (OSError, ValueError, RuntimeError):  # e.g. a NUL, or links in a circle
        place = root.parent
    if place == root or not place.is_relative_to(root):
        raise SpecError(
            "That place is not inside the folder of this workbench.",
            code="spec.outside",
            hint=f"Name a file below {root.name!r}, or start the workbench in another folder.",
        )
    return place


def tables(folder: Path) -> list[str]:
    """The tables in the folder and a little below, by path."""
    return [name for name, entry in _walk(folder) if entry.is_file() and Path(name).suffix.lower() in FILE_KINDS]


def releases(folder: Path) -> list[str]:
    """The release folders in the folder and a little below."""
    return [name for name, entry in _walk(folder) if entry.is_dir() and (Path(entry.path) / CERTIFICATE).is_file()]


def _walk(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """What is there, breadth first, without hidden names and without following links."""
    level, seen = [folder], 0
    for _ in range(DEPTH):
        below = []
        for place in level:
            try:
                entries = sorted(os.scandir(place), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                seen += 1
                if seen > 20 * SHOWN:
                    return
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                yield str(Path(entry.path).relative_to(folder)), entry
                if entry.is_dir() and not (Path(entry.path) / CERTIFICATE).is_file():
                    below.append(Path(entry.path))
        level = below


def unpacked(archive: Path, place: Path) -> Path:
    """The release folder in a zip, unpacked: plain files of one folder, and nothing that leads elsewhere."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [member for member in packed.infolist() if not member.is_dir()]
            folder = _folder_of(members)
            if sum(member.file_size for member in members) > BYTES or len(members) > FILES:
                raise _no_release("it is too large")
            place.mkdir(parents=True)
            for member in members:
                path = Path(member.filename)
                if str(path.parent) == folder and not stat.S_ISLNK(member.external_attr >> 16):
                    with packed.open(member) as source, (place / path.name).open("xb") as target:
                        _copy(source, target, member.file_size)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        raise _no_release("it is damaged, or no zip at all") from None
    return place


def _folder_of(members: list[zipfile.ZipInfo]) -> str:
    homes = {str(Path(member.filename).parent) for member in members if Path(member.filename).name == CERTIFICATE}
    if len(homes) != 1:
        raise _no_release(f"it holds {len(homes) or 'no'} {CERTIFICATE}")
    return homes.pop()


def _copy(source: IO[bytes], target: IO[bytes], size: int) -> None:
    """At most as many bytes as the zip announces: a bomb says little and unpacks to much."""
    left = size
    while left > 0:
        block = source.read(min(left, 1 << 20))
        if not block:
            return
        left -= len(block)
        target.write(block)


def _no_release(why: str) -> DataError:
    return DataError(
        f"This zip is no release: {why}.",
        code="data.zip",
        hint="Give the zip that voile made, or the path of the unpacked folder.",
    )

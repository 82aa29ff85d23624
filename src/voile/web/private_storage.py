"""The private folder of one visit. Each kind of file has a place in it, which is emptied before the next file comes,
and all of them together count against a quota. The folder is deleted when the visit ends."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from voile.errors import DataError, EngineError

QUOTA = 4 << 30  # bytes of one visit
RESERVE = 64 << 20  # bytes of the disk that are left to others
NAME_BYTES = 200  # file systems allow 255, and a suffix may be added
TABLE, EARLIER, RECEIVED, PUBLISHED = "table", "earlier", "received", "published"
TRIALS, SCRATCH, EXPORTED = "trials", "scratch", "exported"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class PrivateStorage:
    """The files of one visit."""

    folder: Path
    quota: int = QUOTA

    def find_place(self, kind: str) -> Path:
        """Return the place of one kind of file; make it if there is none."""
        place = self.folder / kind
        place.mkdir(mode=0o700, exist_ok=True)
        return place

    def empty(self, kind: str) -> Path:
        """Delete everything in the place of one kind of file, and return the place."""
        shutil.rmtree(self.folder / kind, ignore_errors=True)
        return self.find_place(kind)

    def measure_room(self) -> int:
        """Return how many bytes may still be stored: what is left of the quota, and of the disk."""
        free = shutil.disk_usage(self.folder).free - RESERVE
        return max(min(self.quota - count_bytes(self.folder), free), 0)

    def replace_files(self, kind: str, files: Sequence[tuple[str, IO[bytes], int]]) -> Path:
        """Store files in place of the last ones of their kind, all or none. Each has a name, a content and a size."""
        place = self.find_place(kind)
        if sum(size for _, _, size in files) > self.measure_room() + count_bytes(place):
            raise no_room(self.quota)
        try:
            self.empty(kind)
            for name, content, _ in files:
                with (place / name).open("xb") as out:
                    shutil.copyfileobj(content, out, 1 << 20)
        except OSError as error:
            self.empty(kind)
            raise describe_failure(error) from None
        return place

    def add_files(self, kind: str, files: Sequence[tuple[str, IO[bytes], int]]) -> Path:
        """Store files beside those of their kind, all or none; each name is new."""
        place = self.find_place(kind)
        if sum(size for _, _, size in files) > self.measure_room():
            raise no_room(self.quota)
        written: list[Path] = []
        try:
            for name, content, _ in files:
                with (place / name).open("xb") as out:
                    written.append(place / name)
                    shutil.copyfileobj(content, out, 1 << 20)
        except OSError as error:
            for path in written:
                path.unlink()
            raise describe_failure(error) from None
        return place

    def delete(self) -> None:
        """Delete everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def count_bytes(folder: Path) -> int:
    """Count the bytes of all files below a folder. A file that vanishes meanwhile counts nothing."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total


def is_plain_name(name: str) -> bool:
    """Whether a text can be the name of a file, here and on other machines.

    >>> [is_plain_name(name) for name in ("table.csv", "..", "a/b", "x" * 300, "a\\0b")]
    [True, False, False, False, False]
    """
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        return False
    return 0 < length <= NAME_BYTES and name.isprintable() and name not in (".", "..") and not set(name) & set("/\\")


def shorten_name(name: str, length: int = 60) -> str:
    """Shorten a name that is only shown.

    >>> shorten_name("patients.csv"), shorten_name("abcdefghij", 5)
    ('patients.csv', 'ab…ij')
    """
    half = (length - 1) // 2
    return name if len(name) <= length else f"{name[:half]}…{name[-half:]}"


def no_room(quota: int) -> DataError:
    """Make the error of a visit that would store more than it may."""
    hint = (
        "Put the file into the folder of the workbench and name its path, so that it need not be stored; "
        "or choose a smaller one. Files that you sent before are deleted with the next one of their kind."
    )
    return DataError(f"A visit may store {write_bytes(quota)}, and this is more.", code="data.quota", hint=hint)


def describe_failure(error: OSError) -> EngineError:
    """Return the error to show if a file could not be stored. The message of the system is not shown."""
    if error.errno in FULL:
        hint = "Delete files that nobody needs, or ask the person who runs this machine; then try again."
        return EngineError("There is no room left on the disk.", code="engine.disk", hint=hint)
    return EngineError("A file could not be stored.", code="engine.disk", hint="Give it a shorter, simpler name.")


def write_bytes(size: int) -> str:
    """Write a number of bytes for people.

    >>> write_bytes(4 << 30), write_bytes(200 << 20), write_bytes(2048)
    ('4 GB', '200 MB', '2 kB')
    """
    for power, unit in ((30, "GB"), (20, "MB"), (10, "kB")):
        if size >= 1 << power:
            return f"{size / (1 << power):.4g} {unit}"
    return f"{size} bytes"

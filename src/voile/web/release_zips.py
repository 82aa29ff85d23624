"""Unpack a zip that somebody sent. It may hold anything, so nothing in it is believed: sizes, names, numbers."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path
from typing import IO

from voile.errors import DataError, VoileError
from voile.io.release_folder import CERTIFICATE
from voile.web.private_storage import FULL, describe_failure, is_plain_name

FILES, BYTES = 1_000, 4 << 30  # limits of a zip
DIRECTORY = 4 << 20  # bytes of its table of contents


class _BoundedFile(io.FileIO):
    """A file that is never read by more than a few megabytes at once: the table of contents of a zip may be of any
    length, and would be read into memory before anything in it can be counted."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size > DIRECTORY:
            raise not_a_release(f"it holds more than {FILES:,} files")
        return super().read(size) or b""


def unpack_release(archive: Path, destination: Path, room: int = BYTES) -> list[str]:
    """Unpack the release folder of a zip: the plain files of one folder, and no links, in at most `room` bytes.
    Return the names of everything else in the zip, which stays packed."""
    try:
        with _BoundedFile(archive) as file, zipfile.ZipFile(file) as packed:
            members = [member for member in packed.infolist() if not member.is_dir()]
            chosen = _choose_members(members, room)
            destination.mkdir(parents=True)
            for member in chosen:
                path = destination / Path(member.filename).name
                with packed.open(member) as source, path.open("xb") as target:
                    _copy(source, target, member.file_size)
    except VoileError:
        raise
    except OSError as error:
        raise (describe_failure(error) if error.errno in FULL else not_a_release("it cannot be read")) from None
    except Exception:  # each method of compression has errors of its own, and damaged numbers give others
        raise not_a_release("it is damaged, or is not a zip") from None
    ids = {id(member) for member in chosen}
    return [member.filename for member in members if id(member) not in ids]


def _choose_members(members: list[zipfile.ZipInfo], room: int) -> list[zipfile.ZipInfo]:
    """Choose the files of the release folder; refuse a zip that cannot be unpacked as it says."""
    if len(members) > FILES:
        raise not_a_release(f"it holds more than {FILES:,} files")
    folder = _find_folder(members)
    chosen = [member for member in members if _parent(member) == folder and not _is_link(member)]
    names = [Path(member.filename).name for member in chosen]
    if not all(map(is_plain_name, names)):
        raise not_a_release("one of its files has a name that cannot be used, or that is too long")
    if len({name.casefold() for name in names}) < len(names):
        raise not_a_release("two of its files have the same name")
    if any(member.flag_bits & 1 for member in chosen):
        raise not_a_release("it is encrypted")
    if sum(member.file_size for member in chosen) > min(room, BYTES):
        raise not_a_release("it is too large")
    return chosen


def _find_folder(members: list[zipfile.ZipInfo]) -> str:
    folders = [_parent(member) for member in members if Path(member.filename).name == CERTIFICATE]
    if len(folders) != 1:
        raise not_a_release(f"it holds {len(folders) or 'no'} {CERTIFICATE}")
    return folders[0]


def _parent(member: zipfile.ZipInfo) -> str:
    return str(Path(member.filename).parent)


def _is_link(member: zipfile.ZipInfo) -> bool:
    mode = member.external_attr >> 16
    return stat.S_IFMT(mode) not in (0, stat.S_IFREG)


def _copy(source: IO[bytes], target: IO[bytes], size: int) -> None:
    """Copy exactly as many bytes as the zip announces: a zip bomb announces few and unpacks to many."""
    remaining = size
    while remaining > 0:
        block = source.read(min(remaining, 1 << 20))
        if not block:
            raise EOFError
        remaining -= len(block)
        target.write(block)


def not_a_release(why: str) -> DataError:
    """Make the error of a zip that holds no release, or not in a form that can be unpacked."""
    return DataError(
        f"This zip is not a release: {why}.",
        code="data.zip",
        hint="Choose the zip that voile made, or name the path of the unpacked folder.",
    )

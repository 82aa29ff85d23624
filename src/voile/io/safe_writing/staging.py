"""A staging folder beside the place of a file or folder, and the removal of those that dead processes left behind."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from voile.io.safe_writing.interruptions import hold_signals
from voile.io.safe_writing.locks import CAN_OPEN_FOLDERS, open_folder, try_lock

Rescue = Callable[[Path], bool]  # saves what is needed of a folder; False if the folder must stay
_SUFFIX = ".partial"
_LONGEST_NAME = 200  # bytes; a file system takes 255, and a prefix and a suffix are added
_ATTEMPTS = 100


def _prefix(target: Path) -> str:
    """Begin the names of the staging folders of a target; a long name is abbreviated by its digest."""
    name = os.fsencode(target.name)
    if len(name) > _LONGEST_NAME:
        return f".{hashlib.blake2b(name, digest_size=16).hexdigest()}."
    return f".{target.name}."


@contextmanager
def staging_folder(target: Path, rescue: Rescue | None = None) -> Iterator[Path]:
    """Make a folder beside `target` that only its owner can enter; at the end, remove it and all that is left in it.

    First the folders of dead processes are swept, as `sweep` says.
    """
    sweep(target, rescue)
    folder, close = _make_locked(target)
    try:
        yield folder
    finally:
        try:
            with hold_signals():
                _remove(folder, rescue)
        finally:
            close()


def _make_locked(target: Path) -> tuple[Path, Callable[[], None]]:
    """Make a folder and lock it; return also what unlocks it. A process that sweeps in between takes it for a dead
    one's: then make another."""
    for _ in range(_ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent))
        if not CAN_OPEN_FOLDERS:
            return folder, lambda: None
        with suppress(FileNotFoundError):
            descriptor = open_folder(folder)
            if try_lock(descriptor) is not False and _is_in_place(folder, descriptor):
                return folder, partial(os.close, descriptor)
            os.close(descriptor)
    raise FileExistsError(17, "No staging folder can be made", target.name)


def sweep(target: Path, rescue: Rescue | None = None) -> None:
    """Remove the staging folders of a target whose processes are dead; `rescue` first saves what is needed of each.

    A folder is known by its name, its owner, and that nobody holds its lock. Links are not followed. What cannot be
    removed stays.
    """
    _sweep(target.parent, re.escape(_prefix(target)), rescue)


def sweep_folder(folder: Path) -> None:
    """Remove the staging folders of dead processes, whatever file of this folder they were for."""
    _sweep(folder, r"\..+\.", None)


def _sweep(parent: Path, prefix: str, rescue: Rescue | None) -> None:
    if not CAN_OPEN_FOLDERS:
        return  # nobody can tell whether a process is alive
    pattern = re.compile(prefix + "[a-z0-9_]{8}" + re.escape(_SUFFIX))
    with suppress(OSError):
        with os.scandir(parent) as entries:
            names = [entry.name for entry in entries if pattern.fullmatch(entry.name)]
        for name in names:
            with suppress(OSError):
                _remove_if_dead(parent / name, rescue)


def _remove_if_dead(folder: Path, rescue: Rescue | None) -> None:
    descriptor = open_folder(folder)
    try:
        if os.fstat(descriptor).st_uid != os.geteuid() or not try_lock(descriptor):
            return
        if not _is_in_place(folder, descriptor):
            return
        with hold_signals():
            _remove(folder, rescue)
    finally:
        os.close(descriptor)


def _remove(folder: Path, rescue: Rescue | None) -> None:
    if rescue is None or rescue(folder):
        shutil.rmtree(folder, ignore_errors=True)


def _is_in_place(folder: Path, descriptor: int) -> bool:
    """Whether a folder still has its name: a process that swept may have removed it before it was locked."""
    try:
        return os.path.samestat(os.lstat(folder), os.fstat(descriptor))
    except FileNotFoundError:
        return False

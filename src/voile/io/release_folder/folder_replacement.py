"""Move a release folder into place in one step, and put things right after a process that was killed meanwhile."""

from __future__ import annotations

import ctypes
import os
from functools import partial
from pathlib import Path

from voile.io.release_folder.file_names import CERTIFICATE
from voile.io.safe_writing.staging import sweep

_RENAME_EXCHANGE = 2  # renameat2: swap two names in one step
_AT_FDCWD = -100  # paths are relative to the working directory
NEW, _OLD = "new", "old"  # inside a staging folder


def resolve_parents(target: Path) -> Path:
    """Return the absolute path of a target. Links above it are resolved; a link at its own place is not. ValueError for
    a name that no file can have."""
    if "\0" in str(target):
        raise ValueError("embedded null byte")
    if target.name in ("", ".."):
        return Path(os.path.realpath(target))
    return Path(os.path.realpath(target.parent)) / target.name


def move_into_place(staging: Path, target: Path) -> None:
    """Move the new folder of a staging folder into place. The old release ends up in the staging folder."""
    if not target.exists() or not any(target.iterdir()):
        os.rename(staging / NEW, target)  # an empty folder is replaced in one step
    elif not _exchange_names(staging / NEW, target):
        # no atomic swap on this file system: for a moment the old release is only in the staging folder
        os.rename(target, staging / _OLD)
        try:
            os.rename(staging / NEW, target)
        except BaseException:
            put_back(target, staging)
            raise


def _exchange_names(first: Path, second: Path) -> bool:
    """Swap two names in one step if the system can; return whether it did."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    status = rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
    return bool(status == 0)


def put_back(target: Path, staging: Path) -> bool:
    """Put back an old release that is only in a staging folder; return whether the staging folder may be removed.

    An old release is not needed once a new one is in place. If something else is there, the old release stays where it
    is.
    """
    if not (staging / _OLD / CERTIFICATE).is_file() or (target / CERTIFICATE).is_file():
        return True
    try:
        if target.is_symlink() or (target.exists() and any(target.iterdir())):
            return False
        os.rename(staging / _OLD, target)
    except OSError:
        return False
    return True


def recover(target: Path) -> None:
    """Put things right after a process that was killed while it replaced a release: put back a release that was moved
    away, and remove what the process left behind."""
    sweep(target, partial(put_back, target))

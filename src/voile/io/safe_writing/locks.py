"""Locks on folders. The system releases them when a process ends, however it ends; no lock file is left behind."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from voile.errors import DataError

try:
    import fcntl
except ImportError:  # Windows: folders cannot be opened there, and nothing is locked
    fcntl = None  # type: ignore[assignment]

PATIENCE = 60.0  # seconds; a commit takes a fraction of one, unless a ledger is large
_PAUSE = 0.02  # seconds between two attempts
CAN_OPEN_FOLDERS = fcntl is not None


def open_folder(folder: Path) -> int:
    """Open a folder, but not through a link, and return its descriptor."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def try_lock(descriptor: int) -> bool | None:
    """Lock an open folder; False if another process holds it, None if the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@contextmanager
def lock_folders(*folders: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Let one process at a time change what is in these folders. Others wait, and give up after a minute, or sooner.

    Locks are taken in one order for all processes, so that no two of them wait for each other. Where folders cannot be
    locked, nobody waits.
    """
    if not CAN_OPEN_FOLDERS:
        yield
        return
    with ExitStack() as opened:
        descriptors: dict[tuple[int, int], tuple[int, Path]] = {}
        for folder in folders:
            descriptor = open_folder(folder)
            opened.callback(os.close, descriptor)
            status = os.fstat(descriptor)
            descriptors.setdefault((status.st_dev, status.st_ino), (descriptor, folder))
        for _, (descriptor, folder) in sorted(descriptors.items()):
            _wait_for_lock(descriptor, folder, min(patience, PATIENCE))
        yield


def _wait_for_lock(descriptor: int, folder: Path, patience: float) -> None:
    until = time.monotonic() + patience
    while try_lock(descriptor) is False:
        if time.monotonic() > until:
            raise DataError(
                f"Another process is writing to {folder.name!r}, and does not end.",
                code="data.busy",
                hint="Try again when it has ended.",
            )
        time.sleep(_PAUSE)

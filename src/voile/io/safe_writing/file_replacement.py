"""Files that are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from voile.io.safe_writing.interruptions import hold_signals, note_written, raise_if_interrupted
from voile.io.safe_writing.locks import CAN_OPEN_FOLDERS
from voile.io.safe_writing.staging import staging_folder


def replace_files(contents: Mapping[Path, bytes], *, private: bool = False) -> None:
    """Write each file beside its place, then move all of them in. A link is replaced, and never followed.

    With `private`, only the owner may read the files; otherwise the umask decides. Raises OSError. Each file is then
    the old one or the new one. If this run was interrupted, all are the old ones.
    """
    with ExitStack() as staged:
        written: dict[Path, Path] = {}
        for path, content in contents.items():
            if "\0" in str(path):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            path.parent.mkdir(parents=True, exist_ok=True)
            written[path] = staged.enter_context(staging_folder(path)) / "new"
            write_file(written[path], content, private=private)
        with hold_signals():
            raise_if_interrupted()
            for path, fresh in written.items():
                os.replace(fresh, path)
                note_written(path)
            for folder in {path.parent for path in contents}:
                flush_to_disk(folder)


def write_file(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file that must not exist yet, and wait until it is on the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o600 if private else 0o666)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(descriptor)


def flush_to_disk(path: Path) -> None:
    """Wait until a file or the list of a folder's files is on the disk, and not only in the system's memory."""
    if not CAN_OPEN_FOLDERS:
        return  # Windows: a folder cannot be opened, nor can a file that is only read be flushed
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

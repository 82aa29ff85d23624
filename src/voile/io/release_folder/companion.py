"""A file that changes together with a release folder: both are the old ones, or both are the new ones.

Two renames are two steps, and a process can be killed between them. So the file first gets a content that holds its old
and its new state and says which release decides between them. Then the release is moved into place, in one step that
decides for both. Then the file gets its new state alone. Whoever reads the file in between looks at which release is in
place.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from voile.errors import DataError, SpecError
from voile.io.release_folder.file_names import CERTIFICATE, file_digest
from voile.io.release_folder.folder_replacement import resolve_parents
from voile.io.safe_writing.file_replacement import flush_to_disk, replace_files
from voile.io.safe_writing.interruptions import record_writes


@dataclass(frozen=True)
class Companion:
    """A file's state before and after a release. `both` returns a content with both states, given the folder of the
    release and the digest of its certificate. `kind` names the file in errors."""

    kind: str
    path: Path
    before: bytes | None  # None: there was no file
    after: bytes
    both: Callable[[Path, str], bytes]

    def check_place(self, target: Path) -> None:
        """Raise if the file would lie in a release folder, or if it is a link: a file would replace the link, and the
        file that it leads to would stay as it is."""
        folder = Path(os.path.realpath(self.path.parent))
        if resolve_parents(target) in (folder, *folder.parents) or (folder / CERTIFICATE).exists():
            raise SpecError(
                f"The {self.kind} {self.path.name!r} would lie in a release folder, which goes to recipients.",
                code=f"spec.{self.kind}",
                hint="Name a file outside: it is as secret as the table.",
            )
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            what = "a link" if self.path.is_symlink() else "no file"
            raise SpecError(
                f"The {self.kind} {self.path.name!r} is {what}.", code=f"spec.{self.kind}", hint="Name the file itself."
            )

    def check(self) -> None:
        """Raise unless the file is as it was when it was read."""
        current = None
        with suppress(FileNotFoundError):
            current = self._read()
        if current != self.before:
            raise DataError(
                f"The {self.kind} {self.path.name!r} was changed by another process meanwhile.",
                code=f"data.{self.kind}",
                hint="Publish again; nothing was changed.",
            )

    def write_both(self, folder: Path, certificate_digest: str) -> None:
        """Write the old and the new state; what the file means does not change."""
        self._replace(self.both(folder, certificate_digest))

    def settle(self, in_place: bool) -> None:
        """Write the state that holds. If this fails, the file has both states and means the same."""
        with suppress(DataError, OSError), record_writes():  # the caller tells what was changed
            if in_place:
                self._replace(self.after)
            elif self.before is not None:
                self._replace(self.before)
            else:
                self.path.unlink()
                flush_to_disk(self.path.parent)

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._unwritable(error) from None

    def _replace(self, content: bytes) -> None:
        try:
            with record_writes():
                replace_files({self.path: content}, private=True)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> DataError:
        return DataError(
            f"The {self.kind} cannot be written to {self.path.name!r} ({error.strerror}).",
            code=f"data.{self.kind}",
            hint="Check the free space and the permissions there; nothing was changed.",
        )


def is_in_place(folder: Path, certificate_digest: str) -> bool:
    """Whether a folder holds the release with this certificate."""
    try:
        return file_digest(folder / CERTIFICATE) == certificate_digest
    except OSError:
        return False

"""The files that a visitor may name: only those inside one folder, once links are followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from voile.errors import SpecError
from voile.io.release_folder import CERTIFICATE
from voile.io.table_files import FILE_KINDS

DEPTH = 3  # levels of folders that are listed
SHOWN = 200  # files that are listed
PATH_BYTES, NAME_BYTES = 2_000, 255


def resolve_inside(folder: Path, text: str) -> Path:
    """Resolve a path that a visitor named, following all links; raise an error if it is outside the folder."""
    root = folder.resolve()
    if not _is_usable(text):
        hint = f"A path has at most {PATH_BYTES:,} bytes, and each name in it {NAME_BYTES}, all of them printable."
        raise SpecError("This path is too long, or has characters that no name has.", code="spec.path", hint=hint)
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


def _is_usable(text: str) -> bool:
    try:
        parts = [len(part) for part in text.strip().encode().split(b"/")]
    except UnicodeEncodeError:
        return False
    return text.strip().isprintable() and sum(parts) <= PATH_BYTES and max(parts) <= NAME_BYTES


def list_tables(folder: Path) -> list[str]:
    """List the tables in the folder and up to DEPTH levels below, by path."""
    return [name for name, entry in _walk(folder) if entry.is_file() and Path(name).suffix.lower() in FILE_KINDS]


def list_releases(folder: Path) -> list[str]:
    """List the release folders in the folder and up to DEPTH levels below."""
    return [name for name, entry in _walk(folder) if entry.is_dir() and (Path(entry.path) / CERTIFICATE).is_file()]


def _walk(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Walk through a folder, breadth first, skipping links, and names that are hidden or unprintable."""
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
                if entry.name.startswith(".") or not entry.name.isprintable() or entry.is_symlink():
                    continue
                yield str(Path(entry.path).relative_to(folder)), entry
                if entry.is_dir() and not (Path(entry.path) / CERTIFICATE).is_file():
                    below.append(Path(entry.path))
        level = below

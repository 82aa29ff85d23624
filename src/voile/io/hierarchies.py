"""Hierarchies in files: one row a leaf, leaf first, parted by `;` or `,`."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from voile.errors import SchemaError


def read(path: Path) -> list[list[str]]:
    """The rows of a hierarchy file."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SchemaError(
            f"The hierarchy file {path.name!r} cannot be read.",
            code="schema.hierarchy-file",
            hint="Give a UTF-8 CSV, leaf first.",
        ) from None
    rows = [line for line in lines if line.strip()]
    sign = ";" if any(";" in line for line in rows) else ","
    return [[cell.strip() for cell in row] for row in csv.reader(rows, delimiter=sign)]


def write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """A hierarchy as a file that a person can edit."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, delimiter=";", lineterminator="\n").writerows(rows)

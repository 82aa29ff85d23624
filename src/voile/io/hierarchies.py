"""Hierarchies in files: one row a leaf, leaf first, parted by `;` or `,`. One file a column, named after it."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from voile.errors import DataError, SchemaError, SpecError


def read(path: Path) -> list[list[str]]:
    """The rows of a hierarchy file. Spaces around a label count only within quotes."""
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        content = None
    if content is None:
        raise SchemaError(
            f"The hierarchy file {path.name!r} cannot be read.",
            code="schema.hierarchy-file",
            hint="Give a UTF-8 CSV, leaf first.",
        )
    return parse(content)


def parse(content: str) -> list[list[str]]:
    """The rows of a text.

    >>> parse('FR; Europe; *\\nJP; "Asia; Pacific"; *')
    [['FR', 'Europe', '*'], ['JP', 'Asia; Pacific', '*']]
    """
    bare = [line for line in re.sub(r'"[^"]*"', "", content).splitlines() if line.strip()]
    sign = ";" if not any("," in line for line in bare) or (bare and all(";" in line for line in bare)) else ","
    cell = re.compile(rf'[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^{sign}\r\n]*))({sign}|\r\n|\r|\n|\Z)')
    rows, row, place = [], list[str](), 0
    while place < len(content):
        match = cell.match(content, place)
        assert match is not None  # the second branch reads anything
        quoted, plain, end = match.groups()
        row.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        place = match.end()
        if end == sign and place == len(content):
            row.append("")
        if end != sign or place == len(content):
            if len(row) > 1 or row[0] or quoted is not None:  # not a blank line
                rows.append(row)
            row = []
    return rows


def write(folder: Path, hierarchies: Mapping[str, Sequence[Sequence[str]]], force: bool = False) -> list[Path]:
    """One file a column that a person can edit; existing ones are replaced only with `force`."""
    paths = {column: folder / file_name(column) for column in hierarchies}
    there = [path for path in paths.values() if path.exists()]
    if there and not force:
        raise SpecError(
            f"{folder.name!r} already has {len(there)} of these files.", code="spec.out-exists", hint="Use --force."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for column, rows in hierarchies.items():
            _replace(paths[column], "".join(";".join(map(_quoted, row)) + "\n" for row in rows))
    except OSError as error:
        raise DataError(
            f"The hierarchies cannot be written to {folder.name!r} ({error.strerror}).", code="data.write"
        ) from None
    return list(paths.values())


def _replace(path: Path, content: str) -> None:
    """Write a file beside its place and move it in whole."""
    number, name = tempfile.mkstemp(prefix=".hierarchy.", dir=path.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="") as handle:
            handle.write(content)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _quoted(cell: str) -> str:
    plain = cell and cell == cell.strip() and not re.search(r'[";,\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]', cell)
    return cell if plain else '"' + cell.replace('"', '""') + '"'


def of_folder(folder: Path) -> dict[str, str]:
    """The hierarchy files of a folder by column."""
    if not folder.is_dir():
        raise SpecError(
            f"There is no folder {folder.name!r}.", code="spec.hierarchies", hint="Name a folder of CSV files."
        )
    return {unquote(path.stem): str(path) for path in sorted(folder.glob("*.csv"))}


def file_name(column: str) -> str:
    """The file of a column; signs that a file name cannot hold are written as in a URL.

    >>> file_name("zip"), file_name("w/h 5%")
    ('zip.csv', 'w%2Fh 5%25.csv')
    """
    shown = re.sub(r'[%/\\:*?"<>|\x00-\x1f]|^\.', lambda found: f"%{ord(found.group()):02X}", column)
    return shown + ".csv"

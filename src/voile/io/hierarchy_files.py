"""Hierarchies in files: one file per column, named after it; one row per leaf, leaf first, separated by `;` or `,`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from voile.errors import SchemaError, SpecError, option
from voile.io.text_files import write_texts


def read_hierarchy(path: Path) -> list[list[str]]:
    """Read the rows of a hierarchy file. Spaces around a label count only within quotes."""
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):  # a path with a zero byte, or bytes that are no text
        content = None
    if content is None:
        raise SchemaError(
            f"The hierarchy file {path.name!r} cannot be read.",
            code="schema.hierarchy-file",
            hint="Give a UTF-8 CSV, leaf first.",
        )
    return parse_rows(content)


def parse_rows(content: str) -> list[list[str]]:
    """Parse the rows of a hierarchy file.

    >>> parse_rows('FR; Europe; *\\nJP; "Asia; Pacific"; *')
    [['FR', 'Europe', '*'], ['JP', 'Asia; Pacific', '*']]
    """
    unquoted = [line for line in re.sub(r'"[^"]*"', "", content).splitlines() if line.strip()]
    has_commas = any("," in line for line in unquoted)
    delimiter = ";" if not has_commas or (unquoted and all(";" in line for line in unquoted)) else ","
    cell = re.compile(rf'[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^{delimiter}\r\n]*))({delimiter}|\r\n|\r|\n|\Z)')
    rows, row, position = [], list[str](), 0
    while position < len(content):
        match = cell.match(content, position)
        assert match is not None  # the second branch reads anything
        quoted, plain, end = match.groups()
        row.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if end == delimiter and position == len(content):
            row.append("")
        if end != delimiter or position == len(content):
            if len(row) > 1 or row[0] or quoted is not None:  # not a blank line
                rows.append(row)
            row = []
    return rows


def write_hierarchies(
    folder: Path, hierarchies: Mapping[str, Sequence[Sequence[str]]], force: bool = False
) -> list[Path]:
    """Write one file per column that a person can edit; existing files are replaced only with `force`."""
    paths = {column: folder / hierarchy_file_name(column) for column in hierarchies}
    existing = [path for path in paths.values() if path.exists()]
    if existing and not force:
        raise SpecError(
            f"{folder.name!r} already has {len(existing)} of these files.",
            code="spec.out-exists",
            hint=f"Name another folder, or replace them ({option('force', True)}).",
        )
    texts = {
        paths[column]: "".join(";".join(map(_quote_cell, row)) + "\n" for row in rows)
        for column, rows in hierarchies.items()
    }
    write_texts(texts, "hierarchies")
    return list(paths.values())


def find_hierarchies(folder: Path) -> dict[str, str]:
    """List the hierarchy files of a folder by column."""
    if not folder.is_dir():
        raise SpecError(
            f"There is no folder {folder.name!r}.", code="spec.hierarchies", hint="Name a folder of CSV files."
        )
    return {unquote(path.stem): str(path) for path in sorted(folder.glob("*.csv"))}


def hierarchy_file_name(column: str) -> str:
    """Return the file name for a column; characters that a file name cannot hold are written as in a URL.

    >>> hierarchy_file_name("zip"), hierarchy_file_name("w/h 5%")
    ('zip.csv', 'w%2Fh 5%25.csv')
    """
    escaped = re.sub(r'[%/\\:*?"<>|\x00-\x1f]|^\.', lambda match: f"%{ord(match.group()):02X}", column)
    return escaped + ".csv"


def _quote_cell(cell: str) -> str:
    plain = cell and cell == cell.strip() and not re.search(r'[";,\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]', cell)
    return cell if plain else '"' + cell.replace('"', '""') + '"'

"""Hierarchies in files: one row a leaf, leaf first, parted by `;` or `,`. One file a column, named after it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from voile.errors import DataError, SchemaError, SpecError, option


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


def outline(rows: Sequence[Sequence[str]]) -> str:
    """Rows, leaf first, as a tree that a person can edit: a line for each node, two spaces in for each level. The root
    `*` is not written, and neither is the rest of a branch that repeats its top.

    >>> outline([["FR", "Europe", "*"], ["IT", "Europe", "*"], ["JP", "Asia", "*"]]).splitlines()
    ['Europe', '  FR', '  IT', 'Asia', '  JP']
    """
    height = max((len(row) for row in rows), default=1) - 1
    paths = [[*reversed(row[:height] if len(row) > 1 and row[-1] == "*" else row)] for row in rows]
    lines: list[str] = []
    before: list[str] = []
    order = {path: number for number, path in reversed([*enumerate(_prefixes(paths))])}
    for path in sorted(paths, key=lambda path: [order[tuple(path[: depth + 1])] for depth in range(len(path))]):
        same = next((depth for depth, name in enumerate(path) if before[depth : depth + 1] != [name]), len(path))
        lines += ["  " * depth + _shielded(path[depth]) for depth in range(same, len(path))]
        before = path
    return "\n".join(lines) + "\n" if lines else ""


def _prefixes(paths: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    return [tuple(path[: depth + 1]) for path in paths for depth in range(len(path))]


def _shielded(label: str) -> str:
    plain = label and label == label.strip() and label.isprintable() and not label.startswith('"')
    return label if plain else json.dumps(label)


def nested(text: str, column: str) -> dict[str, Any]:
    """The tree that an outline draws, as `tree` takes it: dicts whose innermost values are lists of leaves.

    >>> nested("Europe\\n  FR\\n  IT\\nAsia\\n  JP", "country")
    {'Europe': ['FR', 'IT'], 'Asia': ['JP']}
    """
    lines = [line.expandtabs(2) for line in text.splitlines() if line.strip()]
    depths = [len(line) - len(line.lstrip(" ")) for line in lines]
    parents: list[tuple[int, list[Any]]] = [(-1, [])]
    for line, depth in zip(lines, depths, strict=True):
        while parents[-1][0] >= depth:
            parents.pop()
        node: list[Any] = []
        parents[-1][1].append((_label(line.strip(), column), node))
        parents.append((depth, node))
        if parents[1][0] != depths[0]:
            raise _no_tree(column, "its first line is further in than a later one")
    found = _folded(parents[0][1], column)
    return found if isinstance(found, dict) else {"*": found}  # leaves alone: nothing between them and the root


def _label(text: str, column: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise _no_tree(column, "a label in quotes does not end") from None


def _folded(nodes: list[Any], column: str) -> dict[str, Any] | list[str]:
    """Lists of leaves, and dicts of nodes; a leaf among nodes becomes a node of its own."""
    names = [name for name, _ in nodes]
    if len(set(names)) < len(names):
        raise _no_tree(column, "a label stands twice below the same node")
    if not any(below for _, below in nodes):
        return names
    return {name: _folded(below, column) if below else [name] for name, below in nodes}


def _no_tree(column: str, why: str) -> SchemaError:
    return SchemaError(
        f"The tree of {column!r} cannot be read: {why}.",
        code="schema.hierarchy",
        hint="Write one label a line; what stands below a node is two spaces further in.",
    )


def write(folder: Path, hierarchies: Mapping[str, Sequence[Sequence[str]]], force: bool = False) -> list[Path]:
    """One file a column that a person can edit; existing ones are replaced only with `force`."""
    paths = {column: folder / file_name(column) for column in hierarchies}
    there = [path for path in paths.values() if path.exists()]
    if there and not force:
        raise SpecError(
            f"{folder.name!r} already has {len(there)} of these files.",
            code="spec.out-exists",
            hint=f"Name another folder, or replace them ({option('force', True)}).",
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

"""Hierarchies as indented outlines that a person can read and edit in a form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from voile.errors import SchemaError
from voile.io.hierarchy_files import parse_rows

_MOST_LEVELS = 100


def render_outline(rows: Sequence[Sequence[str]]) -> str:
    """Write rows, leaf first, as a tree: one line per node, indented by two spaces per level.

    The root `*` is not written, nor is the rest of a branch that repeats its top.

    >>> render_outline([["FR", "Europe", "*"], ["IT", "Europe", "*"], ["JP", "Asia", "*"]]).splitlines()
    ['Europe', '  FR', '  IT', 'Asia', '  JP']
    """
    height = max((len(row) for row in rows), default=1) - 1
    paths = [[*reversed(row[:height] if len(row) > 1 and row[-1] == "*" else row)] for row in rows]
    lines: list[str] = []
    before: list[str] = []
    order = {path: number for number, path in reversed([*enumerate(_list_prefixes(paths))])}
    for path in sorted(paths, key=lambda path: [order[tuple(path[: depth + 1])] for depth in range(len(path))]):
        shared = next((depth for depth, name in enumerate(path) if before[depth : depth + 1] != [name]), len(path))
        lines += ["  " * depth + _quote_label(path[depth]) for depth in range(shared, len(path))]
        before = path
    return "\n".join(lines) + "\n" if lines else ""


def parse_outline(text: str, column: str) -> dict[str, Any]:
    """Return the tree that an outline draws, as `tree` takes it: dicts whose innermost values are lists of leaves.

    >>> parse_outline("Europe\\n  FR\\n  IT\\nAsia\\n  JP", "country")
    {'Europe': ['FR', 'IT'], 'Asia': ['JP']}
    """
    lines = [line.expandtabs(2) for line in text.splitlines() if line.strip()]
    depths = [len(line) - len(line.lstrip(" ")) for line in lines]
    parents: list[tuple[int, list[Any]]] = [(-1, [])]
    for line, depth in zip(lines, depths, strict=True):
        while parents[-1][0] >= depth:
            parents.pop()
        node: list[Any] = []
        parents[-1][1].append((_parse_label(line.strip(), column), node))
        parents.append((depth, node))
        if len(parents) > _MOST_LEVELS:
            raise _malformed_outline(column, f"it has more than {_MOST_LEVELS - 1} levels")
        if parents[1][0] != depths[0]:
            raise _malformed_outline(column, "its first line is indented further than a later one")
    tree = _fold_nodes(parents[0][1], column)
    return tree if isinstance(tree, dict) else {"*": tree}  # leaves only: nothing between them and the root


def parse_tree_file(name: str, content: bytes, column: str) -> dict[str, Any]:
    """Return the tree in a file: a CSV has one row per value, leaf first; any other text is an outline.

    >>> parse_tree_file("country.csv", b"FR;Europe\\nIT;Europe\\nJP;Asia", "country")
    {'Europe': ['FR', 'IT'], 'Asia': ['JP']}
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _malformed_outline(column, "the file is not text in UTF-8") from None
    if not name.lower().endswith(".csv"):
        return parse_outline(text, column)
    rows = parse_rows(text)
    if len({len(row) for row in rows}) != 1:
        raise SchemaError(
            f"The tree of {column!r} cannot be read: its rows are of different lengths, or there are none.",
            code="schema.hierarchy",
            hint="Give one row per value, leaf first, and every value the same number of levels.",
        )
    return parse_outline(render_outline(rows), column)


def _list_prefixes(paths: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    return [tuple(path[: depth + 1]) for path in paths for depth in range(len(path))]


def _quote_label(label: str) -> str:
    plain = label and label == label.strip() and label.isprintable() and not label.startswith('"')
    return label if plain else json.dumps(label)


def _parse_label(text: str, column: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise _malformed_outline(column, "a label in quotes does not end") from None


def _fold_nodes(nodes: list[Any], column: str) -> dict[str, Any] | list[str]:
    """Turn nodes into lists of leaves and dicts of nodes; a leaf among nodes becomes a node of its own."""
    names = [name for name, _ in nodes]
    if len(set(names)) < len(names):
        raise _malformed_outline(column, "a label stands twice below the same node")
    if not any(below for _, below in nodes):
        return names
    return {name: _fold_nodes(below, column) if below else [name] for name, below in nodes}


def _malformed_outline(column: str, reason: str) -> SchemaError:
    return SchemaError(
        f"The tree of {column!r} cannot be read: {reason}.",
        code="schema.hierarchy",
        hint="Write one label per line, and indent it two spaces further than its parent.",
    )

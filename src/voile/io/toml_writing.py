"""Plain values as TOML, so that choices made by clicking can be saved as a spec.toml. Python only reads TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


def render_toml(content: Mapping[str, Any]) -> str:
    """Return TOML text: values first, then tables. Entries that are None are left out.

    >>> print(render_toml({"schema": {"quasi": ["age"]}, "policy": [{"model": "k-anonymity", "k": 5}]}).strip())
    [schema]
    quasi = ["age"]
    <BLANKLINE>
    [[policy]]
    model = "k-anonymity"
    k = 5
    """
    return "\n".join(_render_lines(content, ())).strip() + "\n"


def _render_lines(content: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    entries = {name: value for name, value in content.items() if value is not None}
    tables = {name: value for name, value in entries.items() if isinstance(value, Mapping) or _is_table_list(value)}
    for name, value in entries.items():
        if name not in tables:
            yield f"{_render_key(name)} = {_render_value(value)}"
    for name, value in tables.items():
        inner = (*path, name)
        title = ".".join(map(_render_key, inner))
        for table in (value,) if isinstance(value, Mapping) else value:
            if not _holds_tables_only(value):
                yield ""
                yield f"[{title}]" if isinstance(value, Mapping) else f"[[{title}]]"
            yield from _render_lines(table, inner)


def _holds_tables_only(value: Any) -> bool:
    """Whether a table needs no heading of its own, because the headings of its tables name it."""
    return isinstance(value, Mapping) and bool(value) and all(isinstance(part, Mapping) for part in value.values())


def _is_table_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _render_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _render_text(name)


def _render_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_render_value, value)) + "]"
    if isinstance(value, Mapping):
        pairs = (f"{_render_key(str(name))} = {_render_value(item)}" for name, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return _render_text(str(value))


def _render_text(text: str) -> str:
    """Return a basic string: JSON's escapes are TOML's, except that TOML also wants DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

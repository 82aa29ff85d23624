"""Plain values as TOML: what was clicked can be kept as a spec.toml. Python reads TOML but does not write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


def write(content: Mapping[str, Any]) -> str:
    """TOML text: values first, then tables. Entries that are None are left out.

    >>> print(write({"schema": {"quasi": ["age"]}, "policy": [{"model": "k-anonymity", "k": 5}]}).strip())
    [schema]
    quasi = ["age"]
    <BLANKLINE>
    [[policy]]
    model = "k-anonymity"
    k = 5
    """
    return "\n".join(_lines(content, ())).strip() + "\n"


def _lines(content: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    kept = {name: value for name, value in content.items() if value is not None}
    tables = {name: value for name, value in kept.items() if isinstance(value, Mapping) or _listed(value)}
    for name, value in kept.items():
        if name not in tables:
            yield f"{_key(name)} = {_value(value)}"
    for name, value in tables.items():
        inner = (*path, name)
        title = ".".join(map(_key, inner))
        for part in (value,) if isinstance(value, Mapping) else value:
            yield ""
            yield f"[{title}]" if isinstance(value, Mapping) else f"[[{title}]]"
            yield from _lines(part, inner)


def _listed(value: Any) -> bool:
    """A list of tables."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(part, Mapping) for part in value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(name))} = {_value(part)}" for name, part in value.items()) + "}"
    return _text(str(value))


def _text(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL, which TOML wants escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

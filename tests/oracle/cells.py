"""The original values that a published cell may stand for."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl


def text(value: Any) -> str:
    if value is None:
        return "(missing)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def parts_of(inside: str) -> list[str]:
    """`A|B` to its parts; a backslash escapes the next character."""
    parts, shielded = [""], False
    for sign in inside:
        if shielded:
            parts[-1] += sign
            shielded = False
        elif sign == "\\":
            shielded = True
        elif sign == "|":
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def stands_for(cell: Any, entry: Mapping[str, Any], values: Sequence[Any]) -> set[Any]:
    """Which of the original values a published cell may stand for, by the dictionary's own explanation."""
    if entry["shown"] == "exact":
        return {value for value in values if text(value) == text(cell)}
    label, names = str(cell), entry.get("names") or {}
    if label == "*":
        return set(values)
    if entry["kind"] in ("numeric", "date"):
        return {value for value in values if _in_range(label, value, entry, names, values)}
    if label in names:
        listed = [text(name) for name in names[label]]
    elif label.startswith("{") and label.endswith("}"):
        listed = parts_of(label[1:-1])
    elif entry.get("prefixes") and label.endswith("*") and label not in map(text, entry["domain"]["values"]):
        beginning = label.rstrip("*")
        listed = [text(value) for value in values if len(text(value)) == len(label)]
        listed = [one for one in listed if one.startswith(beginning)]
    else:
        listed = [label.removeprefix("\\")]
    return {value for value in values if text(value) in listed}


def _in_range(
    label: str, value: Any, entry: Mapping[str, Any], names: Mapping[str, Any], values: Sequence[Any]
) -> bool:
    if label.endswith("|(missing)}"):
        return value is None or _in_range(label[1 : -len("|(missing)}")], value, entry, names, values)
    if value is None:
        return label == "(missing)"
    if label == "(missing)":
        return False
    read = type(next(one for one in values if one is not None))
    parse = read.fromisoformat if issubclass(read, datetime.date) else read
    if label in names:
        ends = [names[label][0], names[label][-1]]
    elif label.startswith("["):
        ends = label[1:-1].split(", ")
    else:
        ends = [label, label]
    return bool(parse(str(ends[0])) <= value <= parse(str(ends[1])))


def read_and_write_again(content: bytes) -> pl.DataFrame | None:
    """Return the table of texts; None if polars would write these cells differently."""
    try:
        table = pl.read_csv(content, infer_schema=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    names = [name.replace('""', '"') for name in table.columns]  # polars leaves the quotes of a header doubled
    if not names or len(set(names)) < len(names):
        return None
    table.columns = names
    written = {table.write_csv(line_terminator=end).encode() for end in ("\n", "\r\n")}
    return table if content in written else None

"""The form of honest documents: which keys, types and words occur where."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

OPEN_MAPS = ("names", "files", "l", "reached")  # objects whose keys are not words of the format
# texts that may be anything as far as the form goes; what they say is checked elsewhere
FREE_TEXTS = ("name", "column", "quasi", "promise", "bound", "tool", "values", "min", "max", "names", "hierarchy")
FREE_TEXTS += ("protect", "prior", "earlier", "primary", "files", "reached", "nodes")


class DocumentError(Exception):
    """The text of a document is not plain JSON."""


def read_strictly(content: bytes) -> Any:
    """Parse JSON without keys that occur twice, and without numbers that JSON does not have."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise DocumentError("a key occurs twice")
        return dict(pairs)

    def refuse(name: str) -> Any:
        raise DocumentError(f"{name} is no number")

    def number(text: str) -> float:
        if not math.isfinite(float(text)):
            raise DocumentError(f"{text} is beyond all numbers")
        return float(text)

    try:
        text = content.decode("utf-8")
        document = json.loads(text, object_pairs_hook=build, parse_constant=refuse, parse_float=number)
        usual = [
            json.dumps(document, indent=indent, ensure_ascii=escapes)
            for indent in (1, None)
            for escapes in (True, False)
        ]
    except (ValueError, RecursionError) as error:
        raise DocumentError(type(error).__name__) from None
    if text.removesuffix("\n") not in usual:
        raise DocumentError("it is written in an unusual way")
    return document


def kind_of(value: Any) -> str:
    """The JSON type of a value; whole numbers and others are two types."""
    names = {bool: "truth", int: "whole", float: "real", str: "text", dict: "object", list: "list", type(None): "null"}
    return names[type(value)]


def walk(document: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every part of a document with its general path: entries and claims by their kind, lists without places."""
    yield path, document
    if isinstance(document, dict):
        for key, part in document.items():
            last = "{}" if path and path[-1] in OPEN_MAPS else key
            if key in ("method", "anonymizer") and isinstance(part, dict):
                last = f"{key} {part.get('name')}"
            elif key == "parameters":
                last = f"parameters of {document.get('model')}"
            yield from walk(part, (*path, last))
    elif isinstance(document, list):
        for part in document:
            yield from walk(part, (*path, _entry_kind(part) if path == ("columns",) else "[]"))


def _entry_kind(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "[]"
    kind = "categorical" if entry.get("kind") == "ordered" else entry.get("kind")
    width = re.sub(r"^U?Int(8|16|32|64)$", "Int", str(entry.get("type")))  # that cells fit is checked on the cells
    return f"{entry.get('role')} {entry.get('shown')} {kind} {width[:8]}"


class Grammar:
    """What occurs in honest documents, by general path."""

    def __init__(self) -> None:
        self.kinds: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self.texts: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self.required: dict[tuple[str, ...], set[str]] = {}

    def learn(self, document: Any) -> None:
        """Take the form of an honest document into account."""
        for path, part in walk(document):
            self.kinds[path].add(kind_of(part))
            if isinstance(part, str):
                self.texts[path].add(part)
            if isinstance(part, dict):
                keys = set(part) if (path[-1:] and path[-1] not in OPEN_MAPS) or not path else set()
                self.required[path] = self.required.get(path, keys) & keys - {"ends"}

    def faults(self, document: Any) -> Iterator[str]:
        """Yield where a document has another form than every honest one."""
        for path, part in walk(document):
            where = ".".join(path) or "the document"
            if path not in self.kinds:
                yield f"{where} is unknown"
            elif kind_of(part) not in self.kinds[path] and not self._is_wider(path, part):
                yield f"{where} is {kind_of(part)}"
            elif isinstance(part, str) and part not in self.texts[path] and not self._may_say(path, part):
                yield f"{where} says something new"
            if isinstance(part, dict) and not self.required.get(path, set()) <= set(part):
                yield f"{where} lacks {sorted(self.required[path] - set(part))}"

    def _may_say(self, path: tuple[str, ...], part: str) -> bool:
        """Whether a text may be another; that categories have an order is the publisher's word."""
        is_order = path[-1] == "kind" and part == "ordered" and "categorical" in self.texts[path]
        return is_order or bool(set(path) & set(FREE_TEXTS))

    def _is_wider(self, path: tuple[str, ...], part: Any) -> bool:
        """Whether a whole number stands where others do, or a knob of the method that may be null is given: how a
        release was made is the publisher's word."""
        is_knob = path[0].startswith("method") and "null" in self.kinds[path]
        return kind_of(part) == "whole" and ("real" in self.kinds[path] or is_knob)

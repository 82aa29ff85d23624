"""What is no behaviour is taken out of an answer: sentences for people, paths, times, versions, salted digests."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

# keys whose text is written for people
PROSE = frozenset(
    [
        "best",
        "cell",
        "claims_in_words",
        "detail",
        "explanation",
        "hint",
        "message",
        "note",
        "notes",
        "promise",
        "reason",
        "said",
        "story",
        "text",
        "title",
        "titles",
        "unit",
        "why",
        "words",
    ]
)
# keys whose content depends on the machine, the moment, the version, or a fresh salt
PASSING = frozenset(
    ["files", "page", "path", "place", "plot", "prior", "scratch", "seconds", "svg", "time", "tool", "version"]
)
# keys that hold a path where they hold a text
PATHS = frozenset(["digest", "out", "release", "report"])
# keys below which every text is a value of the data, whatever it looks like
DATA = frozenset(
    [
        "column",
        "columns",
        "domain",
        "labels",
        "names",
        "parameters",
        "quasi",
        "rows",
        "signature",
        "value",
        "values",
    ]
)
# mappings whose keys may be phrases: such a key is replaced by its place
PHRASES = frozenset(["details", "parts"])


def stripped(told: Any, data: bool = False) -> Any:
    """An answer without prose and without what passes; numbers to nine digits."""
    if isinstance(told, Mapping):
        kept = {}
        for key, value in told.items():
            name = str(key)
            if name == "prior" and isinstance(value, str):
                continue  # the digest of salted statistics, also where it is a parameter
            if not data and (name in PASSING or (name in PATHS and isinstance(value, str))):
                continue
            if name == "name" and "knows" in told:
                continue  # who an adversary is, in words
            if name == "adversary" and isinstance(value, str):
                continue
            if name == "knows" and isinstance(value, list) and any(" " in str(item) for item in value):
                value = len(value)  # in words; elsewhere the same is told by names
            if not data and name in PROSE and not isinstance(value, (int, float)):
                continue
            if name == "not_covered" and "unit" in told:
                continue  # of a claim: who is not covered, in words
            if name == "what" and isinstance(value, str):
                value = value.split(" ")[0]  # of a check: the model or the part of the folder
            if name == "best_for" and isinstance(value, Mapping):
                value = list(value.values())  # by promise, in words
            if name in PHRASES and isinstance(value, Mapping):
                value = placed(value)
            kept[name] = stripped(value, data or (name in DATA and name != "columns"))
        return {name: value for name, value in kept.items() if value is not DROPPED}
    if isinstance(told, (list, tuple)):
        return [item for item in (stripped(item, data) for item in told) if item is not DROPPED]
    if isinstance(told, str):
        return DROPPED if not data and is_sentence(told) else told
    return plain(told)


DROPPED = object()


def is_sentence(text: str) -> bool:
    """Whether a text reads like a sentence: several words, and either many of them or a full stop."""
    words = text.split()
    return len(words) > 1 and (len(words) > 4 or text.rstrip().endswith((".", "?", "!")))


def placed(told: Mapping[Any, Any]) -> dict[str, Any]:
    """A mapping whose keys of several words are replaced by their place."""
    return {f"#{place}" if " " in str(key) else str(key): value for place, (key, value) in enumerate(told.items())}


def plain(value: Any) -> Any:
    """A value as JSON holds it, a float to nine digits."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "item"):
        return plain(value.item())
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    return str(value)


def numbers_of(told: Any) -> Any:
    """Only the numbers and truths of a table whose columns and labels are words; times are left out."""
    if isinstance(told, Mapping):
        kept = [value for name, value in told.items() if "second" not in str(name) and "time" not in str(name)]
        return [plain(value) for value in kept if isinstance(value, (bool, int, float))]
    return [numbers_of(item) for item in told]


def digest(told: Any) -> str:
    """A short name for an answer."""
    text = told if isinstance(told, str) else json.dumps(told, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def folded(told: Any, most: int = 1200) -> Any:
    """The answer itself, or its digest where it is long."""
    text = json.dumps(told, sort_keys=True, ensure_ascii=False)
    return told if len(text) <= most else f"sha256 {digest(told)} of {len(text)} characters"


def opened(told: Mapping[str, Any]) -> dict[str, Any]:
    """One field for every part of an answer, and one for every item of a list of parts."""
    fields: dict[str, Any] = {}
    for name, value in told.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            fields |= {f"{name} {number:02}": folded(item) for number, item in enumerate(value)}
        else:
            fields[name] = folded(value)
    return fields

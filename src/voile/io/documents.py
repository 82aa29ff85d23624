"""The outline of certificate.json and dictionary.json: whether a stranger's files have the form that is read.

Whether what they say is true is for verify to find out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# what an entry of the dictionary says in one word, and the words where they are few
_WORDS: dict[str, tuple[str, ...]] = {
    "role": ("quasi", "sensitive", "other"),
    "kind": ("categorical", "ordered", "numeric", "date"),
    "shown": (),
    "type": (),
}


def certificate_faults(document: Any) -> Iterator[str]:
    """What has the wrong form; whether it is true is for verify to say."""
    if not isinstance(document, dict):
        yield "it is no object"
        return
    if document.get("format") not in (None, 1):
        return  # of another version nothing is known
    kinds = {"format": int, "tool": str, "shape": str, "method": dict, "claims": list, "files": dict}
    yield from (key for key, kind in kinds.items() if key in document and not isinstance(document[key], kind))
    claims = document.get("claims")
    parts: dict[str, Any] = {
        "model": str,
        "parameters": dict,
        "column": (str, type(None)),
        "adversary": dict,
        "bound": str,
    }
    for number, claim in enumerate(claims if isinstance(claims, list) else (), 1):
        if not isinstance(claim, dict):
            yield f"claim {number}"
            continue
        yield from (f"{key} of claim {number}" for key, kind in parts.items() if not isinstance(claim.get(key), kind))


def dictionary_faults(document: Any) -> Iterator[str]:
    entries = document.get("columns") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        yield "it lists no columns"
        return
    if not any(entry.get("role") == "quasi" for entry in entries):
        yield "it lists no quasi-identifier"
    if not isinstance(document.get("withheld", 0), int):
        yield "withheld"
    names = [entry.get("name") for entry in entries]
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry.get("name"), str) or names.count(entry["name"]) > 1:
            yield f"name of column {number}"
        for key, allowed in _WORDS.items():
            if not isinstance(entry.get(key), str) or (allowed and entry[key] not in allowed):
                yield f"{key} of column {number}"
        domain, labels, rows = entry.get("domain"), entry.get("names", {}), entry.get("hierarchy", [])
        if not isinstance(domain, dict) or not isinstance(domain.get("missing"), bool) or not _scalars(domain):
            yield f"domain of column {number}"
        if not isinstance(labels, dict) or not all(isinstance(listed, list) and listed for listed in labels.values()):
            yield f"names of column {number}"
        if not isinstance(rows, list) or not all(isinstance(row, list) and _texts(row) for row in rows):
            yield f"hierarchy of column {number}"


def _scalars(domain: Mapping[str, Any]) -> bool:
    """A list of values of one type, or two ends, or (nobody has a value) none of these."""
    listed = domain.get("values", [])
    if not isinstance(listed, list) or ("min" in domain) != ("max" in domain):
        return False
    ends = [domain["min"], domain["max"]] if "min" in domain else []
    kinds = {float if type(value) is int else type(value) for value in (*listed, *ends)}
    return len(kinds) <= 1 and kinds <= {str, bool, float}


def _texts(row: list[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row)

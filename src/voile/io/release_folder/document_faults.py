"""Faults in the form of certificate.json, dictionary.json and the tables that they describe.

The files may come from a stranger. Whether they tell the truth is for verify to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

ADDED_COLUMNS = ("group", "count", "group_size")  # columns that a release adds to those of the people
VALUE_CELLS = ("exact", "perturbed")  # ways to show a cell that keep the type of its column
# the texts in an entry of the dictionary, and their allowed values if these are few
_ENTRY_TEXTS: dict[str, tuple[str, ...]] = {
    "role": ("quasi", "sensitive", "other"),
    "kind": ("categorical", "ordered", "numeric", "date"),
    "shown": (),
    "type": (),
}


def certificate_faults(document: Any) -> Iterator[str]:
    """Yield the parts of a certificate that have the wrong form."""
    if not isinstance(document, dict):
        yield "it is not an object"
        return
    if document.get("format") not in (None, 1):
        return  # nothing is known about other versions
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
    """Yield the parts of a dictionary that have the wrong form."""
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
        for key, allowed in _ENTRY_TEXTS.items():
            if not isinstance(entry.get(key), str) or (allowed and entry[key] not in allowed):
                yield f"{key} of column {number}"
        domain, labels, rows = entry.get("domain"), entry.get("names", {}), entry.get("hierarchy", [])
        if not isinstance(domain, dict) or not isinstance(domain.get("missing"), bool) or not _is_domain(domain):
            yield f"domain of column {number}"
        if not isinstance(entry.get("weight", False), bool) or (entry.get("weight") and not _is_weight(entry)):
            yield f"weight of column {number}"
        if not isinstance(labels, dict) or not all(isinstance(listed, list) and listed for listed in labels.values()):
            yield f"names of column {number}"
        if not isinstance(rows, list) or not all(isinstance(row, list) and _all_texts(row) for row in rows):
            yield f"hierarchy of column {number}"


def _is_weight(entry: Mapping[str, Any]) -> bool:
    """Whether a column can be a survey weight: a quasi-identifier that holds numbers."""
    numbers = str(entry.get("type")).startswith(("Int", "UInt", "Float"))
    return entry.get("role") == "quasi" and entry.get("kind") == "numeric" and numbers


def _is_domain(domain: Mapping[str, Any]) -> bool:
    """Whether there is a list of values of one type, or two ends, or neither (nobody has a value)."""
    listed = domain.get("values", [])
    if not isinstance(listed, list) or ("min" in domain) != ("max" in domain):
        return False
    ends = [domain["min"], domain["max"]] if "min" in domain else []
    kinds = {float if type(value) is int else type(value) for value in (*listed, *ends)}
    return len(kinds) <= 1 and kinds <= {str, bool, float}


def _all_texts(row: list[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row)


def stated_types(dictionary: Mapping[str, Any]) -> dict[str, pl.DataType]:
    """Return the types of the numbers, dates, times and truth values that are published as values; CSV holds text."""
    whole = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    known = {str(kind): kind() for kind in (pl.Date, pl.Time, pl.Boolean, pl.Float32, pl.Float64, *whole)}
    types: dict[str, pl.DataType] = {}
    for entry in dictionary["columns"]:
        moment = re.fullmatch(r"Datetime\(time_unit='(us|ms)', time_zone=(?:None|'([^']+)')\)", entry["type"])
        if entry["shown"] in VALUE_CELLS and (moment or entry["type"] in known):
            unit: Any = moment and moment[1]
            types[entry["name"]] = pl.Datetime(unit, moment[2]) if moment else known[entry["type"]]
    return types


def table_faults(tables: Mapping[str, pl.DataFrame], dictionary: Mapping[str, Any]) -> Iterator[str]:
    """Yield the contradictions between tables and dictionary; an undescribed column could hold anything, even names."""
    entries = {entry["name"]: entry for entry in dictionary["columns"]}
    homes: dict[str, list[str]] = {name: [] for name in entries}
    for table, content in tables.items():
        for name in content.columns:
            # in tables other than these, an added column takes precedence over one of the people
            is_added = name in ADDED_COLUMNS and table not in ("quasi", "table")
            if name in entries and not (is_added and entries[name]["role"] != "sensitive"):
                homes[name].append(table)
                yield from _column_faults(f"{name!r} of {table}", content[name], entries[name])
            elif name not in ADDED_COLUMNS:
                yield f"{name!r} of {table} is not described"
            elif not content.schema[name].is_integer() or content[name].null_count():
                yield f"{name!r} of {table} does not hold whole numbers"
    for name, names in homes.items():
        linked = entries[name]["role"] == "sensitive" and "quasi" in names
        if not names or linked or (len(names) > 1 and entries[name]["role"] != "sensitive"):
            yield f"{name!r} is in {' and '.join(names) or 'no table'}"


def _column_faults(where: str, column: pl.Series, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a column contradicts its entry; faults are counted, cells never shown."""
    texts = column.dtype == pl.String or isinstance(column.dtype, (pl.Enum, pl.Categorical))
    numbers = entry["type"].startswith(("Int", "UInt", "Float"))
    if entry["shown"] not in VALUE_CELLS:
        if not texts or column.null_count():
            yield f"{where} does not hold labels"
    elif column.dtype.is_nested() or numbers != column.dtype.is_numeric() or (entry["type"] == "String" and not texts):
        yield f"{where} has another type"  # in CSV, dates and truth values are texts
    elif column.null_count() and not entry["domain"]["missing"]:
        yield f"{where} has {column.null_count()} missing cells"
    elif numbers or entry["type"] == "String":
        outside = _count_outside(column.drop_nulls(), entry["domain"])
        if outside:
            yield f"{where} has {outside} cells or values outside its domain"


def _count_outside(known: pl.Series, domain: Mapping[str, Any]) -> int:
    """Count the values that are not in the list, or the cells beyond the ends."""
    if "values" in domain:
        listed = set(domain["values"])
        return sum(value not in listed for value in known.unique().to_list())
    if "min" in domain and isinstance(domain["min"], (int, float)):
        return int(((known < domain["min"]) | (known > domain["max"])).sum())
    return 0

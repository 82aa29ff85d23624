"""The outline of certificate.json and dictionary.json: whether a stranger's files have the form that is read.

Whether what they say is true is for verify to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

OWN = ("group", "count", "group_size")  # columns that a release adds to those of the people
AS_IS = ("exact", "perturbed")  # cells that hold a value, in the type of the column
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


def told_types(dictionary: Mapping[str, Any]) -> dict[str, pl.DataType]:
    """The types of exactly published numbers, dates, times and truth values, which CSV shows as text."""
    whole = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    known = {str(kind): kind() for kind in (pl.Date, pl.Time, pl.Boolean, pl.Float32, pl.Float64, *whole)}
    found: dict[str, pl.DataType] = {}
    for entry in dictionary["columns"]:
        moment = re.fullmatch(r"Datetime\(time_unit='(us|ms)', time_zone=(?:None|'([^']+)')\)", entry["type"])
        if entry["shown"] in AS_IS and (moment or entry["type"] in known):
            unit: Any = moment and moment[1]
            found[entry["name"]] = pl.Datetime(unit, moment[2]) if moment else known[entry["type"]]
    return found


def table_faults(tables: Mapping[str, pl.DataFrame], dictionary: Mapping[str, Any]) -> Iterator[str]:
    """Where tables and dictionary do not fit: a column that nothing explains may be anything, say the name."""
    entries = {entry["name"]: entry for entry in dictionary["columns"]}
    homes: dict[str, list[str]] = {name: [] for name in entries}
    for table, content in tables.items():
        for name in content.columns:
            aside = name in OWN and table not in ("quasi", "table")  # there a release's own columns come first
            if name in entries and not (aside and entries[name]["role"] != "sensitive"):
                homes[name].append(table)
                yield from _column_faults(f"{name!r} of {table}", content[name], entries[name])
            elif name not in OWN:
                yield f"{name!r} of {table} is not described"
            elif not content.schema[name].is_integer() or content[name].null_count():
                yield f"{name!r} of {table} does not hold whole numbers"
    for name, found in homes.items():
        linked = entries[name]["role"] == "sensitive" and "quasi" in found
        if not found or linked or (len(found) > 1 and entries[name]["role"] != "sensitive"):
            yield f"{name!r} is in {' and '.join(found) or 'no table'}"


def _column_faults(where: str, column: pl.Series, entry: Mapping[str, Any]) -> Iterator[str]:
    """A column that does not hold what its entry says: counts, never cells."""
    texts = column.dtype == pl.String or isinstance(column.dtype, (pl.Enum, pl.Categorical))
    numbers = entry["type"].startswith(("Int", "UInt", "Float"))
    if entry["shown"] not in AS_IS:
        if not texts or column.null_count():
            yield f"{where} does not hold labels"
    elif column.dtype.is_nested() or numbers != column.dtype.is_numeric() or (entry["type"] == "String" and not texts):
        yield f"{where} has another type"  # in CSV, dates and truth are texts
    elif column.null_count() and not entry["domain"]["missing"]:
        yield f"{where} has {column.null_count()} missing cells"
    elif numbers or entry["type"] == "String":
        outside = _outside(column.drop_nulls(), entry["domain"])
        if outside:
            yield f"{where} has {outside} cells or values outside its domain"


def _outside(known: pl.Series, domain: Mapping[str, Any]) -> int:
    """How many values are not in the list, or cells beyond the ends."""
    if "values" in domain:
        listed = set(domain["values"])
        return sum(value not in listed for value in known.unique().to_list())
    if "min" in domain and isinstance(domain["min"], (int, float)):
        return int(((known < domain["min"]) | (known > domain["max"])).sum())
    return 0

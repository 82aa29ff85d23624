"""Faults in the form of dictionary.json: every key is known, has its type, and fits the others.

The document may come from a stranger. What it says is what a recipient reads, so that nothing in it may go unread or
have two meanings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import polars as pl

from voile.adversaries.prior import CAPPED, INDICATOR
from voile.releases.cells.column_types import holds_numbers, parse_type
from voile.releases.cells.end_columns import describe_ends
from voile.releases.cells.group_means import describe_means
from voile.releases.cells.label_ends import label_ends, range_ends
from voile.releases.certificate import FORMAT
from voile.releases.dictionary import cell_meanings, clean_title, weight_meaning
from voile.releases.strict_reading.certificate_faults import Kinds, part_faults
from voile.releases.strict_reading.steering_faults import steering_faults
from voile.tables.domain import KINDS
from voile.tables.role_faults import is_column_name, parse_quasi_sets, quasi_set_faults
from voile.tables.unit import Unit
from voile.tables.value_text import MISSING, TOP, format_value, parse_values, shield_label

_PARTS: Kinds = {"format": int, "columns": list, "withheld": int, "unit": dict}
_ENTRY: Kinds = {"name": str, "role": str, "kind": str, "type": str, "shown": str, "cell": str, "domain": dict}
_OPTIONAL = (
    "names",
    "prefixes",
    "hierarchy",
    "weight",
    "means",
    "keep",
    "indicator",
    "ends",
    "mean",
    "steering",
    "coded",
    "title",
)
_MOST_PEOPLE = 1 << 40
_MOST_COLUMNS = 10_000
ROLES = ("quasi", "sensitive", "other")
# ways to show a cell, and of whom
_SHOWN = {"exact": ROLES, "generalized": ("quasi",), "suppressed": ("quasi",), "perturbed": ("sensitive",)}
_WHOLE_ENDS = {
    f"{sign}Int{bits}": ((0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    for sign in ("", "U")
    for bits in (8, 16, 32, 64)
}
VALUE_CELLS = ("exact", "perturbed")  # ways to show a cell that keep the type of its column


def dictionary_faults(document: dict[str, Any], own_keys: Collection[str] = ()) -> Iterator[str]:
    """Yield what is wrong with the form of a dictionary; `own_keys` are texts that its shape adds."""
    try:
        yield from _find_faults(document, own_keys)
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, pl.exceptions.PolarsError):
        yield "its parts contradict each other"


def _find_faults(document: dict[str, Any], own_keys: Collection[str]) -> Iterator[str]:
    faults = list(
        part_faults(document, {**_PARTS, **dict.fromkeys(own_keys, str)}, ("missing", "absent", "quasi_sets"))
    )
    yield from faults
    if faults:
        return
    if document["format"] != FORMAT:
        yield f"its format is not {FORMAT}, which this version reads"
    if document.get("missing", "value") != "value":
        yield "'missing' says something else than that missing cells are values"
    if not 0 <= document["withheld"] <= _MOST_PEOPLE:
        yield "'withheld' is no number of people"
    absent = document.get("absent", 1)
    if type(absent) is not int or not 0 < absent <= _MOST_PEOPLE:
        yield "'absent' is no number of people"
    try:
        Unit.parse(document["unit"])
    except ValueError as error:
        yield str(error)
    entries = document["columns"]
    if not all(isinstance(entry, dict) for entry in entries):
        yield "a column is not an object"
        return
    names = {str(entry.get("name")) for entry in entries}
    if len(names) < len(entries) or len(entries) > _MOST_COLUMNS:
        yield "it describes a column twice" if len(names) < len(entries) else "it describes too many columns"
        return
    for number, entry in enumerate(entries, 1):
        faults = list(part_faults(entry, _ENTRY, _OPTIONAL)) or list(_entry_faults(entry))
        yield from (f"in column {number}, {fault}" for fault in faults)
    if not any(entry.get("role") == "quasi" for entry in entries):
        yield "it lists no quasi-identifier"
    if any("ends" in entry and entry != stated for entry, stated in zip(entries, describe_ends(entries), strict=True)):
        yield "'ends' names or explains the ends of ranges in another way than voile does"
    yield from _mean_faults(document)
    yield from _quasi_set_faults(document)
    if sum("weight" in entry for entry in entries) > 1:
        yield "it marks two columns as weights"


def _mean_faults(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield why no means of groups can stand beside the columns: where sets of columns are judged by themselves, people
    are missing or have several rows, a mean would tell more than the cells."""
    entries = document["columns"]
    if any(
        entry.get("mean") != stated.get("mean") for entry, stated in zip(entries, describe_means(entries), strict=True)
    ):
        yield "'mean' names or explains the means of groups in another way than voile does"
    elif any("mean" in entry for entry in entries) and (
        "quasi_sets" in document
        or "absent" in document
        or document["withheld"]
        or Unit.parse(document["unit"]).rows > 1
    ):
        yield "'mean' stands where no means of groups are published"


def _quasi_set_faults(document: Mapping[str, Any]) -> Iterator[str]:
    if "quasi_sets" in document:
        sets = parse_quasi_sets(document["quasi_sets"])
        known = [entry["name"] for entry in document["columns"] if entry.get("role") == "quasi"]
        stated = [list(names) for names in sets or ()]
        if stated != document["quasi_sets"] or not stated or any(quasi_set_faults(sets or (), known, None)):
            yield "'quasi_sets' holds something else than sets of quasi-identifiers"


def _entry_faults(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an entry whose parts have the right types."""
    kind, dtype = entry["kind"], parse_type(entry["type"])
    if dtype is None:
        yield "'type' is no type of a published column"
        return
    if not is_column_name(entry["name"]):
        yield "'name' is none that a column can have"
    if kind not in KINDS or (kind == "numeric" and not holds_numbers(entry["type"])) or not _fits_dates(kind, dtype):
        yield "'kind' does not fit its type"
    if entry["role"] not in ROLES or entry["role"] not in _SHOWN.get(entry["shown"], ()):
        yield "'role' and 'shown' do not fit"
    faults = list(_domain_faults(entry["domain"], dtype))
    yield from faults
    if faults:
        return
    if not _lists_properly(entry):
        yield "its domain lists more than its cells can show, and is not declared"
    yield from _optional_faults(entry)
    title = entry.get("title", "none")
    if not isinstance(title, str) or not title or title != clean_title(title):
        yield "'title' is no title of a column"
    if "names" in entry:
        yield from _name_faults(entry, dtype)
    if not isinstance(entry.get("names", {}), dict) or entry["cell"] not in cell_meanings(entry):
        yield "'cell' says something else than such cells stand for"


def _lists_properly(entry: Mapping[str, Any]) -> bool:
    """Whether a list of numbers or dates is a declared domain, categories are listed, and a column that is `*`
    everywhere lists nothing."""
    domain, ranged = entry["domain"], entry["kind"] in ("numeric", "date")
    if domain.get("declared") is True:
        return "values" in domain
    if entry["shown"] == "suppressed":
        return bool(domain.keys() == {"missing"})
    return bool(("values" if ranged else "min") not in domain)


def _fits_dates(kind: str, dtype: pl.DataType) -> bool:
    return kind != "date" or dtype in (pl.Date, pl.Datetime)


def _optional_faults(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts that only some entries may have, and others have."""
    if ("weight" in entry) != ("means" in entry):
        yield "'weight' and 'means' belong together"
    elif "weight" in entry and not (
        entry["weight"] is True
        and entry["means"] == weight_meaning(entry)
        and (entry["role"], entry["kind"]) == ("quasi", "numeric")
    ):
        yield "'weight' marks something else than a quasi-identifier that holds numbers"
    if "indicator" in entry and not (
        entry["indicator"] is True
        and entry["role"] == "sensitive"
        and any(
            entry["domain"] == {"values": [*labels], "missing": False, "declared": True}
            for labels in (INDICATOR, CAPPED)
        )
    ):
        yield "'indicator' marks something else than whether a value is one of the protected ones"
    if "prefixes" in entry and not (
        entry["prefixes"] is True and entry["shown"] == "generalized" and entry["kind"] in ("categorical", "ordered")
    ):
        yield "'prefixes' explains generalized categories only"
    yield from steering_faults(entry)
    keep = entry.get("keep")
    if ("keep" in entry) != (entry["shown"] == "perturbed"):
        yield "'keep' does not fit the way in which its cells are shown"
    elif keep is not None and (isinstance(keep, bool) or not isinstance(keep, (int, float)) or not 0 <= keep <= 1):
        yield "'keep' is no probability"
    if entry["shown"] == "perturbed" and entry["domain"].get("missing") is not False:
        yield "a cell that is drawn at random cannot be missing"
    rows = entry.get("hierarchy", [])
    if not isinstance(rows, list) or not all(isinstance(row, list) and _all_texts(row) for row in rows):
        yield "'hierarchy' is not a list of rows of texts"
    elif "hierarchy" in entry and (entry["role"] != "sensitive" or entry["shown"] == "generalized"):
        yield "'hierarchy' explains sensitive values only"
    elif "hierarchy" in entry and isinstance(entry["domain"].get("values"), list):
        leaves = [row[0] for row in rows if row and row[0] != MISSING]
        if sorted(leaves) != sorted(format_value(value) for value in entry["domain"]["values"]):
            yield "'hierarchy' does not list each value once"


def _domain_faults(domain: Mapping[str, Any], dtype: pl.DataType) -> Iterator[str]:
    """Yield what is wrong with a domain: it is a list of values, or two ends, or neither (nobody has a value)."""
    unknown = [key for key in domain if key not in ("values", "min", "max", "missing", "declared")]
    if unknown:
        yield f"{unknown[0]!r} of its domain is not known"
    if not isinstance(domain.get("missing"), bool):
        yield "its domain does not say whether cells are missing"
    if domain.get("declared", True) is not True:
        yield "'declared' of its domain is not true"
    listed, ends = domain.get("values", []), [domain[end] for end in ("min", "max") if end in domain]
    if not isinstance(listed, list) or len(ends) == 1 or ("values" in domain and ends):
        yield "its domain is neither a list of values nor two ends"
        return
    if not all(_has_type(value, dtype) for value in (*listed, *ends)):
        yield "its domain holds values of another type"
    elif len(set(listed)) < len(listed) or (ends and ends[0] > ends[1]):
        yield "its domain lists a value twice, or its ends are in the wrong order"


def _has_type(value: Any, dtype: pl.DataType) -> bool:
    """Whether a value of JSON stands for one of a type: dates and times are texts."""
    if dtype == pl.Boolean:
        return isinstance(value, bool)
    if dtype.is_integer():
        low, high = _WHOLE_ENDS[str(dtype)]
        return type(value) is int and low <= value <= high
    if dtype.is_float():
        return type(value) in (int, float)
    return isinstance(value, str)


def _name_faults(entry: Mapping[str, Any], dtype: pl.DataType) -> Iterator[str]:
    """Yield the names of cells that a reader would take for something else: a cell is read as it is written."""
    names = entry["names"]
    if entry["shown"] != "generalized" or not isinstance(names, dict):
        yield "'names' explains generalized cells only"
        return
    ranged = entry["kind"] in ("numeric", "date")
    leaves = {shield_label(format_value(value)) for value in entry["domain"].get("values", ())}
    if ranged and parse_values(pl.Series(list(names), dtype=pl.String), dtype).is_not_null().any():
        yield "'names' gives another meaning to a value"
    for name, listed in names.items():
        if (
            not isinstance(listed, list)
            or not listed
            or not all(isinstance(value, (str, int, float)) for value in listed)
        ):
            yield "'names' holds something else than lists of values"
            return
        stated = label_ends(name, dtype) if ranged else None
        taken = name in (TOP, MISSING, "") or name.startswith(("{", "\\")) or name in leaves
        if taken or (ranged and range_ends(name)) or (stated is not None and [*stated] != listed):
            yield "'names' gives another meaning to a cell that has one already"
            return
        if ranged and len(listed) != 2:
            yield "'names' holds something else than two ends"
            return


def _all_texts(row: list[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row)

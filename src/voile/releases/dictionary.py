"""The dictionary: what each published column is, and what its cells stand for.

It tells what is published and no more: values, and the least and the greatest of them, are listed as far as published
cells name them. A declared domain is public, and is listed whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.adversaries.prior import CAPPED
from voile.releases.cells.cells import Cells, node_names, ranges
from voile.releases.cells.column_types import format_type
from voile.releases.cells.label_ends import label_ends, range_ends
from voile.releases.cells.label_meanings import declared_ends, declared_values, is_prefix
from voile.tables.domain import Domain, json_value
from voile.tables.schema import Column
from voile.tables.steering.steer import USUAL
from voile.tables.steering.value_coding import describe_coding
from voile.tables.value_text import parse_values

LONGEST_TITLE = 300
LABELS = ("generalized", "suppressed")  # ways to show a column in which it holds labels

WEIGHT = (
    "a survey weight, coarsened like a quasi-identifier: how many people of the population the row stands for; "
    "estimates count the mean of the ends of its cell"
)
OWN_VALUE = "the person's own value"
IN_THE_SET = "whether the person's value is one of the protected ones"
IN_THE_SET_AT_LEAST = (
    "whether the person's value is one of the protected ones; where a group has values that are not shown, at least so "
    "many of its people have a protected one"
)
ALTERED_VALUE = "the person's own value, or another that was put in its place"
HIDDEN_VALUE = "* in every row: any value, or none"
LISTED_ONCE = "a value that the group lists, each person's once"
LISTED_OR_NOISE = "a value that the group lists, someone's or noise"
PERTURBED_VALUE = (
    "the own value of one person of the group with probability `keep`, else any value of the domain, each as likely; "
    "group_size tells how many people the row stands for"
)
HIDDEN_WEIGHT = "a survey weight that is not shown; estimates count rows"


def describe(column: Column, cells: Cells | None, labels_only: bool = False) -> dict[str, Any]:
    """Return the dictionary's entry for one published column: kind, type, domain, and what a cell stands for.

    `cells` are the cells that are published; None for a column that is published as it is, all of whose values occur.
    With `labels_only` a column holds labels even if every cell is a single value.
    """
    domain = column.domain
    entry: dict[str, Any] = {"name": column.name, "role": column.role, "kind": column.kind}
    entry |= {"type": format_type(domain.values.dtype), "shown": "exact"}
    if cells is None or (cells.exact and not labels_only):
        entry |= {"domain": _exact_domain(domain, cells), "cell": ALTERED_VALUE if column.altered else OWN_VALUE}
        if column.role == "sensitive" and column.hierarchy is not None:
            entry["hierarchy"] = column.hierarchy.rows()
    elif cells.whole.all():
        entry |= {"shown": "suppressed", "domain": {"missing": False}, "cell": HIDDEN_VALUE}
        if domain.declared:
            entry["domain"] = {**domain.as_json(), "missing": False}
    else:
        entry = (
            _describe_ranges(column, cells, entry) if domain.uses_intervals else _describe_sets(column, cells, entry)
        )
    if column.weight:
        entry |= {"weight": True, "means": weight_meaning(entry)}
    if column.steer != USUAL:
        entry |= {"steering": column.steer.as_json()}
    if column.steer.is_coded:
        entry |= {"coded": describe_coding(column.steer)}
    if column.indicator:
        entry |= {"indicator": True, "cell": indicator_meaning(entry)}
    return entry


def add_titles(entries: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the entries with the titles that a file of Stata or SPSS gives to its columns. A title describes a column,
    as its name does; it is no cell."""
    cleaned = {name: clean_title(title) for name, title in titles.items()}
    return [
        {**entry, "title": title} if (title := cleaned.get(str(entry["name"]), "")) else dict(entry)
        for entry in entries
    ]


def clean_title(title: str) -> str:
    """Return a title on one line, of a bounded length, without characters that nobody sees.

    >>> clean_title("  Marital\\nstatus ")
    'Marital status'
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in title)
    return " ".join(shown.split())[:LONGEST_TITLE].strip()


def cell_meanings(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sentences that may say what a cell of such a column stands for."""
    if entry["shown"] == "generalized":
        return (str(_explain_labels(entry, entry.get("names", {}), bool(entry.get("prefixes")))["cell"]),)
    if entry.get("indicator") is True:
        return (indicator_meaning(entry),)
    if entry["shown"] == "exact":
        return (OWN_VALUE, *((ALTERED_VALUE, LISTED_ONCE, LISTED_OR_NOISE) if entry["role"] == "sensitive" else ()))
    return (HIDDEN_VALUE,) if entry["shown"] == "suppressed" else (PERTURBED_VALUE,)


def indicator_meaning(entry: Mapping[str, Any]) -> str:
    """Return in words what a cell tells that says of a value only whether it is protected."""
    values = entry["domain"].get("values") if isinstance(entry["domain"], Mapping) else None
    return IN_THE_SET_AT_LEAST if values == [*CAPPED] else IN_THE_SET


def weight_meaning(entry: Mapping[str, Any]) -> str:
    """Return in words what a survey weight tells, and how estimates count with it."""
    return HIDDEN_WEIGHT if entry["shown"] == "suppressed" and "values" not in entry["domain"] else WEIGHT


def _exact_domain(domain: Domain, cells: Cells | None) -> dict[str, Any]:
    """Return the domain of a column of values: those that cells show, or all of them if they all occur."""
    if cells is None:
        return domain.as_json()
    codes = np.unique(cells.lists[1])
    return _list_codes(domain, codes[codes < len(domain.values)], len(domain.values) in codes)


def _list_codes(domain: Domain, codes: np.ndarray, missing: bool) -> dict[str, Any]:
    if domain.declared:
        return {**domain.as_json(), "missing": missing}
    return Domain(domain.values.gather(codes), domain.kind, missing).as_json()


def _describe_sets(column: Column, cells: Cells, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what cells of categories stand for. A label of the user's hierarchy is explained by all leaves that the
    hierarchy declares below it, never by those that occur."""
    domain, hierarchy = column.domain, column.hierarchy
    known = node_names(domain, hierarchy) if hierarchy is not None else {}
    named = np.array([label in known for label in cells.labels], dtype=bool)
    members = cells.lists[1][np.repeat(~named & ~cells.whole, cells.sizes)]
    codes = np.unique(members)
    missing = bool(domain.missing and (codes == domain.size - 1).any())
    listed = _list_codes(domain, codes[codes < len(domain.values)], missing)
    names, by_prefix = {}, False
    for label in sorted(set(cells.labels.filter(pl.Series(named)))):
        assert hierarchy is not None
        if label in hierarchy.declared:
            names[label] = declared_values(hierarchy.declared[label], domain.values.dtype)
        else:
            by_prefix |= is_prefix(label)
    return _explain_labels({**entry, "domain": listed}, names, by_prefix)


def _describe_ranges(column: Column, cells: Cells, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what cells of numbers or dates stand for: `[lo, hi]` states its ends, and so do periods such as 2025-03;
    for a hierarchy's own names they are listed."""
    assert cells.low is not None and cells.high is not None and cells.missing is not None
    domain = cells.domain
    plain = ranges(domain, cells.low, cells.high, cells.missing).labels
    declared = column.hierarchy.declared if column.hierarchy is not None else {}
    names: dict[str, list[str]] = {}
    texts = list[str]()
    for number, (label, usual) in enumerate(zip(cells.labels, plain, strict=True)):
        low, high = int(cells.low[number]), int(cells.high[number])
        if cells.whole[number] or high < low:
            continue
        if label == usual:
            texts += [domain.labels[low], domain.labels[high]]
        elif label.startswith("["):
            texts += range_ends(label) or ()  # read as it stands
        else:
            ends = label_ends(label, domain.values.dtype) or declared_ends(declared[label], domain.values.dtype)
            assert ends is not None, "other names are not written"
            names[label] = list(ends)
            texts += ends
    missing = bool((cells.missing & ~cells.whole).any())
    shown = column.domain.as_json() if column.domain.declared else _find_ends(texts, domain.values.dtype)
    return _explain_labels({**entry, "domain": {**shown, "missing": missing}}, names, False)


def _explain_labels(entry: Mapping[str, Any], names: Mapping[str, Any], by_prefix: bool) -> dict[str, Any]:
    """Return an entry with the names of its cells, and in words what a cell stands for."""
    ranged, more = entry["kind"] in ("numeric", "date"), dict[str, Any]()
    words = [
        "a value",
        "[lo, hi] for any value between (ends included)" if ranged else "{A|B} for one of several",
        "* for any value",
    ]
    if names:
        more["names"] = dict(sorted(names.items()))
        words.append("a name listed under names" + (" with its ends" if ranged else ""))
    if by_prefix:
        more["prefixes"] = True
        words.append("the beginning of a value, with a star for each further character")
    return {**entry, "shown": "generalized", "cell": ", or ".join(words), **more}


def _find_ends(texts: Sequence[str], dtype: pl.DataType) -> dict[str, Any]:
    """Return the least and the greatest of values that are written as text; nothing if there are none."""
    if not texts:
        return {}
    written = pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)})
    written = written.with_columns(value=parse_values(written["text"], dtype)).sort("value")
    if dtype.is_temporal():
        return {"min": written["text"][0], "max": written["text"][-1]}
    return {"min": json_value(written["value"][0]), "max": json_value(written["value"][-1])}


def merge_entries(entries: Sequence[Mapping[str, Any]], column: Column) -> dict[str, Any]:
    """Return the entry of a column that is published in parts, from those of its parts, the first of which is whole.
    It is generalized where one part generalizes it."""
    merged = {**entries[0], "domain": _merge_domains([entry["domain"] for entry in entries], column)}
    if all(entry["shown"] == entries[0]["shown"] != "generalized" for entry in entries):
        return merged
    merged.pop("hierarchy", None)
    names = {label: leaves for entry in entries for label, leaves in entry.get("names", {}).items()}
    merged = _explain_labels(merged, names, any(entry.get("prefixes") for entry in entries))
    return {**merged, "means": weight_meaning(merged)} if column.weight else merged


def _merge_domains(domains: Sequence[Mapping[str, Any]], column: Column) -> dict[str, Any]:
    missing = any(domain["missing"] for domain in domains)
    if column.domain.declared:
        return {**column.domain.as_json(), "missing": missing}
    if column.domain.uses_intervals:
        dtype = column.domain.values.dtype
        ends = [domain[end] for domain in domains for end in ("min", "max") if end in domain]
        texts = [str(end) for end in ends]
        return {**_find_ends(texts, dtype), "missing": missing}
    lists = [domain["values"] for domain in domains if "values" in domain]
    listed = {value for values in lists for value in values}
    known = {"values": [value for value in map(json_value, column.domain.values) if value in listed]} if lists else {}
    return {**known, "missing": missing}

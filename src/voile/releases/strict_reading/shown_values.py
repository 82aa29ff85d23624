"""What published cells show of each column, and whether the dictionary lists more than that.

A list of values in the dictionary could name people, and wider ends could hide that a cell is narrow. So, unless a
domain is declared, the dictionary says exactly what the cells say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.column_types import is_text, parse_type
from voile.releases.cells.label_ends import range_ends
from voile.releases.cells.label_meanings import is_prefix
from voile.releases.published_tables import PublishedTables
from voile.releases.strict_reading.dictionary_faults import VALUE_CELLS
from voile.releases.strict_reading.distinct_cells import DistinctCells
from voile.releases.strict_reading.steering_faults import shows_uncoded_values
from voile.tables.value_text import MISSING, TOP, format_value, parse_values, split_set, unescape


@dataclass(frozen=True)
class ShownValues:
    """The labels or the listed values that the cells of a column show, as text; or the least and the greatest value;
    and whether cells are missing."""

    texts: frozenset[str] = frozenset()
    ends: tuple[Any, ...] = ()
    missing: bool = False


def collect_shown(release: PublishedTables, cells: DistinctCells) -> dict[str, ShownValues]:
    """Return what the tables of a release, or of a piece of one, show of each column."""
    shown: dict[str, ShownValues] = {}
    for entry in release.dictionary["columns"]:
        name = str(entry["name"])
        homes = [table for table, columns in release.layout.items() if name in columns.described]
        shown[name] = merge_shown([_collect_column(cells, table, entry) for table in homes if table in cells.tables])
    return shown


def _collect_column(cells: DistinctCells, table: str, entry: Mapping[str, Any]) -> ShownValues:
    column = cells.tables[table][str(entry["name"])]
    missing = column.null_count() > 0
    if entry["shown"] in VALUE_CELLS and "min" in entry["domain"]:
        return ShownValues(
            ends=(column.min(), column.max()) if column.null_count() < len(column) else (), missing=missing
        )
    distinct = cells.collect(table, str(entry["name"])).to_list()
    return ShownValues(frozenset(distinct if is_text(column.dtype) else map(format_value, distinct)), missing=missing)


def merge_shown(pieces: Sequence[ShownValues]) -> ShownValues:
    """Return what several tables or pieces show of one column together."""
    ends = [end for piece in pieces for end in piece.ends]
    return ShownValues(
        frozenset().union(*(piece.texts for piece in pieces)),
        (min(ends), max(ends)) if ends else (),
        any(piece.missing for piece in pieces),
    )


def find_unshown(release: PublishedTables, shown: Mapping[str, ShownValues]) -> list[str]:
    """Return the columns of whose domain or labels the dictionary says something else than the cells."""
    faults = []
    for entry in release.dictionary["columns"]:
        name = str(entry["name"])
        if entry["shown"] in VALUE_CELLS:
            wrong = not entry["domain"].get("declared") and _differs_from_values(entry, shown[name])
        else:
            unused = set(entry.get("names", ())) - shown[name].texts
            faults += [f"the names of {name!r} explain {count_noun(len(unused), 'cell')} too many"] if unused else []
            wrong = _differs_from_labels(entry, shown[name].texts)
            uncoded = shows_uncoded_values(entry, shown[name].texts)
            faults += [f"cells of {name!r} are not coded as the dictionary says"] if uncoded else []
        faults += [f"the domain of {name!r} is not what its cells show"] if wrong else []
    return faults


def lists_value(entry: Mapping[str, Any], text: str) -> bool:
    """Whether a value is in the domain of a column, as the dictionary lists it; of numbers and dates, between its
    ends."""
    domain, dtype = entry["domain"], parse_type(entry["type"])
    if "min" not in domain or dtype is None:
        listed = map(format_value, domain.get("values", ()))
        return text in listed or (bool(domain["missing"]) and text == MISSING)
    ends = [str(domain["min"]), text, str(domain["max"])]
    low, value, high = parse_values(pl.Series(ends, dtype=pl.String), dtype)
    return value is not None and low <= value <= high and format_value(value) == text


def _differs_from_values(entry: Mapping[str, Any], shown: ShownValues) -> bool:
    domain, dtype = entry["domain"], parse_type(entry["type"])
    if domain["missing"] != shown.missing:
        return True
    if "min" not in domain:
        return {format_value(value) for value in domain.get("values", ())} != shown.texts
    if dtype is None:
        return False  # compared as text elsewhere
    ends = [domain["min"], domain["max"]]
    if dtype == pl.Date or dtype in (pl.Datetime("us"), pl.Datetime("ms")):
        return ends != [format_value(end) for end in shown.ends]  # written in one way only
    return tuple(ends if dtype.is_numeric() else parse_values(pl.Series(ends, dtype=pl.String), dtype)) != shown.ends


def _differs_from_labels(entry: Mapping[str, Any], labels: frozenset[str]) -> bool:
    """Whether the domain of a generalized column is not what its labels tell by themselves."""
    domain, is_declared = entry["domain"], entry["domain"].get("declared")
    if entry["shown"] == "suppressed":
        return labels != {TOP}
    ranged = entry["kind"] in ("numeric", "date")
    if not ranged:
        parts = _split_labels(labels, entry)
        listed = {format_value(value) for value in domain.get("values", ())}
        return domain["missing"] != (MISSING in parts) or (not is_declared and listed != parts - {MISSING})
    written = [part for label in labels for part in _split_range(label)]
    if domain["missing"] != (MISSING in written):
        return True
    texts = [part for part in written if part != MISSING]
    names, dtype = entry.get("names", {}), parse_type(entry["type"])
    assert dtype is not None
    if not _are_plainly_written(
        [end for text in texts if text not in names for end in range_ends(text) or [text]], dtype
    ):
        return True
    written = [end for text in texts for end in (names.get(text) or range_ends(text) or (text,))]
    if is_declared:
        return False
    if not written or "min" not in domain:
        return bool(written) or "min" in domain
    values = parse_values(pl.Series(written, dtype=pl.String), dtype)
    stated = parse_values(pl.Series([str(domain["min"]), str(domain["max"])], dtype=pl.String), dtype)
    return values.null_count() > 0 or [values.min(), values.max()] != stated.to_list()


def _are_plainly_written(texts: Sequence[str], dtype: pl.DataType) -> bool:
    """Whether numbers and dates are written as values of their type are: 20 is no real number, 20.0 no whole one."""
    values = parse_values(pl.Series(texts, dtype=pl.String), dtype)
    return values.null_count() == 0 and [format_value(value) for value in values] == list(texts)


def _split_range(label: str) -> Iterator[str]:
    """Yield the range of a label, and the missing value if it includes it."""
    if label.startswith("{") and label.endswith("|" + MISSING + "}"):
        yield MISSING
        label = label[1:].removesuffix("|" + MISSING + "}")
    if label != TOP:
        yield label


def _split_labels(labels: frozenset[str], entry: Mapping[str, Any]) -> set[str]:
    """Return the values that labels write out; names and beginnings of values write out none."""
    names = entry.get("names", {})
    listed = {format_value(value) for value in entry["domain"].get("values", ())}
    texts = pl.Series(list(labels - {TOP, *names}), dtype=pl.String)
    is_set = texts.str.starts_with("{") & texts.str.ends_with("}")
    is_plain_set = is_set & ~texts.str.contains("\\", literal=True)
    plain_sets = texts.filter(is_plain_set).str.strip_prefix("{").str.strip_suffix("}")
    found = set(plain_sets.str.split("|").explode(empty_as_null=False).unique().to_list())
    for label in texts.filter(~is_plain_set).to_list():
        if label.startswith("{") and label.endswith("}"):
            found.update(map(unescape, split_set(label[1:-1])))
            continue
        value = label[1:] if label.startswith("\\") else label
        if value in listed or value == MISSING or not (entry.get("prefixes") and is_prefix(label)):
            found.add(value)
    return found

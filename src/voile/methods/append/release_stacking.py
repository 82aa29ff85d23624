"""Put the groups of an earlier release, as they were, and new groups into one release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from voile.errors import DataError
from voile.releases.cells.cell_parsing import read_dtype
from voile.releases.dictionary import LABELS, merge_entries
from voile.releases.release import Release
from voile.tables.domain import Domain, encode_values
from voile.tables.schema import Column, Columns
from voile.tables.value_text import MISSING, shield_label

Entry = Mapping[str, Any]


def stack_releases(earlier: Release, fresh: Release, columns: Columns) -> Release:
    """Return one release with the rows of both: those of the earlier one first, unchanged. Numbered groups of the
    fresh one are numbered after those of the earlier one."""
    then, now = _entries(earlier), _entries(fresh)
    if then.keys() != now.keys():
        raise _changed_columns(sorted(then.keys() ^ now.keys()))
    common = {name: _common_column(columns[name], earlier, then[name], fresh, now[name]) for name in then}
    merged = {name: _merge_entry(then[name], now[name], common[name]) for name in then}
    last = int(earlier.column_of("quasi", "group").max() or 0) if not earlier.shows_boxes else 0  # type: ignore[arg-type]
    added = fresh.renumber_tables(last)
    tables = {}
    for table, below in added.items():
        above = earlier.tables[table]
        tables[table] = pl.DataFrame(
            {
                name: _stack_column(above[name], below[name], then.get(name), now.get(name), merged.get(name), common)
                for name in below.columns
            }
        )
    return replace(fresh, tables=tables, dictionary={**fresh.dictionary, "columns": list(merged.values())})


def _entries(release: Release) -> dict[str, Entry]:
    return {str(entry["name"]): entry for entry in release.dictionary["columns"]}


def _changed_columns(names: list[str]) -> DataError:
    return DataError(
        f"The earlier releases have another schema: they differ in {', '.join(map(repr, names))}.",
        code="data.after-schema",
        hint="Publish with the columns, types, declared domains and hierarchies of the earlier releases.",
    )


def _common_column(column: Column, earlier: Release, then: Entry, fresh: Release, now: Entry) -> Column:
    """Return a column of the table with a domain that also holds what the earlier release shows of it."""
    if any(then.get(part) != now.get(part) for part in ("role", "kind", "type", "weight")):
        raise _changed_columns([column.name])
    domains = [entry["domain"] for entry in (then, now)]
    if domains[0].get("declared") != domains[1].get("declared"):
        raise _changed_columns([column.name])
    if column.domain.declared:
        if domains[0].get("values", domains[1].get("values")) != domains[1].get("values"):
            raise _changed_columns([column.name])
        return column
    values = [_shown_domain(earlier, then).values, column.domain.values]
    return replace(column, domain=_merge_values(column, values))


def _shown_domain(release: Release, entry: Entry) -> Domain:
    """Return the domain of a column as a release shows it."""
    name = str(entry["name"])
    if entry["role"] == "quasi" and release.shows_boxes:
        domain: Domain = release.box_cells[name][0].domain
        return domain
    table = next(table for table, layout in release.layout.items() if name in layout.described)
    return release.published_column(entry, table)[0].domain


def _merge_values(column: Column, values: list[pl.Series]) -> Domain:
    domain = column.domain
    if domain.uses_intervals:
        numbers = pl.concat([some.cast(domain.values.dtype) for some in values]).unique().sort()
        return Domain(numbers, domain.kind, domain.missing)
    textual = domain.values.dtype in (pl.String, pl.Enum)
    then, now = (some.cast(pl.String).to_list() if textual else some.to_list() for some in values)
    if set(then) <= set(now):
        return domain
    if column.kind == "ordered" and not set(now) <= set(then):
        raise _changed_columns([column.name])  # the order of all values together is not known
    merged = then if set(now) <= set(then) else sorted({*then, *now})
    dtype = pl.Enum(merged) if isinstance(domain.values.dtype, pl.Enum) else domain.values.dtype
    return Domain(pl.Series(merged, dtype=dtype), domain.kind, domain.missing)


def _merge_entry(then: Entry, now: Entry, column: Column) -> dict[str, Any]:
    """Return the entry of the dictionary for the rows of both releases."""
    names = [entry.get("names", {}) for entry in (then, now)]
    if any(names[0][label] != names[1][label] for label in names[0].keys() & names[1].keys()):
        raise _changed_columns([column.name])
    merged = merge_entries([now, then], column)
    rows = [entry.get("hierarchy") for entry in (then, now)]
    if merged["shown"] != "exact" or rows == [None, None]:
        return merged
    known = {str(row[0]): row for some in rows for row in some or ()}
    if None in rows or any(known[str(row[0])] != row for some in rows for row in some or ()):
        raise _changed_columns([column.name])
    listed = [known[text] for text in map(str, column.domain.labels) if text in known]
    return {**merged, "hierarchy": listed}


def _stack_column(
    above: pl.Series,
    below: pl.Series,
    then: Entry | None,
    now: Entry | None,
    merged: Entry | None,
    common: Mapping[str, Column],
) -> pl.Series:
    """Return the cells of a column in both tables, as labels where one of the releases generalizes the column."""
    if then is None or now is None or merged is None:
        return pl.concat([above.cast(pl.Int64), below.cast(pl.Int64)])  # group and count
    domain = common[below.name].domain
    if merged["shown"] in LABELS:
        texts = pl.concat([_as_labels(above, then, domain), _as_labels(below, now, domain)])
        return texts.cast(pl.Enum(texts.unique().sort()))
    if domain.values.dtype in (pl.String, pl.Enum):
        texts = pl.concat([above.cast(pl.String), below.cast(pl.String)])
        return texts.cast(pl.Enum(texts.drop_nulls().unique().sort())) if isinstance(below.dtype, pl.Enum) else texts
    return pl.concat([above.cast(below.dtype), below])


def _as_labels(values: pl.Series, entry: Entry, domain: Domain) -> pl.Series:
    if entry["shown"] in LABELS:
        return values.cast(pl.String)
    if values.dtype == pl.String and domain.values.dtype != pl.String:
        values = values.cast(read_dtype(str(entry["type"])))
    leaves = domain.labels[: len(domain.values)]
    labels = [leaf if domain.uses_intervals else shield_label(leaf) for leaf in leaves] + [MISSING]
    return pl.Series(labels, dtype=pl.String).gather(encode_values(domain, values).astype(np.int64)).alias(values.name)

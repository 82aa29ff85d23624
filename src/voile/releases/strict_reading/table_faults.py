"""Faults of published tables: they must be the tables of their shape, hold what the dictionary says, and nothing else.

An undescribed column could hold anything, even names. A value that two readers would take differently (a number that
was text, NaN, a blank that nobody sees) is a fault too: what verify counts must be what a recipient reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.column_types import holds_numbers, is_text, parse_type
from voile.releases.published_tables import PublishedTables
from voile.releases.strict_reading.dictionary_faults import VALUE_CELLS
from voile.releases.strict_reading.distinct_cells import DistinctCells
from voile.tables.value_text import count_lookalikes, parse_values

LARGEST_NUMBER = 1 << 53  # group numbers and counts are exact in every arithmetic below it


def find_table_faults(release: PublishedTables, cells: DistinctCells) -> list[str]:
    """Return the faults of the tables of a release, or of a piece of one; they may lack their rows."""
    return [*_layout_faults(release, cells.tables), *_content_faults(release, cells)]


def _layout_faults(release: PublishedTables, tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yield the tables and columns that are missing or do not belong to the shape."""
    layout = release.layout
    for table in tables:
        if table not in layout:
            yield f"{table!r} is no table of a {release.shape} release"
    for table, columns in layout.items():
        if table not in tables:
            if not columns.optional:
                yield f"the table {table!r} is missing"
            continue
        names, stated = tables[table].columns, (*columns.added, *columns.described, *columns.ends, *columns.means)
        present, known = set(names), set(stated)
        yield from (f"{name!r} of {table!r} is not described" for name in names if name not in known)
        yield from (f"{name!r} of {table!r} is missing" for name in stated if name not in present)
        if len(known) < len(stated):
            yield f"two columns of {table!r} have the same name"
    if set(release.mean_names) - {name for columns in layout.values() for name in columns.means}:
        yield f"no {release.shape} release states means of groups"
    homes = {name for columns in layout.values() for name in columns.described}
    for entry in release.dictionary["columns"]:
        if entry["name"] not in homes:
            yield f"{entry['name']!r} is in no table"
        if entry["shown"] == "exact" and entry["cell"] != release.exact_meaning(entry):
            yield f"no {release.shape} release explains {entry['name']!r} like that"
        perturbed = release.perturbs and entry["role"] == "sensitive"
        holds_labels = entry["shown"] not in VALUE_CELLS
        if (
            (entry["shown"] == "perturbed") != perturbed
            or (holds_labels and not release.generalizes)
            or (release.perturbs and entry["role"] == "quasi" and not holds_labels)
        ):
            yield f"no {release.shape} release shows {entry['name']!r} like that"


def _content_faults(release: PublishedTables, cells: DistinctCells) -> Iterator[str]:
    entries = {str(entry["name"]): entry for entry in release.dictionary["columns"]}
    for table, columns in release.layout.items():
        content = cells.tables.get(table)
        if content is None:
            continue
        for name in columns.added:
            if name in content.columns:
                yield from _number_faults(f"{name!r} of {table!r}", content[name], adds_up=name != "group")
        for name in columns.described:
            if name in content.columns and name not in columns.added:
                yield from _column_faults(f"{name!r} of {table!r}", cells, table, entries[name])


def _number_faults(where: str, column: pl.Series, adds_up: bool) -> Iterator[str]:
    """Yield why a column that voile adds does not hold group numbers or counts: whole numbers from 1 on."""
    if column.dtype != pl.Int64:
        yield f"{where} does not hold whole numbers of 64 bits"
    elif column.null_count():
        yield f"{where} has {count_noun(column.null_count(), 'missing cell')}"
    elif len(column) and not 1 <= int(column.min()) <= int(column.max()) <= LARGEST_NUMBER:  # type: ignore[arg-type]
        yield f"{where} holds numbers below 1 or too large"
    elif adds_up and float(column.cast(pl.Float64).sum()) > LARGEST_NUMBER:
        yield f"{where} holds numbers that are too large to be added"


def _column_faults(where: str, cells: DistinctCells, table: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a column contradicts its entry; faults are counted, cells never shown."""
    column, dtype = cells.tables[table][str(entry["name"])], parse_type(entry["type"])
    if entry["shown"] not in VALUE_CELLS:
        if not is_text(column.dtype) or column.null_count():
            yield f"{where} does not hold labels"
        return
    if dtype is None or (column.dtype != dtype and not (dtype == pl.String and is_text(column.dtype))):
        yield f"{where} has another type than the dictionary states"
        return
    if column.null_count() and not entry["domain"]["missing"]:
        yield f"{where} has {count_noun(column.null_count(), 'missing cell')}"
    if dtype.is_float():
        odd = _count_odd_floats(column.drop_nulls())
        if odd:
            yield f"{where} has {count_noun(odd, 'cell')} outside the plain numbers (infinite, NaN or -0)"
            return
    values = cells.collect(table, str(entry["name"])) if "values" in entry["domain"] else column.drop_nulls()
    outside = _count_outside(values, entry, dtype)
    if outside:
        yield f"{where} has {count_noun(outside, 'cell or value', 'cells or values')} outside its domain"
    if entry["role"] == "sensitive" and is_text(column.dtype):
        listed = entry["domain"].get("values", ())
        alike = count_lookalikes({*cells.collect(table, str(entry["name"])).to_list(), *map(str, listed)})
        if alike:
            yield f"{where} has values ({alike}) that look like others: only invisible or compatible characters differ"


def _count_odd_floats(values: pl.Series) -> int:
    numbers = values.to_numpy()
    return int((~np.isfinite(numbers) | ((numbers == 0) & np.signbit(numbers))).sum())


def _count_outside(values: pl.Series, entry: Mapping[str, Any], dtype: pl.DataType) -> int:
    """Count the distinct values that are not in the list, or the cells beyond the ends."""
    domain, numbers = entry["domain"], holds_numbers(entry["type"])
    if "values" in domain:
        listed = domain["values"]
        if numbers or dtype in (pl.String, pl.Boolean):
            known = set(listed)
            return sum(value not in known for value in values.to_list())
        return int((~values.is_in(parse_values(pl.Series(listed, dtype=pl.String), dtype).implode())).sum())
    if "min" not in domain:
        return len(values)
    if dtype in (pl.String, pl.Boolean):
        return len(values)  # categories are listed
    ends = [domain["min"], domain["max"]]
    low, high = ends if numbers else parse_values(pl.Series(ends, dtype=pl.String), dtype)
    if low is None or high is None:
        return len(values)
    if numbers and len(values) and low <= values.min() and values.max() <= high:
        return 0
    return int(((values < low) | (values > high)).sum())

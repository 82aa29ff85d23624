"""Typed columns beside a column of ranges: the least and the greatest value that each cell stands for.

`[31, 39]` is text. Beside it stand 31 and 39, as numbers or dates. They follow from the label and the dictionary alone,
so that they tell nothing new; whoever verifies a release computes them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.cell_parsing import read_column
from voile.releases.cells.cells import Cells
from voile.releases.cells.column_types import parse_type
from voile.tables.value_text import MISSING, TOP

Entry = Mapping[str, Any]
MEANING = f"the least and the greatest value that the cell stands for; empty where it is {TOP} or {MISSING}"


def holds_ranges(entry: Entry) -> bool:
    """Whether the cells of a column are labels of ranges of numbers or dates."""
    return entry["role"] == "quasi" and entry["shown"] == "generalized" and entry["kind"] in ("numeric", "date")


def end_names(entry: Entry) -> tuple[str, ...]:
    """Return the names of the two columns of ends beside a column, if it has them."""
    ends = entry.get("ends")
    return (str(ends["low"]), str(ends["high"])) if isinstance(ends, Mapping) else ()


def describe_ends(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the entries of a dictionary with columns of ends for all ranges. Their names differ from those of other
    columns in more than capital letters."""
    taken = {str(entry["name"]).casefold() for entry in entries}
    taken |= {str(entry["mean"]["name"]).casefold() for entry in entries if "mean" in entry}
    described = []
    for entry in map(drop_ends, entries):
        if holds_ranges(entry):
            stem = str(entry["name"])
            while taken & {f"{stem}_low".casefold(), f"{stem}_high".casefold()}:
                stem += "_"
            taken |= {f"{stem}_low".casefold(), f"{stem}_high".casefold()}
            entry["ends"] = {"low": f"{stem}_low", "high": f"{stem}_high", "means": MEANING}
        described.append(entry)
    return described


def drop_ends(entry: Entry) -> dict[str, Any]:
    """Return an entry without its columns of ends."""
    return {key: value for key, value in entry.items() if key != "ends"}


def insert_ends(
    table: pl.DataFrame, entries: Sequence[Entry], known: Mapping[str, tuple[Cells, np.ndarray]] | None = None
) -> pl.DataFrame:
    """Return a table with the columns of ends that the entries describe, each pair behind its labels. `known` are the
    cells of columns that have been read already."""
    columns: list[pl.Series] = []
    by_name = {str(entry["name"]): entry for entry in entries}
    for column in table:
        entry = by_name.get(column.name)
        columns.append(column)
        if entry is not None and end_names(entry):
            columns += compute_ends(entry, *((known or {}).get(column.name) or read_column(entry, column)))
    return pl.DataFrame(columns)


def compute_ends(entry: Entry, cells: Cells, codes: np.ndarray) -> list[pl.Series]:
    """Return the columns of ends of a column whose rows have these cells."""
    return [ends.gather(codes) for ends in _read_ends(entry, cells)]


def _read_ends(entry: Entry, cells: Cells) -> list[pl.Series]:
    """Return the least and the greatest value of each cell of a column."""
    assert cells.low is not None and cells.high is not None
    dtype = parse_type(str(entry["type"]))
    assert dtype is not None, "the dictionary has been checked"
    hidden = cells.whole | (cells.high < cells.low)
    ends = []
    for name, code in zip(end_names(entry), (cells.low, cells.high), strict=True):
        places = pl.Series(np.where(hidden, 0, code), dtype=pl.UInt32)
        value = pl.select(pl.when(pl.Series(~hidden)).then(places)).to_series()
        ends.append(cells.domain.values.gather(value).cast(dtype).alias(name))
    return ends


def find_end_faults(entry: Entry, table: pl.DataFrame, cells: Cells, codes: np.ndarray) -> list[str]:
    """Return the columns of ends that say something else than the labels."""
    faults = []
    for ends in _read_ends(entry, cells) if end_names(entry) else ():
        column = table[ends.name]
        if column.dtype != ends.dtype:
            faults.append(f"{ends.name!r} has another type than {entry['name']!r}.")
            continue
        wrong = _count_differences(column, ends, codes)
        if wrong:
            faults.append(f"{count_noun(wrong, 'cell')} of {ends.name!r} should be another end of {entry['name']!r}.")
    return faults


def _count_differences(column: pl.Series, ends: pl.Series, codes: np.ndarray) -> int:
    """Count the rows in which a column does not hold the end of their cell, bit by bit: -0.0 is not 0.0."""
    differs = _read_bits(column) != _read_bits(ends)[codes]
    if column.null_count() or ends.null_count():
        differs |= column.is_null().to_numpy() != ends.is_null().to_numpy()[codes]
    return int(np.count_nonzero(differs))


def _read_bits(values: pl.Series) -> np.ndarray:
    """Return values as whole numbers that are equal only if the values are; a missing one is 0."""
    numbers = values.to_physical().fill_null(strategy="zero").to_numpy()
    return numbers.view(f"i{numbers.dtype.itemsize}") if values.dtype.is_float() else numbers

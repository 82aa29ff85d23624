"""Assemble one release from the tables of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.flow.publish.part_publishing import ShownPart, Tables
from voile.releases.certificate import UNSIGNED
from voile.releases.dictionary import LABELS, merge_entries
from voile.releases.partitioned_tables import PartitionedTables, stack_tables
from voile.releases.release import Release, find_shape
from voile.tables.domain import Domain, encode_values
from voile.tables.part_protocol import Parts, PartsInMemory
from voile.tables.schema import Columns
from voile.tables.unit import Unit
from voile.tables.value_text import MISSING, shield_label

Labels = Mapping[str, tuple[Domain, list[str]]]  # by generalized column: its domain, and the label of each value


def assemble_release(
    parts: Parts, withheld: int, unit: Unit, missing: str, ends: bool = True
) -> tuple[Release, Columns]:
    """Make one release of shown parts, and return the columns as they are shown. The dictionary tells the recipient how
    many rows were withheld to keep the promise, how many rows a person may have, and whether missing cells are values:
    the cells do not tell where all of them are `*`. With `ends`, typed columns beside labels of ranges state their
    ends."""
    first: ShownPart = parts.summaries[0]
    assert first.columns is not None, "the first part tells the columns"
    dictionary = {**_common_dictionary(parts.summaries, first.columns), "withheld": withheld, "unit": unit.as_json()}
    if first.columns.quasi_sets:
        dictionary["quasi_sets"] = [list(names) for names in first.columns.quasi_sets]
    if missing == "value":
        dictionary["missing"] = missing
    labels = _exact_labels(dictionary, first.columns)
    tables: Mapping[str, pl.DataFrame]
    if len(parts) > 1:
        parts = parts.map_lazily(relabel, labels)
    if isinstance(parts, PartsInMemory):
        tables = {name: stack_tables([part[name] for part in parts.contents]) for name in parts.contents[0]}
    else:
        tables = PartitionedTables(parts, relabel(first.empty, 0, labels))
    release = find_shape(first.shape)(tables, dictionary, UNSIGNED)
    return release.add_ends() if ends else release, first.columns


def _common_dictionary(notes: Sequence[ShownPart], columns: Columns) -> dict[str, Any]:
    """The dictionary of all parts. Where groups are boxes, a column's cells differ from part to part; other columns
    list the values of all parts already."""
    entries = list(notes[0].dictionary["columns"])
    for number, entry in enumerate(entries if find_shape(notes[0].shape).shows_boxes else ()):
        if entry["role"] == "quasi" and len(notes) > 1:
            others = [note.dictionary["columns"][number] for note in notes]
            entries[number] = merge_entries(others, columns[str(entry["name"])])
    return {**notes[0].dictionary, "columns": entries}


def _exact_labels(dictionary: Mapping[str, Any], columns: Columns) -> Labels:
    """The labels of exact values, for parts that show a column as it is while another part generalizes it."""
    found = {}
    for entry in dictionary["columns"]:
        if entry["shown"] in LABELS:
            domain = columns[str(entry["name"])].domain
            exact = [
                leaf if domain.uses_intervals else shield_label(leaf) for leaf in domain.labels[: len(domain.values)]
            ]
            found[str(entry["name"])] = domain, [*exact, MISSING]
    return found


def relabel(tables: Tables, number: int, labels: Labels) -> Tables:
    """Turn exact values of a part into labels, in columns that another part generalizes."""
    made = {}
    for name, table in tables.items():
        exact = [n for n in table.columns if n in labels and not _is_label(table[n], labels[n][0])]
        made[name] = table.with_columns(_as_labels(table[n], *labels[n]) for n in exact)
    return made


def _is_label(values: pl.Series, domain: Domain) -> bool:
    return values.dtype == pl.Enum and values.dtype != domain.values.dtype


def _as_labels(values: pl.Series, domain: Domain, labels: Sequence[str]) -> pl.Series:
    used, place = np.unique(encode_values(domain, values), return_inverse=True)
    shown = pl.Series([labels[code] for code in used], dtype=pl.String)
    return shown.cast(pl.Enum(shown)).gather(place).alias(values.name)

"""What is done to each part of a table. A small table is one part, and goes through the same two functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from voile.io.parquet.writing import with_text_labels
from voile.methods.base import Method, require_shape
from voile.models.policy import Policy
from voile.releases.release import Release
from voile.tables.domain_trimming import find_used_codes, trim_columns
from voile.tables.part_protocol import Parts
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns

Tables = dict[str, pl.DataFrame]
CodeMap = Mapping[str, np.ndarray]  # by column: what becomes of each code


@dataclass(frozen=True, eq=False)
class PartTask:
    """What every part needs to be published. `people_before` counts the people in the parts before each."""

    policy: Policy
    method: Method
    people_before: Sequence[int]


@dataclass(frozen=True, eq=False)
class GroupedPart:
    """What the caller is told of a part whose people are grouped: the columns as they are to be shown, how many rows
    are withheld, whether values may be gone, and which codes the published rows have, where that may matter."""

    columns: Columns
    withheld: int
    lacks_values: bool
    used_codes: Mapping[str, np.ndarray] | None


@dataclass(frozen=True, eq=False)
class ShownPart:
    """What the caller is told of a part that is shown: the shape and the dictionary of its tables, the columns as
    shown (of the first part), and the tables without a row."""

    shape: str
    dictionary: Mapping[str, Any]
    columns: Columns | None
    empty: Tables


def group_part(rows: Rows, number: int, columns: Columns, task: PartTask) -> tuple[Rows, GroupedPart]:
    """Decide who hides with whom (Unsatisfiable), and change values where the method does."""
    grouped = task.method.group(columns, rows, task.policy)
    columns, shown = task.method.transform(columns, grouped, task.policy)
    withheld = rows.total - shown.total
    lacks_values = withheld > 0 or (task.method.removes_values and shown is not grouped)
    divided = len(task.people_before) > 1
    candidates = columns if divided or withheld else [column for column in columns if column.altered]
    used_codes = find_used_codes(candidates, shown) if divided or lacks_values else None
    return shown, GroupedPart(columns, withheld, lacks_values, used_codes)


def trim_domains(parts: Parts) -> tuple[Columns, CodeMap, int]:
    """Remove values that no published row has: the columns, what becomes of their codes, and the number of withheld
    rows. If no row is withheld and no value replaced, there is nothing to remove."""
    notes: Sequence[GroupedPart] = parts.summaries
    columns, withheld = notes[0].columns, sum(note.withheld for note in notes)
    if not any(note.lacks_values for note in notes):
        return columns, {}, 0
    used = [note.used_codes or {} for note in notes]
    together = {name: np.unique(np.concatenate([codes[name] for codes in used if codes])) for name in _first(used)}
    return *trim_columns(columns, together), withheld


def _first(used: Sequence[Mapping[str, np.ndarray]]) -> Sequence[str]:
    return list(next((codes for codes in used if codes), ()))


def show_part(rows: Rows, number: int, columns: Columns, task: PartTask, code_map: CodeMap) -> tuple[Tables, ShownPart]:
    """Build the published tables of a part; its groups are numbered after the people of the parts before it."""
    release = require_shape(task.method, task.method.show(columns, rows.recode(code_map) if code_map else rows))
    tables = release.renumber_tables(task.people_before[number])
    dictionary = release.dictionary if number == 0 else _changing(release)
    empty = {name: with_text_labels(table.clear()) for name, table in tables.items()}
    return tables, ShownPart(release.shape, dictionary, columns if number == 0 else None, empty)


def _changing(release: Release) -> dict[str, Any]:
    """Keep what differs from part to part: how the cells of boxes are shown, and which values and names they have."""
    kept = ("shown", "domain", "names", "prefixes")
    entries = release.dictionary["columns"] if release.shows_boxes else ()
    return {
        "columns": [
            {key: entry[key] for key in kept if key in entry} if entry["role"] == "quasi" else {} for entry in entries
        ]
    }

"""Publishing part by part: what is done to each part, and how the shown parts become one release.

`hide` and `show` are plain functions of a part. A small table is one part, and goes through the same two functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from voile.core.cells import shielded
from voile.core.domain import Domain, codes_in
from voile.core.kept import Kept, plain, stacked
from voile.core.method import Method
from voile.core.narrow import codes_used, narrowed
from voile.core.parts import Here, Parts
from voile.core.policy import Policy
from voile.core.release import Release, of_shape
from voile.core.rows import Rows
from voile.core.schema import Columns
from voile.core.showing import UNSIGNED
from voile.core.texts import MISSING

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True, eq=False)
class Hidden:
    """What the caller is told of a part whose people are hidden: who is left, and which codes they have."""

    people: int
    lost: int
    groups: int
    used: Mapping[str, np.ndarray] | None


@dataclass(frozen=True, eq=False)
class Shown:
    """What the caller is told of a part that is shown: the dictionary of its tables, and the columns as shown."""

    shape: str
    dictionary: Mapping[str, Any]
    columns: Columns | None


def hide(
    rows: Rows, number: int, columns: Columns, policy: Policy, method: Method, telling: bool
) -> tuple[Rows, Hidden]:
    """Who hides with whom (Unsatisfiable), and which values are disturbed (default: none)."""
    before = rows.total
    rows = method.alter(columns, method.group(columns, rows, policy), policy)
    lost = before - rows.total
    used = codes_used(columns, rows) if telling or lost or method.forgets else None
    return rows, Hidden(rows.total, lost, rows.groups, used)


def left(columns: Columns, parts: Parts, method: Method) -> tuple[Columns, dict[str, np.ndarray], int]:
    """The columns without what nobody published has, what becomes of their codes, and how many rows were lost."""
    lost = sum(note.lost for note in parts.notes)
    if not lost and not method.forgets:
        return columns, {}, 0
    names = list(parts.notes[0].used)
    used = {name: np.unique(np.concatenate([note.used[name] for note in parts.notes])) for name in names}
    return *narrowed(columns, used), lost


def show(
    rows: Rows,
    number: int,
    columns: Columns,
    policy: Policy,
    method: Method,
    moved: Mapping[str, np.ndarray],
    first: Sequence[int],
) -> tuple[Tables, Shown]:
    """The published tables of a part; groups are numbered after those of the parts before it."""
    rows = rows.recode(moved) if moved else rows
    columns, rows = method.recode(columns, rows, policy)  # which values are shown more coarsely (default: none)
    release = method.shape(columns, rows)
    tables = dict(release.tables)
    if first[number]:
        for name, table in tables.items():
            if "group" in table.columns and "group" not in [column.name for column in columns]:
                tables[name] = table.with_columns(pl.col("group") + first[number])
    told = columns if number == 0 else None
    dictionary = release.dictionary if number == 0 else _brief(release.dictionary)
    return tables, Shown(release.shape, dictionary, told)


def _brief(dictionary: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from part to part: how a column is shown, and names that stand for sets."""
    told = [
        {key: entry[key] for key in ("name", "shown", "cell", "names") if key in entry}
        for entry in columns_of(dictionary)
    ]
    return {"columns": told}


def columns_of(dictionary: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(dictionary["columns"])


def joined(parts: Parts) -> tuple[Release, Columns]:
    """One release of the shown parts, and the columns as they are shown."""
    first: Shown = parts.notes[0]
    assert first.columns is not None
    dictionary = _common(parts.notes)
    tables: Mapping[str, pl.DataFrame]
    if len(parts) > 1 or not isinstance(parts, Here):
        parts = parts.map("label", relabel, _labels(dictionary, first.columns))
    if isinstance(parts, Here):
        tables = {name: stacked([part[name] for part in parts.held]) for name in parts.held[0]}
    else:
        tables = Kept(parts)
    return of_shape(first.shape)(tables, dictionary, UNSIGNED), first.columns


def _common(notes: Sequence[Shown]) -> dict[str, Any]:
    """The dictionary of all parts: a column is generalized where it is so in one of them."""
    entries = []
    for number, entry in enumerate(columns_of(notes[0].dictionary)):
        others = [columns_of(note.dictionary)[number] for note in notes]
        coarse = [other for other in others if other["shown"] == "generalized"]
        if coarse:
            entry = {**entry, "shown": "generalized", "cell": coarse[0]["cell"]}
            entry.pop("hierarchy", None)
            listed = [other["names"] for other in coarse if "names" in other]
            if listed:
                entry["names"] = dict(sorted({key: one[key] for one in listed for key in one}.items()))
        entries.append(entry)
    return {**notes[0].dictionary, "columns": entries}


def _labels(dictionary: Mapping[str, Any], columns: Columns) -> dict[str, tuple[Domain, list[str]]]:
    """For generalized columns the domain and the label of each value, for parts that show the values as they are."""
    found = {}
    for entry in columns_of(dictionary):
        if entry["shown"] == "generalized":
            domain = columns[str(entry["name"])].domain
            plain = [leaf if domain.ranged else shielded(leaf) for leaf in domain.texts[: len(domain.values)]]
            found[str(entry["name"])] = domain, [*plain, MISSING]
    return found


def relabel(tables: Tables, number: int, labels: Mapping[str, tuple[Domain, list[str]]]) -> tuple[Tables, Tables]:
    """Exact values of a part as labels, in columns that another part generalizes."""
    made = {}
    for name, table in tables.items():
        exact = [n for n in table.columns if n in labels and not _is_label(table[n], labels[n][0])]
        made[name] = table.with_columns(_labelled(table[n], *labels[n]) for n in exact)
    return made, {name: plain(table.clear()) for name, table in made.items()}


def _is_label(values: pl.Series, domain: Domain) -> bool:
    return values.dtype == pl.Enum and values.dtype != domain.values.dtype


def _labelled(values: pl.Series, domain: Domain, labels: Sequence[str]) -> pl.Series:
    used, place = np.unique(codes_in(domain, values), return_inverse=True)
    shown = pl.Series([labels[code] for code in used], dtype=pl.String)
    return shown.cast(pl.Enum(shown)).gather(place).alias(values.name)

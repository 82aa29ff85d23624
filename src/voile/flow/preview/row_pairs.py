"""Rows of the original table, and beside each what a reader of the release sees of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.errors import VoileError
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

HIDDEN = "–"  # nothing is published of it
MOST_VALUES = 6  # of a group that are listed by name


@dataclass(frozen=True)
class RowPair:
    """An original row, and the published one. Without a `published` row, it was withheld, or several groups fit it."""

    original: tuple[str, ...]
    published: tuple[str, ...] | None


def pair_rows(data: Microdata, release: Release, names: Sequence[str], count: int) -> tuple[RowPair, ...]:
    """Return `count` different rows of the table, spread evenly over it, beside what is published of each."""
    columns = [data.columns[name] for name in names]
    table = data.rows.histogram(names)
    chosen = np.unique(np.linspace(0, len(table.counts) - 1, min(count, len(table.counts))).astype(np.int64))
    group = _find_groups(data, release, table.codes[chosen], names)
    pairs = []
    for codes, home in zip(table.codes[chosen].tolist(), group.tolist(), strict=True):
        texts = tuple(str(column.domain.labels[code]) for column, code in zip(columns, codes, strict=True))
        shown = [_show_cell(release, column, text, home) for column, text in zip(columns, texts, strict=True)]
        pairs.append(RowPair(texts, tuple(shown) if home >= 0 else None))
    return tuple(pairs)


def _find_groups(data: Microdata, release: Release, codes: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return the group of each row; -1 where none or several fit."""
    known = [column.name for column in data.columns.quasi]
    try:
        homes = release.locate(data)
    except (VoileError, NotImplementedError):
        return np.full(len(codes), -1, dtype=np.int64)
    table = data.rows.histogram(known)
    places = {tuple(row): home for row, home in zip(table.codes.tolist(), homes.tolist(), strict=True)}
    own = codes[:, [list(names).index(name) for name in known]]
    return np.array([places[tuple(row)] for row in own.tolist()], dtype=np.int64)


def _show_cell(release: Release, column: Column, text: str, group: int) -> str:
    """Return what the release shows of a cell in a group: its label, the value itself, or the values of the group."""
    if group < 0:
        return HIDDEN
    if column.name in release.box_cells:
        cells, cell = release.box_cells[column.name]
        return str(cells.labels[int(cell[group])])
    if column.role == "sensitive":
        return _show_secret(release, release.tallies.get(column.name), text, group)
    return text if any(entry["name"] == column.name for entry in release.dictionary["columns"]) else HIDDEN


def _show_secret(release: Release, counts: Counts | None, text: str, group: int) -> str:
    """Return the value that stands in the person's row; where rows and values are unlinked, or values were perturbed,
    the values of the group."""
    if counts is None or counts.column is None:
        return HIDDEN
    codes = counts.values[counts.starts[group] : counts.starts[group + 1]].tolist()
    values = [str(counts.column.domain.labels[code]) for code in codes]
    if release.box_cells and release.channel is None and text in values:
        return text
    listed = ", ".join(values[:MOST_VALUES]) + (f" and {len(values) - MOST_VALUES} more" * (len(values) > MOST_VALUES))
    return f"one of: {listed}" if values else HIDDEN

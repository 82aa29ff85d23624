"""Rows of the original table, and beside each what a reader of the release sees of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.errors import VoileError
from voile.kernels.box_matching import NONE, SEVERAL
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Column

HIDDEN = "–"  # nothing is published of it
MOST_VALUES = 6  # of a group that are listed by name


@dataclass(frozen=True)
class RowPair:
    """An original row, and the published one; without a `published` row, it is withheld."""

    original: tuple[str, ...]
    published: tuple[str, ...] | None


def pair_rows(
    data: Microdata, release: Release, names: Sequence[str], count: int, fitting: bool = False
) -> tuple[RowPair, ...]:
    """Return up to `count` different rows of the table, spread evenly over it, beside what is published of each. Rows
    that several groups fit are left out: the release does not tell which of them is theirs. With `fitting`, rows that
    no group fits are left out too."""
    columns = [data.columns[name] for name in names]
    table = data.rows.histogram(names)
    home = _find_homes(data, release, table)
    clear = np.flatnonzero(home >= (0 if fitting else NONE))
    chosen = clear[np.unique(np.linspace(0, len(clear) - 1, min(count, len(clear))).astype(np.int64))]
    pairs = []
    for codes, group in zip(table.codes[chosen].tolist(), home[chosen].tolist(), strict=True):
        texts = tuple(str(column.domain.labels[code]) for column, code in zip(columns, codes, strict=True))
        shown = [_show_cell(release, column, text, group) for column, text in zip(columns, texts, strict=True)]
        pairs.append(RowPair(texts, tuple(shown) if group >= 0 else None))
    return tuple(pairs)


def _find_homes(data: Microdata, release: Release, table: Histogram) -> np.ndarray:
    """Return the group of each row, -1 where none fits, and a smaller number where several do."""
    known = [column.name for column in data.columns.quasi]
    try:
        homes = release.homes(data) if release.box_cells else release.locate(data)
    except (VoileError, NotImplementedError):
        return np.full(len(table.counts), SEVERAL, dtype=np.int64)
    if not release.box_cells:  # everybody is shown there: without a clear group, several fit
        homes = np.where(homes < 0, SEVERAL, homes)
    by_quasi = data.rows.histogram(known)
    places = {tuple(row): group for row, group in zip(by_quasi.codes.tolist(), homes.tolist(), strict=True)}
    own = table.codes[:, [table.names.index(name) for name in known]]
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

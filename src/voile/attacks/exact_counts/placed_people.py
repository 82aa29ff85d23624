"""The people of the original table in the groups of a release: who is in which group, as far as everybody can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.attacks.exact_counts.count_bounds import OUTSIDE, Partition
from voile.errors import DataError
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata


@dataclass(frozen=True, eq=False)
class PlacedPeople:
    """Entries of people who are alike: `people[e]` people of cell `cell[e]` of the table are in group `group[e]`, which
    is OUTSIDE where nothing tells. `codes` are the quasi-identifiers of the cells, and `value_counts` says how many
    people of each cell have each value. The last group, number `groups`, holds the people who are missing."""

    codes: np.ndarray
    sizes: tuple[int, ...]
    value_counts: np.ndarray
    cell: np.ndarray
    group: np.ndarray
    people: np.ndarray
    groups: int
    shows_members: bool

    def limit_groups(self, counts: Counts, event: Sequence[str], total: int) -> Partition:
        """Return the groups with the cases that they have. In a box that fewer or more people fit than it has rows, the
        cases among those who fit are known within limits."""
        assert counts.column is not None
        labels = counts.column.domain.labels
        is_case = np.array([label in event for label in labels])
        if counts.column.indicator:
            is_case = np.array([False, True])
        cases = counts.summed(np.where(is_case[counts.values], counts.counts, 0)).astype(np.int64)
        if self.shows_members:
            known = np.append(cases, total - cases.sum())
            return Partition(self.group, known, known)
        placed = self.group != OUTSIDE
        fitting = np.bincount(self.group[placed], self.people[placed], self.groups + 1)[: self.groups].astype(np.int64)
        fewest = np.maximum(cases - np.maximum(counts.sizes - fitting, 0), 0)
        most = cases + np.maximum(fitting - counts.sizes, 0)
        return Partition(self.group, np.append(fewest, 0), np.append(most, total))


def place_people(release: Release, data: Microdata, sensitive: str) -> PlacedPeople:
    """Find the group of everybody: as the release shows it, or the one box that fits. O(cells * columns)."""
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table, pairs = data.rows.histogram(names), data.rows.histogram([*names, sensitive])
    columns, target = [data.columns[name] for name in names], data.columns[sensitive]
    sizes = tuple(max(column.size, 1) for column in columns)
    cell_of_pair = _find_cells(table.codes, pairs.codes[:, :-1], sizes)
    value_counts = np.zeros((len(table.counts), target.size), dtype=np.int64)
    np.add.at(value_counts, (cell_of_pair, pairs.codes[:, -1].astype(np.int64)), pairs.counts)
    codes, groups = table.codes.astype(np.int64), release.groups
    if not release.shows_members:
        group = np.asarray(release.locate(data)).astype(np.int64)
        cells = np.arange(len(table.counts))
        return PlacedPeople(codes, sizes, value_counts, cells, group, table.counts.astype(np.int64), groups, False)
    members = release.members
    texts = [{text: code for code, text in enumerate(column.domain.labels)} for column in columns]
    code_maps = [
        np.array([texts[position].get(text, -1) for text in column.domain.labels], dtype=np.int64)
        for position, column in enumerate(members.columns)
    ]
    shown = np.stack([code_maps[j][members.codes[:, j].astype(np.int64)] for j in range(len(names))], axis=1)
    cell = _find_cells(table.codes, shown, sizes)[members.rows]
    missing = table.counts - np.bincount(np.maximum(cell, 0), members.counts, len(table.counts))
    if (cell < 0).any() or (missing < 0).any():
        raise DataError(
            "The release shows people whom this table does not have.",
            code="data.other-table",
            hint="Audit the release with the table that it was made from.",
        )
    absent = np.flatnonzero(missing > 0)
    group = np.repeat(np.arange(groups), np.diff(members.starts))
    return PlacedPeople(
        codes,
        sizes,
        value_counts,
        np.concatenate([cell, absent]),
        np.concatenate([group, np.full(len(absent), groups)]),
        np.concatenate([members.counts, missing[absent]]).astype(np.int64),
        groups,
        True,
    )


def _find_cells(table: np.ndarray, rows: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return the position of each row among the distinct rows of a table, -1 if it is not there."""
    stacked = [np.concatenate([table[:, j], np.maximum(rows[:, j], 0)]) for j in range(table.shape[1])]
    ranks, first_rows = kernels.distinct_rows.rank_rows(stacked, list(sizes))
    position = np.full(len(first_rows), -1, dtype=np.int64)
    position[ranks[: len(table)]] = np.arange(len(table))
    return np.asarray(np.where((rows < 0).any(axis=1), -1, position[ranks[len(table) :]]))

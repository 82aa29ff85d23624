"""The people of a release in its groups, as everybody knows them who knows who is in the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.errors import DataError
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class PlacedPeople:
    """Entries of people who are alike: `people[e]` people with the quasi-identifier `codes[cell[e]]` are in group
    `group[e]`, which is NOWHERE where nothing tells. One more group, number `groups`, holds the people who are missing.
    The first entries are those of the release's members, where it shows them."""

    columns: tuple[Column, ...]
    codes: np.ndarray
    cell: np.ndarray
    group: np.ndarray
    people: np.ndarray
    groups: int

    @property
    def sizes(self) -> list[int]:
        return [max(column.size, 1) for column in self.columns]


def place_people(release: Release, data: Microdata | None) -> PlacedPeople | None:
    """Find the group of everybody: as the release shows it, or the one box that fits. Without the table, only the
    people of a release that shows its members and withholds nobody are known. O(cells * columns)."""
    names = [str(entry["name"]) for entry in release.described("quasi")]
    if data is None:
        return _place_members(release) if release.shows_members and not release.dictionary.get("withheld") else None
    table, columns = data.rows.histogram(names), tuple(data.columns[name] for name in names)
    codes, groups = table.codes.astype(np.int64), release.groups
    if not release.shows_members:
        group = np.asarray(release.locate(data)).astype(np.int64)
        return PlacedPeople(columns, codes, np.arange(len(codes)), group, table.counts.astype(np.int64), groups)
    members, positions = release.members, [{t: code for code, t in enumerate(c.domain.labels)} for c in columns]
    code_maps = [
        np.array([positions[j].get(text, -1) for text in column.domain.labels], dtype=np.int64)
        for j, column in enumerate(members.columns)
    ]
    shown = np.stack([code_maps[j][members.codes[:, j].astype(np.int64)] for j in range(len(names))], axis=1)
    cell = find_cells(codes, shown, [max(column.size, 1) for column in columns])[members.rows]
    missing = table.counts - np.bincount(np.maximum(cell, 0), members.counts, len(codes)).astype(np.int64)
    if (cell < 0).any() or (missing < 0).any():
        raise DataError(
            "The release shows people whom this table does not have.",
            code="data.other-table",
            hint="Use the table that the release was made from.",
        )
    absent = np.flatnonzero(missing > 0)
    group = np.repeat(np.arange(groups), np.diff(members.starts))
    return PlacedPeople(
        columns,
        codes,
        np.concatenate([cell, absent]),
        np.concatenate([group, np.full(len(absent), groups)]),
        np.concatenate([members.counts, missing[absent]]).astype(np.int64),
        groups,
    )


def _place_members(release: Release) -> PlacedPeople:
    members = release.members
    group, people = np.repeat(np.arange(members.groups), np.diff(members.starts)), members.counts.astype(np.int64)
    return PlacedPeople(
        tuple(members.columns), members.codes.astype(np.int64), members.rows, group, people, members.groups
    )


def find_cells(table: np.ndarray, rows: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return the position of each row of codes among the distinct rows of a table, -1 if it is not there."""
    stacked = [np.concatenate([table[:, j], np.maximum(rows[:, j], 0)]) for j in range(table.shape[1])]
    ranks, first_rows = kernels.distinct_rows.rank_rows(stacked, list(sizes))
    position = np.full(len(first_rows), -1, dtype=np.int64)
    position[ranks[: len(table)]] = np.arange(len(table))
    return np.asarray(np.where((rows < 0).any(axis=1), -1, position[ranks[len(table) :]]))

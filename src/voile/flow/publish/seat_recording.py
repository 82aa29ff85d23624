"""Find out who sits in which group of a new release, for the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile import kernels
from voile.adversaries.seating import NO_KIND, NO_SEAT, Seating, SeatValues
from voile.engines.memory_rows import build_rows
from voile.kernels import lazy_module
from voile.releases.linked_tables import draw_group_numbers
from voile.releases.release import Release
from voile.tables.microdata import PERSON, Microdata
from voile.tables.part_protocol import Parts
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

sparse = lazy_module("scipy.sparse")

PAIRS = 20_000_000  # pairs of a quasi-identifier and a box


def find_seats(
    release: Release,
    groups: Parts,
    people_before: Sequence[int],
    columns: Columns,
    linked: Rows,
    pseudonyms: np.ndarray,
    key: Key,
) -> Seating:
    """Return the seats of a release. `groups` are its grouped rows and `linked` the rows before they were grouped, with
    the column PERSON, which numbers the `pseudonyms`. People with equal rows are interchangeable: where grouped rows
    do not tell whose they are, the key deals the seats of a row to its people."""
    names = [column.name for column in columns]
    sizes = [max(column.size, 1) for column in columns]
    parts = [rows.count_by_group([*names, *_person_columns(rows)]) for rows in groups]
    starts = np.cumsum([0, *(rows.groups for rows in groups)])
    group = np.concatenate([own + start for (own, _), start in zip(parts, starts[:-1], strict=True)])
    codes = np.concatenate([table.codes.astype(np.int64) for _, table in parts])
    counts = np.concatenate([table.counts for _, table in parts])
    if release.shows_members:
        number = _number_buckets(groups, people_before)
    else:
        number = _number_boxes(release, columns, group, codes, int(starts[-1]))
    if codes.shape[1] > len(names):
        entry, person = np.arange(len(codes)), codes[:, -1]
    else:
        people = linked.histogram([*names, PERSON]).codes.astype(np.int64)
        entry, person = _deal_seats(codes, counts, people[:, :-1], sizes, key), people[:, -1]
        entry, person = entry[entry >= 0], person[entry >= 0]
    seat, kind = np.full(len(pseudonyms), NO_SEAT), np.full(len(pseudonyms), NO_KIND)
    seat[person] = number[group[entry]]
    if release.shows_members:
        quasi = [names.index(column.name) for column in columns.quasi]
        shown = [codes[entry, j] for j in quasi]
        kind[person] = kernels.distinct_rows.rank_rows(shown, [sizes[j] for j in quasi])[0]
    values = {}
    for column in columns.sensitive:
        value = np.full(len(pseudonyms), NO_SEAT)
        value[person] = codes[entry, names.index(column.name)]
        values[column.name] = SeatValues(tuple(column.domain.labels), value)
    return Seating(pseudonyms, seat, kind, np.ones(len(pseudonyms), dtype=bool), values)


def _person_columns(rows: Rows) -> list[str]:
    return [PERSON] if PERSON in rows.names else []


def _deal_seats(codes: np.ndarray, counts: np.ndarray, people: np.ndarray, sizes: list[int], key: Key) -> np.ndarray:
    """Return the grouped row in which each person is, -1 for withheld people: `counts[i]` of the people with the codes
    of row i are in it, and the key says which."""
    stacked = [np.concatenate([codes[:, j], people[:, j]]) for j in range(len(sizes))]
    rank, first = kernels.distinct_rows.rank_rows(stacked, sizes)
    seats = np.repeat(np.arange(len(codes)), counts)
    seats = seats[np.argsort(rank[seats], kind="stable")]
    cell = rank[len(codes) :]
    order = np.lexsort((key.stream("seats", len(people)), cell))
    first_seat = np.searchsorted(rank[seats], np.arange(len(first) + 1))
    offset = np.arange(len(people)) - np.searchsorted(cell[order], cell[order])
    place = first_seat[cell[order]] + offset
    has_seat = place < first_seat[cell[order] + 1]
    entry = np.full(len(people), NO_SEAT)
    entry[order[has_seat]] = seats[place[has_seat]]
    return entry


def _number_buckets(groups: Parts, people_before: Sequence[int]) -> np.ndarray:
    """Return the place of each group among the numbers that a release with linked tables gives its groups."""
    labels = np.concatenate(
        [draw_group_numbers(rows) + before for rows, before in zip(groups, people_before, strict=True)]
    )
    return np.argsort(np.argsort(labels))


def _number_boxes(release: Release, columns: Columns, group: np.ndarray, codes: np.ndarray, groups: int) -> np.ndarray:
    """Return the group of a release with boxes that each group of rows became: a box that all its people fit. Where
    several boxes are in question, the smallest is its own, because boxes are not larger than they need to be."""
    quasi = [column.name for column in columns.quasi]
    names = [column.name for column in columns]
    codes = codes[:, [names.index(name) for name in quasi]]
    sizes = [max(column.size, 1) for column in columns.quasi]
    cell, first = kernels.distinct_rows.rank_rows([codes[:, j] for j in range(len(sizes))], sizes)
    rows = build_rows(quasi, [codes[first, j] for j in range(len(sizes))], sizes)
    home = np.asarray(release.homes(Microdata(columns, rows)))[cell]
    number = np.full(groups, -1)
    np.maximum.at(number, group, home)
    open_groups = np.flatnonzero(number < 0)
    if len(open_groups):
        number[open_groups] = _find_smallest_boxes(release, columns, group, codes, open_groups)
    return number


def _find_smallest_boxes(
    release: Release, columns: Columns, group: np.ndarray, codes: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return for each wanted group the smallest box that all its people fit."""
    inside = np.flatnonzero(np.isin(group, wanted))
    cells = release.table_cells(columns)
    boxes = [cells[column.name][0].matrix[cells[column.name][1]].tocsr() for column in columns.quasi]
    single = [
        sparse.identity(max(column.size, 1), format="csr")[codes[inside, j]] for j, column in enumerate(columns.quasi)
    ]
    entry, box = kernels.box_matching.find_overlaps(single, boxes, PAIRS)
    owner = np.searchsorted(wanted, group[inside][entry])
    pairs, fitting = np.unique(owner * release.groups + box, return_counts=True)
    owner, box = np.divmod(pairs, release.groups)
    needed = np.bincount(np.searchsorted(wanted, group[inside]), minlength=len(wanted))
    volume = np.sum([np.log(np.diff(matrix.indptr)) for matrix in boxes], axis=0)
    covering = np.flatnonzero(fitting == needed[owner])
    order = covering[np.lexsort((volume[box[covering]], owner[covering]))]
    _, first = np.unique(owner[order], return_index=True)
    return np.asarray(box[order[first]])

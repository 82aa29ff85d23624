"""Alteration: how many sensitive cells were changed.

Some methods publish values that are not the people's own. In every box the published values are compared with those of
the people in it: at least half of the difference between the two counts must come from changed cells. Boxes that share
people are left out. In large tables, and in releases without boxes, only the whole tables are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.kernels import lazy_module
from voile.measures.base import Measure, View
from voile.releases.release import Release
from voile.releases.table_codes import table_codes
from voile.results import Loss
from voile.tables.microdata import Microdata

sparse = lazy_module("scipy.sparse")

PAIRS = 100_000_000
LARGEST = 100_000  # different quasi-identifiers that are compared box by box
TITLE = "Changed sensitive cells"


@dataclass(frozen=True)
class Alteration(Measure):
    """A lower bound of the share of sensitive cells that were changed.

    >>> Alteration().name
    'alteration'
    """

    name: ClassVar[str] = "alteration"

    def __call__(self, data: Microdata, release: Release) -> Loss:
        data = data.with_all_rows()  # which were drawn is secret: a value that nobody has there was changed for certain
        view = View(data, release)
        table = data.rows.histogram(view.names)
        boxed = release.shows_boxes and release.channel is None
        if not boxed or len(table.counts) > LARGEST or not data.columns.sensitive:
            return _compare_tables(data, release, view)
        boxes = [cells.matrix.tocsr()[cell] for cells, cell in view.cells.values()]
        single = [
            sparse.identity(data.columns[name].size, format="csr")[table.column(name).astype(np.int64)]
            for name in view.names
        ]
        cell, group = kernels.box_matching.find_overlaps(single, boxes, PAIRS)
        home = np.full(len(table.counts), -1)
        home[cell] = group
        shared = np.bincount(cell, minlength=len(home)) > 1
        clear = np.ones(release.groups, dtype=bool)
        clear[group[shared[cell]]] = False
        home[shared] = -1
        rows, codes, people = view.sensitive
        parts = {}
        for number, column in enumerate(data.columns.sensitive):
            full = data.rows.histogram([*view.names, column.name])
            place = home[
                np.searchsorted(_number_rows(table.codes, data, view.names), _number_rows(full.codes, data, view.names))
            ]
            inside = place >= 0
            before = sparse.coo_matrix(
                (full.counts[inside], (place[inside], full.column(column.name)[inside].astype(np.int64))),
                shape=(release.groups, column.size),
            )
            now = sparse.coo_matrix((people, (rows, codes[:, number])), shape=(release.groups, column.size))
            gap = np.asarray((now.tocsr() - before.tocsr()).maximum(0).sum(axis=1)).ravel()
            parts[column.name] = float(gap[clear].sum() / max(int(release.sizes[clear].sum()), 1))
        return Loss(self.name, TITLE, float(np.mean(list(parts.values()))), parts, "0 to 1, at least; box by box")


def _compare_tables(data: Microdata, release: Release, view: View) -> Loss:
    """Compare the whole tables; withheld rows and counterfeits account for some of the differences."""
    parts = {}
    for column in data.columns.sensitive:
        counts = release.tallies[column.name]
        assert counts.column is not None
        before = np.bincount(view.original.column(column.name), weights=view.original.counts, minlength=column.size)
        now = np.zeros(column.size)
        if release.has_counterfeits:  # the other values are the people's own
            continue
        now[table_codes(counts.column.domain, column.domain)] = counts.totals
        gap = float(np.abs(before - now).sum()) - abs(float(before.sum() - now.sum()))
        parts[column.name] = max(gap, 0.0) / 2 / max(release.people, 1)
    note = "0 to 1, at least; whole tables"
    return Loss("alteration", TITLE, float(np.mean(list(parts.values()))) if parts else 0.0, parts, note)


def _number_rows(codes: np.ndarray, data: Microdata, names: list[str]) -> np.ndarray:
    """Return one number for each row of quasi-identifier codes, in the order of the rows."""
    sizes = [data.columns[name].size for name in names]
    key = np.zeros(len(codes), dtype=object if np.prod([float(size) for size in sizes]) > 2**62 else np.int64)
    for number, size in enumerate(sizes):
        key = key * size + codes[:, number].astype(np.int64)
    return key

"""What a release answers to COUNT queries by the hundred, each cell being spread evenly over what it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from voile import kernels
from voile.measures.base import View
from voile.releases.randomized_response import Channel
from voile.releases.shapes.decomposed import Decomposed
from voile.tables.schema import Column, Columns

SHARES = 20_000_000  # of a decomposed release, computed at once


def asked_columns(columns: Columns) -> tuple[list[Column], np.ndarray]:
    """The columns that queries ask about, and where the values of each start in a row of marks."""
    asked = [*columns.quasi, *columns.sensitive]
    return asked, np.concatenate([[0], np.cumsum([column.size for column in asked])]).astype(np.int64)


class Estimates:
    """A release, or a piece of one, as the kernels want it. A query is a row that marks the values which it admits."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.columns, self.offset = asked_columns(view.data.columns)
        if isinstance(view.release, Decomposed):
            return
        owner, codes, people = view.sensitive
        order = np.argsort(owner, kind="stable")
        self.entries = np.searchsorted(owner[order], np.arange(view.release.groups + 1))
        self.values, self.people = codes[order].astype(np.int64), people[order]
        if self.people.dtype.kind != "f":  # counterfeits make people of values fractions
            self.people = self.people.astype(np.int64)

    def answers(self, chosen: np.ndarray) -> np.ndarray:
        """What the release answers to each query."""
        return settled([self.sums(chosen)], chosen, self.offset[len(self.view.names)], self.view.release.channel)

    def sums(self, chosen: np.ndarray) -> np.ndarray:
        """The people who satisfy each query as far as this piece tells, as it is published; and, where sensitive values
        were disturbed, those who satisfy what it asks of the quasi-identifier."""
        view, chosen = self.view, np.ascontiguousarray(chosen)
        if isinstance(view.release, Decomposed):
            return self._from_lists(view.release, chosen).reshape(1, -1)
        if not view.cells:
            held = (self.entries, self.values[:, 0], self.people)
            return np.asarray(
                kernels.query_counts.estimate_from_buckets(*self._people, *held, self.offset, chosen)
            ).reshape(1, -1)
        shares, place, base = [], [], 0
        for number, name in enumerate(view.names):
            cells, cell = view.cells[name]
            mask = chosen[:, self.offset[number] : self.offset[number + 1]]
            shares.append(cells.shares(mask).T)
            place.append(cell.astype(np.int64) + base)
            base += len(cells)
        boxes = np.ascontiguousarray(np.concatenate(shares, axis=1)), np.ascontiguousarray(np.stack(place, axis=1))
        offset, published = self.offset[len(view.names) :], (self.entries, self.values, self.people)
        answers = [kernels.query_counts.estimate_from_boxes(*boxes, *published, offset, chosen)]
        if view.release.channel is not None:
            answers.append(kernels.query_counts.estimate_from_boxes(*boxes, *published, offset, np.ones_like(chosen)))
        return np.stack(answers)

    def _from_lists(self, release: Decomposed, chosen: np.ndarray) -> np.ndarray:
        """Decomposed: a few queries at once, because each kind of slot has its own share."""
        quasi, names = len(self.view.names), [column.name for column in self.columns]
        cuts, kinds = release.listings[release.names[0]].starts, int(release.units.max(initial=0)) + 1
        found, step = [], max(1, SHARES // kinds)
        for low in range(0, len(chosen), step):
            part = np.ascontiguousarray(chosen[low : low + step])
            wanted = {
                names[j]: part[:, self.offset[j] : self.offset[j + 1]][:, self.view.recoded(names[j])]
                for j in range(quasi, len(names))
            }
            shares = np.ascontiguousarray(release.shares(wanted))
            found.append(
                kernels.query_counts.estimate_from_lists(*self._people, cuts, release.units, shares, self.offset, part)
            )
        return np.concatenate(found) if found else np.zeros(0)

    @cached_property
    def _people(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where each group's people start, which distinct quasi-identifier each has, and those."""
        group, codes = self.view.quasi
        order = np.argsort(group, kind="stable")
        sizes = [column.size for column in self.view.data.columns.quasi]
        cell, first = kernels.distinct_rows.rank_rows(list(codes.T), sizes)
        rows = np.searchsorted(group[order], np.arange(self.view.release.groups + 1))
        return rows, cell[order], np.ascontiguousarray(codes[first])


def settled(sums: Sequence[np.ndarray], chosen: np.ndarray, sensitive: int, channel: Channel | None) -> np.ndarray:
    """The answers of all pieces together. Where values were disturbed they are put back by how many of them a query
    admits; those of the sensitive column start at `sensitive`."""
    answers = np.sum(sums, axis=0)
    if channel is None:
        return np.asarray(answers[0])
    share = chosen[:, sensitive:].mean(axis=1)
    both = np.stack([answers[0], answers[1] - answers[0]], axis=1)
    return channel.undo(both, np.stack([share, 1 - share], axis=1))[:, 0]

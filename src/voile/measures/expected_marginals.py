"""The marginals of a table and of a release: how many people have each value of a column, or of two columns.

A release gives expected numbers: each published cell is spread evenly over the values that it may stand for, and the
values of a group over its people. Columns with many values are counted in bins, chosen from the table: ranges of
numbers and dates with about as many people each, the most common categories and the rest. So a marginal of two columns
has at most 64 x 64 cells.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voile.kernels import lazy_module
from voile.measures.base import View
from voile.releases.randomized_response import Channel
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

sparse = lazy_module("scipy.sparse")

BINS = 64
MarginalCounts = dict[tuple[str, ...], np.ndarray]  # by the names of one or two columns


@dataclass(frozen=True, eq=False)
class Bins:
    """The bin of each code of every column, and how many bins a column has."""

    places: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]

    @property
    def names(self) -> list[str]:
        return list(self.places)

    def list_marginals(self) -> list[tuple[str, ...]]:
        """List the columns, and the pairs of columns."""
        return [*((name,) for name in self.names), *itertools.combinations(self.names, 2)]

    def value_shares(self, name: str) -> np.ndarray:
        """Return the share of a column's codes that each bin has."""
        return np.bincount(self.places[name], minlength=self.sizes[name]) / len(self.places[name])


def list_columns(data: Microdata) -> list[Column]:
    """List the columns whose marginals are counted: quasi-identifier and sensitive ones, without the survey weight."""
    return [column for column in (*data.columns.quasi, *data.columns.sensitive) if not column.weight]


def choose_bins(data: Microdata) -> Bins:
    """Choose the bins of each column from the number of people who have each value."""
    places = {}
    for column in list_columns(data):
        table = data.rows.histogram([column.name])
        people = np.bincount(table.codes[:, 0], weights=table.counts, minlength=column.size)
        places[column.name] = _number_bins(column, people)
    return Bins(places, {name: int(place.max(initial=0)) + 1 for name, place in places.items()})


def _number_bins(column: Column, people: np.ndarray) -> np.ndarray:
    if column.size <= BINS:
        return np.arange(column.size)
    if not column.domain.uses_intervals:
        rank = np.argsort(np.argsort(-people, kind="stable"), kind="stable")
        return np.minimum(rank, BINS - 1)
    values = len(column.domain.values)  # a missing value has a bin of its own
    before = np.cumsum(people[:values]) - people[:values] / 2
    place = np.minimum((before * (BINS - 1) / max(people[:values].sum(), 1)).astype(np.int64), BINS - 2)
    place = np.unique(place, return_inverse=True)[1]
    return np.append(place, place.max() + 1) if column.domain.missing else place


def count_marginals(data: Microdata, bins: Bins) -> MarginalCounts:
    """Count the people of a table, where its rows lie."""
    return data.rows.count_pairs(bins.names, bins.places)


def expect_marginals(view: View, bins: Bins) -> MarginalCounts:
    """Return the expected numbers of people in a release or a piece of one, as published: what values went through is
    not undone."""
    shown = _show_boxes(view, bins) if view.cells else _show_people(view, bins)
    group, codes, people = view.sensitive
    values = {
        column.name: bins.places[column.name][codes[:, number]]
        for number, column in enumerate(view.data.columns.sensitive)
    }
    expected: MarginalCounts = {}
    for names in bins.list_marginals():
        shape = [bins.sizes[name] for name in names]
        if names[0] in values:
            flat = values[names[0]] if len(names) == 1 else values[names[0]] * shape[1] + values[names[1]]
            expected[names] = np.bincount(flat, weights=people, minlength=int(np.prod(shape))).reshape(shape)
        elif len(names) == 1:
            expected[names] = shown.count_one(names[0])
        elif names[1] in values:
            expected[names] = shown.count_with_values(names[0], group, values[names[1]], people, shape[1])
        else:
            expected[names] = shown.count_two(*names)
    return expected


def undo_channel(
    counts: MarginalCounts, bins: Bins, channel: Channel | None, sensitive: Sequence[str]
) -> MarginalCounts:
    """Estimate the numbers of people before sensitive values were perturbed."""
    if channel is None:
        return counts
    return {
        names: channel.undo(found, bins.value_shares(names[-1])) if names[-1] in sensitive else found
        for names, found in counts.items()
    }


@dataclass(frozen=True, eq=False)
class _Units:
    """Groups, or people who are shown one by one: `spread` has by column a row per cell with the share of each bin,
    `cell` the cell of each unit, `people` the people of each unit, and `home` its group."""

    spread: Mapping[str, np.ndarray]
    cell: Mapping[str, np.ndarray]
    people: np.ndarray
    home: np.ndarray

    def count_one(self, name: str) -> np.ndarray:
        spread = self.spread[name]
        return np.asarray(np.bincount(self.cell[name], weights=self.people, minlength=len(spread)) @ spread)

    def count_two(self, one: str, other: str) -> np.ndarray:
        shape = (len(self.spread[one]), len(self.spread[other]))
        together = sparse.csr_matrix((self.people, (self.cell[one], self.cell[other])), shape=shape)
        return np.asarray(self.spread[one].T @ (together @ self.spread[other]))

    def count_with_values(
        self, name: str, group: np.ndarray, value: np.ndarray, people: np.ndarray, size: int
    ) -> np.ndarray:
        """Count a column with the sensitive values of each group, which are spread over the group's people."""
        groups = int(max(self.home.max(initial=-1), group.max(initial=-1))) + 1
        spread, cells = self.spread[name], len(self.spread[name])
        total = np.bincount(self.home, weights=self.people, minlength=groups)
        share = self.people / np.maximum(total, 1e-300)[self.home]
        units = sparse.csr_matrix((share, (self.cell[name], self.home)), shape=(cells, groups))
        values = sparse.csr_matrix((people.astype(np.float64), (group, value)), shape=(groups, size))
        return np.asarray(((units @ values).T @ spread).T)


def _show_boxes(view: View, bins: Bins) -> _Units:
    spread, place = {}, {}
    for name, (cells, cell) in view.cells.items():
        if name not in bins.places:
            continue
        size = bins.sizes[name]
        codes = np.arange(len(bins.places[name]))
        matrix = sparse.csr_matrix((np.ones(len(codes)), (codes, bins.places[name])), shape=(len(codes), size))
        found = (cells.matrix @ matrix).toarray()
        spread[name], place[name] = found / np.maximum(found.sum(axis=1, keepdims=True), 1), cell.astype(np.int64)
    groups = view.release.groups
    return _Units(spread, place, view.release.sizes.astype(np.float64), np.arange(groups))


def _show_people(view: View, bins: Bins) -> _Units:
    group, codes = view.quasi
    spread, place = {}, {}
    for number, name in enumerate(view.names):
        if name in bins.places:
            spread[name] = np.eye(bins.sizes[name])
            place[name] = bins.places[name][codes[:, number]].astype(np.int64)
    return _Units(spread, place, np.ones(len(group)), group.astype(np.int64))

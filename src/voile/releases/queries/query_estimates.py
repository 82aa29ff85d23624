"""Answers to COUNT queries by the hundred: each cell is spread evenly over the values that it may stand for.

A query is a row of marks: for every column, at its offset, which codes of the table the query admits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from voile import kernels
from voile.releases.cells.cells import Cells
from voile.releases.randomized_response import Channel
from voile.releases.shape_answers import SensitiveRows
from voile.tables.schema import Column, Columns

SHARES = 20_000_000  # shares of value lists that are computed at once


def query_columns(columns: Columns) -> tuple[list[Column], np.ndarray]:
    """Return the columns that queries ask about, and the offset of each column's codes in a row of marks."""
    asked = [*columns.quasi, *columns.sensitive]
    return asked, np.concatenate([[0], np.cumsum([column.size for column in asked])]).astype(np.int64)


class QueryEstimates:
    """Estimates from a release, or from a piece of one; `columns` are those of the table that it was made from."""

    def __init__(self, columns: Columns, groups: int, channel: Channel | None = None) -> None:
        self.table, self.groups, self.channel = columns, groups, channel
        self.columns, self.offset = query_columns(columns)
        self.quasi = len(columns.quasi)

    def answers(self, chosen: np.ndarray) -> np.ndarray:
        """Return the release's answer to each query."""
        return combine_sums([self.sums(chosen)], chosen, self.offset[self.quasi], self.channel)

    def sums(self, chosen: np.ndarray) -> np.ndarray:
        """Return the people of this piece who satisfy each query, as published; and, where sensitive values were
        perturbed, those who satisfy its conditions on the quasi-identifier."""
        raise NotImplementedError  # pragma: no cover - every kind of estimate defines it


def combine_sums(sums: Sequence[np.ndarray], chosen: np.ndarray, sensitive: int, channel: Channel | None) -> np.ndarray:
    """Add up the sums of all pieces. Where values were perturbed, undo the channel by the share of values that a query
    admits; the codes of the sensitive column start at `sensitive`."""
    answers = np.sum(sums, axis=0)
    if channel is None:
        return np.asarray(answers[0])
    share = chosen[:, sensitive:].mean(axis=1)
    both = np.stack([answers[0], answers[1] - answers[0]], axis=1)
    return channel.undo(both, np.stack([share, 1 - share], axis=1))[:, 0]


def _by_group(rows: SensitiveRows, groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where the sensitive rows of each group start, their codes, and their people."""
    order = np.argsort(rows.group, kind="stable")
    starts = np.searchsorted(rows.group[order], np.arange(groups + 1))
    people = rows.people[order]
    if people.dtype.kind != "f":  # next to counterfeits a value stands for a fraction of a person
        people = people.astype(np.int64)
    return starts, rows.codes[order].astype(np.int64), people


class BoxEstimates(QueryEstimates):
    """From boxes: the product of the shares of a group's cells, times its matching sensitive rows. `weights` are the
    survey weights that the cells of the table's weight column stand for; every row counts 1 if there is none."""

    def __init__(
        self,
        columns: Columns,
        groups: int,
        channel: Channel | None,
        cells: Mapping[str, tuple[Cells, np.ndarray]],
        rows: SensitiveRows,
        weights: np.ndarray | None = None,
    ) -> None:
        super().__init__(columns, groups, channel)
        self.cells, self.published, self.weights = cells, _by_group(rows, groups), weights

    def sums(self, chosen: np.ndarray) -> np.ndarray:
        chosen = np.ascontiguousarray(chosen)
        shares, place, base = [], [], 0
        for number, column in enumerate(self.table.quasi):
            cells, cell = self.cells[column.name]
            mask = chosen[:, self.offset[number] : self.offset[number + 1]]
            share = cells.shares(mask).T
            shares.append(share * self.weights if column.weight and self.weights is not None else share)
            place.append(cell.astype(np.int64) + base)
            base += len(cells)
        boxes = np.ascontiguousarray(np.concatenate(shares, axis=1)), np.ascontiguousarray(np.stack(place, axis=1))
        offset = self.offset[self.quasi :]
        answers = [kernels.query_counts.estimate_from_boxes(*boxes, *self.published, offset, chosen)]
        if self.channel is not None:
            answers.append(
                kernels.query_counts.estimate_from_boxes(*boxes, *self.published, offset, np.ones_like(chosen))
            )
        return np.stack(answers)


class ExactEstimates(QueryEstimates):
    """From exact quasi-identifiers. `exact` holds the group and the quasi-identifier codes of each person."""

    def __init__(self, columns: Columns, groups: int, exact: tuple[np.ndarray, np.ndarray]) -> None:
        super().__init__(columns, groups)
        self.exact = exact

    @cached_property
    def people(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where each group's people start, the number of each person's quasi-identifier, and the different ones."""
        group, codes = self.exact
        order = np.argsort(group, kind="stable")
        cell, first = kernels.distinct_rows.rank_rows(list(codes.T), [column.size for column in self.table.quasi])
        starts = np.searchsorted(group[order], np.arange(self.groups + 1))
        return starts, cell[order], np.ascontiguousarray(codes[first])


class BucketEstimates(ExactEstimates):
    """From buckets: the share of a group's people that match, times its matching sensitive values."""

    def __init__(
        self, columns: Columns, groups: int, exact: tuple[np.ndarray, np.ndarray], rows: SensitiveRows
    ) -> None:
        super().__init__(columns, groups, exact)
        self.starts, values, self.counts = _by_group(rows, groups)
        self.values = values[:, 0]

    def sums(self, chosen: np.ndarray) -> np.ndarray:
        published = (self.starts, self.values, self.counts)
        chosen = np.ascontiguousarray(chosen)
        return np.asarray(
            kernels.query_counts.estimate_from_buckets(*self.people, *published, self.offset, chosen)
        ).reshape(1, -1)


class ListEstimates(ExactEstimates):
    """From lists of values: the people of a group who match, times the mean share of matching rows of its slots.

    Group g has the slots `starts[g]:starts[g+1]`, slot s is of kind `kinds[s]`, and `shares` computes for queries (by
    sensitive column, queries x published codes) the share of matching rows of every kind. `recoded` gives, by column,
    the table's code of each published code.
    """

    def __init__(
        self,
        columns: Columns,
        groups: int,
        exact: tuple[np.ndarray, np.ndarray],
        starts: np.ndarray,
        kinds: np.ndarray,
        recoded: Mapping[str, np.ndarray],
        shares: Callable[[Mapping[str, np.ndarray]], np.ndarray],
    ) -> None:
        super().__init__(columns, groups, exact)
        self.starts, self.kinds, self.recoded, self.shares = starts, kinds, recoded, shares

    def sums(self, chosen: np.ndarray) -> np.ndarray:
        """A few queries at once, because each kind of slot has a share of its own."""
        found, step = [], max(1, SHARES // (int(self.kinds.max(initial=0)) + 1))
        for low in range(0, len(chosen), step):
            part = np.ascontiguousarray(chosen[low : low + step])
            wanted = {
                column.name: part[:, self.offset[j] : self.offset[j + 1]][:, self.recoded[column.name]]
                for j, column in enumerate(self.columns)
                if j >= self.quasi
            }
            shares = np.ascontiguousarray(self.shares(wanted))
            lists = (self.starts, self.kinds, shares)
            found.append(kernels.query_counts.estimate_from_lists(*self.people, *lists, self.offset, part))
        return (np.concatenate(found) if found else np.zeros(0)).reshape(1, -1)

"""Ten thousand COUNT queries on a release: all of them are asked of one cell of the table after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voile.kernels import lazy_module
from voile.measures.query_error.query_error import CHUNK, GIVE_UP, Questions
from voile.measures.release_view import View, outline_table
from voile.papers.art.contenders import SENSITIVE, Outcome, mark_protected
from voile.tables.microdata import Microdata

query_kernel = lazy_module("voile.papers.art.kernel")


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries that somebody satisfies: which codes each admits (a row of marks per code), and its true answer."""

    marks: np.ndarray
    offset: np.ndarray
    actual: np.ndarray


def draw_queries(
    data: Microdata, dimensions: int, selectivity: float, many: int, seed: int, about_set: bool = False
) -> Queries:
    """Draw queries on so many columns; the last condition is on random values of the sensitive column, as printed, or
    on the protected set. Queries that nobody satisfies are drawn again."""
    questions = Questions(data.columns, dimensions, selectivity, False)
    rng = np.random.default_rng([seed, dimensions, round(selectivity * 1000), about_set])
    names = [column.name for column in data.columns.quasi]
    table = data.rows.histogram([*names, SENSITIVE])
    cell, first = _number_cells(table.codes[:, :-1])
    truth = (table.codes[first, :-1].astype(np.int64), cell, table.codes[:, -1].astype(np.int64), table.counts)
    marks, actual, got, tries = [], [], 0, 0
    while got < many and tries < GIVE_UP * -(-many // CHUNK):
        chosen = questions.draw(min(max(CHUNK, many - got), 10 * CHUNK), rng)
        if about_set:
            chosen[:, questions.offset[-2] :] = mark_protected(data)
        turned = np.ascontiguousarray(chosen.T)
        answer = query_kernel.add_cells(*_in_order(*truth), questions.offset, turned)
        asked = np.flatnonzero(answer > 0.5)[: many - got]
        marks.append(turned[:, asked])
        actual.append(answer[asked])
        got, tries = got + len(asked), tries + 1
    return Queries(np.concatenate(marks, axis=1), questions.offset, np.concatenate(actual))


def compute_error(data: Microdata, outcome: Outcome, queries: Queries) -> float:
    """Return the average relative error of the release's answers: each group's values are spread evenly over its
    people, and each cell of a box over what it may stand for."""
    if outcome.release is not None:
        estimates = View(outline_table(data), outcome.release).estimates
        chosen = np.ascontiguousarray(queries.marks.T)
        batches = [estimates.answers(chosen[low : low + CHUNK]) for low in range(0, len(chosen), CHUNK)]
        estimate = np.concatenate(batches)
    else:
        estimate = query_kernel.add_cells(*_in_order(*_spread_values(data, outcome)), queries.offset, queries.marks)
    return float(np.mean(np.abs(queries.actual - estimate) / queries.actual))


def _spread_values(data: Microdata, outcome: Outcome) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return how many people of each quasi-identifier have each value, if every group's values are spread evenly. A
    release that shows only how many are protected says nothing about other values: they are left out."""
    members, counts = outcome.members, outcome.counts
    assert counts.column is not None
    group = np.repeat(np.arange(members.groups), np.diff(members.starts))
    many = np.diff(counts.starts)[group]
    entry = np.repeat(np.arange(len(group)), many)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(many) - many, many)
    listed = counts.starts[group[entry]] + within
    value = counts.values[listed].astype(np.int64)
    amount = members.counts[entry] * counts.counts[listed] / counts.sizes[group[entry]]
    cell, size = members.rows[entry], data.columns[SENSITIVE].size
    if counts.column.indicator:
        cell, amount = cell[value == 1], amount[value == 1]
        value = np.full(len(cell), int(np.flatnonzero(mark_protected(data))[0]))
    pairs, place = np.unique(cell * size + value, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=amount, minlength=len(pairs))
    return members.codes.astype(np.int64), pairs // size, pairs % size, sums


def _number_cells(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, first, cell = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return cell.reshape(-1), first


def _in_order(
    codes: np.ndarray, cell: np.ndarray, value: np.ndarray, amount: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    order = np.lexsort((value, cell))
    return np.ascontiguousarray(codes), cell[order], value[order], amount[order].astype(np.float64)

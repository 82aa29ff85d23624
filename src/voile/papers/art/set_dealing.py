"""Anatomy and Injector for a protected set: groups of l rows, at most one of which has a value of the set.

Both methods ask that no value fills more than 1/l of a group. Where only a set of values is protected, other values may
repeat; so education, whose most frequent value covers a third of Adult, can be published with l = 10.
"""

from __future__ import annotations

import numpy as np

from voile.errors import Unsatisfiable
from voile.methods.injector.injector import Injector
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Columns
from voile.tables.secret_key import Key


def deal_like_anatomy(columns: Columns, rows: Rows, protected: np.ndarray, l: int) -> Rows:  # noqa: E741
    """Deal all rows into groups of l at random, the protected ones into different groups; the last rows join others."""
    table = rows.histogram([column.name for column in columns])
    cells = np.repeat(np.arange(len(table.counts)), table.counts)
    groups = deal_groups(_mark_cases(table, columns, protected)[cells], l, rows.key, "anatomy")
    return rows.deal(table, cells, groups, np.ones(len(cells), dtype=np.int64))


def deal_like_injector(columns: Columns, rows: Rows, protected: np.ndarray, l: int) -> Rows:  # noqa: E741
    """Deal as Anatomy does, but hide cases only among rows that no mined rule excludes from the set."""
    table = rows.histogram([column.name for column in columns])
    cells = np.repeat(np.arange(len(table.counts)), table.counts)
    excluded = find_excluded(columns, table, protected)[cells]
    is_case = _mark_cases(table, columns, protected)[cells]
    groups = np.empty(len(cells), dtype=np.int64)
    groups[~excluded] = deal_groups(is_case[~excluded], l, rows.key, "injector")
    first = int(groups[~excluded].max(initial=-1)) + 1
    groups[excluded] = first + deal_groups(is_case[excluded], l, rows.key, "injector, excluded")
    return rows.deal(table, cells, groups, np.ones(len(cells), dtype=np.int64))


def deal_groups(is_case: np.ndarray, l: int, key: Key, purpose: str) -> np.ndarray:  # noqa: E741
    """Return the group of each row: n // l groups, no two cases in one of them."""
    total, cases = len(is_case), int(is_case.sum())
    count = max(total // l, 1 if total else 0)
    if cases > count:
        reach = f"the largest possible l is {total // cases}"
        raise Unsatisfiable(f"l = {l} is out of reach: {reach}.", code="unsatisfiable.anatomy", best=reach)
    chosen = key.shuffle(f"{purpose} cases", count)[:cases]
    has_case = np.zeros(count, dtype=np.int64)
    has_case[chosen] = 1
    seats = np.repeat(np.arange(count), np.maximum(min(l, total) - has_case, 0))
    extra = key.shuffle(f"{purpose} extra", count)
    more = total - cases - len(seats)
    seats = np.concatenate([seats, np.resize(extra, max(more, 0))])
    groups = np.empty(total, dtype=np.int64)
    groups[is_case] = chosen
    groups[~is_case] = seats[key.shuffle(f"{purpose} others", len(seats))]
    return groups


def find_excluded(columns: Columns, table: Histogram, protected: np.ndarray) -> np.ndarray:
    """Return which cells a mined rule excludes from the protected set (minConf = 1, minExp = 0.9, as printed)."""
    place = table.names.index(columns.sensitive[0].name)
    codes = table.codes.copy()
    codes[:, place] = protected[codes[:, place]]
    sizes = np.bincount(codes[:, place], weights=table.counts, minlength=2).astype(np.int64)
    home, allowed = Injector().mine_rules(columns, Histogram(table.names, codes, table.counts), sizes)
    return np.asarray(~allowed[home, 1])


def _mark_cases(table: Histogram, columns: Columns, protected: np.ndarray) -> np.ndarray:
    return np.asarray(protected[table.column(columns.sensitive[0].name)])

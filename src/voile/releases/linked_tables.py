"""Linked tables: the exact quasi-identifiers in one, the sensitive values of each group in others."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from voile import kernels
from voile.errors import PolicyError, option, raise_together
from voile.releases.certificate import FORMAT, UNSIGNED
from voile.releases.dictionary import describe
from voile.releases.shapes.bucketized import Bucketized
from voile.releases.shapes.republished import Republished
from voile.tables.domain_trimming import trim_column
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns


def check_bucketized(method: str, columns: Columns) -> None:
    """Raise PolicyError if two linked tables cannot show these columns."""
    problems = []
    if len(columns.sensitive) != 1:
        problems.append(
            PolicyError(
                f"{method} publishes one sensitive column, the schema has {len(columns.sensitive)}.",
                code="policy.one-sensitive",
                hint=f"Keep one of them, or use {option('method', 'mondrian')}.",
            )
        )
    taken = ", ".join(repr(column.name) for column in columns if column.name in ("group", "count"))
    if taken:
        problems.append(
            PolicyError(
                f"{method} adds columns named 'group' and 'count'; the table has {taken} already.",
                code="policy.reserved",
                hint="Rename the column.",
            )
        )
    raise_together(problems)


def show_buckets(columns: Columns, rows: Rows) -> Bucketized:
    """Return the two linked tables, each ordered by what it shows; group numbers are drawn with the key."""
    rows = rows.regroup(draw_group_numbers(rows))
    group, table = rows.count_by_group([columns.sensitive[0].name])
    seats = _show_values(columns.sensitive[0], group, table.codes[:, 0].astype(np.int64), table.counts, rows.groups)
    tables = {"quasi": show_quasi_table(columns, rows), "sensitive": seats}
    return Bucketized(tables, _describe_columns(columns, columns.sensitive[0]), UNSIGNED)


def show_republished(
    columns: Columns, rows: Rows, target: Column, numbers: np.ndarray, groups: np.ndarray, codes: np.ndarray
) -> Republished:
    """Return the linked tables of groups with these numbers (from 0). Seat i is in group `groups[i]` and has the value
    `codes[i]` of the column `target`; the seats of a group that no row takes are counterfeits. Values that only earlier
    releases show are not listed again."""
    ones = np.ones(len(codes), dtype=np.int64)
    seats = _show_values(target, numbers[groups], codes, ones, int(numbers.max(initial=-1)) + 1)
    empty_seats = np.bincount(groups, minlength=rows.groups) - rows.count_people()
    order = np.argsort(numbers)
    order = order[empty_seats[order] > 0]
    counterfeits = {"group": pl.Series(numbers[order] + 1, dtype=pl.Int64), "count": pl.Series(empty_seats[order])}
    tables = {"quasi": show_quasi_table(columns, rows.regroup(numbers)), "sensitive": seats}
    tables["counterfeits"] = pl.DataFrame(counterfeits, schema={"group": pl.Int64, "count": pl.Int64})
    return Republished(tables, _describe_columns(columns, trim_column(target, np.unique(codes))), UNSIGNED)


def _show_values(target: Column, group: np.ndarray, code: np.ndarray, people: np.ndarray, groups: int) -> pl.DataFrame:
    """Return the table of the values of each group."""
    listed, people = kernels.distinct_rows.weigh_rows([group, code], [max(groups, 1), max(target.size, 1)], people)
    return pl.DataFrame(
        {
            "group": pl.Series(listed[:, 0].astype(np.int64) + 1, dtype=pl.Int64),
            target.name: target.domain.decode(listed[:, 1]),
            "count": pl.Series(people, dtype=pl.Int64),
        }
    )


def _describe_columns(columns: Columns, target: Column) -> dict[str, Any]:
    entries = [describe(column, None) for column in (*columns.quasi, *columns.other, target)]
    return {"format": FORMAT, "columns": entries}


def draw_group_numbers(rows: Rows) -> np.ndarray:
    """Draw the number of each group, in random order."""
    numbers = np.empty(rows.groups, dtype=np.int64)
    numbers[rows.key.shuffle("group numbers", rows.groups)] = np.arange(rows.groups)
    return numbers


def show_quasi_table(columns: Columns, rows: Rows) -> pl.DataFrame:
    """Return the table of people and their groups: all columns but the sensitive ones, unchanged."""
    exact = [*columns.quasi, *columns.other]
    group, table = rows.count_by_group([column.name for column in exact])
    quasi = {"group": pl.Series(np.repeat(group, table.counts) + 1, dtype=pl.Int64)}
    for number, column in enumerate(exact):
        quasi[column.name] = column.domain.decode(np.repeat(table.codes[:, number], table.counts))
    return pl.DataFrame(quasi)

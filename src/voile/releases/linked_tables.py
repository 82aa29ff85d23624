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
from voile.tables.schema import Columns


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
    nobody = np.zeros(0, dtype=np.int64)
    tables, dictionary = _linked(columns, rows, nobody, nobody)
    return Bucketized({name: tables[name] for name in ("quasi", "sensitive")}, dictionary, UNSIGNED)


def show_republished(columns: Columns, rows: Rows, groups: np.ndarray, codes: np.ndarray) -> Republished:
    """Return the linked tables with counterfeits: one with the value `codes[i]` in `groups[i]`. Values that only
    earlier releases show are not listed again."""
    tables, dictionary = _linked(columns, rows, groups, codes)
    target = columns.sensitive[0]
    used = np.union1d(rows.histogram([target.name]).codes[:, 0].astype(np.int64), codes)
    dictionary["columns"][-1] = describe(trim_column(target, used), None)
    return Republished(tables, dictionary, UNSIGNED)


def _linked(
    columns: Columns, rows: Rows, groups: np.ndarray, codes: np.ndarray
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    numbers = draw_group_numbers(rows)
    rows = rows.regroup(numbers)
    target = columns.sensitive[0]
    group, table = rows.count_by_group([target.name])
    group = np.concatenate([group, numbers[groups]])
    value = np.concatenate([table.codes[:, 0].astype(np.int64), codes])
    people = np.concatenate([table.counts, np.ones(len(codes), dtype=np.int64)])
    listed, people = kernels.distinct_rows.weigh_rows(
        [group, value], [max(rows.groups, 1), max(target.size, 1)], people
    )
    sensitive = {
        "group": pl.Series(listed[:, 0].astype(np.int64) + 1, dtype=pl.Int64),
        target.name: target.domain.decode(listed[:, 1]),
        "count": pl.Series(people, dtype=pl.Int64),
    }
    added, often = np.unique(numbers[groups], return_counts=True)
    counterfeits = {"group": pl.Series(added + 1, dtype=pl.Int64), "count": pl.Series(often, dtype=pl.Int64)}
    entries = [describe(column, None) for column in (*columns.quasi, *columns.other, target)]
    tables = {"sensitive": sensitive, "counterfeits": counterfeits}
    shown = {name: pl.DataFrame(content) for name, content in tables.items()}
    return {"quasi": show_quasi_table(columns, rows), **shown}, {"format": FORMAT, "columns": entries}


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

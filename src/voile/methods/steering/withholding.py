"""Withholding people: whose groups would cost most, decided on quasi-identifiers alone.

Who is withheld must not tell anything about values. So a first grouping looks at sizes only, and the people of its most
expensive groups are withheld, as many as the limit allows. Whoever knows the quasi-identifiers and the method could do
the same without the table's values.
"""

from __future__ import annotations

import numpy as np

from voile.methods.steering.column_cells import choose_cells, weigh_losses
from voile.methods.steering.strata import has_strata, number_strata, too_rare
from voile.models.policy import Policy
from voile.tables.row_protocol import WITHHELD, Rows
from voile.tables.schema import Columns


def count_allowed(suppression: float, people: int) -> int:
    """Return how many people may be withheld."""
    return int(suppression * people + 1e-9)


def withhold_small_strata(columns: Columns, rows: Rows, policy: Policy, limit: int) -> Rows:
    """Return the rows without the people of strata that are too small for any group; Unsatisfiable if they are more
    than the limit, or everybody."""
    if not has_strata(columns):
        return rows
    table = rows.histogram([column.name for column in columns.quasi])
    stratum = number_strata(columns, table)
    assert stratum is not None, "some column has a coarsest level"
    sizes = np.bincount(stratum, weights=table.counts).astype(np.int64)
    small = sizes < policy.smallest()
    people = int(sizes[small].sum())
    if not people:
        return rows
    if people > limit or small.all():
        raise too_rare(columns, people, table.total)
    return rows.place(table, np.where(small[stratum], WITHHELD, 0))


def find_expensive_groups(columns: Columns, rows: Rows, recoding: str, limit: int) -> np.ndarray:
    """Mark the groups of grouped rows whose people lose most, as many groups as have no more than `limit` people. Ties
    go to the earlier group; groups that lose nothing stay."""
    people, cost = rows.count_people(), np.zeros(rows.groups)
    for column in columns.quasi:
        cells, cell = choose_cells(column, rows, recoding)
        cost += weigh_losses(column, cells)[cell]
    order = np.argsort(-cost, kind="stable")
    order = order[cost[order] > 0]
    chosen = order[np.cumsum(people[order]) <= limit]
    marked = np.zeros(rows.groups, dtype=bool)
    marked[chosen] = len(chosen) < rows.groups
    return marked

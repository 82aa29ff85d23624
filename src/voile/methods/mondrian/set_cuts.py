"""Cuts for several sets of quasi-identifier columns, of which an adversary knows only one.

The columns that several sets share are cut first, into boxes that stay large enough for what follows. Inside such a box
the other columns of each set are cut by themselves, whatever the other sets do. So the people of a box of a set have
equal cells in all columns of that set, and every box of every set satisfies the policy. How far the shared columns are
cut is tried: the release that loses least is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from voile import kernels
from voile.methods.steering.column_cells import choose_cells, weigh_losses
from voile.models.k_anonymity import KAnonymity
from voile.models.policy import Policy
from voile.releases.cells.cells import Cells
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Column, Columns

STEP = 4  # the boxes of shared columns have at least smallest, 4 * smallest, 16 * smallest ... people
Cut = Callable[[Columns, Histogram, Policy, np.ndarray | None], np.ndarray]


def cut_sets(columns: Columns, rows: Rows, policy: Policy, recoding: str, cut: Cut) -> tuple[Columns, Rows]:
    """Group the people, and note on each column whose cell each group shows. `cut` cuts a table into boxes inside its
    strata."""
    table = rows.histogram([column.name for column in (*columns.quasi, *policy.columns_read(columns))])
    best: tuple[float, dict[str, np.ndarray]] | None = None
    for size in _list_sizes(policy.smallest(), rows.total):
        boxes = _cut_at(columns, table, policy, size, cut)
        loss = _measure_loss(columns, rows, table, boxes, recoding)
        if best is None or loss < best[0]:
            best = loss, boxes
    assert best is not None, "there is always one size"
    distinct = list({id(box): box for box in best[1].values()}.values())
    group, first = kernels.distinct_rows.rank_rows(distinct, [int(box.max()) + 1 for box in distinct])
    quasi = tuple(replace(column, cell_groups=best[1][column.name][first]) for column in columns.quasi)
    return replace(columns, quasi=quasi), rows.place(table, group)


def _list_sizes(smallest: int, people: int) -> Iterator[int]:
    size = smallest
    while size < people:
        yield size
        size *= STEP
    yield people


def _cut_at(columns: Columns, table: Histogram, policy: Policy, size: int, cut: Cut) -> dict[str, np.ndarray]:
    """Return for each column the box of each cell of the table, where boxes of shared columns have `size` people."""
    shared = [c for c in columns.quasi if sum(c.name in names for names in columns.quasi_sets) > 1]
    first = np.zeros(len(table.counts), dtype=np.int64)
    if shared:
        large = Policy(KAnonymity(k=max(size, 2)), *policy)
        first = cut(replace(columns, quasi=tuple(shared)), _select(table, shared, columns), large, None)
    boxes = {column.name: first for column in shared}
    for names in columns.quasi_sets:
        own = [column for column in columns.quasi if column.name in names and column not in shared]
        if own:
            inside = cut(replace(columns, quasi=tuple(own)), _select(table, own, columns), policy, first)
            boxes |= {column.name: inside for column in own}
    return boxes


def _select(table: Histogram, chosen: Sequence[Column], columns: Columns) -> Histogram:
    """Return the table without the other quasi-identifier columns; its cells stay apart."""
    dropped = {column.name for column in columns.quasi} - {column.name for column in chosen}
    names = tuple(name for name in table.names if name not in dropped)
    return Histogram(names, table.codes[:, [table.names.index(name) for name in names]], table.counts)


def _measure_loss(columns: Columns, rows: Rows, table: Histogram, boxes: dict[str, np.ndarray], recoding: str) -> float:
    loss = 0.0
    for column in columns.quasi:
        placed = rows.place(table, boxes[column.name])
        cells, cell = choose_cells(column, placed, recoding)
        loss += float(np.dot(weigh_losses(column, cells)[cell], placed.count_people()))
    return loss


def show_shared_cells(column: Column, rows: Rows, recoding: str) -> tuple[Cells, np.ndarray]:
    """Return the cell of each group: that of the wider group whose cell it shows, if a method noted one."""
    if column.cell_groups is None:
        return choose_cells(column, rows, recoding)
    cells, cell = choose_cells(column, rows.regroup(column.cell_groups), recoding)
    return cells, cell[column.cell_groups]

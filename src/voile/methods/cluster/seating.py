"""From decisions about cells to rows: people who look alike to the method go to its clusters at random."""

from __future__ import annotations

import numpy as np

from voile import kernels
from voile.tables.row_protocol import WITHHELD, Histogram, Rows
from voile.tables.schema import Columns


def seat_people(columns: Columns, rows: Rows, table: Histogram, cells: np.ndarray, groups: np.ndarray) -> Rows:
    """Put the people of each cell into the groups that were chosen for them; who takes which seat follows the key.

    `cells` and `groups` name each seat. Nobody is left over, but whoever has the group WITHHELD is not published.
    """
    whole = rows.histogram([column.name for column in columns])
    sizes = [column.size for column in columns if column.name in table.names]
    watched = [whole.column(name) for name in table.names]
    cell, _ = kernels.distinct_rows.rank_rows(watched, sizes)
    person = np.repeat(np.arange(len(whole.counts)), whole.counts)
    order = np.lexsort((rows.key.stream("cluster seats", len(person)), cell[person]))
    seats = groups[np.argsort(cells, kind="stable")]
    published = seats != WITHHELD
    people = person[order][published]
    dense = np.unique(seats[published], return_inverse=True)[1].reshape(-1) if not published.all() else seats
    return rows.deal(whole, people, dense, np.ones(len(people), dtype=np.int64))

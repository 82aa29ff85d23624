"""The tables of a Decompose release: the quasi table, one table per sensitive column, and the joint table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from voile.methods.decompose.value_lists import GroupSlots
from voile.releases.certificate import FORMAT, UNSIGNED
from voile.releases.dictionary import LISTED_ONCE, LISTED_OR_NOISE, describe
from voile.releases.linked_tables import draw_group_numbers, show_quasi_table
from voile.releases.shapes.decomposed import Decomposed
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns


def show_lists(
    columns: Columns,
    rows: Rows,
    names: Sequence[str],
    slots: GroupSlots,
    lists: Sequence[tuple[np.ndarray, np.ndarray]],
    joint: tuple[np.ndarray, np.ndarray] | None,
) -> Decomposed:
    """Build the tables, each ordered by its content; group numbers are drawn from the key.

    `names` are the sensitive columns, the primary first; `lists` the lists of the others (where each group starts, and
    the values); `joint` the complete sensitive rows and their counts.
    """
    numbers = draw_group_numbers(rows)
    tables = {"quasi": show_quasi_table(columns, rows.regroup(numbers))}
    group_order = np.argsort(numbers)
    for name, (starts, values) in zip(names, [(slots.cuts, slots.primary), *lists], strict=True):
        lengths = np.diff(starts)[group_order]
        edges = np.concatenate([[0], np.cumsum(lengths)])
        entry = np.arange(edges[-1]) - np.repeat(edges[:-1] - starts[:-1][group_order], lengths)
        content = {"group": pl.Series(np.repeat(np.arange(1, len(group_order) + 1), lengths), dtype=pl.Int64)}
        tables[f"sensitive_{name}"] = pl.DataFrame({**content, name: columns[name].domain.decode(values[entry])})
    if joint is not None:
        codes, counts = joint
        content = {
            name: columns[name].domain.decode(np.repeat(codes[:, group_order], counts))
            for group_order, name in enumerate(names)
        }
        tables["joint"] = pl.DataFrame(content)
    entries = [describe(column, None) for column in (*columns.quasi, *columns.other, *columns.sensitive)]
    for entry in entries:
        if entry["role"] == "sensitive":
            entry["cell"] = LISTED_ONCE if entry["name"] == names[0] else LISTED_OR_NOISE
    return Decomposed(tables, {"format": FORMAT, "primary": names[0], "columns": entries}, UNSIGNED)

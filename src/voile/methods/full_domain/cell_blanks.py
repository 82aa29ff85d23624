"""Blank single cells of people whose groups fail, instead of withholding them.

A blank is shown as `*`. When people are counted, a blank is equal to a blank only: rows whose cells are equal, blanks
included, form a group, and every group satisfies the policy. An adversary for whom a blank may be anything finds no
fewer rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from voile import kernels
from voile.errors import PolicyError, option
from voile.tables.row_protocol import WITHHELD

MOST_COLUMNS = 12  # with more, there are too many sets of cells to blank
Judge = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of cells and the group of each: whether each group holds


def check_columns(columns: int) -> None:
    """Refuse more columns than sets of blanks can be tried for."""
    if columns > MOST_COLUMNS:
        raise PolicyError(
            f"Cells are blanked in up to {MOST_COLUMNS} quasi-identifier columns, and there are {columns}.",
            code="policy.blanks",
            hint=f"Name fewer columns, or use {option('method', 'mondrian')}.",
        )


def blank_cells(
    group: np.ndarray, nodes: Sequence[np.ndarray], sizes: Sequence[int], costs: Mapping[int, float], judge: Judge
) -> np.ndarray:
    """Give the withheld cells of the table groups in which some columns are blank, the cheapest blanks first; cells for
    which even that is not enough stay WITHHELD. `nodes` are those of each column, `costs` what a blank costs in the
    columns that may have one."""
    group = group.copy()
    for blanks in _list_blanks(costs):
        waiting = np.flatnonzero(group == WITHHELD)
        if not len(waiting):
            break
        shown = [j for j in range(len(nodes)) if j not in blanks]
        if shown:
            columns = [nodes[j][waiting] for j in shown]
            together, _ = kernels.distinct_rows.rank_rows(columns, [sizes[j] for j in shown])
        else:
            together = np.zeros(len(waiting), dtype=np.int64)
        passes = judge(waiting, together)[together]
        group[waiting[passes]] = group.max(initial=-1) + 1 + together[passes]
    published = group != WITHHELD
    group[published] = np.unique(group[published], return_inverse=True)[1].reshape(-1)
    return group


def _list_blanks(costs: Mapping[int, float]) -> list[tuple[int, ...]]:
    """List the sets of columns to blank, the cheapest first, fewer columns before more."""
    sets = [chosen for size in range(1, len(costs) + 1) for chosen in itertools.combinations(sorted(costs), size)]
    return sorted(sets, key=lambda chosen: (sum(costs[j] for j in chosen), len(chosen), chosen))

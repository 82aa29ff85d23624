"""Strata: people who may share a group although some columns have a coarsest level.

Nothing coarser than that level is published, so people below different nodes of it never share a group. The strata
follow from quasi-identifiers and the wishes alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

import numpy as np

from voile import kernels
from voile.errors import Unsatisfiable, option, parameter
from voile.models.policy import Policy
from voile.tables.group_counts import Counts, tally
from voile.tables.row_protocol import Histogram
from voile.tables.schema import Columns


def number_strata(columns: Columns, table: Histogram) -> np.ndarray | None:
    """Return the stratum of each cell of a table whose first columns are the quasi-identifiers; None if no column has a
    coarsest level."""
    nodes, sizes = [], []
    for place, column in enumerate(columns.quasi):
        level, codes = column.steer.coarsest, table.codes[:, place]
        if level is not None:
            nodes.append(column.hierarchy.maps[level][codes] if column.hierarchy is not None and level else codes)
            sizes.append(max(column.size, 1))
    if not nodes:
        return None
    return np.asarray(kernels.distinct_rows.rank_rows(nodes, sizes)[0])


def has_strata(columns: Columns) -> bool:
    """Whether some column has a coarsest level below the top of its hierarchy."""
    return any(column.steer.coarsest is not None for column in columns.quasi)


def require_strata(
    columns: Columns, policy: Policy, table: Histogram, stratum: np.ndarray | None, totals: Mapping[str, np.ndarray]
) -> None:
    """Raise Unsatisfiable unless every stratum as one group satisfies the policy: under monotone models no grouping
    inside the strata can do better."""
    if stratum is None:
        return
    strata = int(stratum.max(initial=-1)) + 1
    sizes = np.bincount(stratum, weights=table.counts, minlength=strata).astype(np.int64)
    tallies: dict[str, Counts] = {}
    for column in policy.columns_read(columns):
        value = table.column(column.name)
        tallies[column.name] = tally(column, stratum, value, table.counts, strata, totals[column.name])
    failing = ~policy.holds(columns, tallies, sizes)
    if failing.any():
        raise too_rare(columns, int(sizes[failing].sum()), int(sizes.sum()))


def too_rare(columns: Columns, people: int, total: int) -> Unsatisfiable:
    """Build the error for people whom no group can take in because of the coarsest levels."""
    limited = [column for column in columns.quasi if column.steer.coarsest is not None]
    names = " and ".join(repr(column.name) for column in limited)
    never = all(column.steer.coarsest == 0 for column in limited)
    share = ceil(1000 * people / total) / 1000
    allow = f"llow a higher coarsest level ({option('steering')})."
    hint = f"A{allow}" if people == total else f"Withhold them ({parameter('suppression', share)} or more), or a{allow}"
    wish = f"{names} {'is' if len(limited) == 1 else 'are'} never coarsened" if never else f"{names} may not be coarser"
    return Unsatisfiable(
        f"{people:,} of {total:,} people have combinations that are too rare if {wish}.",
        code="unsatisfiable.steering",
        hint=hint,
        best=hint,
    )

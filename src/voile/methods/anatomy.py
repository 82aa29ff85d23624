"""Anatomy: show the quasi-identifiers unchanged, and unlink them from the sensitive values.

People are dealt into groups in which everybody has a different sensitive value. Two tables are published: the members
of each group, and the values of each group. Within a group every link is equally likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, Unsatisfiable, option
from voile.methods.base import Method, Partitionable
from voile.methods.refusals import IgnoresValues
from voile.models.policy import Policy
from voile.releases.linked_tables import check_bucketized, show_buckets
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Column, Columns


@dataclass(frozen=True)
class Anatomy(Partitionable, IgnoresValues, Method):
    """Bucketization into groups of l rows with l different values.

    Claim: in every group all sensitive values differ and there are at least l, so belief in any value is at most 1/l.
    Against: a neighbour who knows everybody's quasi-identifier and who is in the table; the release shows both exactly.
    Needs: one sensitive column whose most frequent value covers at most 1/l of the rows.
    Why: rows are drawn from their buckets at random, never by their quasi-identifier, so the grouping reveals nothing.
    Source: Xiao, Tao: Anatomy (VLDB 2006).
    """

    name: ClassVar[str] = "anatomy"
    produces: ClassVar[str] = "bucketized"

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        check_distinct_values(self, columns, policy)

    def can_stand_alone(self, columns: Columns, policy: Policy, tallies: Mapping[str, Counts]) -> np.ndarray:
        counts = tallies[columns.sensitive[0].name]
        return counts.largest() * policy.distinct_values_needed() <= counts.sizes

    def watched_columns(self, columns: Columns, policy: Policy) -> list[Column]:
        return list(columns.sensitive)

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        l, table, code, sizes = check_frequencies(self, columns, rows, policy)  # noqa: E741 - the literature's letter
        total = table.total
        picks, remaining = kernels.dealing.pick_largest_l(sizes, l, rows.key.stream("anatomy ties", total // l))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        spare = rows.key.stream("anatomy leftovers", int(remaining.sum()))
        group = kernels.dealing.seat_rows(starts, picks, remaining, rows.key.stream("anatomy deal", total), spare)
        cells, groups = kernels.dealing.hand_out_groups(code, table.counts, starts, group)
        return rows.deal(table, cells, groups, np.ones(total, dtype=np.int64))

    def show(self, columns: Columns, rows: Rows) -> Release:
        return show_buckets(columns, rows)


def check_distinct_values(method: Method, columns: Columns, policy: Policy) -> None:
    """Raise PolicyError if groups of different values, shown as two linked tables, do not serve the policy."""
    check_bucketized(method.name, columns)
    unserved_models = policy.refuses_distinct_values()
    if unserved_models:
        raise PolicyError(
            f"{method.name} cannot serve {', '.join(unserved_models)}: groups of different values do not guarantee it.",
            code="policy.method",
            hint=f"Use {option('method', 'mondrian')}.",
        )


def check_frequencies(
    method: Method, columns: Columns, rows: Rows, policy: Policy
) -> tuple[int, Histogram, np.ndarray, np.ndarray]:
    """Return how many different values a group needs, the table, everybody's value, and how often each value occurs.

    Raise Unsatisfiable if some value is too frequent to occur only once per group.
    """
    needed, target = policy.distinct_values_needed(), columns.sensitive[0]
    table = rows.histogram([column.name for column in columns])
    value = table.column(target.name)
    (sizes,) = kernels.column_codes.count_codes(value.reshape(-1, 1), [target.size], table.counts)
    total, largest = int(sizes.sum()), int(sizes.max(initial=0))
    if largest * needed > total:
        best = (
            f"The most frequent value covers {largest} of {total} rows; the largest possible l is {optimal_l(sizes)}."
        )
        raise Unsatisfiable(
            f"l = {needed} is out of reach for {target.name!r}.",
            code=f"unsatisfiable.{method.name}",
            hint=best,
            best=best,
        )
    return needed, table, value, sizes


def optimal_l(sizes: np.ndarray) -> int:
    """Return the largest l that buckets of these sizes allow: floor(n / n_1), n_1 being the size of the largest bucket.

    >>> optimal_l([2, 2, 1, 1, 1, 1])
    4
    """
    return int(np.sum(sizes) // np.max(sizes))

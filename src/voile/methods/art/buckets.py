"""The table as ART sees it: buckets of interchangeable rows, and what the prior says about each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.adversaries.group_members import Members
from voile.adversaries.prior import INDICATOR, Prior
from voile.adversaries.prior_posterior import make_indicator, protected_events
from voile.models.r_robustness import RRobustness
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Histogram, Rows
from voile.tables.schema import Column, Columns


@dataclass(frozen=True, eq=False)
class Buckets:
    """Buckets in rising order of value: rows with the same value and the same probabilities under every column set.

    `bucket[c]` is the bucket of cell c of the table; `size` is the number of rows and `value` the value of each bucket;
    `index[a, b]` is the row of probabilities (in `rows`) of bucket b under column set a, `chance[e, row]` the
    probability that this row gives to event e, and `event[v]` the event of value v, -1 for none. People whom no column
    set distinguishes share a `profile`. Values may be those of an `indicator`: 1 for a protected value, 0 for others.
    """

    table: Histogram | None
    bucket: np.ndarray
    size: np.ndarray
    value: np.ndarray
    profile: np.ndarray
    index: np.ndarray
    rows: np.ndarray
    event: np.ndarray
    chance: np.ndarray
    indicator: bool = False

    @property
    def guarded(self) -> np.ndarray:
        """Whether each bucket holds protected rows."""
        return np.asarray(self.event[self.value] >= 0)

    @property
    def total(self) -> int:
        return int(self.size.sum())


def make_buckets(columns: Columns, rows: Rows, target: Column, model: RRobustness, indicator: bool) -> Buckets:
    """Return the buckets of a table under a model that has its prior. O(cells * column sets)."""
    assert isinstance(model.prior, Prior)
    names = [column.name for column in columns.quasi]
    table = rows.histogram([column.name for column in columns])
    value = table.column(target.name).astype(np.int64)
    usual = np.bincount(value, weights=table.counts, minlength=target.size) / max(table.total, 1)
    quasi = table.codes[:, [table.names.index(name) for name in names]]
    known = weigh_people(model.prior, columns.quasi, quasi, target, usual, model, indicator)
    return gather_buckets(table, table.counts, known.code_of[value], known.index, known)


@dataclass(frozen=True, eq=False)
class PersonWeights:
    """What the prior says about people: `rows[index[a, p]]` are the probabilities of person p under column set a, of
    the values or of the `indicator`. `events` are the events of its codes; `code_of` is the code of each value."""

    rows: np.ndarray
    index: np.ndarray
    events: np.ndarray
    code_of: np.ndarray
    indicator: bool = False


def weigh_people(
    prior: Prior,
    quasi: Sequence[Column],
    codes: np.ndarray,
    target: Column,
    usual: np.ndarray,
    model: RRobustness,
    indicator: bool,
) -> PersonWeights:
    """Return what a prior says about people with these codes, as ART looks at it."""
    events = protected_events(target, model.protected_values, model.protect_as == "set")
    if not indicator:
        encoded = prior.encode(quasi, codes, target, usual)
        return PersonWeights(encoded.rows, encoded.index, events, np.arange(target.size))
    # protected values that nobody in the table has count, too: the statistics tell nobody that they do not occur
    inside = usual[events >= 0].sum()
    shares, column = np.array([1 - inside, inside]), make_indicator(target, INDICATOR)
    encoded = prior.as_indicator(model.protected_values).encode(quasi, codes, column, shares)
    code_of = (events >= 0).astype(np.int64)
    return PersonWeights(encoded.rows, encoded.index, np.array([-1, 0]), code_of, indicator=True)


def gather_buckets(
    table: Histogram | None, counts: np.ndarray, value: np.ndarray, index: np.ndarray, known: PersonWeights
) -> Buckets:
    """Return the buckets of cells with these counts, values and rows of probabilities."""
    return _make_buckets(table, counts, value, index, known.rows, known.events, known.indicator)


def _make_buckets(
    table: Histogram | None,
    counts: np.ndarray,
    value: np.ndarray,
    index: np.ndarray,
    probabilities: np.ndarray,
    events: np.ndarray,
    indicator: bool = False,
) -> Buckets:
    event_count = int(events.max()) + 1
    chances = np.stack([probabilities[:, events == event].sum(axis=1) for event in range(event_count)])
    profile, _ = kernels.distinct_rows.rank_rows(list(index), [len(probabilities)] * len(index))
    bucket, first = kernels.distinct_rows.rank_rows([value, profile], [len(events), int(profile.max(initial=0)) + 1])
    return Buckets(
        table,
        bucket,
        np.bincount(bucket, weights=counts, minlength=len(first)).astype(np.int64),
        value[first],
        profile[first],
        np.ascontiguousarray(index[:, first]),
        probabilities,
        events,
        np.minimum(chances, 1.0),
        indicator,
    )


def rebuild_buckets(members: Members, counts: Counts, model: RRobustness, prior: Prior) -> tuple[Buckets, np.ndarray]:
    """Return the buckets that a reader can rebuild, one per published person and value of their group; and the number
    of the bucket by value and published row (-1 if a person cannot have a value)."""
    assert counts.column is not None
    column = counts.column
    statistics = prior.as_indicator(model.protected_values) if column.indicator else prior
    usual = counts.totals / max(int(counts.totals.sum()), 1)
    encoded = statistics.encode(members.columns, members.codes, column, usual)
    group = np.repeat(np.arange(members.groups), np.diff(members.starts))
    value_counts = np.diff(counts.starts)[group]
    entry = np.repeat(np.arange(len(group)), value_counts)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(value_counts) - value_counts, value_counts)
    value = counts.values[counts.starts[group[entry]] + within]
    pairs, first = np.unique(value * len(members.codes) + members.rows[entry], return_index=True)
    value, row = value[first].astype(np.int64), members.rows[entry][first]
    ones = np.ones(len(pairs), dtype=np.int64)
    people = _make_buckets(None, ones, value, encoded.index[:, row], encoded.rows, model.events(column))
    bucket_of = np.full((column.size, len(members.codes)), -1, dtype=np.int64)
    bucket_of[value, row] = people.bucket
    return people, bucket_of

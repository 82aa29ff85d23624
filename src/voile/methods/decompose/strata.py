"""Strata: rows that may hide each other's secondary values.

The values of each secondary column are cut into classes of values with similar frequency. Rows whose values lie in the
same classes form a stratum; groups are formed within strata, and every group of a stratum lists the same classes. So a
row fits only the groups of its own stratum, and there it fits all slots of its primary value equally well: belief is a
share of counts. All this is decided on the counts of sensitive rows alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.kernels import lazy_module
from voile.releases.row_matching.known_values import Conditions

sparse = lazy_module("scipy.sparse")

ROOM = 1.25  # a class keeps its most frequent value this much rarer than needed, so that few groups must be merged


@dataclass(frozen=True, eq=False)
class Strata:
    """Distinct sensitive rows (`codes`, the primary first, rising), their `counts`, and the `stratum` of each."""

    codes: np.ndarray
    counts: np.ndarray
    stratum: np.ndarray
    classes: tuple[np.ndarray, ...]  # for each secondary column the class of each value; -1 for values nobody has

    def __repr__(self) -> str:
        return f"Strata({self.number} of {len(self.counts)} kinds of rows)"

    @property
    def number(self) -> int:
        return int(self.stratum.max(initial=-1)) + 1


def find_strata(
    codes: np.ndarray,
    counts: np.ndarray,
    sizes: Sequence[int],
    l: Sequence[int],  # noqa: E741
    conditions: Sequence[Conditions] = (),
) -> Strata:
    """Return the finest strata found in which no value is too frequent: in a column with l, at most 1/l of a stratum;
    and in which somebody who knows other values believes no more than the conditions allow.

    The whole table must satisfy this already. `l[j]` belongs to column j of `codes`; a column with l = 1 is not cut.
    """
    limits = [_share_limit(codes[:, j], counts, l[j]) for j in range(len(l))]
    classes = [np.zeros(size, dtype=np.int64) for size in sizes[1:]]
    for j, size in enumerate(sizes[1:], 1):
        people = np.bincount(codes[:, j], weights=counts, minlength=size).astype(np.int64)
        classes[j - 1][people == 0] = -1
        if l[j] > 1:
            classes[j - 1] = _cut_classes(codes, counts, classes, j, people, l, limits, conditions)
    return Strata(codes, counts, _number_strata(codes, classes), tuple(classes))


def _share_limit(code: np.ndarray, counts: np.ndarray, l: int) -> float:  # noqa: E741
    """Return the share of a stratum that a value may have: 1/l with some slack, or its share of the whole table if that
    is larger."""
    largest_share = np.bincount(code, weights=counts).max(initial=0) / max(counts.sum(), 1)
    return float(max(1 / (ROOM * l), largest_share)) if l > 1 else 1.0


def _cut_classes(
    codes: np.ndarray,
    counts: np.ndarray,
    classes: Sequence[np.ndarray],
    column: int,
    people: np.ndarray,
    l: Sequence[int],  # noqa: E741
    limits: Sequence[float],
    conditions: Sequence[Conditions],
) -> np.ndarray:
    """Return the classes of one column, given those of the others: as fine as its own counts allow, then merged with
    their neighbours until every stratum is mixed well enough."""
    order = np.lexsort((np.arange(len(people)), -people))
    order = order[people[order] > 0]
    cuts = _start_classes(people[order], limits[column])
    for attempt in range(len(order)):
        value_class = np.full(len(people), -1, dtype=np.int64)
        value_class[order] = np.cumsum(cuts) - 1
        trial_classes = [*classes[: column - 1], value_class, *classes[column:]]
        stratum = _number_strata(codes, trial_classes)
        bad = ~_well_mixed(codes, counts, stratum, l, limits) | _tell_too_much(counts, stratum, conditions)
        if not bad.any() or cuts.sum() == 1:
            return value_class
        failing = np.zeros(int(cuts.sum()), dtype=bool)
        failing[value_class[codes[bad[stratum], column]]] = True
        starts = np.flatnonzero(cuts)
        for reach in range(1 + attempt // 4):  # the longer it takes, the more neighbours are merged at once
            neighbours = np.flatnonzero(failing) + 1 + reach
            cuts[starts[neighbours[neighbours < len(starts)]]] = False
        if failing[-1]:
            cuts[starts[-1]] = False
        cuts[0] = True
    return value_class


def _start_classes(people: np.ndarray, limit: float) -> np.ndarray:
    """Return where each class starts, values in falling order of frequency: a class ends as soon as its first value is
    rare enough in it."""
    cuts = np.zeros(len(people), dtype=bool)
    first, inside = 0, 0
    for position, count in enumerate(people.tolist()):
        if inside == 0:
            cuts[position], first = True, count
        inside += count
        if first <= limit * inside:
            inside = 0
    if inside:  # the last class is too small
        cuts[np.flatnonzero(cuts)[-1]] = False
        cuts[0] = True
    return cuts


def _number_strata(codes: np.ndarray, classes: Sequence[np.ndarray]) -> np.ndarray:
    """Return the stratum of each kind of row."""
    columns = [value_class[codes[:, j]] for j, value_class in enumerate(classes, 1)]
    if not columns:
        return np.zeros(len(codes), dtype=np.int64)
    stratum, _ = kernels.distinct_rows.rank_rows(columns, [int(column.max(initial=0)) + 1 for column in columns])
    return stratum


def _well_mixed(
    codes: np.ndarray,
    counts: np.ndarray,
    stratum: np.ndarray,
    l: Sequence[int],  # noqa: E741
    limits: Sequence[float],
) -> np.ndarray:
    """Return which strata have no value that is too frequent in any column."""
    strata = int(stratum.max(initial=-1)) + 1
    total = np.bincount(stratum, weights=counts, minlength=strata).astype(np.int64)
    is_mixed = np.ones(strata, dtype=bool)
    for j, least in enumerate(l):
        if least > 1:
            largest = _count_largest(stratum, codes[:, j], counts, strata)
            is_mixed &= largest * least <= total
            is_mixed &= (largest <= limits[j] * total + 1e-6) if j else True
    return is_mixed


def _tell_too_much(counts: np.ndarray, stratum: np.ndarray, conditions: Sequence[Conditions]) -> np.ndarray:
    """Return which strata, each taken as one group, are above a condition."""
    strata = int(stratum.max(initial=-1)) + 1
    rows = sparse.csr_matrix((counts, (stratum, np.arange(len(counts)))), shape=(strata, len(counts)), dtype=np.float64)
    is_above = np.zeros(strata, dtype=bool)
    for condition in conditions:
        is_above |= (condition.excess(rows) > 1e-9).any(axis=1)
    return is_above


def _count_largest(owner: np.ndarray, value: np.ndarray, counts: np.ndarray, owners: int) -> np.ndarray:
    """Return how many rows of each owner have its most frequent value."""
    width = int(value.max(initial=0)) + 1
    pairs, pair = np.unique(owner * width + value, return_inverse=True)
    people = np.bincount(pair, weights=counts).astype(np.int64)
    largest = np.zeros(owners, dtype=np.int64)
    np.maximum.at(largest, pairs // width, people)
    return largest

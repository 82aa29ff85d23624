"""What may be believed by somebody who already knows something about a person's other sensitive values.

The adversary knows the person's values in some columns, and values of one further column that the person does not have.
This evidence leaves some types of joint rows. Belief in a value of the remaining column is the expected number of a
group's rows that have the value and are left, divided by the number of those that are left. It may reach 1/l, or the
value's share among all joint rows that are left plus some slack: the joint table says that much to everybody.
Multiplied by the denominator this is a sum over the rows of a group, so that groups can be merged until it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from voile import kernels
from voile.kernels import lazy_module

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = lazy_module("scipy.sparse")

SETS = 10_000  # the most sets of ruled out values of one column that are looked at
CELLS = 20_000_000  # groups x conditions that are held at once
ROUNDING = 1e-12


@dataclass(frozen=True)
class Allowance:
    """How many values of other columns are known and how many of one further column are ruled out; and what may then
    be believed: `bound`, or the share among the joint rows plus `slack`."""

    knowing: int
    excluding: int
    bound: float
    slack: float


class BeliefsGiven(NamedTuple):
    """The largest belief of each group over all evidence, and how far any belief lies above what is allowed for it."""

    largest: np.ndarray
    excess: np.ndarray


@dataclass(frozen=True, eq=False)
class Conditions:
    """Pairs of evidence and a value of one column. `leaves` (types x evidence) says which joint rows the evidence
    leaves, `supports` (types x conditions) which of them have the value; condition c has the evidence `evidence[c]`,
    and belief may reach `limits[c]`."""

    leaves: sparse.csr_matrix
    supports: sparse.csr_matrix
    evidence: np.ndarray
    limits: np.ndarray

    def __repr__(self) -> str:
        return f"Conditions({len(self.limits)} of {self.leaves.shape[1]} kinds of evidence)"

    def excess(self, rows: sparse.csr_matrix) -> np.ndarray:
        """Return how far owners of rows (owners x types: how many are expected) lie above each condition, in rows: at
        most 0 where belief is within its limit. The excess of owners that are merged adds up."""
        left = np.asarray((rows @ self.leaves).todense())
        support = np.asarray((rows @ self.supports).todense())
        return np.asarray(support - left[:, self.evidence] * self.limits)

    def beliefs(self, chances: sparse.csr_matrix, slots: sparse.csr_matrix) -> BeliefsGiven:
        """Return the beliefs in groups with so many `slots` (groups x classes), whose rows have these `chances`
        (classes x types)."""
        left, support = np.asarray((chances @ self.leaves).todense()), np.asarray((chances @ self.supports).todense())
        groups, step = slots.shape[0], max(1, CELLS // max(len(self.limits), 1))
        largest, excess = np.zeros(groups), np.full(groups, -np.inf)
        for low in range(0, groups if len(self.limits) else 0, step):
            some = slots[low : low + step]
            people_left = np.asarray(some @ left)[:, self.evidence]
            with_value = np.asarray(some @ support)
            possible = people_left > ROUNDING
            belief = np.where(possible, with_value / np.where(possible, people_left, 1.0), 0.0)
            largest[low : low + step] = belief.max(axis=1)
            over = with_value - people_left * self.limits - ROUNDING
            excess[low : low + step] = np.where(possible, over / np.where(possible, people_left, 1.0), -1.0).max(axis=1)
        return BeliefsGiven(np.minimum(largest, 1.0), excess)


def find_conditions(
    codes: np.ndarray, counts: np.ndarray, target: int, allowance: Allowance, column: int | None = None
) -> Conditions:
    """List what must hold about column `target` of the joint rows (`codes`, how many people have each: `counts`), for
    every evidence that the allowance speaks of; with `column`, only for values of that column. Nothing must hold where
    belief may reach 1."""
    others = [number for number in range(codes.shape[1]) if number != target and column in (None, number)]
    leaves = sparse.csc_matrix(
        sparse.hstack([*_list_evidence(codes, others, allowance)], format="csc", dtype=np.float64)
    )
    entry = leaves.tocoo()
    width = int(codes[:, target].max(initial=0)) + 1
    keys, pair = np.unique(entry.col.astype(np.int64) * width + codes[entry.row, target], return_inverse=True)
    evidence = keys // width
    people = np.bincount(pair, weights=counts[entry.row], minlength=len(keys))
    left = np.bincount(entry.col, weights=counts[entry.row], minlength=leaves.shape[1])
    limits = np.maximum(allowance.bound, people / left[evidence] + allowance.slack)
    binding = np.flatnonzero(limits < 1)
    number = np.full(len(keys), -1)
    number[binding] = np.arange(len(binding))
    chosen = number[pair] >= 0
    supports = sparse.csr_matrix(
        (np.ones(int(chosen.sum())), (entry.row[chosen], number[pair][chosen])), shape=(len(codes), len(binding))
    )
    return Conditions(leaves.tocsr(), supports, evidence[binding], limits[binding])


def _list_evidence(codes: np.ndarray, others: list[int], allowance: Allowance) -> Iterator[sparse.csc_matrix]:
    """Yield which types are left (types x evidence): by the known values of every set of columns, and by every set of
    ruled out values of a further column beside them."""
    for size in range(min(allowance.knowing, len(others)) + 1):
        for known in combinations(others, size):
            cell = _number_cells(codes, known)
            cells = int(cell.max(initial=-1)) + 1
            yield sparse.csc_matrix((np.ones(len(cell)), (np.arange(len(cell)), cell)), shape=(len(cell), cells))
            for further in others if allowance.excluding else ():
                if further not in known:
                    yield from _rule_out(codes, cell, further, allowance.excluding)


def _rule_out(codes: np.ndarray, cell: np.ndarray, column: int, most: int) -> Iterator[sparse.csc_matrix]:
    """Yield what is left of every cell once up to `most` values of a column are ruled out, but not all of them."""
    for number in range(int(cell.max(initial=-1)) + 1):
        types = np.flatnonzero(cell == number)
        values, value = np.unique(codes[types, column], return_inverse=True)
        struck = [
            s for size in range(1, min(most, len(values) - 1) + 1) for s in combinations(range(len(values)), size)
        ]
        if struck:
            remains = np.ones((len(types), len(struck)))
            for position, ruled_out in enumerate(struck):
                remains[np.isin(value, ruled_out), position] = 0
            row, place = np.nonzero(remains)
            yield sparse.csc_matrix((np.ones(len(row)), (types[row], place)), shape=(len(codes), len(struck)))


def _number_cells(codes: np.ndarray, columns: tuple[int, ...]) -> np.ndarray:
    """Return the cell of each type: types with the same values in some columns share one."""
    if not columns:
        return np.zeros(len(codes), dtype=np.int64)
    chosen = [codes[:, number] for number in columns]
    cell, _ = kernels.distinct_rows.rank_rows(chosen, [int(code.max(initial=0)) + 1 for code in chosen])
    return np.asarray(cell)


def count_exclusions(values: int, most: int) -> int:
    """Return how many sets of up to `most` values can be ruled out of so many.

    >>> count_exclusions(14, 2)
    105
    """
    return sum(comb(values, size) for size in range(1, min(most, values - 1) + 1))

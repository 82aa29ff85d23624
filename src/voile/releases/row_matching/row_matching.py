"""Whose a sensitive row may be, according to decomposed tables, if all matchings are equally likely.

Every person is a slot: a group and the primary value that the group lists. The joint table has complete sensitive rows
without their group. A row fits the slots of its primary value in groups that list all its other values, and the rows of
a primary value are matched one to one to its slots. Slots that take the same rows are one class, equal rows one type;
so most tables fall into small parts that are counted exactly (row_matching_kernel).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from voile import kernels
from voile.kernels import lazy_module

sparse = lazy_module("scipy.sparse")
csgraph = lazy_module("scipy.sparse.csgraph")

row_matching_kernel = lazy_module("voile.releases.row_matching.kernel")

CELLS = 4_000_000  # the most classes x types of a part that is counted


@dataclass(frozen=True, eq=False)
class UncountedPart:
    """Connected classes and types that are too many to be counted exactly."""

    classes: np.ndarray
    types: np.ndarray
    allowed: np.ndarray


@dataclass(frozen=True, eq=False)
class RowMatching:
    """The chance of each type of row in a slot of each class.

    Class c takes the types `types[starts[c]:starts[c+1]]`, with chances `belief`, which never exceed `upper`; where
    `exact`, both are the same. `codes[t]` are the values of type t (the primary first), `counts[t]` its rows.
    """

    slot: np.ndarray  # the class of each slot, slots in the order they were given
    starts: np.ndarray
    types: np.ndarray
    belief: np.ndarray
    upper: np.ndarray
    error: np.ndarray  # half of a 95 % interval, where the belief was sampled
    exact: np.ndarray  # for each class
    codes: np.ndarray
    counts: np.ndarray
    possible: bool  # whether the tables can belong together at all
    parts: tuple[UncountedPart, ...] = field(default=())

    def __repr__(self) -> str:
        return f"RowMatching({len(self.slot)} slots of {len(self.exact)} classes)"

    @property
    def owner(self) -> np.ndarray:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.exact)), np.diff(self.starts))

    def shares(self, wanted: np.ndarray) -> np.ndarray:
        """Return, for queries (queries x types: does the type match?), the share of matching rows of each class."""
        weight = self.counts[self.types].astype(np.float64)
        table = sparse.csr_matrix((weight, self.types, self.starts), shape=(len(self.exact), len(self.counts)))
        total = np.maximum(np.asarray(table.sum(axis=1)).ravel(), 1)
        return np.asarray((table @ wanted.T.astype(np.float64)).T / total)

    def sum_by_value(self, column: int, size: int, quantity: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sum a quantity of the entries by value of one column: where each class starts, the values, the sums."""
        key = self.owner * size + self.codes[self.types, column]
        found, place = np.unique(key, return_inverse=True)
        sums = np.bincount(place, weights=quantity, minlength=len(found))
        return np.searchsorted(found // size, np.arange(len(self.exact) + 1)), found % size, sums

    def with_sampled_beliefs(self) -> RowMatching:
        """Return the same with the chances of uncounted parts estimated by random walks, with intervals."""
        if not self.parts:
            return self
        belief, error = self.belief.copy(), self.error.copy()
        width = len(self.counts)
        place = self.owner * width + self.types  # rising, so that entries are found by bisection
        for part in self.parts:
            walks = row_matching_kernel.sampled(part.allowed, self._slots[part.classes], self.counts[part.types])
            c, t = np.nonzero(part.allowed)
            entry = np.searchsorted(place, part.classes[c] * width + part.types[t])
            belief[entry] = walks.mean(axis=0)[c, t]
            error[entry] = 2.36 * walks.std(axis=0, ddof=1)[c, t] / np.sqrt(len(walks))  # Student, 7 degrees
        return replace(self, belief=belief, error=error)

    @property
    def _slots(self) -> np.ndarray:
        return np.bincount(self.slot, minlength=len(self.exact))


def equal_sets(starts: np.ndarray, members: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return one representative of each different set, and the number of each set's. Two sets are never confused, even
    if the author of a release makes their fingerprints collide on purpose."""
    first, number = kernels.group_scans.match_equal_sets(starts, members, size)
    if size <= 64 or kernels.group_scans.sets_agree(starts, members, first[number]):
        return first, number
    known: dict[bytes, int] = {}
    named = [known.setdefault(members[a:b].tobytes(), len(known)) for a, b in pairwise(starts)]
    _, first, number = np.unique(named, return_index=True, return_inverse=True)
    return first, number


def match_rows(
    group: np.ndarray,
    primary: np.ndarray,
    lists: Sequence[tuple[np.ndarray, np.ndarray, int]],
    codes: np.ndarray,
    counts: np.ndarray,
) -> RowMatching:
    """Slots (group and primary value), for each secondary column the values that each group lists (where each group
    starts, the values rising, the size of the domain), and the types of the joint table (the primary first, rising).
    """
    ids, starts, members = [], [np.zeros(1, np.int64)], []
    base = 0
    for begins, values, size in lists:
        first, number = equal_sets(begins, values, size)
        ids.append(number + base)
        base += len(first)
        lengths = np.diff(begins)[first]
        cuts = np.concatenate([[0], np.cumsum(lengths)])
        inside = np.arange(cuts[-1]) - np.repeat(cuts[:-1] - begins[first], lengths)
        members.append(values[inside])
        starts.append(cuts[1:] + starts[-1][-1])
    last = int(max(primary.max(initial=0), codes[:, 0].max(initial=0))) + 1
    columns, spans = [primary, *(number[group] for number in ids)], [last, *(max(base, 1) for _ in ids)]
    pair, one = kernels.distinct_rows.rank_rows(columns, spans)
    listed = np.stack([number[group[one]] for number in ids], axis=1) if ids else np.zeros((len(one), 0), np.int64)
    whose = np.searchsorted(codes[:, 0], np.arange(last + 1))
    all_members = np.concatenate(members) if members else np.zeros(0, np.int64)
    begins, types = kernels.group_scans.find_fitting_rows(
        primary[one], listed, np.concatenate(starts), all_members, np.ascontiguousarray(codes[:, 1:]), whose
    )
    first, number = equal_sets(begins, types, max(len(counts), 1))
    lengths = np.diff(begins)[first]
    cuts = np.concatenate([[0], np.cumsum(lengths)])
    inside = np.arange(cuts[-1]) - np.repeat(cuts[:-1] - begins[first], lengths)
    return _compute_chances(number[pair], cuts, types[inside], codes, counts)


def _compute_chances(
    slot: np.ndarray, starts: np.ndarray, types: np.ndarray, codes: np.ndarray, counts: np.ndarray
) -> RowMatching:
    """Compute the chances, part by part; all parts with a single class at once, in closed form."""
    classes, width = len(starts) - 1, len(counts)
    slots = np.bincount(slot, minlength=classes)
    owner = np.repeat(np.arange(classes), np.diff(starts))
    graph = sparse.csr_matrix((np.ones(len(types), np.int8), (owner, classes + types)), shape=(classes + width,) * 2)
    pieces, label = csgraph.connected_components(graph, directed=False)
    mine, theirs = label[:classes], label[classes:]
    places = np.bincount(mine, weights=slots, minlength=pieces).astype(np.int64)
    rows = np.bincount(theirs, weights=counts, minlength=pieces).astype(np.int64)
    possible = bool((places == rows).all())
    belief = counts[types] / np.maximum(rows[mine[owner]], 1)
    upper, error, exact = belief.copy(), np.zeros(len(types)), np.ones(classes, dtype=bool)
    parts: list[UncountedPart] = []
    many = np.flatnonzero(np.bincount(mine, minlength=pieces) > 1)
    by_class, by_type = np.argsort(mine, kind="stable"), np.argsort(theirs, kind="stable")
    class_cuts = np.searchsorted(mine[by_class], np.stack([many, many + 1]))
    type_cuts = np.searchsorted(theirs[by_type], np.stack([many, many + 1]))
    for n in range(len(many) if possible else 0):
        c, t = by_class[class_cuts[0, n] : class_cuts[1, n]], by_type[type_cuts[0, n] : type_cuts[1, n]]
        entry = np.concatenate([np.arange(starts[one], starts[one + 1]) for one in c])
        if len(c) * len(t) > CELLS:
            upper[entry], error[entry], exact[c] = 1.0, 1.0, False
            continue
        allowed = np.zeros((len(c), len(t)), dtype=bool)
        row, column = np.searchsorted(c, owner[entry]), np.searchsorted(t, types[entry])
        allowed[row, column] = True
        chance, most, sure, hard = _count_part(allowed, slots[c], counts[t])
        possible = possible and bool(chance.any())
        belief[entry], upper[entry], exact[c] = chance[row, column], most[row, column], sure
        parts += [UncountedPart(c[a], t[b], inner) for a, b, inner in hard]
    return RowMatching(slot, starts, types, belief, upper, error, exact, codes, counts, possible, tuple(parts))


def _count_part(
    allowed: np.ndarray, slots: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """Return the chances, their bounds, which classes are exact, and the parts that could not be counted."""
    usable, mine, theirs = row_matching_kernel.matchable(allowed, slots, rows)
    chance, most = np.zeros(allowed.shape), np.zeros(allowed.shape)
    sure = np.ones(len(slots), dtype=bool)
    hard = []
    for part in np.unique(mine):
        c, t = np.flatnonzero(mine == part), np.flatnonzero(theirs == part)
        if not len(t):
            continue  # no perfect matching at all
        inner = usable[np.ix_(c, t)]
        found = row_matching_kernel.marginals(inner, slots[c], rows[t])
        if found is None:
            bound = row_matching_kernel.bounds(inner, slots[c], rows[t])
            found = np.minimum(row_matching_kernel.tilted(inner, slots[c], rows[t], 200), bound)
            sure[c] = False
            most[np.ix_(c, t)] = bound
            hard.append((c, t, inner))
        else:
            most[np.ix_(c, t)] = found
        chance[np.ix_(c, t)] = found
    return chance, most, sure, hard

"""Injector: Anatomy against an adversary who learns from the table which values do not go together.

If nobody under twenty in a large table has a doctorate, the adversary assumes that nobody under twenty has one, and
crosses it out in the group of every teenager. Such negative rules are mined first; then people are grouped so that at
least l values are left for each of them after all crossing out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import BrokenPromise, Unsatisfiable, option
from voile.kernels import lazy_module
from voile.methods.anatomy import check_distinct_values, check_frequencies
from voile.methods.base import Method
from voile.models.policy import Policy
from voile.plugins.registry import knob
from voile.releases.linked_tables import show_buckets
from voile.releases.release import Release
from voile.tables.row_protocol import WITHHELD, Histogram, Rows
from voile.tables.schema import Column, Columns
from voile.tables.secret_key import Key

group_kernel = lazy_module("voile.methods.injector.kernel.groups")
matching_kernel = lazy_module("voile.methods.injector.kernel.matchings")
rule_kernel = lazy_module("voile.methods.injector.kernel.rules")

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Injector(Method):
    """Bucketization into groups in which everybody keeps l values that no mined rule excludes.

    A rule says that people with certain items (at most `max_items`; an item is a category, or one of `intervals` ranges
    of a number) do not have a value: a share of at least `min_conf` of them has another value, and at least `min_exp`
    of them would have it if items and value were independent.

    Claim: in every group all sensitive values differ and there are at least l, so belief in any value is at most 1/l.
    The publisher also makes sure that l values stay possible for everybody when the rules are known; a recipient cannot
    recount that.
    Against: a neighbour who knows everybody's quasi-identifier and who is in the table; the release shows both exactly.
    Needs: one sensitive column whose most frequent value covers at most 1/l of the rows. Rows may be withheld.
    Why: a value counts for a person only if the whole group can be served without breaking a rule (perfect matching).
    Source: Li, Li: Injector, mining background knowledge for data anonymization (ICDE 2008).
    """

    name: ClassVar[str] = "injector"
    produces: ClassVar[str] = "bucketized"

    min_conf: float = knob(1.0, above=0, high=1)
    min_exp: float = knob(0.9, low=0)
    max_items: int = knob(2, low=1)
    intervals: int = knob(20, low=1)

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        check_distinct_values(self, columns, policy)

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        l_wanted, table, value, sizes = check_frequencies(self, columns, rows, policy)
        value = value.astype(np.int64)
        home, allowed = self.mine_rules(columns, table, sizes)
        piles = make_piles(rows.key, table, value, home, allowed)
        pile, group = group_piles(rows.key, piles, allowed, l_wanted)
        starts = np.searchsorted(pile, np.arange(len(piles.rows) + 1))
        cells, groups = kernels.dealing.hand_out_groups(piles.cell, table.counts, starts, group)
        cells, groups = cells[groups != WITHHELD], groups[groups != WITHHELD]
        if not len(cells):
            name = columns.sensitive[0].name
            raise Unsatisfiable(
                f"No group leaves l = {l_wanted} values of {name!r} to everybody: the rules exclude too many.",
                code="unsatisfiable.injector",
                hint=f"Lower l, raise min_exp, lower max_items, or use {option('method', 'anatomy')}.",
            )
        confirm_kept_values(groups, home[cells], value[cells], allowed, l_wanted)
        return rows.deal(table, cells, groups, np.ones(len(cells), dtype=np.int64))

    def show(self, columns: Columns, rows: Rows) -> Release:
        return show_buckets(columns, rows)

    def mine_rules(self, columns: Columns, table: Histogram, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the class of each cell (cells for which the same values are excluded form a class), and the values
        that are allowed in each class (classes x values)."""
        value = table.column(columns.sensitive[0].name)
        cuts = [self._find_items(column, table) for column in columns.quasi]
        items = [cut[table.column(column.name)] for column, cut in zip(columns.quasi, cuts, strict=True)]
        widths = [int(cut.max(initial=0)) + 1 for cut in cuts]
        row, first = kernels.distinct_rows.rank_rows([*items, value], [*widths, len(sizes)])
        weight = np.bincount(row, weights=table.counts).astype(np.int64)
        items, value = [item[first] for item in items], value[first].astype(np.int64)
        needed = self._count_needed(sizes)
        bits = np.zeros((1, -(-len(sizes) // rule_kernel.WORD)), dtype=np.uint64)
        home = np.zeros(len(first), dtype=np.int64)
        for item_count in range(1, min(self.max_items, len(items)) + 1):
            for subset in combinations(range(len(items)), item_count):
                item_set, _ = kernels.distinct_rows.rank_rows([items[j] for j in subset], [widths[j] for j in subset])
                people = np.bincount(item_set, weights=weight).astype(np.int64)
                tolerated = self._count_tolerated(people)
                excluded = rule_kernel.find_excluded_values(item_set, value, weight, needed, tolerated)
                patterns, pattern = rule_kernel.number_patterns(excluded)
                pair, home = np.unique(home * len(patterns) + pattern[item_set], return_inverse=True)
                bits, class_of = rule_kernel.number_patterns(
                    bits[pair // len(patterns)] | patterns[pair % len(patterns)]
                )
                home = class_of[home]
        return home[row], ~rule_kernel.unpack_bits(bits, len(sizes))

    def _find_items(self, column: Column, table: Histogram) -> np.ndarray:
        """Return the item of each code: the code itself, or for numbers and dates one of `intervals` ranges with about
        the same number of people each."""
        code = np.arange(column.size)
        value_count = len(column.domain.values)
        if not column.domain.uses_intervals or value_count <= self.intervals:
            return code
        cells = table.column(column.name)
        (people,) = kernels.column_codes.count_codes(cells.reshape(-1, 1), [column.size], table.counts)
        before = (
            np.cumsum(people[:value_count]) * 2 - people[:value_count]
        )  # twice the people below the middle of each value
        cut = before * self.intervals // max(2 * int(people[:value_count].sum()), 1)
        return np.concatenate(
            [cut, code[value_count:] - value_count + self.intervals]
        )  # a missing value is an item of its own

    def _count_needed(self, sizes: np.ndarray) -> np.ndarray:
        """Return, for each value, how many people must have some items so that n Pr(items) Pr(value) >= min_exp."""
        least = Fraction(str(self.min_exp)) * int(sizes.sum())
        return np.array([min(ceil(least / int(size)), NEVER) if size else NEVER for size in sizes], dtype=np.int64)

    def _count_tolerated(self, people: np.ndarray) -> np.ndarray:
        """Return how many of these people may have the value anyway, so that the confidence is at least min_conf."""
        share = 1 - Fraction(str(self.min_conf))
        counts, count_number = np.unique(people, return_inverse=True)
        return np.array([int(share * int(count)) for count in counts], dtype=np.int64)[count_number]


@dataclass(frozen=True, eq=False)
class Piles:
    """Piles of rows that have the same value and the same excluded values, sorted by value.

    Within a value the piles that are hardest to place come first: those with the most excluded values, then those with
    the fewest possible partners, then at random.
    """

    cell: np.ndarray  # the pile of each cell
    value: np.ndarray
    home: np.ndarray  # the class of each pile
    rows: np.ndarray
    seeds: np.ndarray  # all piles, the hardest to place first


def make_piles(key: Key, table: Histogram, value: np.ndarray, home: np.ndarray, allowed: np.ndarray) -> Piles:
    """Pile up the rows of a table, given the value and the class of each cell."""
    pairs, cell = np.unique(value * len(allowed) + home, return_inverse=True)
    value, home = pairs // len(allowed), pairs % len(allowed)
    counts = np.bincount(cell, weights=table.counts).astype(np.int64)
    hardness = (
        key.stream("injector piles", len(pairs)),
        count_partners(value, home, counts, allowed),
        allowed.sum(axis=1)[home],
    )
    order = np.lexsort((*hardness, value))
    rank_of = np.empty(len(pairs), dtype=np.int64)
    rank_of[order] = np.arange(len(pairs))
    return Piles(rank_of[cell], value[order], home[order], counts[order], rank_of[np.lexsort(hardness)])


def count_partners(value: np.ndarray, home: np.ndarray, counts: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return with how many people a row of each pile could exchange values; each must be allowed the other's value."""
    people = np.zeros(allowed.shape)
    people[home, value] = counts
    people_allowed = allowed.T.astype(float) @ people  # [v, w]: the people who are allowed v and have w
    np.fill_diagonal(people_allowed, 0)
    return np.asarray((allowed @ people_allowed.T)[home, value])


def group_piles(key: Key, piles: Piles, allowed: np.ndarray, l_wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pile and the group (or WITHHELD) of every row, sorted by pile; the rows of a pile go to its groups at
    random."""
    value, home, seeds = piles.value, piles.home, piles.seeds
    hopeless = allowed.sum(axis=1)[home] < l_wanted  # no group can leave these people l values
    left = np.where(hopeless, 0, piles.rows)
    starts = np.searchsorted(value, np.arange(allowed.shape[1] + 1))
    totals = np.bincount(value, weights=left, minlength=allowed.shape[1]).astype(np.int64)
    order = np.lexsort((key.stream("injector ties", len(totals)), -totals))
    bits = rule_kernel.pack_bits(allowed)[home]
    members, sizes = group_kernel.gather_groups(
        home, value, left, starts, seeds, order, allowed, bits, l_wanted, 2 * l_wanted
    )
    coins = key.stream("injector leftovers", len(left))
    group_kernel.join_groups(home, value, left, seeds, allowed, l_wanted, members, sizes, coins)
    left[hopeless] = piles.rows[hopeless]
    is_seated = np.arange(members.shape[1]) < sizes[:, None]
    pile = np.concatenate([members[is_seated], np.repeat(np.arange(len(left)), left)])
    group = np.concatenate([np.nonzero(is_seated)[0], np.full(int(left.sum()), WITHHELD)])
    order_in_pile = np.lexsort((key.stream("injector deal", len(pile)), pile))
    return pile[order_in_pile], group[order_in_pile]


def confirm_kept_values(
    groups: np.ndarray, home: np.ndarray, value: np.ndarray, allowed: np.ndarray, l_wanted: int
) -> None:
    """Check, for the publisher, what no certificate can show: in every group everybody keeps l values."""
    order = np.argsort(groups, kind="stable")
    starts = kernels.packed_keys.run_starts(groups[order])
    short = int((matching_kernel.count_kept_by_group(starts, home[order], value[order], allowed) < l_wanted).sum())
    if short:
        raise BrokenPromise(
            f"In {short} groups the rules leave somebody fewer than {l_wanted} values.",
            code="broken.injector",
            hint="This is a fault of voile. Nothing was published.",
        )

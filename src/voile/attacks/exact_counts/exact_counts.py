"""Exact counts: an adversary who knows how many people of this very table have a protected value, for every signature.

A hospital has printed a table: of the 40 women of ward 3, two have HIV. A release shows 30 of them with other values in
plain sight, alone or in groups that have no case. The two cases are among the other ten, and each of them is believed
to have HIV with probability 1/5, whatever was promised for their groups. If two women are left, both are certain.

The adversary subtracts what the release shows from the count of each signature: groups whose members all have the
signature are subtracted whole. What is left of the cases, by the people that are left, is the mean belief about them.
If no case is left, or as many as people, these people are known, which changes what other signatures and groups leave;
so it goes on until nothing changes. What follows only from several sums together is not found, so the attack may
understate; it never calls a value certain that is not. Missing people are one more group: whoever knows all counts
knows how many cases it has.

No promise about statistics covers this adversary. Rates of a population differ from the counts of a table, and it is
the difference that tells. The baseline is the share of the protected values in the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np

from voile import kernels
from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.prior import SUPPORT
from voile.adversaries.prior_posterior import HIDDEN, SHOWN
from voile.attacks.base import Attack, Guess, Target
from voile.attacks.exact_counts.count_bounds import Partition, bound_cases, remaining_rates, subtract_groups
from voile.attacks.indicator_counts import name_protected
from voile.errors import PolicyError
from voile.models.r_robustness import RRobustness
from voile.plugins.number_text import parse_fraction
from voile.plugins.registry import knob, learned_field
from voile.releases.placed_people import NOWHERE, PlacedPeople, find_cells, place_people
from voile.releases.release import Release
from voile.results import Belief
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.schema import Column

WORK = 30_000_000  # entries times column sets; beyond it fewer columns are combined
SETS, SETS_LEFT_OUT = "column sets", "column sets left out"  # details of a belief


@dataclass(frozen=True)
class Question:
    """Which values of a column are protected, together or each; from which signatures; and what is promised."""

    column: str
    values: tuple[str, ...]
    as_set: bool
    min_support: int
    max_columns: int | None
    bound: float

    def events(self, column: Column) -> list[tuple[str, ...]]:
        """Return the protected sets of values; without named values every value is one."""
        named = [label for label in column.domain.labels if not self.values or label in self.values]
        return [tuple(named)] if self.as_set else [(label,) for label in named]


@dataclass(frozen=True)
class ExactCounts(Attack):
    """Mean belief in a protected value among the people that exact counts of every signature leave.

    It runs on releases that promise r-robustness, for the protected values and the signatures of the promise; on others
    that show true values it needs to be told which values (`protect`). It needs the original table.

    >>> ExactCounts(protect=("HIV",)).name
    'exact-counts'
    """

    name: ClassVar[str] = "exact-counts"

    protect: tuple[str, ...] = ()
    protect_as: str = knob("values", choices=("values", "set"))
    min_support: int | None = knob(None, low=1)
    max_columns: int | None = knob(None, low=1, high=1000)
    table: Microdata | None = learned_field()

    def learn(self, data: Microdata | None) -> ExactCounts:
        return self if data is None else replace(self, table=data)

    def lacks(self) -> str:
        return "" if self.table is not None else "the original table, whose exact counts no promise covers"

    def applies(self, target: object) -> bool:
        if not isinstance(target, Release) or target.unit.rows > 1 or not (target.shows_members or target.shows_boxes):
            return False
        return super().applies(target) and bool(self._list_questions(target))

    def guesses(self, target: Target, external: Microdata | None) -> list[Guess]:
        if not isinstance(target, Release) or self.table is None:
            return []
        knowledge = (Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.STATISTICS, Knowledge.COUNTS)
        insider = Adversary.who("insider with the exact counts", *knowledge)
        guesses = []
        for question in self._list_questions(target):
            _check_values(self.table.columns[question.column], self.protect)
            belief = _subtract_counts(target, self.table, question)
            if belief is not None:
                subject = f"{name_protected(len(question.values))} of" if question.as_set else "A value of"
                title = f"{subject} {question.column!r}, after subtracting from exact counts"
                guesses.append(Guess(title[0].upper() + title[1:], insider, belief))
        return guesses

    def describe_gaps(self, belief: Belief) -> str:
        left_out = belief.details.get(SETS_LEFT_OUT, 0)
        if not left_out:
            return ""
        return (
            f"The attack {self.name} on {belief.column!r} leaves out {left_out:,.0f} of "
            f"{left_out + belief.details[SETS]:,.0f} column sets. An adversary who subtracts from their counts too may "
            "believe more."
        )

    def _list_questions(self, release: Release) -> list[Question]:
        """List what the claims of r-robustness are about, or what was asked for."""
        support, columns = self.min_support, self.max_columns
        if self.protect:
            names = [str(entry["name"]) for entry in release.described("sensitive")]
            as_set = self.protect_as == "set"
            return [Question(name, self.protect, as_set, support or SUPPORT, columns, 1.0) for name in names]
        questions = []
        for claim in release.certificate.claims:
            if claim["model"] == RRobustness.name:
                stated: Mapping[str, Any] = claim["parameters"]
                protect = stated.get("protect", "all")
                values = () if protect == "all" else tuple(map(str, protect))
                limits = (support or int(stated["min_support"]), columns or stated.get("max_columns"))
                bound = float(parse_fraction(str(claim["bound"])))
                as_set = stated.get("protect_as") == "set"
                questions.append(Question(str(claim["column"]), values, as_set, *limits, bound))
        return questions


def _check_values(column: Column, values: Sequence[str]) -> None:
    unknown = len(set(values) - set(column.domain.labels))
    if unknown:
        raise PolicyError(
            f"exact-counts: protect names {unknown} values that {column.name!r} does not have.",
            code="policy.protect",
            hint="Check their spelling.",
        )


def _subtract_counts(release: Release, data: Microdata, question: Question) -> Belief | None:
    """Return the belief about everybody, the greatest over all events; None if the values shown do not fit the table's
    counts, because a method changed them."""
    placed = place_people(release, data)
    assert placed is not None
    counts, target = release.tallies[question.column], data.columns[question.column]
    value_counts = _count_values(placed, data, target)
    classes = _number_signatures(placed, question)
    risk = np.zeros(len(placed.people))
    is_certain = np.zeros(len(risk), dtype=bool)
    usual, lifted_cases = 0.0, 0
    for event in question.events(target):
        codes = [target.domain.labels.index(label) for label in event]
        cases = value_counts[:, codes].sum(axis=1)
        groups = _limit_groups(placed, counts, event, int(cases.sum()), release.shows_members)
        sets = [_known_partition(signature, placed, cases) for signature in classes]
        sums = [groups, *sets, *(subtract_groups(partition, groups) for partition in sets)]
        clear, bounds = bound_cases(placed.people, [groups]), bound_cases(placed.people, sums)
        if clear is None or bounds is None:
            return None
        low, high = bounds
        rates = [remaining_rates(partition, placed.people, low, low < high) for partition in sums]
        beliefs = np.where(low == high, low / np.maximum(placed.people, 1), np.max(rates, axis=0))
        risk = np.maximum(risk, beliefs)
        is_certain |= low == placed.people
        lifted_cases += _count_lifted(placed, cases, sets, clear, question.bound)
        usual = max(usual, float(cases.sum()) / max(int(placed.people.sum()), 1))
    details = {
        "people above the bound": int(placed.people[risk > question.bound + 1e-9].sum()),
        "people whose protected value is certain": int(placed.people[is_certain].sum()),
        "protected people in a signature lifted above the bound": lifted_cases,
    }
    columns = len(placed.sizes)
    left_out = _count_sets(columns, question.max_columns or columns) - (len(classes) - 1)  # one is the whole table
    if left_out:
        details |= {SETS: len(classes) - 1, SETS_LEFT_OUT: left_out}
    limits = RRobustness(r=2, protect=question.values or "all").limits
    return Belief(limits, risk, placed.people, min(usual, 1.0), question.column, details)


def _count_lifted(
    placed: PlacedPeople,
    cases: np.ndarray,
    sets: Sequence[Partition],
    clear: tuple[np.ndarray, np.ndarray],
    bound: float,
) -> int:
    """Count the protected people who have a signature that is lifted above the bound as soon as the people shown in
    the clear are subtracted, before any further deduction."""
    low, high = clear
    is_open, is_lifted = (high > 0) & (low < placed.people), np.zeros(len(cases), dtype=bool)
    for partition in sets:
        is_lifted[placed.cell[remaining_rates(partition, placed.people, low, is_open) > bound + 1e-9]] = True
    return int(cases[is_lifted].sum())


def _count_values(placed: PlacedPeople, data: Microdata, target: Column) -> np.ndarray:
    """Return how many people of each cell have each value."""
    table = data.rows.histogram([*(column.name for column in placed.columns), target.name])
    cell = find_cells(placed.codes, table.codes[:, :-1].astype(np.int64), placed.sizes)
    counts = np.zeros((len(placed.codes), target.size), dtype=np.int64)
    np.add.at(counts, (cell, table.codes[:, -1].astype(np.int64)), table.counts)
    return counts


def _limit_groups(
    placed: PlacedPeople, counts: Counts, event: Sequence[str], total: int, shows_members: bool
) -> Partition:
    """Return the groups with the cases that they have. In a box that fewer or more people fit than it has rows, the
    cases among those who fit are known within limits."""
    assert counts.column is not None
    is_case = np.array([label in event for label in counts.column.domain.labels])
    is_hidden = np.zeros(len(is_case), dtype=bool)
    if counts.column.indicator:
        is_case, is_hidden = (np.arange(len(is_case)) == code for code in (SHOWN, HIDDEN))
    cases = counts.summed(np.where(is_case[counts.values], counts.counts, 0)).astype(np.int64)
    hidden = counts.summed(np.where(is_hidden[counts.values], counts.counts, 0)).astype(np.int64)
    if shows_members:
        missing = max(total - int(cases.sum()), 0)  # and as many of these as capped groups may have among them
        fewest = np.append(cases, max(missing - int(hidden.sum()), 0))
        return Partition(placed.group, fewest, np.append(cases + hidden, missing))
    is_placed = placed.group != NOWHERE
    fitting = np.bincount(placed.group[is_placed], placed.people[is_placed], placed.groups + 1).astype(np.int64)
    fewest = np.maximum(cases - np.maximum(counts.sizes - fitting[:-1], 0), 0)
    most = cases + np.maximum(fitting[:-1] - counts.sizes, 0)
    return Partition(placed.group, np.append(fewest, 0), np.append(most, total))


def _number_signatures(placed: PlacedPeople, question: Question) -> list[np.ndarray]:
    """Return for the whole table, and for every set of columns, a class of each cell: its signature if enough people
    share it, and one more for all people whose signature is rarer."""
    columns, people = len(placed.sizes), np.bincount(placed.cell, placed.people, len(placed.codes))
    most = question.max_columns or columns
    while most > 1 and len(placed.cell) * _count_sets(columns, most) > WORK:
        most -= 1
    classes = [np.zeros(len(placed.codes), dtype=np.int64)]
    for subset in (subset for size in range(1, most + 1) for subset in combinations(range(columns), size)):
        codes = [placed.codes[:, j] for j in subset]
        index, first_rows = kernels.distinct_rows.rank_rows(codes, [placed.sizes[j] for j in subset])
        support = np.bincount(index, people, len(first_rows))
        is_rare = support < question.min_support
        classes.append(np.where(is_rare[index], len(first_rows), index).astype(np.int64))
    return classes


def _count_sets(columns: int, most: int) -> int:
    """Return how many sets there are of one to `most` columns."""
    return sum(comb(columns, size) for size in range(1, most + 1))


def _known_partition(signature: np.ndarray, placed: PlacedPeople, cases: np.ndarray) -> Partition:
    """Return the classes of the entries with the exact number of cases in each."""
    exact = np.bincount(signature, cases, int(signature.max(initial=0)) + 1).astype(np.int64)
    return Partition(signature[placed.cell], exact, exact)

"""Capped counts: groups chosen without looking at anybody's value, each with its number of protected cases up to a cap.

The quasi-identifiers are shown unchanged, and for each group how many of its people have a protected value. A number
that would say too much about somebody is shown as "at least so many": the rest of such a group is not shown. Nobody is
withheld, and the release tells nothing beyond these numbers, whoever knows how it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.adversaries.prior import CAPPED, Prior
from voile.adversaries.prior_posterior import HIDDEN, SHOWN, make_indicator, replace_by_indicator
from voile.errors import InconsistentKnowledge, PolicyError, Unsatisfiable, option, parameter
from voile.methods.base import CoversAlgorithm, FormsGroupsAgain, Method, Partitionable
from voile.methods.capped_counts.blind_tree import Cells, Limits, group_cells
from voile.methods.robust_policy import find_model_and_target, require_robustness_alone
from voile.models.base import Model
from voile.models.policy import Policy
from voile.models.r_robustness import SLACK, RRobustness
from voile.plugins.registry import knob
from voile.releases.linked_tables import check_bucketized, show_buckets
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Rows
from voile.tables.schema import Column, Columns


@dataclass(frozen=True, eq=False)
class Chances:
    """How likely each person is to have a protected value: `values[index[a, p]]` is the chance of person p under column
    set a; `best` is the estimate of the largest column set that lists them."""

    values: np.ndarray
    index: np.ndarray
    best: np.ndarray


@dataclass(frozen=True)
class CappedCounts(Partitionable, CoversAlgorithm, FormsGroupsAgain, Method):
    """Blind groups, each shown with the number of its protected values, or with a lower bound of it.

    Claim: belief in a protected value is at most 1/r, or `lift` times what the statistics alone say, for every column
    set of the prior.
    Against: a statistician who knows everybody's quasi-identifier and one of the distributions; and who knows the
    algorithm and its parameters, if the statistics do not come from the very table.
    Needs: one sensitive column, and named values to protect.
    Why: groups and caps follow from quasi-identifiers and statistics alone. Given "at least c cases", belief grows with
    c; so if that is within the bound at the cap, it is for every number below it.
    Source: voile. The promise is r-robustness (Wong, Fu, Wang, Xu, Pei); proof in docs/guarantees/capped_counts.md.

    Groups have at least `min_group` people, and room for `deviations` standard deviations more cases than expected.
    """

    name: ClassVar[str] = "capped-counts"
    produces: ClassVar[str] = "bucketized"

    min_group: int = knob(20, low=1)
    deviations: float = knob(1.0, low=0, high=10)

    @property
    def indicator_labels(self) -> tuple[str, ...]:
        return CAPPED

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        check_bucketized(self.name, columns)
        model = require_robustness_alone(self.name, policy)
        if not model.protected_values:
            raise PolicyError(
                "capped-counts shows how many people of a group have a protected value, and every value is protected.",
                code="policy.protect",
                hint=f"Name the values to protect ({parameter('protect', ['HIV'])}), or use {option('method', 'art')}.",
            )

    def covers_algorithm(self, policy: Policy) -> bool:
        """Groups and caps follow from the statistics: so they must tell nothing about the values themselves."""
        return all(isinstance(model, RRobustness) and model.is_from_elsewhere for model in policy)

    def forms_same_groups(self, release: Release, model: Model) -> bool:
        """Form the groups again from the published people, and compare them and their caps with the release."""
        assert isinstance(model, RRobustness)
        members, (counts,) = release.members, release.tallies.values()
        if len(np.unique(members.rows)) < len(members.rows) or counts.column is None:
            return False  # equal people are in one group
        people = np.zeros(len(members.codes), dtype=np.int64)
        people[members.rows] = members.counts
        published = np.empty(len(members.codes), dtype=np.int64)
        published[members.rows] = np.repeat(np.arange(members.groups), np.diff(members.starts))
        chances = find_chances(members.columns, members.codes, counts.column, model)
        limits = Limits(*model.allowed, self.min_group, self.deviations)
        formed = group_blindly(members.columns, members.codes, people, chances, limits)
        pairs = np.unique(np.stack([published, formed]), axis=1).shape[1]
        if pairs != members.groups or pairs != formed.max(initial=-1) + 1:
            return False
        caps = compute_caps(chances, published, people, members.groups, model)
        cases = counts.summed(np.where(counts.values == SHOWN, counts.counts, 0))
        is_capped = counts.summed(np.where(counts.values == HIDDEN, counts.counts, 0)) > 0
        return bool((np.where(is_capped, cases == caps, cases < caps)).all())

    def watched_columns(self, columns: Columns, policy: Policy) -> list[Column]:
        return []

    def can_stand_alone(self, columns: Columns, policy: Policy, tallies: Mapping[str, Counts]) -> np.ndarray:
        return np.ones(next(iter(tallies.values())).groups, dtype=bool)

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        model, target = find_model_and_target(policy, columns)
        table = rows.histogram([column.name for column in columns.quasi])
        chances = find_chances(columns.quasi, table.codes, target, model)
        if model.is_from_elsewhere:
            _require_agreement(chances, table.counts)
        limits = Limits(*model.allowed, self.min_group, self.deviations)
        return rows.place(table, group_blindly(columns.quasi, table.codes, table.counts, chances, limits))

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        model, target = find_model_and_target(policy, columns)
        group, table = rows.count_by_group([column.name for column in columns.quasi])
        chances = find_chances(columns.quasi, table.codes, target, model)
        caps = compute_caps(chances, group, table.counts, rows.groups, model)
        if not caps.any():
            raise _nothing_to_show(model, target, chances, table.counts)
        columns, rows = replace_by_indicator(columns, rows, target, model.protected_values, CAPPED)
        counts = rows.tally_values(columns)[target.name]
        cases = counts.summed(np.where(counts.values == SHOWN, counts.counts, 0))
        _require_possible(chances, group, table.counts, cases)
        return columns, _hide_surplus(rows, target.name, counts.sizes, cases, caps)

    def show(self, columns: Columns, rows: Rows) -> Release:
        return show_buckets(columns, rows)


def find_chances(quasi: tuple[Column, ...], codes: np.ndarray, target: Column, model: RRobustness) -> Chances:
    """Look up how likely people with these quasi-identifiers are to have a protected value."""
    assert isinstance(model.prior, Prior)
    indicator = make_indicator(target, CAPPED)
    # the prior covers everybody, so the shares of the table are not needed
    coded = model.prior.as_indicator(model.protected_values).encode(quasi, codes, indicator, np.zeros(indicator.size))
    values, place = np.unique(np.minimum(coded.rows[:, SHOWN], 1.0), return_inverse=True)
    index = np.ascontiguousarray(place.reshape(-1)[coded.index])
    sizes = np.array([len(names) for names in coded.sets])
    order = np.lexsort((np.arange(len(sizes)), sizes))
    best = values[index[order[0]]]
    for position in order:  # the largest set that lists a person comes last
        best = np.where(coded.listed[position], values[index[position]], best)
    return Chances(values, index, best)


def group_blindly(
    quasi: tuple[Column, ...], codes: np.ndarray, people: np.ndarray, chances: Chances, limits: Limits
) -> np.ndarray:
    """Return the group of each kind of people. Nothing but quasi-identifiers and statistics goes into it."""
    is_ordered = tuple(column.kind != "categorical" for column in quasi)
    table = np.ascontiguousarray(chances.values.astype(np.float32)[chances.index].T)
    return group_cells(Cells(codes, people, is_ordered, table, chances.best), limits)


def compute_caps(
    chances: Chances, group: np.ndarray, people: np.ndarray, groups: int, model: RRobustness
) -> np.ndarray:
    """Return from which number of cases on each group shows no more than that it has at least so many."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(groups + 1))
    caps = kernels.count_beliefs.find_caps(
        chances.values, chances.index, starts, order, people[order], *model.allowed, SLACK / 2
    )
    return np.asarray(caps)


def _hide_surplus(rows: Rows, name: str, sizes: np.ndarray, cases: np.ndarray, caps: np.ndarray) -> Rows:
    """In groups that reach their cap, hide all values but as many protected ones as the cap says."""
    full = np.flatnonzero(cases >= caps)
    others = sizes[full] - cases[full]
    groups, old = np.tile(full, 2), np.repeat([SHOWN, 1 - SHOWN], len(full))
    amounts = np.concatenate([cases[full] - caps[full], others])
    some = amounts > 0
    hidden = np.full(int(some.sum()), HIDDEN)
    return rows.revalue(name, groups[some], old[some], hidden, amounts[some], shuffled=False)


def _require_agreement(chances: Chances, people: np.ndarray) -> None:
    """Raise InconsistentKnowledge if one column set is certain about somebody and another is not: a release might then
    show what the first one takes as impossible."""
    torn = np.zeros(len(people), dtype=bool)
    for certain in (chances.values <= 0, chances.values >= 1):
        is_certain = certain[chances.index]
        torn |= is_certain.any(axis=0) & ~is_certain.all(axis=0)
    if torn.any():
        raise InconsistentKnowledge(
            f"The prior contradicts itself: for {int(people[torn].sum())} people one column set gives the protected "
            "values probability 0 or 1, and another does not.",
            code="data.prior-contradicts",
            hint="Rates of 0 and 1 in small groups are chance: learn the statistics with smoothing "
            f"({option('smoothing', 1)}), or leave such signatures out.",
        )


def _require_possible(chances: Chances, group: np.ndarray, people: np.ndarray, cases: np.ndarray) -> None:
    """Raise InconsistentKnowledge if groups have more or fewer cases than a column set takes as possible. Where the
    sets agree on what is certain, no adversary who believes one of them expects such a refusal."""
    wrong = np.zeros(len(cases), dtype=bool)
    for index in chances.index:
        chance = chances.values[index]
        possible, certain = (np.bincount(group, people * is_so, len(cases)) for is_so in (chance > 0, chance >= 1))
        wrong |= (cases > possible) | (cases < certain)
    if wrong.any():
        raise InconsistentKnowledge(
            f"The prior contradicts the table: in {int(wrong.sum())} of {len(cases)} groups more or fewer people have "
            "a protected value than its rates of 0 and 1 allow.",
            code="data.prior-contradicts",
            hint="Rates of other people should rule nothing out: learn them with smoothing "
            f"({option('smoothing', 1)}).",
        )


def _nothing_to_show(model: RRobustness, target: Column, chances: Chances, people: np.ndarray) -> Unsatisfiable:
    """Build the error for statistics that leave no group a number to show; it follows from the statistics alone."""
    whole = np.zeros(len(people), dtype=np.int64)
    low, high = 1.0, float(model.r)
    for _ in range(40):
        middle = 0.5 * (low + high)
        fits = compute_caps(chances, whole, people, 1, RRobustness(r=middle, lift=model.lift))[0] > 0
        low, high = (middle, high) if fits else (low, middle)
    reach = f"the largest possible r is {np.floor(low * 1000) / 1000:g}" if low > 1.001 else "no r is possible"
    return Unsatisfiable(
        f"r = {model.r:g} is out of reach for {target.name!r} with lift = {model.lift:g}: according to the statistics, "
        f"a single case in any group would say too much about somebody; {reach}.",
        code="unsatisfiable.capped-counts",
        hint=f"Lower r, or allow more than what the statistics alone say ({parameter('lift', 1.5)}).",
        best=reach,
    )

"""Decompose: several sensitive columns in one release, each unlinked from the people and from the others.

People are dealt into groups in which everybody has a different primary value. Each group lists values for every
sensitive column; complete sensitive rows are published separately, without their group. The belief that a row is a
person's is the share of all matchings of rows and people that fit the tables in which it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.errors import PolicyError, Unsatisfiable, parameter, raise_together
from voile.methods.base import Method, ShowsItsKnobs, WarnsOfAbsence
from voile.methods.decompose.group_merging import merge_stratum
from voile.methods.decompose.list_tables import show_lists
from voile.methods.decompose.request_faults import find_faults
from voile.methods.decompose.row_choice import order_along_curve, sort_seats, withhold_surplus
from voile.methods.decompose.strata import Strata, find_strata
from voile.methods.decompose.value_lists import GroupSlots, count_kinds, list_classes, list_with_noise
from voile.models.multi_diversity.column_numbers import numbers_by_column
from voile.models.multi_diversity.multi_diversity import MultiDiversity
from voile.models.policy import Policy
from voile.plugins.registry import knob, learned_field
from voile.releases.certificate import Claim
from voile.releases.release import Release
from voile.releases.row_matching.known_values import Allowance, Conditions, find_conditions
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Columns


@dataclass(frozen=True)
class Decompose(ShowsItsKnobs, WarnsOfAbsence, Method):
    """Groups by a primary column, a list of values for every other column, and (optionally) the joint sensitive rows.

    Claim: belief in a value of a column is at most 1/l, or the level that the certificate states for it.
    Against: a neighbour who knows everybody's quasi-identifier and who is in the table, and matches all rows.
    Needs: sensitive columns whose most frequent value covers at most 1/l of the rows.
    Why: every group of a stratum lists the same values, so a row fits all slots of its primary value equally well.
    Source: Ye, Liu, Wang, Lv, Feng: Decomposition (DASFAA 2009); noise and proof differ, see docs/guarantees.

    By default `primary` is the column with the smallest floor(n / n_1) among those with a promise. `l` gives numbers
    for columns that the policy does not name. With noise "paper", lists are filled up as in the paper, which bounds
    nothing: the level reached is stated. `on_fail` says what to do if a group is above its bound: "merge" it with
    others (the default), or "lower" the promise to the level reached. If a value is too frequent for its l, that is an
    error, or with frequent "suppress" its surplus rows are withheld. The rows of a group are drawn at random, or with
    draw "nearest" so that their quasi-identifiers are alike, which helps queries and tells more to an adversary who
    knows the algorithm.
    """

    name: ClassVar[str] = "decompose"
    produces: ClassVar[str] = "decomposed"

    primary: str | None = None
    l: Mapping[str, int] = field(default_factory=dict)  # noqa: E741 - the letter of the literature
    noise: str = knob("symmetric", choices=("symmetric", "paper"))
    publish_joint: bool = True
    on_fail: str | None = knob(None, choices=("merge", "lower"))
    frequent: str = knob("error", choices=("error", "suppress"))
    draw: str = knob("random", choices=("random", "nearest"))
    allowances: tuple[tuple[str, Allowance], ...] = learned_field(())

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", numbers_by_column("decompose", "l", self.l))
        if self.noise == "paper" and self.on_fail == "merge":
            raise PolicyError(
                "decompose: the paper's noise bounds no belief, so no merging of groups can keep a promise.",
                code="policy.parameter",
                hint=f"Use {parameter('noise', 'symmetric')}, or {parameter('on_fail', 'lower')}.",
            )

    @property
    def merges(self) -> bool:
        """Whether groups above their bound are merged with others."""
        return self.noise == "symmetric" and self.on_fail != "lower"

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        raise_together(find_faults(self, columns, policy))

    def plan(
        self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]
    ) -> tuple[Decompose, Policy]:
        """Take l of every column from the policy or the knobs, and choose the primary column by the table."""
        levels, largest = {}, {}
        models = [model for model in policy if isinstance(model, MultiDiversity)]
        for column in columns.sensitive:
            policy_levels = [
                model.level(column.name) for model in models if column.name in model.l or model.knows_other_values
            ]
            knob_levels = [self.l[column.name]] if column.name in self.l else []
            levels[column.name] = max(policy_levels + knob_levels or [model.otherwise for model in models])
            largest[column.name] = int(rows.histogram([column.name]).counts.max(initial=0))
        unreachable = [name for name, level in levels.items() if largest[name] * level > rows.total]
        if unreachable and self.frequent == "error":
            limits = [
                f"The most frequent value of {name!r} covers {largest[name]} of {rows.total} rows; "
                f"the largest possible l is {rows.total // largest[name]}."
                for name in unreachable
            ]
            requests = ", ".join(f"l = {levels[name]} for {name!r}" for name in unreachable)
            best = " ".join(limits)
            remedy = f"{best} Or withhold the surplus rows ({parameter('frequent', 'suppress')})."
            raise Unsatisfiable(f"Out of reach: {requests}.", code="unsatisfiable.decompose", hint=remedy, best=best)
        candidates = [name for name in levels if levels[name] > 1] or list(levels)
        primary = self.primary or min(candidates, key=lambda name: (rows.total // max(largest[name], 1), name))
        allowances = [
            (name, model.allowance(name))
            for model in models
            for name in levels
            if model.knows_other_values and model.level(name) > 1
        ]
        return replace(self, primary=primary, l=levels, allowances=tuple(allowances)), policy

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        names = self._order_names()
        table = rows.histogram([column.name for column in columns])
        levels = [self.l[name] for name in names]
        withheld = 0
        if self.frequent == "suppress":
            counts, withheld = withhold_surplus([table.column(name) for name in names], table.counts, levels, rows.key)
            table = replace(table, counts=counts)
        shown = np.flatnonzero(table.counts)
        if not len(shown):
            reason = "No row is left once those with too frequent values are withheld."
            raise Unsatisfiable(reason, code="unsatisfiable.decompose", hint="Ask for a smaller l.")
        if self.draw == "nearest":
            quasi = [table.column(column.name)[shown] for column in columns.quasi]
            shown = shown[order_along_curve(np.stack(quasi, axis=1))] if quasi else shown
        sensitive = [table.column(name)[shown] for name in names]
        strata, kind, conditions = self._find_strata(columns, sensitive, table.counts[shown])
        width = columns[names[0]].size
        buckets, bucket = np.unique(strata.stratum * width + strata.codes[:, 0], return_inverse=True)
        sizes = np.bincount(bucket, weights=strata.counts, minlength=len(buckets)).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        group = np.empty(rows.total - withheld, dtype=np.int64)
        total = 0
        for stratum, (low, high) in enumerate(_find_runs(buckets // width)):
            here = (buckets[low:high] % width, sizes[low:high])
            seats, groups_here = self._deal_stratum(rows, strata, stratum, *here, conditions)
            group[starts[low] : starts[high]] = seats + total
            total += groups_here
        if self.draw == "nearest":
            group = sort_seats(starts, group, rows.key.shuffle("decompose nearest", total))
        cells, groups = kernels.dealing.hand_out_groups(bucket[kind], table.counts[shown], starts, group)
        return rows.deal(table, shown[cells], groups, np.ones(len(group), dtype=np.int64))

    def _deal_stratum(
        self,
        rows: Rows,
        strata: Strata,
        stratum: int,
        primary: np.ndarray,
        sizes: np.ndarray,
        conditions: Sequence[Conditions],
    ) -> tuple[np.ndarray, int]:
        """Deal one stratum by largest-l; return the group of each row (sorted by bucket) and the number of groups."""
        least, total = self.l[str(self.primary)], int(sizes.sum())
        where = f"stratum {stratum}"
        ties = rows.key.stream(f"decompose ties, {where}", total // least)
        picks, remaining = kernels.dealing.pick_largest_l(sizes, least, ties)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        spare = rows.key.stream(f"decompose leftovers, {where}", int(remaining.sum()))
        group = kernels.dealing.seat_rows(
            starts, picks, remaining, rows.key.stream(f"decompose deal, {where}", total), spare
        )
        if self.merges and (self.publish_joint or conditions):
            levels = [self.l[name] if self.publish_joint else 1 for name in self._secondary]
            return merge_stratum(strata, stratum, primary, sizes, group, levels, conditions)
        return group, len(picks)

    def show(self, columns: Columns, rows: Rows) -> Release:
        names = self._order_names()
        group, table = rows.count_by_group(names)
        strata, kind, _ = self._find_strata(columns, [table.codes[:, j] for j in range(len(names))], table.counts)
        slots = np.repeat(np.arange(len(kind)), table.counts)  # by group and primary value, as they were counted
        sizes = tuple(columns[name].size for name in names)
        people_slots = GroupSlots(rows.groups, group[slots], kind[slots], strata, sizes)
        if self.noise == "paper":
            lists = [
                list_with_noise(people_slots, j, self.l[names[j]], self.publish_joint) for j in range(1, len(names))
            ]
        else:
            lists = [list_classes(people_slots, j, self.publish_joint) for j in range(1, len(names))]
        joint = (strata.codes, strata.counts) if self.publish_joint and len(names) > 1 else None
        return show_lists(columns, rows, names, people_slots, lists, joint)

    def claims(self, columns: Columns, policy: Policy, release: Release) -> tuple[Claim, ...]:
        """State the level reached; if groups are merged, state only levels that keep the promise."""
        models = [
            model.with_reached_levels(release) if isinstance(model, MultiDiversity) else model for model in policy
        ]
        if self.merges:
            models = [
                replace(new, reached={name: new.reached[name] for name in new.reached if _keeps_promise(new, name)})
                if isinstance(new, MultiDiversity)
                else new
                for new in models
            ]
        return Policy(*models).claims(columns)

    def warn_of_absence(self, release: Release) -> str:
        if self.frequent != "suppress" or not release.dictionary.get("withheld"):
            return ""
        return (
            "It does not cover people who are missing from the release: rows are withheld because their value is too "
            "frequent, so whoever knows that somebody is in the table and finds them missing may be certain of that "
            "value."
        )

    def contradictions(self, release: Release) -> list[str]:
        """Return what the knobs say that a release contradicts: they name its sensitive columns, and no claim may ask
        for more than the method was told to reach."""
        names, problems = [str(entry["name"]) for entry in release.described("sensitive")], list[str]()
        if sorted(self.l) != sorted(names) or self.primary != release.dictionary.get("primary"):
            problems.append("does not name the columns that the release lists")
        asked = [claim["parameters"].get("l") for claim in release.certificate.claims]
        levels = [item for one in asked if isinstance(one, Mapping) for item in one.items()]
        if any(level > self.l.get(name, level) for name, level in levels):
            problems.append("was asked for more than its knobs say")
        return problems

    def _order_names(self) -> list[str]:
        """Return the sensitive columns, the primary first."""
        assert self.primary is not None, "plan() has chosen it"
        return [self.primary, *self._secondary]

    @property
    def _secondary(self) -> list[str]:
        return [name for name in self.l if name != self.primary]

    def _find_strata(
        self, columns: Columns, codes: list[np.ndarray], counts: np.ndarray
    ) -> tuple[Strata, np.ndarray, list[Conditions]]:
        """Return the strata of the sensitive rows, the kind of each given row, and what must hold against somebody who
        knows other values."""
        names = self._order_names()
        sizes = [columns[name].size for name in names]
        kind, kinds, people = count_kinds(codes, sizes, counts)
        uncut = self.noise == "paper"
        least = [self.l[names[0]], *(1 if uncut else self.l[name] for name in names[1:])]
        conditions = [find_conditions(kinds, people, names.index(name), given) for name, given in self.allowances]
        return find_strata(kinds, people, sizes, least, conditions), kind, conditions


def _keeps_promise(model: MultiDiversity, name: str) -> bool:
    """Return whether the level reached is no worse than the level asked for."""
    return model.for_column(name).bound() * model.level(name) <= 1


def _find_runs(owner: np.ndarray) -> list[tuple[int, int]]:
    """Return where each run of equal owners starts and ends."""
    cuts = np.flatnonzero(np.diff(owner)) + 1
    edges = [0, *cuts.tolist(), len(owner)]
    return list(pairwise(edges))

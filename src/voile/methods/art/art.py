"""ART: hide every protected row in a group in which it does not stand out, even to an adversary with statistics.

The quasi-identifiers are shown unchanged and unlinked from the sensitive values, as in Anatomy; but people are grouped
by what an adversary knows about them. Rows without a protected value stay alone if nobody needs them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.adversaries.prior import INDICATOR, Prior
from voile.adversaries.prior_posterior import MAX_STATES, replace_by_indicator
from voile.adversaries.replayed_beliefs import ReplayedBeliefs
from voile.errors import Unsatisfiable, raise_together
from voile.kernels import lazy_module
from voile.methods.art.block_grouping import TOGETHER, find_hopeless, group_by_blocks
from voile.methods.art.buckets import Buckets, make_buckets
from voile.methods.art.greedy_grouping import AcceptanceTest, Grouping, group_greedily
from voile.methods.art.knob_rules import CANDIDATES, LOSS, find_conflicts
from voile.methods.art.replayed_beliefs import replay_beliefs
from voile.methods.art.row_dealing import deal_rows, withhold_failing
from voile.methods.art.united_groups import find_largest_r, group_without_withholding
from voile.methods.base import Method, Partitionable, Replayable, Settings, WarnsOfAbsence
from voile.methods.robust_policy import find_model_and_target, require_robustness_alone
from voile.models.abilities import ProtectsValues
from voile.models.base import Model
from voile.models.policy import Policy
from voile.models.r_robustness import RRobustness
from voile.plugins.registry import knob
from voile.releases.linked_tables import check_bucketized, show_buckets
from voile.releases.release import Release
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Rows, Table
from voile.tables.schema import Column, Columns
from voile.tables.secret_key import Key

merging_kernel = lazy_module("voile.methods.art.kernel.merging")

ROOM = {"exact": 30, "swap": 10, "paper": 10}  # a group may have up to this many times ceil(r) rows


@dataclass(frozen=True)
class Art(Partitionable, Replayable, WarnsOfAbsence, Method):
    """Bucketization into groups in which belief in a protected value stays within 1/r under every known distribution.

    Claim: for each set of columns of the prior, belief in a protected value is at most 1/r (recomputed exactly).
    Against: a statistician who knows everybody's quasi-identifier and one of the distributions, but not the algorithm:
    greedy grouping may reveal around whom a group was formed, and block grouping whom it withholds or which groups it
    had to unite.
    Needs: one sensitive column; no protected value may cover more than 1/r of the rows.
    Why: a group is accepted only if its exact posterior (mode exact) or a sound bound on it (swap) passes. Mode paper
    is the published test, which covers the binary reading only; the certificate says so.
    Source: Wong, Fu, Wang, Xu, Pei: r-robustness and ART; corrected, see docs/guarantees/art.md.
    """

    name: ClassVar[str] = "art"
    tried: ClassVar[Settings] = ({}, {"grouping": "block"})
    produces: ClassVar[str] = "bucketized"

    mode: str = knob("exact", choices=("exact", "swap", "paper"))
    candidates: str = knob(CANDIDATES, choices=(CANDIDATES, "closest"))
    grouping: str = knob("auto", choices=("auto", "greedy", "block"))
    publish: str = knob("exact", choices=("exact", "indicator"))
    max_group: int | None = knob(None, low=2)
    leftover: str = knob("suppress", choices=("suppress", "absorb", "merge", "error"))
    frequent: str = knob("error", choices=("error", "suppress", "unprotect"))
    loss: float = knob(LOSS, low=0, high=1)
    max_states: int = knob(MAX_STATES, low=2)

    @property
    def indicator_labels(self) -> tuple[str, ...]:
        return INDICATOR if self.publish == "indicator" else ()

    def check(self, columns: Columns, policy: Policy) -> None:
        super().check(columns, policy)
        check_bucketized(self.name, columns)
        model = require_robustness_alone(self.name, policy)
        raise_together(find_conflicts(self, model))

    def plan(self, columns: Columns, rows: Table, policy: Policy, earlier: Sequence[Release]) -> tuple[Art, Policy]:
        """Narrow the promise to the binary reading in mode paper, and to rare enough values if the user says so."""
        model, target = find_model_and_target(policy, columns)
        assert model.statistics is not None
        if self.publish == "exact":
            ProtectsValues.check_named_values(model, target)  # a release that shows values must list the protected ones
        model.statistics.require_consistency(columns, rows)
        if self.mode == "paper":
            model = replace(model, reading="binary")
        if self.frequent == "unprotect":
            events = model.events(target)
            counts = _count_values(rows, target)
            rare_values = [
                text
                for text, event, count in zip(target.domain.labels, events, counts, strict=True)
                if event >= 0 and count * _round_up(model.r) <= counts.sum()
            ]
            if model.protect_as == "values" and rare_values and len(rare_values) < int((events >= 0).sum()):
                model = replace(model, protect=tuple(rare_values))
        return self, Policy(model)

    def can_stand_alone(self, columns: Columns, policy: Policy, tallies: Mapping[str, Counts]) -> np.ndarray:
        """Return which parts have room to hide their own protected values: ceil(r) rows per case."""
        model, target = find_model_and_target(policy, columns)
        counts, event = tallies[target.name], model.events(target)
        has_room = np.ones(counts.groups, dtype=bool)
        for event_number in range(int(event.max(initial=-1)) + 1):
            cases = counts.summed(np.where(event[counts.values] == event_number, counts.counts, 0))
            has_room &= cases * _round_up(model.r) <= counts.sizes
        return has_room

    def group(self, columns: Columns, rows: Rows, policy: Policy) -> Rows:
        model, target = find_model_and_target(policy, columns)
        people = make_buckets(columns, rows, target, model, self.publish == "indicator")
        cells, groups = deal_rows(people, self.decide_groups(people, model, target, rows.key), rows.key)
        assert people.table is not None
        return rows.deal(people.table, cells, groups, np.ones(len(cells), dtype=np.int64))

    def decide_groups(self, people: Buckets, model: RRobustness, target: Column, key: Key) -> Grouping:
        """Decide which buckets share groups and which rows are withheld; Unsatisfiable if that cannot be done."""
        if self.leftover == "merge":
            return self._unite_groups(people, model, target, key)
        withheld_rows = self._withhold_frequent(people, model, target, key)
        test = self.make_test(model, people.total)
        grouping = self._group_buckets(replace(people, size=people.size - withheld_rows), test, key)
        withhold_failing(people, test, grouping)
        unplaced_rows = int(sum(count for bucket, count in grouping.unplaced.items() if people.guarded[bucket]))
        if self.leftover == "error" and unplaced_rows:
            raise Unsatisfiable(
                f"{unplaced_rows} protected rows of {target.name!r} fit no group that keeps belief within "
                f"{model.bound()}.",
                code="unsatisfiable.art",
                hint='Lower r, raise min_support, or let them be withheld (leftover = "suppress").',
                best="",
            )
        for bucket in np.flatnonzero(withheld_rows):
            grouping.unplaced[int(bucket)] = grouping.unplaced.get(int(bucket), 0) + int(withheld_rows[bucket])
        if sum(grouping.unplaced.values()) == people.total:
            raise Unsatisfiable(
                f"r = {model.r:g} is out of reach for {target.name!r}: every row would be withheld.",
                code="unsatisfiable.art",
                hint="Lower r, or assume an adversary with coarser statistics (max_columns, min_support).",
            )
        return grouping

    def _unite_groups(self, people: Buckets, model: RRobustness, target: Column, key: Key) -> Grouping:
        """Group by blocks without withholding anybody."""
        test = self.make_test(model, people.total)
        grouping = group_without_withholding(people, test, key, self.count_together(test))
        if grouping is None:
            largest = find_largest_r(people, test)
            reach = f"r = {int(largest * 1000) / 1000:g} is within reach" if largest > 1 else "no r is possible"
            raise Unsatisfiable(
                f"r = {model.r:g}, lift = {model.lift:g} is out of reach for {target.name!r} if nobody is withheld: "
                f"even one group of all people says too much about somebody; {reach}.",
                code="unsatisfiable.art",
                hint="Lower r, allow more than what the statistics alone say (lift)"
                + (', or show less (publish = "indicator").' if self.publish == "exact" else "."),
                best=reach,
            )
        return grouping

    def count_together(self, test: AcceptanceTest) -> int:
        """Return how many protected rows a block deals into each group: many where belief is cheap to compute."""
        return TOGETHER if self.publish == "indicator" or test.binary else 1

    def _group_buckets(self, people: Buckets, test: AcceptanceTest, key: Key) -> Grouping:
        """Group as asked; by default by blocks if that withholds at most a share `loss` of protected rows, otherwise
        greedily. Where withholding is an error blocks must place every protected row; they absorb none."""
        if self.grouping == "block" or (self.grouping == "auto" and self.leftover != "absorb"):
            grouping = group_by_blocks(people, test, key, self.count_together(test))
            unplaced_rows = sum(count for bucket, count in grouping.unplaced.items() if people.guarded[bucket])
            allowed = 0.0 if self.leftover == "error" else self.loss * people.size[people.guarded].sum()
            if self.grouping == "block" or unplaced_rows <= allowed:
                return grouping
        return group_greedily(people, test, self.rule, self.leftover == "absorb")

    def find_hopeless(self, people: Buckets, model: RRobustness) -> np.ndarray:
        """Return the buckets that block grouping withholds whatever happens: none if nobody may be withheld."""
        hopeless = find_hopeless(people, float(model.r))
        return np.zeros_like(hopeless) if self.leftover == "merge" else hopeless

    def _withhold_frequent(self, people: Buckets, model: RRobustness, target: Column, key: Key) -> np.ndarray:
        """Return how many rows of each bucket to withhold so that each event leaves room for ceil(r) rows per case."""
        withheld_rows = np.zeros(len(people.size), dtype=np.int64)
        rows_per_case, event_of = _round_up(model.r), people.event[people.value]
        turn, events_with_room = 0, 0
        while events_with_room < len(people.chance):  # withholding rows of one event leaves less room for the others
            event = turn % len(people.chance)
            inside = np.flatnonzero(event_of == event)
            remaining = people.size[inside] - withheld_rows[inside]
            count, total = int(remaining.sum()), people.total - int(withheld_rows.sum())
            events_with_room += 1
            if count * rows_per_case > total:
                if self.frequent != "suppress":
                    raise _frequent_error(model, target, event, count, total)
                # every withheld row is also one row fewer to hide among: count - s <= (total - s) / rows_per_case
                excess = math.ceil((count * rows_per_case - total) / (rows_per_case - 1))
                rows = np.repeat(inside, remaining)
                purpose = f"art frequent {event}" if turn < len(people.chance) else f"art frequent {event} turn {turn}"
                sample = rows[key.shuffle(purpose, len(rows))[:excess]]
                withheld_rows += np.bincount(sample, minlength=len(withheld_rows))
                events_with_room = 1
            turn += 1
        return withheld_rows

    def transform(self, columns: Columns, rows: Rows, policy: Policy) -> tuple[Columns, Rows]:
        if self.publish == "exact":
            return columns, rows
        model, target = find_model_and_target(policy, columns)
        return replace_by_indicator(columns, rows, target, model.protected_values)

    def show(self, columns: Columns, rows: Rows) -> Release:
        return show_buckets(columns, rows)

    def warn_of_absence(self, release: Release) -> str:
        if not release.dictionary.get("withheld"):
            return ""
        reasons = ["no group hides them"]
        reasons += ["their value is too frequent"] if self.frequent == "suppress" else []
        return (
            f"It does not cover people who are missing from the release: rows are withheld because "
            f"{' or '.join(reasons)}, so whoever knows that somebody is in the table and finds them missing may be "
            "certain of a protected value."
        )

    def replayed_beliefs(
        self, release: Release, model: Model, prior: Prior, table: Microdata | None = None
    ) -> ReplayedBeliefs | None:
        return replay_beliefs(self, release, model, prior, table) if isinstance(model, RRobustness) else None

    @property
    def rule(self) -> int:
        """The rule by which a greedy search chooses the next row."""
        return int(merging_kernel.CLOSEST if self.candidates == "closest" else merging_kernel.FEWEST)

    def make_test(self, model: RRobustness, people: int) -> AcceptanceTest:
        """Return the conditions under which a group of a table with so many people is accepted."""
        tests = {"paper": merging_kernel.PAPER, "swap": merging_kernel.SWAP, "exact": merging_kernel.WALK}
        largest = min(self.max_group or ROOM[self.mode] * _round_up(model.r), people)
        lift = float(model.lift) if self.leftover == "merge" else 0.0
        return AcceptanceTest(
            float(model.r), tests[self.mode], model.reading == "binary", largest, self.max_states, lift
        )


def _frequent_error(model: RRobustness, target: Column, event: int, count: int, total: int) -> Unsatisfiable:
    values = int((model.events(target) == event).sum())
    subject = "A protected value" if values == 1 else f"The protected set of {values} values"
    reach = f"the largest possible r is {total / count:.4g}"
    return Unsatisfiable(
        f"{subject} of {target.name!r} covers {count} of {total} rows, too many for r = {model.r:g}; {reach}.",
        code="unsatisfiable.art",
        hint='Lower r, protect only rarer values, or set frequent = "suppress" or "unprotect".',
        best=reach,
    )


def _round_up(r: float) -> int:
    return math.ceil(r - 1e-9)


def _count_values(rows: Table, target: Column) -> np.ndarray:
    table = rows.histogram([target.name])
    return np.bincount(table.codes[:, 0], weights=table.counts, minlength=target.size).astype(np.int64)

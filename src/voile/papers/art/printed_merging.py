"""Algorithm ART as it is printed: one pass for each sensitive value, in which rows and formed groups are merged.

The method `art` adds single rows to a group and looks at all protected values at once. As printed, step 2 serves one
value after another and merges the closest group, single or formed, that shares no sensitive value with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from voile import kernels
from voile.adversaries.prior_posterior import protected_events
from voile.kernels import lazy_module
from voile.methods.art.buckets import Buckets, make_buckets
from voile.methods.art.greedy_grouping import Grouping
from voile.methods.art.row_dealing import deal_rows
from voile.models.r_robustness import RRobustness
from voile.papers.art.beliefs import compute_ceilings
from voile.papers.art.bounds import FINE, SLACK
from voile.papers.art.contenders import KEY, PROTECTED, SENSITIVE, find_members
from voile.papers.art.example_claims import FULL_READING
from voile.papers.art.stage import DEFAULT, open_stage
from voile.papers.claim import Claim
from voile.papers.paper import Run
from voile.tables.group_counts import Counts

merge_kernel = lazy_module("voile.papers.art.kernel")


@dataclass(eq=False)
class Merging:
    """The groups so far (buckets of their members, None once merged into another), which values each lacks, the rows of
    each bucket that are still alone, the withheld rows, and how many formed groups were merged."""

    buckets: Buckets
    left: np.ndarray
    groups: list[np.ndarray | None] = field(default_factory=list)
    lacks: list[np.ndarray | None] = field(default_factory=list)
    withheld: dict[int, int] = field(default_factory=dict)
    merged: int = 0

    ends: dict[tuple[int, int], tuple[np.ndarray, np.ndarray, int]] = field(default_factory=dict)

    def add(self, members: np.ndarray) -> None:
        event = self.buckets.event[self.buckets.value[members]]
        self.groups.append(members)
        self.lacks.append(~np.isin(np.arange(len(self.buckets.chance)), event))

    def remove(self, number: int) -> None:
        self.groups[number] = self.lacks[number] = None

    def find_ends(self, number: int, value: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the highest and the lowest probability of a value in a group under each column set, and its size."""
        if (number, value) not in self.ends:
            f = self.buckets.chance[value][self.buckets.index[:, self.groups[number]]]
            self.ends[number, value] = f.max(axis=1), f.min(axis=1), f.shape[1]
        return self.ends[number, value]

    def list_groups(self) -> list[np.ndarray]:
        return [members for members in self.groups if members is not None]


def merge_as_printed(buckets: Buckets, r: float, largest: int) -> Merging:
    """Run step 2: for each protected value, the most frequent first, mend every group that holds it and violates its
    condition. Groups of more than `largest` rows are given up, and their protected rows withheld."""
    state = Merging(buckets, buckets.size.copy())
    event = buckets.event[buckets.value]
    people = np.bincount(event[event >= 0], weights=buckets.size[event >= 0], minlength=len(buckets.chance))
    for value in np.argsort(-people, kind="stable"):
        for number in range(len(state.groups)):
            members = state.groups[number]
            if members is not None and (event[members] == value).any():
                state.remove(number)
                _mend(state, int(value), members, r, largest)
        for bucket in np.flatnonzero(event == value):
            while state.left[bucket]:
                state.left[bucket] -= 1
                _mend(state, int(value), np.array([bucket]), r, largest)
    return state


def _mend(state: Merging, value: int, members: np.ndarray, r: float, largest: int) -> None:
    """Merge a group with its closest ones until it meets the condition for one value, or give it up."""
    buckets = state.buckets
    event, events = buckets.event[buckets.value], len(buckets.chance)
    chance, taken = buckets.chance[value], np.isin(np.arange(events), event[members])
    alive = [number for number, lacks in enumerate(state.lacks) if lacks is not None and lacks[taken].all()]
    ends = [state.find_ends(number, value) for number in alive]
    highs, lows = (np.array([end[side] for end in ends]).reshape(-1, len(buckets.index)) for side in (0, 1))
    sizes = np.array([end[2] for end in ends], dtype=np.int64)
    usable = np.array([state.lacks[number] for number in alive], dtype=bool).reshape(-1, events)
    own = chance[buckets.index[:, members]]
    rows, joined, fits = merge_kernel.merge_closest(
        chance, buckets.index, event, state.left, highs, lows, sizes, usable,
        taken, own.max(axis=1), own.min(axis=1), len(members), r, largest,
    )  # fmt: skip
    if not fits:
        for bucket in members.tolist():
            if event[bucket] >= 0:
                state.withheld[bucket] = state.withheld.get(bucket, 0) + 1
            else:
                state.left[bucket] += 1
        return
    np.subtract.at(state.left, rows, 1)
    parts = [members, rows]
    for place in joined.tolist():
        other = state.groups[alive[place]]
        assert other is not None
        parts.append(other)
        state.remove(alive[place])
        state.merged += 1
    state.add(np.concatenate(parts))


def find_violations(state: Merging, r: float) -> int:
    """Count the groups that violate the condition for one of their values in the end."""
    buckets, violations = state.buckets, 0
    for members in state.list_groups():
        held = np.unique(buckets.event[buckets.value[members]])
        f = buckets.chance[held[held >= 0]][:, buckets.index[:, members]]
        top, spread = f.max(axis=2), f.max(axis=2) - f.min(axis=2)
        violations += bool((spread > compute_ceilings(np.full(top.shape, len(members)), r, top) + FINE).any())
    return violations


def measure_merging(run: Run) -> pl.DataFrame:
    """Run the printed algorithm for the set and for each of its values, at two r."""
    rows = []
    for number, (kind, r) in enumerate((kind, r) for kind in ("set", "values") for r in (2, 10)):
        run.step(number, 4, f"protect_as {kind}, r = {r}")
        key: dict[str, int | float | str] = {"protect_as": kind, "r": r}
        point = run.point(key, lambda kind=kind, r=r: _measure(run, kind, r))  # type: ignore[misc]
        rows.append({"protect_as": kind, "r": r, **point})
    run.step(1, 1, "done")
    return pl.DataFrame(rows)


def _measure(run: Run, kind: str, r: int) -> dict[str, Any]:
    data, prior, _ = open_stage(run).table(DEFAULT)
    rows, target = data.rows.with_key(KEY).collect(), data.columns[SENSITIVE]
    model = RRobustness(r=r, protect=PROTECTED, protect_as=kind, prior=prior, source="table")
    buckets = make_buckets(data.columns, rows, target, model, False)
    state = merge_as_printed(buckets, float(r), 10 * r)
    groups = [(*np.unique(members, return_counts=True), 1) for members in state.list_groups()]
    cells, seats = deal_rows(buckets, Grouping(state.left, groups, state.withheld), KEY)
    assert buckets.table is not None
    dealt = rows.deal(buckets.table, cells, seats, np.ones(len(cells), dtype=np.int64))
    members, guarded = find_members(data, dealt)
    counts: Counts = dealt.tally_values(data.columns)[SENSITIVE]
    events = protected_events(target, PROTECTED, kind == "set")
    coded = prior.encode(members.columns, members.codes, target, counts.totals / counts.totals.sum())
    people = (np.ascontiguousarray(coded.index), members.starts, members.rows, members.counts)
    values = (counts.starts, counts.values, counts.counts, events)
    total = float(guarded.sum()) + sum(state.withheld.values())
    result: dict[str, Any] = {
        "groups": len(groups),
        "formed groups merged": state.merged,
        "most of one value in a group": max(int(_count_most(buckets, one)) for one in state.list_groups()),
        "groups that violate the condition": find_violations(state, float(r)),
        "withheld": sum(state.withheld.values()) / total,
    }
    for name, binary in (("full", False), ("binary", True)):
        risk, _, status, _ = kernels.posterior.compute_group_beliefs(
            coded.rows, *people, *values, binary, 20_000, kernels.posterior.EVERYWHERE, 1.0, 0.0, 0, counts.groups
        )
        exact = np.repeat(status == kernels.posterior.EXACT, np.diff(members.starts))
        result[f"problematic, {name} reading"] = float(guarded[(risk > 1 / r + SLACK) & exact].sum()) / total
    return result


def _count_most(buckets: Buckets, members: np.ndarray) -> int:
    event = buckets.event[buckets.value[members]]
    return int(np.bincount(event[event >= 0]).max())


CLAIMS = (
    Claim(
        "report, section 4.2; short paper, section V",
        "each merged group contains every sensitive value at most once",
        1,
        lambda frame: frame["most of one value in a group"].max(),
    ),
    Claim(
        "report, theorem 2; short paper, theorem 3",
        "in the end everybody is linked to any sensitive value with probability at most 1/r",
        "everybody",
        lambda frame: "everybody" if frame["problematic, full reading"].max() == 0 else "not everybody",
        because=FULL_READING,
    ),
)

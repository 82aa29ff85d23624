"""The methods of figure 1 on one table: how each groups the people, and what its release shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from voile.adversaries.group_members import Members, gather_members
from voile.adversaries.prior import Prior
from voile.adversaries.prior_posterior import protected_events
from voile.errors import Unsatisfiable
from voile.flow.publish.plan import check_request
from voile.methods.art.art import Art
from voile.methods.art.buckets import make_buckets
from voile.methods.art.row_dealing import deal_rows
from voile.methods.base import Method
from voile.methods.robust_policy import find_model_and_target
from voile.models.base import Model
from voile.models.policy import Policy
from voile.papers.art.set_dealing import deal_like_anatomy, deal_like_injector
from voile.plugins.registry import build_plugin
from voile.releases.release import Release
from voile.tables.domain_trimming import trim_unused_values
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Rows
from voile.tables.schema import Columns
from voile.tables.secret_key import Key

SENSITIVE = "education"
PROTECTED = ("Preschool", "1st-4th", "5th-6th", "7th-8th")  # below secondary education
PUBLISHED, EXACT, CAPPED = "ART as published", "ART exact", "capped counts"
ANATOMY, INJECTOR, MASK, CLOSENESS = "Anatomy", "Injector", "MASK", "t-closeness"
KEY = Key(b"experiments on a public table...")  # repeatable, and nobody is protected by it

Dealer = Callable[[Columns, Rows, np.ndarray, int], Rows]
DEALERS: dict[str, Dealer] = {ANATOMY: deal_like_anatomy, INJECTOR: deal_like_injector}


@dataclass(frozen=True)
class Contender:
    """A method with the parameters that the papers give it. Anatomy and Injector deal for the protected set (`model` is
    empty); a method that follows no key (`keyed` is false) is published once, however many repetitions there are."""

    name: str
    model: str = ""
    method: str = ""
    knobs: dict[str, Any] = field(default_factory=dict)
    keyed: bool = True
    boxes: bool = False

    def make_policy(self, r: int, prior: Prior) -> Policy:
        guarded = {"protect": PROTECTED, "protect_as": "set", "prior": prior, "source": "table"}
        given: dict[str, dict[str, Any]] = {
            "r-robustness": {"r": r, **guarded},
            "t-closeness": {"t": 0.2},
            "m-confidentiality": {"m": r, "protect": PROTECTED, "reading": "published"},
        }
        return Policy(cast(Model, build_plugin("models", self.model, given[self.model])))

    def build_method(self, r: int) -> Method:
        # the published rule may add rows that never help; a group of 10 r rows is given up
        room = {"max_group": 10 * r} if self.knobs.get("mode") == "paper" else {}
        return cast(Method, build_plugin("methods", self.method, {**self.knobs, **room}))


CONTENDERS = (
    Contender(PUBLISHED, "r-robustness", "art", {"mode": "paper", "candidates": "closest", "grouping": "greedy"}),
    Contender(EXACT, "r-robustness", "art", {"grouping": "greedy"}),
    Contender(CAPPED, "r-robustness", "capped-counts", keyed=False),
    Contender(ANATOMY),
    Contender(INJECTOR),
    Contender(MASK, "m-confidentiality", "mask", {"sampling": "paper"}, boxes=True),
    Contender(CLOSENESS, "t-closeness", "full-domain", keyed=False, boxes=True),
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one release shows: the members of each group, its values, and how many protected people each entry of the
    members has; `release` is filled in for boxes only, whose cells are needed to answer queries."""

    members: Members
    counts: Counts
    guarded: np.ndarray
    withheld: int
    release: Release | None = None


def mark_protected(data: Microdata) -> np.ndarray:
    """Return which values of the sensitive column are protected."""
    return np.asarray(protected_events(data.columns[SENSITIVE], PROTECTED, True) >= 0)


def publish_repeatedly(
    data: Microdata, prior: Prior, who: Contender, r: int, repetitions: int
) -> tuple[list[Outcome], float, str]:
    """Publish with several keys; return the outcomes, the CPU seconds of one grouping, and why there is none, if so."""
    keys = [KEY.derive_part_key(number) for number in range(repetitions if who.keyed else 1)]
    start = time.process_time()
    try:
        releases, spent = _publish(data, prior, who, r, keys)
    except Unsatisfiable as error:
        return [], time.process_time() - start, error.best or str(error)
    return releases, spent, ""


def _publish(data: Microdata, prior: Prior, who: Contender, r: int, keys: Sequence[Key]) -> tuple[list[Outcome], float]:
    rows = data.rows.with_key(keys[0]).collect()
    if not who.model:
        start = time.process_time()
        grouped = [
            DEALERS[who.name](data.columns, rows.with_key(key).collect(), mark_protected(data), r) for key in keys
        ]
        spent = (time.process_time() - start) / len(keys)
        return [_look(data, data.columns, one, one, None) for one in grouped], spent
    method, policy = who.build_method(r), who.make_policy(r, prior)
    columns = check_request(data.columns, data.rows, policy, method)
    method, policy = method.plan(columns, rows, policy.learn(columns, rows), ())
    start = time.process_time()
    grouped = _group_with_keys(method, columns, rows, policy, keys)
    altered = [method.transform(columns, one, policy) for one in grouped]
    spent = (time.process_time() - start) / (1 if isinstance(method, Art) else len(keys))
    outcomes = []
    for one, (shown, changed) in zip(grouped, altered, strict=True):
        release = method.show(*trim_unused_values(shown, changed)) if who.boxes else None
        outcomes.append(_look(data, shown, one, changed, release))
    return outcomes, spent


def _group_with_keys(method: Method, columns: Columns, rows: Rows, policy: Policy, keys: Sequence[Key]) -> list[Rows]:
    """Group with each key. Greedy ART decides without one which buckets share groups: once, for all keys."""
    if not isinstance(method, Art):
        return [method.group(columns, rows.with_key(key).collect(), policy) for key in keys]
    model, target = find_model_and_target(policy, columns)
    people = make_buckets(columns, rows, target, model, False)
    grouping = method.decide_groups(people, model, target, keys[0])
    assert people.table is not None
    dealt = [deal_rows(people, grouping, key) for key in keys]
    return [rows.deal(people.table, cells, groups, np.ones(len(cells), dtype=np.int64)) for cells, groups in dealt]


def _look(data: Microdata, shown: Columns, grouped: Rows, altered: Rows, release: Release | None) -> Outcome:
    members, guarded = find_members(data, grouped)
    values = data.rows.histogram([SENSITIVE])
    total = int(mark_protected(data)[values.codes[:, 0]] @ values.counts)
    counts = altered.tally_values(shown)[SENSITIVE]
    return Outcome(members, counts, guarded, total - int(guarded.sum()), release)


def find_members(data: Microdata, rows: Rows) -> tuple[Members, np.ndarray]:
    """Return the members of each group by exact quasi-identifier, and how many of each entry have a protected value."""
    names = [column.name for column in data.columns.quasi]
    group, table = rows.count_by_group([*names, SENSITIVE])
    codes = [table.column(name) for name in names]
    members = gather_members(data.columns.quasi, codes, group, table.counts, rows.groups)
    inside = mark_protected(data)[table.column(SENSITIVE)]
    # entries of `members` are ordered by (group, quasi-identifier), as the rows of the table are
    changes = np.any([column[1:] != column[:-1] for column in (group, *codes)], axis=0)
    entry = np.cumsum(np.concatenate([[0], changes]))
    return members, np.bincount(entry, weights=np.where(inside, table.counts, 0), minlength=len(members.rows))

"""One method on the Adult table: how long grouping takes, how wrong queries are, and whom the statistics give away."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from voile import datasets
from voile.adversaries.group_members import Members, gather_members
from voile.adversaries.prior import Prior
from voile.adversaries.prior_learning import learn_statistics
from voile.adversaries.prior_posterior import compute_posterior, protected_events
from voile.adversaries.signatures import match_signatures
from voile.errors import InconsistentKnowledge, Unsatisfiable
from voile.flow.publish.plan import check_request
from voile.flow.read.read import read
from voile.measures.query_error.query_error import QueryError
from voile.methods.base import Method
from voile.models.base import Model
from voile.models.policy import Policy
from voile.papers.art.bounds import average_delta, delta_ceil
from voile.papers.paper import Run
from voile.plugins.registry import build_plugin, registered_classes
from voile.releases.release import Release
from voile.tables.domain_trimming import trim_unused_values
from voile.tables.group_counts import Counts
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Rows
from voile.tables.schema import Schema
from voile.tables.secret_key import Key

QUASI = ("age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class")
SENSITIVE = "education"
PROTECTED = ("Preschool", "1st-4th", "5th-6th", "7th-8th")  # below secondary education
DEFAULT = 5  # columns of the quasi-identifier
SAMPLE = 4000  # rows of a quick run
OPEN = 0.05  # with more people undecided than this, a share of problematic people is not stated
KEY = Key(b"experiments on a public table...")  # repeatable, and nobody is protected by it


@dataclass(frozen=True)
class Contender:
    """A method with the parameters that the papers give it. `model` and `method` are names, so that it is built only if
    it exists."""

    name: str
    model: str
    method: str
    knobs: dict[str, Any] = field(default_factory=dict)

    def make_policy(self, r: int, prior: Prior) -> Policy:
        guarded = {"protect": PROTECTED, "protect_as": "set", "prior": prior, "source": "table"}
        given: dict[str, dict[str, Any]] = {
            "r-robustness": {"r": r, **guarded},
            "l-diversity": {"l": r},
            "t-closeness": {"t": 0.2},
            "m-confidentiality": {"m": r, "protect": PROTECTED, "reading": "published"},
        }
        return Policy(cast(Model, build_plugin("models", self.model, given[self.model])))

    def build_method(self, r: int) -> Method:
        # the published rule may add rows that never help; a group of 10 r rows is given up
        room = {"max_group": 10 * r} if self.knobs.get("mode") == "paper" else {}
        return cast(Method, build_plugin("methods", self.method, {**self.knobs, **room}))


EVERYBODY = (
    Contender("ART exact", "r-robustness", "art", {"grouping": "greedy"}),
    Contender(
        "ART as published", "r-robustness", "art", {"mode": "paper", "candidates": "closest", "grouping": "greedy"}
    ),
    Contender("Anatomy", "l-diversity", "anatomy"),
    Contender("t-closeness", "t-closeness", "mondrian"),
    Contender("Injector", "l-diversity", "injector"),
    Contender("MASK", "m-confidentiality", "mask", {"sampling": "paper"}),
)


def contenders() -> list[Contender]:
    """Return the contenders whose model and method exist."""
    models, methods = registered_classes("models"), registered_classes("methods")
    return [one for one in EVERYBODY if one.model in models and one.method in methods]


@dataclass(eq=False)
class Stage:
    """What all items of one run share: the tables, the priors, and the outcomes so far."""

    run: Run
    frame: pl.DataFrame
    tables: dict[int, tuple[Microdata, Prior, float]] = field(default_factory=dict)
    shown: dict[tuple[str, int, int], Outcome] = field(default_factory=dict)

    def table(self, size: int) -> tuple[Microdata, Prior, float]:
        """Return the table with `size` columns as quasi-identifier, its statistics, and the seconds they took."""
        if size not in self.tables:
            known = sorted({*self.frame[SENSITIVE], *PROTECTED})  # a sample may lack one
            schema = Schema(quasi=QUASI[:size], sensitive=[SENSITIVE], domains={SENSITIVE: known})
            data = read(self.frame, schema)
            began = time.perf_counter()
            prior = learn_statistics(data.columns, data.rows, data.columns[SENSITIVE])
            self.tables[size] = data, prior, time.perf_counter() - began
        return self.tables[size]

    def outcome(self, who: Contender, size: int, r: int) -> Outcome:
        place = (who.name, size, r)
        if place not in self.shown:
            data, prior, _ = self.table(size)
            again = self.shown.get((who.name, size, 0)) if who.model == "t-closeness" else None
            self.shown[place] = again or publish_timed(data, prior, who, r)
            if who.model == "t-closeness":  # does not depend on r
                self.shown[(who.name, size, 0)] = self.shown[place]
        return self.shown[place]


_stages: WeakKeyDictionary[Run, Stage] = WeakKeyDictionary()


def stage(run: Run) -> Stage:
    """Return the stage of a run, with a sample of the rows in a quick run. Compile everything before taking times."""
    if run not in _stages:
        columns = [*QUASI, SENSITIVE]
        frame = datasets.adult(run.source("the Adult table")).select(columns).drop_nulls()
        if run.quick and frame.height > SAMPLE:
            frame = frame.sort(columns).sample(SAMPLE, seed=7)
        small = Stage(run, frame.sort(columns).sample(min(1000, frame.height), seed=1))
        for who in contenders():
            small.outcome(who, 3, 2)
        _stages[run] = Stage(run, frame)
    return _stages[run]


@dataclass(eq=False)
class Outcome:
    """A grouping and what it shows; `gap` says why there is none, if so."""

    seconds: float | None = None
    release: Release | None = None
    members: Members | None = None
    counts: Counts | None = None
    guarded: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # protected people of each entry
    withheld: int = 0  # protected people that are not published
    gap: str = ""


def publish_timed(data: Microdata, prior: Prior, who: Contender, r: int) -> Outcome:
    """Publish, timing the grouping alone; a promise out of reach gives a gap instead of an error."""
    method, policy = who.build_method(r), who.make_policy(r, prior)
    columns = check_request(data.columns, data.rows, policy, method)
    rows = data.rows.with_key(KEY).collect()
    method, policy = method.plan(columns, rows, policy.learn(columns, rows), ())
    began = time.perf_counter()
    try:
        grouped = method.group(columns, rows, policy)
        columns, altered = method.transform(columns, grouped, policy)
    except Unsatisfiable as error:
        return Outcome(gap=error.best or str(error))
    seconds = time.perf_counter() - began
    release = method.show(*trim_unused_values(columns, altered))
    members, guarded = _find_members(data, grouped)
    counts = altered.tally_values(columns)[SENSITIVE]
    total = int(
        _protected_values(data)[data.rows.histogram([SENSITIVE]).codes[:, 0]] @ data.rows.histogram([SENSITIVE]).counts
    )
    return Outcome(seconds, release, members, counts, guarded, total - int(guarded.sum()))


def _protected_values(data: Microdata) -> np.ndarray:
    return np.asarray(protected_events(data.columns[SENSITIVE], PROTECTED, True) >= 0)


def _find_members(data: Microdata, rows: Rows) -> tuple[Members, np.ndarray]:
    """Return the members of each group by exact quasi-identifier, and how many of each entry have a protected value."""
    names = [column.name for column in data.columns.quasi]
    group, table = rows.count_by_group([*names, SENSITIVE])
    codes = [table.column(name) for name in names]
    members = gather_members(data.columns.quasi, codes, group, table.counts, rows.groups)
    inside = _protected_values(data)[table.column(SENSITIVE)]
    # entries of `members` are ordered by (group, quasi-identifier), as the rows of the table are
    entry = np.cumsum(np.concatenate([[0], _find_changes([group, *codes])]))
    return members, np.bincount(entry, weights=np.where(inside, table.counts, 0), minlength=len(members.rows))


def _find_changes(columns: list[np.ndarray]) -> np.ndarray:
    return np.asarray(np.any([column[1:] != column[:-1] for column in columns], axis=0))


def problematic(data: Microdata, prior: Prior, outcome: Outcome, r: int, reading: str, most: int) -> dict[str, Any]:
    """Return the share of protected people who are linked to the protected set with probability above 1/r.

    If a group has too many states for the exact belief, people whom the sound bound does not clear are undecided; the
    share is then at least that of the decided people, and is left open if too many are undecided.
    """
    names = (f"problematic_{reading}", f"at_least_{reading}", f"undecided_{reading}")
    if outcome.members is None or outcome.counts is None:
        return dict.fromkeys(names)
    events = protected_events(data.columns[SENSITIVE], PROTECTED, True)
    try:
        found = compute_posterior(
            prior,
            outcome.members,
            outcome.counts,
            events,
            PROTECTED,
            as_set=True,
            binary=reading == "binary",
            max_states=most,
        )
    except InconsistentKnowledge:  # altered values may be impossible for everybody in a group
        return dict.fromkeys(names)
    exact = np.repeat(found.exact, np.diff(outcome.members.starts))
    above = found.risk > 1 / r + 1e-9
    total = float(outcome.guarded.sum()) + outcome.withheld
    certain, open_ = (float(outcome.guarded[above & chosen].sum()) / total for chosen in (exact, ~exact))
    return dict(zip(names, (certain if open_ <= OPEN else None, certain, open_), strict=True))


def deviations(data: Microdata, prior: Prior, outcome: Outcome, r: int) -> dict[str, float | None]:
    """Return the average deviation of the protected set's probability: over all groups, over those that hold a case,
    and the ceiling that Theorem 1 sets for the latter. Column sets count if half of the people have a known signature
    there."""
    if outcome.members is None or outcome.counts is None:
        return {"average_delta": None, "delta_with_case": None, "ceiling_with_case": None}
    members, column = outcome.members, data.columns[SENSITIVE]
    usual = outcome.counts.totals / outcome.counts.totals.sum()
    known = prior.encode(members.columns, members.codes, column, usual)
    chance = known.rows[:, _protected_values(data)].sum(axis=1)
    held = np.add.reduceat(outcome.guarded, members.starts[:-1]) > 0
    every, some, limits = {}, {}, {}
    for statistics, index in zip(prior.sets, known.index, strict=True):
        names = statistics.names
        listed = match_signatures(names, statistics.signatures, members.columns, members.codes) >= 0
        if np.average(listed[members.rows], weights=members.counts) < 0.5:
            continue
        f = chance[index[members.rows]]
        top, low = np.maximum.reduceat(f, members.starts[:-1]), np.minimum.reduceat(f, members.starts[:-1])
        place = ", ".join(names)
        every[place], some[place] = top - low, (top - low)[held]
        limits[place] = [
            delta_ceil(int(n), r, float(one)) for n, one in zip(outcome.counts.sizes[held], top[held], strict=True)
        ]
    if not every:
        return {"average_delta": None, "delta_with_case": None, "ceiling_with_case": None}
    return {
        "average_delta": average_delta(every),
        "delta_with_case": average_delta(some),
        "ceiling_with_case": average_delta(limits),
    }


def query_error(run: Run, data: Microdata, outcome: Outcome, dimensions: int, selectivity: float) -> float | None:
    """Return the average relative error of COUNT queries."""
    if outcome.release is None:
        return None
    queries, repetitions = (300, 1) if run.quick else (2000, 5)
    measure = QueryError(queries=queries, dimensions=dimensions, selectivity=selectivity, repetitions=repetitions)
    return float(measure(data, outcome.release).value)

"""The stage of the experiments: the Adult table by size of the quasi-identifier, and every release measured once.

Items share what they need from a release: one point holds all measures of a method at one size and one r.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from voile import datasets
from voile.adversaries.prior import Prior
from voile.adversaries.prior_learning import learn_statistics
from voile.flow.read.read import read
from voile.papers.art.beliefs import judge_binary, judge_fully, judge_statistics, measure_deviations
from voile.papers.art.contenders import CAPPED, PROTECTED, SENSITIVE, Contender, Outcome, publish_repeatedly
from voile.papers.art.queries import Queries, compute_error, draw_queries
from voile.papers.paper import Run
from voile.papers.points import Points
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema

QUASI = ("age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class")
DEFAULT, SELECTIVITY = 5, 0.05  # columns of the quasi-identifier and of a query; share that a query selects
DIMENSIONS = (1, 2, 3, 4, 5)
SELECTIVITIES = (0.01, 0.02, 0.04, 0.05, 0.06, 0.08, 0.1)
EDITION = 1  # raised when what a point holds changes
ASKED = (DEFAULT, 10)  # size and r of the releases that are asked every kind of query


@dataclass(frozen=True)
class Scale:
    """How much is computed: rows, queries, repetitions, and states of an exact belief."""

    rows: int | None
    queries: int
    repetitions: int
    states: int


FULL, QUICK = Scale(None, 10_000, 3, 20_000), Scale(6000, 1000, 2, 5_000)


@dataclass(eq=False)
class Stage:
    """The tables of one run, with their statistics and queries, each made when it is first needed."""

    frame: pl.DataFrame
    trees: Path
    scale: Scale
    tables: dict[int, tuple[Microdata, Prior, float]] = field(default_factory=dict)
    asked: dict[tuple[int, int, float, int, bool], Queries] = field(default_factory=dict)
    warm: set[str] = field(default_factory=set)

    def table(self, size: int) -> tuple[Microdata, Prior, float]:
        """Return the table with `size` columns as quasi-identifier, its statistics, and the seconds they took."""
        if size not in self.tables:
            known = sorted({*self.frame[SENSITIVE], *PROTECTED})  # a sample may lack one
            files = {name: self.trees / f"{name}.csv" for name in QUASI[:size]}
            trees = {name: file if file.is_file() else "auto" for name, file in files.items()}
            schema = Schema(quasi=QUASI[:size], sensitive=[SENSITIVE], domains={SENSITIVE: known}, hierarchies=trees)
            data = read(self.frame.select([*QUASI[:size], SENSITIVE]), schema)
            start = time.process_time()
            prior = learn_statistics(data.columns, data.rows, data.columns[SENSITIVE])
            self.tables[size] = data, prior, time.process_time() - start
        return self.tables[size]

    def queries(self, size: int, dimensions: int, share: float, seed: int, about_set: bool = False) -> Queries:
        key = (size, dimensions, share, seed, about_set)
        if key not in self.asked:
            self.asked[key] = draw_queries(self.table(size)[0], dimensions, share, self.scale.queries, seed, about_set)
        return self.asked[key]

    def warm_up(self, who: Contender) -> None:
        """Compile what a method needs before its time is taken."""
        if who.name not in self.warm:
            small = Stage(self.frame.head(1000), self.trees, self.scale)
            data, prior, _ = small.table(3)
            publish_repeatedly(data, prior, who, 2, 1)
            self.warm.add(who.name)


_stages: dict[tuple[Path, bool], Stage] = {}


def open_stage(run: Run) -> Stage:
    """Return the stage of a run's table, with a sample of the rows in a quick run. Rows are sorted before they are
    sampled: their order in the file does not matter."""
    source, scale = run.source("the Adult table"), QUICK if run.quick else FULL
    if (source, run.quick) not in _stages:
        columns = [*QUASI, SENSITIVE]
        frame = datasets.adult(source).select(columns).drop_nulls().sort(columns)
        frame = frame.sample(scale.rows, seed=7) if scale.rows and frame.height > scale.rows else frame
        folder = source if source.is_dir() else source.parent
        _stages.clear()  # one table at a time
        _stages[source, run.quick] = Stage(
            frame.sample(fraction=1.0, shuffle=True, seed=1), folder / "hierarchies", scale
        )
    return _stages[source, run.quick]


def measure_point(run: Run, who: Contender, size: int, r: int) -> dict[str, Any]:
    """Return all measures of a method at one size and one r, one entry per repetition: a point that all items share."""
    if run.points is None:
        return _measure(open_stage(run), who, size, r)
    context = {**run.points.context, "item": "releases", "edition": EDITION}
    shared = Points(run.points.folder.parent / "releases", context)
    point = shared.compute({"method": who.name, "size": size, "r": r}, lambda: _measure(open_stage(run), who, size, r))
    run.points.saved += shared.saved
    return point


def _measure(stage: Stage, who: Contender, size: int, r: int) -> dict[str, Any]:
    stage.warm_up(who)
    data, prior, learning = stage.table(size)
    outcomes, seconds, gap = publish_repeatedly(data, prior, who, r, stage.scale.repetitions)
    learning = learning if who.model == "r-robustness" else 0.0
    result: dict[str, Any] = {"gap": gap, "seconds": seconds + learning, "repetitions": []}
    result["statistics_alone"] = judge_statistics(data, prior, r)
    # greedy ART deals equal people: what is believed of them is the same for every key
    judged = [_judge(stage, who, size, r, outcome) for outcome in outcomes[: 1 if who.method == "art" else None]]
    for number in range(stage.scale.repetitions if outcomes else 0):
        place = min(number, len(outcomes) - 1)  # without a key the release is always the same, and the queries are not
        errors = _ask(stage, who, size, r, outcomes[place], number)
        result["repetitions"].append({**judged[min(number, len(judged) - 1)], **errors})
    return result


def _judge(stage: Stage, who: Contender, size: int, r: int, outcome: Outcome) -> dict[str, Any]:
    data, prior, _ = stage.table(size)
    binary = judge_binary(data, prior, outcome, r)
    if who.name == CAPPED:  # a release of numbers of cases is read in one way only
        full = {"certain": binary, "problematic": binary, "possible": binary, "contradicted": 0.0}
    else:
        full = judge_fully(data, prior, outcome, r, stage.scale.states)
    return {
        **full,
        "binary": binary,
        **measure_deviations(data, prior, outcome, r),
        "groups": outcome.counts.groups,
        "withheld": outcome.withheld / (float(outcome.guarded.sum()) + outcome.withheld),
        "removed": data.rows.total - int(outcome.members.counts.sum()),
    }


def _ask(stage: Stage, who: Contender, size: int, r: int, outcome: Outcome, seed: int) -> dict[str, Any]:
    """Return the errors of the usual queries, of those about the protected set and, for some releases, of all kinds."""
    data, _, _ = stage.table(size)
    about_set = compute_error(data, outcome, stage.queries(size, size, SELECTIVITY, seed, True))
    result: dict[str, Any] = {"set_error": about_set, "error": None, "asked": {}}
    if who.name == CAPPED:  # it shows who may have a protected value, and no other value
        return result
    result["error"] = compute_error(data, outcome, stage.queries(size, size, SELECTIVITY, seed))
    if (size, r) == ASKED:
        for dimensions, share in list_kinds(SELECTIVITIES):
            queries = stage.queries(size, dimensions, share, seed)
            result["asked"][f"{dimensions} {share:g}"] = compute_error(data, outcome, queries)
    return result


def list_kinds(shares: Sequence[float]) -> list[tuple[int, float]]:
    """List the kinds of queries: every dimensionality at the usual selectivity, and the other way round."""
    kinds = [(dimensions, SELECTIVITY) for dimensions in DIMENSIONS]
    return kinds + [(DEFAULT, share) for share in shares if share != SELECTIVITY]

"""The experiments on the Adult table: the real example, and MASK against algorithms that ignore the attack."""

from __future__ import annotations

import time

import polars as pl

from voile.errors import Unsatisfiable
from voile.flow.measure.measure import measure
from voile.flow.publish.publish import publish
from voile.flow.read.read import read
from voile.measures.alteration import Alteration
from voile.measures.distortion import Distortion
from voile.methods.base import Method
from voile.methods.full_domain import FullDomain
from voile.methods.mask.mask import Mask
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.alpha_k import AlphaK
from voile.models.m_confidentiality import MConfidentiality
from voile.models.policy import Policy
from voile.papers.minimality.examples import judge_by_shares, make_row
from voile.papers.minimality.written_releases import attack_local
from voile.papers.paper import Run
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema

LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")


COLUMNS = ("age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class")


def real_example(run: Run) -> pl.DataFrame:
    """Attack the people aged 80 with an absent spouse, as they are in the table."""
    frame = pl.read_csv(run.source("the Adult table"))
    chosen = frame.filter((pl.col("age") == 80) & (pl.col("marital-status") == "Married-spouse-absent"))
    kinds = chosen["workclass"].value_counts().rows()
    external = {str(kind): int(people) for kind, people in kinds}
    alone = min(external, key=lambda kind: (external[kind], kind))
    other = next(kind for kind in external if kind != alone)
    values = {kind: chosen.filter(pl.col("workclass") == kind)["education"].to_list() for kind in external}
    published = [
        {"inside": {alone: 1, other: 1}, "values": [values[alone][0], values[other][0]]},
        {"inside": {other: external[other] - 1}, "values": values[other][1:]},
    ]
    lowest = next(value for value in values[alone] if value in LOW)
    test = judge_by_shares(AlphaK(alpha=0.5, k=2, protect=(lowest,)), published)
    found = attack_local(external, published, test)
    rows = []
    for kind in external:
        after = found.belief[kind, lowest] if found.belief else None
        rows.append(make_row("Adult, aged 80", kind, lowest, found.naive[kind, lowest], after, found.kept, found.total))
    return pl.DataFrame(rows)


def global_experiment(run: Run) -> pl.DataFrame:
    return _compare(run, FullDomain())


def local_experiment(run: Run) -> pl.DataFrame:
    return _compare(run, Mondrian())


def _compare(run: Run, method: Method) -> pl.DataFrame:
    """Compare MASK's time and distortion with an algorithm that ignores the attack: 3 to 8 columns, m = 2 and 10."""
    source = run.source("the Adult table")
    frame = pl.read_csv(source)
    frame = frame.sample(6000, seed=1) if run.quick else frame
    sizes = (3, 5, 8) if run.quick else range(3, 9)
    folder = source.parent / "hierarchies"
    rows, done = [], 0
    for m in (2, 10):
        for size in sizes:
            run.step(done, 2 * len(sizes), f"{method.name}, m = {m}, {size} columns")
            done += 1
            names = COLUMNS[:size]
            trees = {n: folder / f"{n}.csv" if (folder / f"{n}.csv").is_file() else "auto" for n in names}
            data = read(frame, Schema(quasi=names, sensitive=["education"], hierarchies=trees))
            confidential = Policy(MConfidentiality(m=m, protect=LOW))
            asked: list[tuple[str, Policy, Method]] = [
                ("ignores the attack", Policy(AlphaK(alpha=1 / m, k=m, protect=LOW)), method),
                ("MASK, fixed channels", confidential, Mask(anonymizer=method)),
                ("MASK, the paper's sampling", confidential, Mask(sampling="paper", anonymizer=method)),
            ]
            for name, policy, chosen in asked:
                rows.append({"m": m, "columns": size, "algorithm": name, **_time_release(data, policy, chosen)})
    line = (pl.col("algorithm") + ", m = " + pl.col("m").cast(pl.String)).alias("line")
    return pl.DataFrame(rows).with_columns(line)


def _time_release(data: Microdata, policy: Policy, method: Method) -> dict[str, float | None]:
    """Return the seconds, the distortion and the share of changed values of a release; None if there is none."""
    start = time.perf_counter()
    try:
        release = publish(data, policy, method)
    except Unsatisfiable:
        return {"seconds": None, "distortion": None, "changed": None}
    took = time.perf_counter() - start
    losses = measure(data, release, [Distortion(), Alteration()])
    return {"seconds": took, "distortion": losses["distortion"].value, "changed": losses["alteration"].value}

"""ART on Adult (45,222 rows, five columns, protected set): grouping against DuckDB's group by, the exact posterior, the
audit of whole releases, and how the cost grows with the rows."""

from __future__ import annotations

import time
from functools import partial

import duckdb
import numpy as np
import polars as pl
from clock import best, show
from tables import ADULT

import voile as vl
from voile.kernels import world_walk
from voile.models.policy import Policy

QUASI = ["age", "workclass", "marital-status", "occupation", "race"]
LOW = ["Preschool", "1st-4th", "5th-6th", "7th-8th"]


def duck() -> float:
    """Time a group by of 5 million rows x 8 integer columns, in memory, best of 3."""
    rng = np.random.default_rng(1)
    columns = pl.DataFrame({f"c{n}": rng.integers(0, 1 << 12, 5_000_000, dtype=np.int32) for n in range(8)})
    base = duckdb.connect()
    base.register("columns", columns.to_arrow())
    base.execute("create table t as select * from columns")
    keys = ", ".join(f"c{n}" for n in range(8))
    took, _ = best(
        lambda: base.execute(f"select count(*) from (select {keys}, count(*) from t group by {keys})").fetchall()
    )
    return took


def grouped(data, model, method):
    """Group only: the prior is known, and nothing is written or verified."""
    rows = data.rows.with_key(vl.Key(bytes(32)))
    method, policy = method.plan(data.columns, rows, Policy(model), ())
    return best(lambda: method.group(data.columns, rows, policy), 2)


def kept(rows) -> int:
    """Return how many protected rows are published."""
    table = rows.histogram(["education"])
    return int(table.counts[np.isin(table.codes[:, 0], CODES)].sum())


def beliefs() -> None:
    rng = np.random.default_rng(2)
    for name, weights, amounts, capacity in (
        ("18 signatures, 18 values", rng.random((18, 18)), np.ones(18, np.int64), np.ones(18, np.int64)),
        ("200 rows, two signatures", rng.random((200, 2)), np.ones(200, np.int64), np.array([100, 100])),
    ):
        room = world_walk.count_states(capacity, 10**7)
        scratch = np.empty(room), np.empty(room)
        work = partial(world_walk.compute_expected_counts, weights, amounts, capacity, *scratch)
        work()
        took, _ = best(work)
        show(f"exact posterior, {name}", took, 0.5 if "18" in name else 0.05, 1)


def growth() -> None:
    """The census generator with four coarse columns: the number of signatures is fixed."""
    for rows in (50_000, 500_000, 5_000_000):
        quasi = ["gender", "race", "work-class", "marital-status"]
        data = vl.read(vl.datasets.census(rows), vl.Schema(quasi=quasi, sensitive=["occupation"]))
        table = data.rows.histogram(["occupation"])
        shares = np.bincount(table.codes[:, 0], table.counts)
        rare = [data.columns["occupation"].domain.labels[code] for code in np.argsort(shares)[:3]]
        model = vl.RRobustness(r=4, protect=rare, protect_as="set", prior=vl.learn_prior(data))
        took, _ = grouped(data, model, vl.Art(grouping="greedy"))
        print(f"{rows} census rows: grouping {took:.2f} s, {took / rows / np.log(rows) * 1e9:.1f} ns per n log n")


def main() -> None:
    global CODES
    data = vl.read(ADULT, vl.Schema(quasi=QUASI, sensitive=["education"]))
    CODES = [data.columns["education"].domain.labels.index(name) for name in LOW]
    start = time.perf_counter()
    prior = vl.learn_prior(data)
    print(f"prior: {time.perf_counter() - start:.2f} s")
    yardstick = duck()
    for r, bar, most in ((5, 10, 0.02), (10, 40, 0.1)):
        for publish in ("indicator", "exact"):
            model = vl.RRobustness(r=r, protect=LOW, protect_as="set", prior=prior)
            method = vl.Art(grouping="greedy", publish=publish)
            took, rows = grouped(data, model, method)
            show(f"ART, r={r}, {publish} published, against group by of 5 M x 8", took, yardstick, bar)
            lost = 1 - kept(rows) / 1566
            show(f"  protected rows withheld, r={r}, {publish}", lost, most, 1, "")
    for r, most in ((2, 0.01), (3, 0.1), (5, 0.45)):
        model = vl.RRobustness(r=r, protect=LOW, protect_as="set", prior=prior)
        release = vl.publish(data, model, vl.Art(grouping="block", publish="indicator"), key=vl.Key(bytes(32)))
        shown = release.tables["sensitive"]
        inside = shown.filter(pl.col("education").cast(pl.String) == "protected values")["count"].sum()
        show(f"block grouping, protected rows lost, r={r}", 1 - inside / 1566, most, 1, "")
        (found,) = vl.audit(release, None, [vl.attacks.Replay(prior=prior)]).findings
        print(
            f"  the method run again: worst belief {found.belief.worst:.4f}, above 1/{r}: {found.belief.above(1 / r)}"
        )
    beliefs()
    model = vl.RRobustness(r=5, protect=LOW, protect_as="set", prior=prior)
    for name, release in (
        ("ART", vl.publish(data, model, vl.Art(grouping="greedy"))),
        ("Anatomy, l=3", vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())),
    ):
        start = time.perf_counter()
        audit = vl.audit(release, None, [vl.attacks.Prior(prior=prior)])
        took = time.perf_counter() - start
        show(f"audit of {name} over 31 column sets", took, 30, 1)
        print("  " + "; ".join(f"{item.title}: {item.belief.worst:.4f}, bound {item.bound}" for item in audit.findings))
    growth()


if __name__ == "__main__" and ADULT.exists():
    main()

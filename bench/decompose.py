"""Decompose: Largest-l against DuckDB's group by of 8 columns, Adult in seconds, 5 million rows against Anatomy."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
from clock import best, peak_gib, show
from tables import ADULT, adult, distinct_codes

import voile as vl
from voile import kernels

CENSUS = ["age", "gender", "education", "birthplace", "race", "work-class", "marital-status"]


def largest_l(rows: int) -> None:
    """Time the forming of groups and the seating of rows, with few and with many different values."""
    connection = duckdb.connect()
    connection.register("source", distinct_codes(rows).to_arrow())
    connection.execute("create table people as select * from source")
    names = ", ".join(f"c{number}" for number in range(8))
    query = f"create or replace table g as select {names}, count(*) c from people group by all"
    theirs, _ = best(lambda: connection.execute(query))
    connection.close()
    rng = np.random.default_rng(2)
    key = vl.Key.fresh()
    for values in (50, 20_000):
        share = 1 / (np.arange(values) + 0.4 * values)
        sizes = rng.multinomial(rows, share / share.sum())
        code = rng.permutation(np.repeat(np.arange(values), sizes))

        def work(code: np.ndarray = code, values: int = values) -> int:
            counts = np.bincount(code, minlength=values)
            picks, remaining = kernels.dealing.pick_largest_l(counts, 10, key.stream("ties", rows // 10))
            starts = np.concatenate([[0], np.cumsum(counts)])
            spare = key.stream("leftovers", int(remaining.sum()))
            group = kernels.dealing.seat_rows(starts, picks, remaining, key.stream("deal", rows), spare)
            assert group.min() >= 0
            return len(picks)

        ours, groups = best(work)
        show(f"Largest-l, {values} values, {groups} groups / group by of 8 columns", ours, theirs, 1)


def on_adult() -> None:
    frame = adult(None)
    quasi = ["age", "sex", "race", "marital-status", "workclass", "native-country"]
    for names, levels in (
        (["occupation", "salary-class"], {"occupation": 5, "salary-class": 1}),
        (["occupation", "education"], {"occupation": 5, "education": 2}),
    ):
        data = vl.read(frame, vl.Schema(quasi=quasi, sensitive=names))
        for noise in ("symmetric", "paper"):
            method, policy = vl.Decompose(primary="occupation", noise=noise), vl.MultiDiversity(levels)
            vl.publish(data, policy, method)
            took, release = best(lambda data=data, policy=policy, method=method: vl.publish(data, policy, method))
            bounds = {claim["column"]: claim["bound"] for claim in release.certificate.claims}
            what = f"Adult, {' and '.join(names)}, {noise} noise, {bounds}"
            show(f"{what}: publish with verify", took, 5, 1)
            with tempfile.TemporaryDirectory() as place:
                folder = release.save(Path(place) / "out")
                checking, _ = best(lambda folder=folder: vl.verify(folder))
            exact = "exact" if release.certain.all() else f"{release.certain.mean():.0%} exact, the rest bounded"
            show(f"  verify from the folder, {exact}", checking, 60, 1)
            took, found = best(lambda release=release: vl.audit(release), 1)
            sampled = any("estimate" in name for item in found.findings for name in item.belief.details)
            show(f"  every attack, {'sampled' if sampled else 'exact'}", took, 60, 1)


def anatomy(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the time of Anatomy on one of the columns: to publish, and to group only."""
    data = vl.read(frame.drop("occupation"), vl.Schema(quasi=CENSUS, sensitive=["income"]))
    policy, keyed = vl.Policy(vl.LDiversity(l=10)), data.rows.with_key(vl.Key.fresh())
    whole, _ = best(lambda: vl.publish(data, policy, vl.Anatomy()), 2)
    grouping, _ = best(lambda: vl.Anatomy().group(data.columns, keyed, policy), 2)
    return whole, grouping


def on_census(rows: int) -> None:
    frame = vl.datasets.census(rows)
    theirs, grouping = anatomy(frame)
    data = vl.read(frame, vl.Schema(quasi=CENSUS, sensitive=["occupation", "income"]))
    del frame
    for joint in (True, False):
        decompose(data, vl.Decompose(publish_joint=joint), theirs, grouping)


def decompose(data: Any, method: vl.Decompose, theirs: float, grouping: float) -> None:
    asked = vl.Policy(vl.MultiDiversity({"occupation": 10, "income": 5}))
    ours, release = best(lambda: vl.publish(data, asked, method), 2)
    bounds = {claim["column"]: claim["bound"] for claim in release.certificate.claims}
    what = f"{release.people} census rows, {release.groups} groups, joint table {method.publish_joint}, {bounds}"
    show(f"{what}: publish / Anatomy's publish", ours, theirs, 10)
    keyed = data.rows.with_key(vl.Key.fresh())
    told, _ = method.plan(data.columns, keyed, asked, ())
    ours, _ = best(lambda: told.group(data.columns, keyed, asked), 2)
    show("  grouping / Anatomy's grouping", ours, grouping, 10)
    took, found = best(lambda: vl.audit(release, None, [vl.attacks.Homogeneity(), vl.attacks.Chain()]), 1)
    sampled = any("estimate" in name for item in found.findings for name in item.belief.details)
    how = "sampled" if sampled else "exact for everybody"
    print(f"  homogeneity and chain attacks, {how}: {took:.2f} s; peak memory {peak_gib():.1f} GiB")


def main(rows: int) -> None:
    largest_l(rows)
    if ADULT.exists():
        on_adult()
    on_census(rows)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)

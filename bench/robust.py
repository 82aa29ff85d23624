"""Capped counts on Adult (five columns, a protected set of four levels of education, 31 column sets, support 30, lift
1.5): people missing, beliefs by an audit of its own, the error of COUNT queries, time, and growth with the rows.

python bench/robust.py [adult] [growth]
"""

from __future__ import annotations

import itertools
import math
import sys
import time

import numpy as np
import polars as pl
from art import LOW, QUASI, duck
from clock import show
from tables import ADULT

import voile as vl

STATISTICS = 15_060  # the last rows, from which statistics for the others are learned
BARS = {2: (0.171, 0.116), 3: (0.3375, 0.25), 5: (0.3375, 0.25)}  # mean and median error


def draw_queries(frame: pl.DataFrame, protected: np.ndarray, queries: int = 1000) -> np.ndarray:
    """Draw queries with conditions on two or three columns, 40 % of the values each, and at least ten cases."""
    rng, found = np.random.default_rng(5), []
    columns = {name: frame[name].to_numpy() for name in QUASI}
    values = {name: np.unique(column) for name, column in columns.items()}
    while len(found) < queries:
        chosen = np.ones(len(protected), dtype=bool)
        for name in rng.choice(QUASI, rng.integers(2, 4), replace=False):
            some = rng.choice(values[name], max(1, int(0.4 * len(values[name]))), replace=False)
            chosen &= np.isin(columns[name], some)
        if protected[chosen].sum() >= 10:
            found.append(chosen)
    return np.array(found)


def tabulate_chances(frame: pl.DataFrame, table: pl.DataFrame, smoothing: float) -> np.ndarray:
    """Count the statistics of one table for the people of another, apart from the product (people x sets)."""
    inside = pl.col("education").is_in(LOW).sum().alias("cases")
    base = table["education"].is_in(LOW).mean()
    columns = []
    for size in range(1, len(QUASI) + 1):
        for names in map(list, itertools.combinations(QUASI, size)):
            counted = table.group_by(names).agg(pl.len().alias("people"), inside)
            rare = counted.filter(pl.col("people") < 30)
            rest = base
            if rare["people"].sum() >= 30:
                rest = (rare["cases"].sum() + smoothing * base) / (rare["people"].sum() + smoothing)
            listed = counted.filter(pl.col("people") >= 30)
            rate = (pl.col("cases") + smoothing * base) / (pl.col("people") + smoothing)
            joined = frame.select(names).join(listed.with_columns(rate.alias("rate")), on=names, how="left",
                                              maintain_order="left")  # fmt: skip
            columns.append(joined["rate"].fill_null(rest).to_numpy())
    return np.stack(columns, axis=1)


def believe(chances: np.ndarray, cases: int, capped: bool) -> np.ndarray:
    """Return what is believed of each different chance, by dynamic programming over people, one left out at a time."""
    kinds, counts = np.unique(chances, return_counts=True)
    if kinds[-1] == 0:
        return np.zeros(len(kinds))
    # multiplying all odds by one factor changes no belief, and keeps the numbers in range
    low, high = -40.0, 40.0
    for _ in range(80):
        tilt = math.exp(0.5 * (low + high))
        mean = (counts * kinds * tilt / (1 - kinds + kinds * tilt)).sum()
        low, high = (0.5 * (low + high), high) if mean < max(cases, 0.5) else (low, 0.5 * (low + high))
    tilt = max(math.exp(high), 1.0) if capped else math.exp(high)
    tilted = kinds * tilt / (1 - kinds + kinds * tilt)
    width = cases + int(12 * math.sqrt((counts * tilted * (1 - tilted)).sum())) + 60
    weight = np.where(np.arange(width + 1) >= cases, tilt ** -np.maximum(np.arange(width + 1.0) - cases, 0), 0.0)
    weight = weight if capped else (np.arange(width + 1) == cases) * 1.0

    def spread(amounts: np.ndarray) -> np.ndarray:
        numbers = np.zeros(width + 1)
        numbers[0] = 1.0
        for chance, amount in zip(tilted, amounts, strict=True):
            for _ in range(amount):
                numbers[1:] = numbers[1:] * (1 - chance) + numbers[:-1] * chance
                numbers[0] *= 1 - chance
        return numbers

    total = (spread(counts) * weight).sum()
    if not capped:
        positions = range(len(kinds))
    else:  # belief grows with the chance, and belief divided by chance falls: the ends of each part decide
        positions = range(len(kinds)) if len(kinds) * counts.sum() < 20_000 else (0, len(kinds) // 2, len(kinds) - 1)
    beliefs = np.zeros(len(kinds))
    for position in positions:
        others = counts - (np.arange(len(kinds)) == position)
        beliefs[position] = tilted[position] * (spread(others)[:-1] * weight[1:]).sum() / total
    return beliefs


def audit(release: vl.Release, chances: np.ndarray, r: float, lift: float, sets: range) -> float:
    """Return by how much a belief exceeds its bound, over the groups of at most 3,000 people."""
    quasi, shown = release.tables["quasi"], release.tables["sensitive"]
    values = {group: {} for group in quasi["group"].unique().to_list()}
    for group, value, count in shown.select("group", pl.col("education").cast(pl.String), "count").iter_rows():
        values[group][value] = count
    members = quasi.with_row_index().group_by("group").agg("index").sort("group")
    worst = -1.0
    for group, rows in members.iter_rows():
        counts = values[group]
        if len(rows) > 3000:
            continue
        for a in sets:
            here = chances[rows, a]
            kinds = np.unique(here)
            belief = believe(here, counts.get("protected values", 0), "not shown" in counts)
            worst = max(worst, float((belief - np.maximum(1 / r, lift * kinds)).max()))
    return worst


def adult() -> None:
    whole = pl.read_csv(ADULT)
    schema = vl.Schema(quasi=QUASI, sensitive=["education"])
    yardstick = duck()
    for source in ("elsewhere", "table"):
        frame = whole if source == "table" else whole.head(len(whole) - STATISTICS)
        others = whole if source == "table" else whole.tail(STATISTICS)
        smoothing = 0.0 if source == "table" else 5.0
        data = vl.read(frame, schema)
        prior = vl.learn_prior(vl.read(others, schema), smoothing=smoothing)
        protected = frame["education"].is_in(LOW).to_numpy()
        queries = draw_queries(frame, protected).astype(np.float32)
        truth = queries @ protected.astype(np.float32)
        for r in (2, 3, 5, 10):
            model = vl.RRobustness(r=r, protect=tuple(LOW), protect_as="set", prior=prior, source=source)
            start = time.perf_counter()
            release = vl.publish(data, model, key=vl.Key(bytes(32)))
            took = time.perf_counter() - start
            quasi, shown = release.tables["quasi"], release.tables["sensitive"]
            inside = shown.filter(pl.col("education").cast(pl.String) == "protected values").select("group", "count")
            sizes = quasi.group_by("group").len()
            share = quasi.join(inside, on="group", how="left").join(sizes, on="group")
            rates = share.group_by(QUASI).agg((pl.col("count").fill_null(0) / pl.col("len")).mean().alias("rate"))
            guess = frame.join(rates, on=QUASI, how="left", maintain_order="left")["rate"].to_numpy()
            errors = np.abs(queries @ guess.astype(np.float32) - truth) / truth
            ordered = quasi.drop("group")
            chances = tabulate_chances(ordered.cast(frame.select(QUASI).schema), others, smoothing)
            excess = audit(release, chances, r, 1.5, range(0, 31, 3))
            capped = shown.filter(pl.col("education").cast(pl.String) == "not shown").height
            print(
                f"Adult, statistics from {source}, r={r}: {release.people} of {len(frame)} people in {release.groups} "
                f"groups ({capped} capped, largest {sizes['len'].max()}), {inside['count'].sum()} of {protected.sum()} "
                f"cases, excess of a belief {excess:.1e}, error {errors.mean():.3f} / {np.median(errors):.3f}"
            )
            mean, median = BARS.get(r, (math.inf, math.inf))
            show(f"  mean error, r={r}", float(errors.mean()), mean, 1, "")
            show(f"  median error, r={r}", float(np.median(errors)), median, 1, "")
            show("  publish, against group by of 5 M x 8", took, yardstick, 20)


def growth() -> None:
    """The census generator, four columns; statistics of other people, learned from 50,000 of them."""
    quasi = ["age", "gender", "work-class", "marital-status"]
    schema = vl.Schema(quasi=quasi, sensitive=["occupation"])
    others = vl.read(vl.datasets.census(100_000).tail(50_000), schema)
    labels = others.columns["occupation"].domain.labels
    table = others.rows.histogram(["occupation"])
    rare = tuple(labels[code] for code in table.codes[np.argsort(table.counts)[:3], 0])
    prior = vl.learn_prior(others, smoothing=5)
    for rows in (50_000, 500_000, 5_000_000):
        data = vl.read(vl.datasets.census(rows), schema)
        model = vl.RRobustness(r=4, protect=rare, protect_as="set", prior=prior, source="elsewhere")
        start = time.perf_counter()
        release = vl.publish(data, model, key=vl.Key(bytes(32)))
        took = time.perf_counter() - start
        print(
            f"{rows} census rows: {took:.2f} s in {release.groups} groups, "
            f"{took / rows / np.log(rows) * 1e9:.1f} ns per n log n"
        )


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["adult", "growth"]
    if "adult" in chosen and ADULT.exists():
        adult()
    if "growth" in chosen:
        growth()

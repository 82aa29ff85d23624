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
from scipy.optimize import brentq
from scipy.signal import fftconvolve, lfilter
from scipy.special import expit
from scipy.stats import binom
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


def multiply(factors: list[np.ndarray]) -> np.ndarray:
    """Multiply polynomials with coefficients from 0 to 1 in pairs of like size, directly or by FFT where both are
    long."""
    while len(factors) > 1:
        factors = sorted(factors, key=len)
        products = [
            np.maximum(fftconvolve(one, two), 0) if min(len(one), len(two)) > 256 else np.convolve(one, two)
            for one, two in zip(factors[::2], factors[1::2], strict=False)
        ]
        factors = products + (factors[-1:] if len(factors) % 2 else [])
    return factors[0]


def count_cases(chances: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Return the distribution of the number of cases, by classes of equal chance: a binomial each, multiplied."""
    return multiply([binom.pmf(np.arange(n + 1), n, chance) for chance, n in zip(chances, people, strict=True) if n])


def believe(chances: np.ndarray, cases: int, capped: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return what is believed of each different chance, apart from the product: the distribution of the number of cases
    of all, by divide and conquer; that of all but one follows from it by a recurrence, from the side where it is
    stable. All odds are multiplied by one factor first, which changes no belief given the number of cases and moves
    the number into the middle, where the error of the products (1e-15 of the largest term) does not matter."""
    kinds, counts = np.unique(chances, return_counts=True)
    sure, never = int(counts[kinds >= 1].sum()), kinds <= 0
    inner = (kinds > 0) & (kinds < 1)
    beliefs = np.where(kinds >= 1, 1.0, 0.0)
    needed = cases - sure
    if (capped and needed <= 0) or not inner.any():
        return kinds, np.where(never, 0.0, kinds)
    open_chances, open_people = kinds[inner], counts[inner]
    logits = np.log(open_chances) - np.log1p(-open_chances)
    shift = brentq(lambda x: open_people @ expit(logits + x) - np.clip(needed, 0.5, open_people.sum() - 0.5), -80, 80)
    shift = max(shift, 0.0) if capped else shift
    tilted = expit(logits + shift)
    numbers = count_cases(tilted, open_people)
    fits = np.zeros(len(numbers))
    if capped:
        fits[needed:] = np.exp(-shift * np.arange(len(numbers) - needed))
    else:
        fits[needed] = 1.0
    total = (numbers * fits).sum()
    inside = np.empty(len(tilted))
    for position, chance in enumerate(tilted):
        inside[position] = chance * (leave_out(numbers, chance) * fits[1:]).sum() / total
    beliefs[inner] = inside
    return kinds, beliefs


def leave_out(numbers: np.ndarray, chance: float) -> np.ndarray:
    """Return the distribution of the number of cases without one person: q[k] (1 - chance) + q[k - 1] chance =
    numbers[k], solved from below for small chances and from above for large ones, so that errors shrink."""
    if chance <= 0.5:
        return lfilter([1.0], [1 - chance, chance], numbers)[:-1]
    return lfilter([1.0], [chance, 1 - chance], numbers[::-1])[:-1][::-1]


def audit(release: vl.Release, chances: np.ndarray, r: float, lift: float) -> tuple[float, int, float]:
    """Return by how much a belief exceeds its bound, over all groups and column sets; how many beliefs there were; and
    how far the beliefs of a group are from summing to its cases, where these are shown (a check of the audit)."""
    quasi, shown = release.tables["quasi"], release.tables["sensitive"]
    values = {group: {} for group in quasi["group"].unique().to_list()}
    for group, value, count in shown.select("group", pl.col("education").cast(pl.String), "count").iter_rows():
        values[group][value] = count
    members = quasi.with_row_index().group_by("group").agg("index").sort("group")
    worst, number, drift = -1.0, 0, 0.0
    for group, rows in members.iter_rows():
        counts = values[group]
        cases, capped = counts.get("protected values", 0), "not shown" in counts
        for a in range(chances.shape[1]):
            kinds, belief = believe(chances[rows, a], cases, capped)
            people = np.unique(chances[rows, a], return_counts=True)[1]
            worst, number = max(worst, float((belief - np.maximum(1 / r, lift * kinds)).max())), number + len(kinds)
            drift = drift if capped else max(drift, abs(float(people @ belief) - cases))
    return worst, number, drift


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
            excess, beliefs, drift = audit(release, chances, r, 1.5)
            capped = shown.filter(pl.col("education").cast(pl.String) == "not shown").height
            print(
                f"Adult, statistics from {source}, r={r}: {release.people} of {len(frame)} people in {release.groups} "
                f"groups ({capped} capped, largest {sizes['len'].max()}), {inside['count'].sum()} of {protected.sum()} "
                f"cases; excess of {beliefs} beliefs (all groups, all sets) {excess:.1e}, sums off by {drift:.0e}; "
                f"error {errors.mean():.3f} / {np.median(errors):.3f}"
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

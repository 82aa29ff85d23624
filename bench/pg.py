"""Perturbed generalization: from Parquet to a verified release, attacks by the thousand, and mining on the release."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from clock import best, peak_gib, show
from sklearn.tree import DecisionTreeClassifier

import voile as vl
from voile.mining.tree import make_feature
from voile.models.anti_corruption.privacy_arithmetic import Terms
from voile.releases.randomized_response import Channel

INCOMES = list(range(50))
POLICY, METHOD = vl.AntiCorruption(rho1=0.2, rho2=0.5), vl.PerturbedGeneralization(s=1 / 6)


def schema(frame: pl.DataFrame) -> vl.Schema:
    return vl.Schema(quasi=frame.columns[:-1], sensitive=["income"], domains={"income": INCOMES})


def pipeline(rows: int) -> None:
    """Bar: 3 times (polars reading and writing the same Parquet, plus Mondrian's grouping of the same rows)."""
    frame = vl.datasets.census(rows)
    columns = schema(frame)
    with tempfile.TemporaryDirectory() as place:
        source, out = Path(place) / "census.parquet", Path(place) / "release"
        frame.write_parquet(source)
        del frame

        def ours() -> None:
            shutil.rmtree(out, ignore_errors=True)
            marks = [time.perf_counter()]
            data = vl.read(source, columns)
            marks.append(time.perf_counter())
            release = vl.publish(data, POLICY, METHOD)
            marks.append(time.perf_counter())
            release.save(out)
            marks.append(time.perf_counter())
            assert not vl.verify(out).broken
            marks.append(time.perf_counter())
            steps = zip(("read", "publish", "save", "verify"), marks, marks[1:], strict=False)
            print("  " + ", ".join(f"{name} {b - a:.2f} s" for name, a, b in steps))

        took, _ = best(ours)
        both, _ = best(lambda: pl.read_parquet(source).write_parquet(Path(place) / "copy.parquet"))
        data = vl.read(source, columns)
        keyed, k = data.rows.with_key(vl.Key.fresh()), vl.Policy(vl.KAnonymity(k=6))
        grouping, _ = best(lambda: vl.Mondrian().group(data.columns, keyed, k))
        whole, _ = best(lambda: vl.publish(data, k), 2)
        show(
            f"{rows} rows to a verified release / (polars read + write, and Mondrian's cuts)", took, both + grouping, 3
        )
        show("  the same / (3 polars read + write) + Mondrian published", took, 3 * both + whole, 1)
        show("  the same / (3 polars read + write) + Mondrian's cuts", took, 3 * both + grouping, 1)
        print(f"  peak memory {peak_gib():.2f} GiB")


def attacks(count: int, size: int = 20, skew: float = 0.3, rho1: float = 0.2) -> None:
    """Compare belief with the certified bound for random priors and corruption from none to all but one. Bar: 60 s."""
    start, rng = time.perf_counter(), np.random.default_rng(1)
    broken, nearest, done = 0, 0.0, 0
    settings = [(k, p) for k in (2, 4, 6, 8, 10) for p in (0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95, 0.05)]
    each = -(-count // len(settings))
    for k, p in settings:
        channel, terms = Channel(p, size), [Terms(k, size, skew, tight=tight) for tight in (False, True)]
        u, growth = float(channel.noise), [float(one.growth(p)) for one in terms]
        belief = [float(one.belief(p, rho1)) for one in terms]
        prior = rng.dirichlet(np.full(size, 0.2), each)
        for _ in range(60):  # spread the excess above the skew over the rest
            over = np.maximum(prior - skew, 0).sum(axis=1, keepdims=True)
            prior = np.minimum(prior, skew)
            room = skew - prior
            prior += room * (over / room.sum(axis=1, keepdims=True))
        prior = np.minimum(prior, skew)
        group, y = rng.integers(k, k + 4, each), rng.integers(0, size, each)
        known = rng.integers(0, group)  # how many of the others are corrupted
        alike = rng.binomial(known, rng.random(each) * 0.3)  # and have the published value
        others = rng.random(each) * 0.3  # the belief about those who are not corrupted
        w = prior[np.arange(each), y]
        own = p * w + u
        rest = known * u + alike * p + (group - 1 - known) * (p * others + u)
        h = own / (own + rest)
        turned = prior * u / own[:, None]
        turned[np.arange(each), y] += w * p / own
        after = h[:, None] * turned + (1 - h)[:, None] * prior
        grown = np.maximum(after - prior, 0).sum(axis=1)
        # the set of prior at most rho1 with the highest belief: y, filled up with values as likely as before
        room = np.clip(rho1 - w, 0, None) / np.maximum(1 - w, 1e-300)
        believed = np.where(w <= rho1, after[np.arange(each), y] + room * (1 - after[np.arange(each), y]), 0)
        for bound, most in zip(growth, belief, strict=True):
            broken += int((grown > bound + 1e-9).sum() + (believed > most + 1e-9).sum())
        nearest, done = max(nearest, float((grown / growth[1]).max())), done + each
    took = time.perf_counter() - start
    print(f"{done} simulated attacks: {broken} above the certificate (bar 0), the nearest at {nearest:.3f} of it")
    show("simulated attacks", took, 60, 1)


def mining(rows: int) -> None:
    """Bars: 10 times scikit-learn on as many rows; an error nearer to optimistic than to pessimistic."""
    frame = vl.datasets.census(rows)
    data = vl.read(frame, schema(frame))
    release = vl.publish(data, vl.AntiCorruption(rho1=0.2, rho2=0.451), vl.PerturbedGeneralization(s=1 / 6, p=0.3))
    given = vl.mining.training(release, [25])
    codes = np.stack([make_feature(given.X[name]).codes(given.X[name]) for name in given.X.columns], axis=1)
    tree = vl.mining.DecisionTree(starts=[25])
    tree.fit(release)  # compile
    ours, _ = best(lambda: tree.fit(release))
    theirs, _ = best(lambda: DecisionTreeClassifier().fit(codes, given.y, sample_weight=given.weight))
    short, _ = best(lambda: DecisionTreeClassifier(max_depth=8).fit(codes, given.y, sample_weight=given.weight))
    show(f"tree on {release.groups} released rows / scikit-learn", ours, theirs, 10)
    show("  the same / scikit-learn of the same depth", ours, short, 10)
    loss = vl.measures.Classification(starts=("25",))(data, release)
    low, high = loss.parts["optimistic"], loss.parts["pessimistic"]
    verdict = "ok" if loss.value - low < high - loss.value else "MISSED"
    print(f"error {loss.value:.4f}, optimistic {low:.4f}, pessimistic {high:.4f}: nearer to optimistic: {verdict}")


if __name__ == "__main__":
    part = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    pipeline(int(5_000_000 * part))
    attacks(40_000)
    mining(int(700_000 * part))

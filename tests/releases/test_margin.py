"""How far an estimate may be off: against worlds drawn by chance, as the estimate takes them to be."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import voile as vl


def test_a_box_is_binomial() -> None:
    """Ages spread evenly over a box of ten values: how many are in three of them."""
    frame = pl.DataFrame({"age": list(range(10)) * 4, "s": ["x", "y"] * 20})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["s"], domains={"age": range(10)}))
    release = vl.publish(data, vl.KAnonymity(k=40))
    assert release.groups == 1
    assert release.estimate(age=(0, 2)) == pytest.approx(12)
    rng = np.random.default_rng(1)
    worlds = (rng.integers(0, 10, (20_000, 40)) < 3).sum(axis=1)
    assert release.margin(age=(0, 2)) == pytest.approx(2 * worlds.std(), rel=0.03)
    assert release.margin(s="x") == 0  # published as it is


def test_a_group_is_hypergeometric() -> None:
    """Values dealt to the people of a group by chance."""
    frame = pl.DataFrame({"sex": ["F"] * 6 + ["M"] * 6, "s": ["a", "b", "c"] * 4})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["s"]))
    release = vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=vl.Key(bytes(32)))
    rng = np.random.default_rng(1)
    tables = release.tables
    worlds = []
    for _ in range(20_000):
        total = 0
        for group in tables["quasi"]["group"].unique():
            people = tables["quasi"].filter(pl.col("group") == group)["sex"].to_list()
            shown = tables["sensitive"].filter(pl.col("group") == group)
            values = [v for v, n in zip(shown["s"], shown["count"], strict=True) for _ in range(n)]
            dealt = rng.permutation(len(values))
            total += sum(sex == "F" and values[place] == "a" for sex, place in zip(people, dealt, strict=True))
        worlds.append(total)
        if len(worlds) == 4_000:
            break
    assert release.estimate(sex="F", s="a") == pytest.approx(np.mean(worlds), abs=0.05)
    assert release.margin(sex="F", s="a") == pytest.approx(2 * np.std(worlds), rel=0.05)
    assert release.margin(sex="F") == 0
    assert release.margin(s="a") == 0


def test_the_margin_covers_the_noise_of_one_perturbed_row_per_group() -> None:
    """Drawn again with other coins, the estimate moves about as far as the margin says."""
    schema = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
    data = vl.read(vl.datasets.hospital(), schema)
    model = vl.AntiCorruption(rho1=0.2, rho2=0.9, skew=0.3)
    found, margins = [], []
    for number in range(60):
        release = vl.publish(data, model, vl.PerturbedGeneralization(), key=vl.Key(bytes([number] * 32)))
        found.append(release.estimate(disease=["Asthma", "Influenza", "Pneumonia", "Depression"]))
        margins.append(release.margin(disease=["Asthma", "Influenza", "Pneumonia", "Depression"]))
    assert 0.5 < np.mean(margins) / (2 * np.std(found)) < 2


def test_several_secrets() -> None:
    frame = pl.DataFrame(
        {"age": list(range(40)), "s": [f"s{n % 8}" for n in range(40)], "t": [f"t{n % 5}" for n in range(40)]}
    )
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["s", "t"]))
    release = vl.publish(data, vl.MultiDiversity(l={"s": 2, "t": 2}), vl.Decompose())
    assert release.margin(age=(0, 9), s="s1") > 0
    assert release.margin(age=(0, 9)) < 1e-6


def test_a_shape_that_cannot_say() -> None:
    from voile.releases.queries.query import Query
    from voile.releases.release import Release

    assert math.isnan(Release.variance(None, Query({})))  # type: ignore[arg-type]

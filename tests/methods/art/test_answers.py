"""Random requests to ART: every one is published right or refused, and what the certificate finds is what a slow
recount finds. `bench/answers.py` does the same for thousands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from robust_requests import random_request, recount_worst

import voile as vl
from voile.errors import DataError, SpecError, Unsatisfiable
from voile.results import Answer


def test_random_requests_are_published_right_or_refused(tmp_path: Path) -> None:
    published, recounted = 0, 0
    for seed in range(80):
        request = random_request(seed)
        private = tmp_path / f"{seed}.json"
        try:
            release = vl.publish(request.data, request.model, request.method, key=request.key, private=private)
        except (Unsatisfiable, SpecError, DataError):  # and no BrokenPromise, which is none of these
            continue
        published += 1
        verdict = vl.verify(release.save(tmp_path / f"out{seed}", format="csv"), private=private)
        assert verdict.holds, seed
        worst = recount_worst(request, release)
        if worst is not None:
            recounted += 1
            found = release.certificate.claims[0]["found"]["worst_belief"]
            assert found == pytest.approx(worst, abs=2e-6), seed
    assert published > 25
    assert recounted > 15


def test_a_set_counts_values_that_are_not_published() -> None:
    """The only person with HIV is withheld, and HIV still counts in everybody's rate of the set."""
    people = pl.DataFrame({"a": ["w", "x", "y", "z"], "s": ["none", "flu", "none", "hiv"]})
    chances = {"w": (0.001, 0.001, 0.998), "x": (0.05, 0.1, 0.85), "y": (0.15, 0.1, 0.75), "z": (0.9, 0.05, 0.05)}
    rows = [("a", a, v, p) for a, row in chances.items() for v, p in zip(("hiv", "flu", "none"), row, strict=True)]
    prior = vl.read_prior(pl.DataFrame(rows, ["columns", "signature", "value", "probability"], orient="row"), "s")
    data = vl.read(people, vl.Schema(quasi=["a"], sensitive=["s"]))
    model = vl.RRobustness(r=1.5, protect=("hiv", "flu"), protect_as="set", reading="binary", prior=prior)
    release = vl.publish(data, model, vl.Art(grouping="greedy"), key=vl.Key(bytes(32)))
    assert "hiv" not in release.tables["sensitive"]["s"].cast(pl.String).to_list()
    odds = {"x": 0.15 / 0.85, "y": 0.25 / 0.75}
    expected = odds["y"] / sum(odds.values())
    assert release.certificate.claims[0]["found"]["worst_belief"] == pytest.approx(expected, abs=1e-6)
    assert vl.verify(release, prior=prior).holds


def test_a_column_that_looks_like_an_indicator_is_none() -> None:
    rng = np.random.default_rng(1)
    values = np.where(rng.random(60) < 0.1, "protected values", "other values")
    people = pl.DataFrame({"a": rng.choice(["x", "y"], 60), "s": values})
    data = vl.read(people, vl.Schema(quasi=["a"], sensitive=["s"]))
    for protect, share in (("protected values", 0.5), ("other values", 1.0)):
        model = vl.RRobustness(r=1.01 if share == 1 else 2, protect=(protect,), min_support=5)
        method = vl.Art(frequent="suppress")
        release = vl.publish(data, model, method, key=vl.Key(bytes(32)))
        entry = release.dictionary["columns"][-1]
        assert "indicator" not in entry
        counts = next(iter(release.tallies.values()))
        assert counts.column is not None
        assert [counts.column.domain.labels[code] for code in np.flatnonzero(model.events(counts.column) >= 0)] == [
            protect
        ]
        assert vl.audit(release, data).passed


def test_missing_people_are_named_in_the_promise_and_checked() -> None:
    people = pl.DataFrame({"a": ["x"] * 9 + ["y"] * 3, "s": ["flu"] * 9 + ["hiv", "hiv", "flu"]})
    data = vl.read(people, vl.Schema(quasi=["a"], sensitive=["s"]))
    model = vl.RRobustness(r=2, protect=("hiv",), min_support=3)
    release = vl.publish(data, model, vl.Art(), key=vl.Key(bytes(32)))
    assert release.dictionary["withheld"] > 0
    (claim,) = release.certificate.claims
    assert "missing from the release" in claim["promise"]
    assert vl.verify(release).checks[-1].answer is Answer.NEEDS
    silent = replace(release.certificate, claims=({**claim, "promise": claim["promise"].partition(" It does")[0]},))
    assert vl.verify(release.with_certificate(silent)).broken

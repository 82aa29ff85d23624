"""The paper, recomputed: the claims of cheap items, the way the figures are computed, and their quick form."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from papers.quick_forms import list_changed_verdicts, reproduce_quickly

import voile as vl
from voile.models.anti_corruption.privacy_arithmetic import Terms
from voile.papers.claim import check_claim
from voile.papers.item_results import round_numbers
from voile.papers.paper import Run
from voile.papers.perturbed_generalization import theorems, utility
from voile.papers.perturbed_generalization.perturbed_generalization import PAPER
from voile.papers.perturbed_generalization.reconstruction import invert, maximize_likelihood
from voile.papers.perturbed_generalization.utility import SPLITTERS, measure_point
from voile.papers.reproduce import reproduce
from voile.releases.randomized_response import Channel

CHEAP = ["attacks", "lemmas", "table-2", "theorems", "table-3", "data"]
DIFFERING = {
    "no y-to-1 guarantee with y above 0 holds (unless x = 1 and y = 0)",
    "the boxes are those of Table I(c)",
    "p is the minimum value that guarantees the absence of breaches",
    "property G2 (groups of at least k) makes the crucial tuple unique",
    "a 0.2-to-0.36 guarantee",
    "cells that are at least what is needed (24 are printed as sufficient)",
}


def test_the_quick_form_gives_the_committed_verdicts(tmp_path: Path) -> None:
    found = reproduce_quickly("pg", tmp_path)
    assert list_changed_verdicts("pg", tmp_path) == []
    claims = pl.read_csv(tmp_path / "claims.csv").filter(pl.col("item").is_in(CHEAP))
    assert set(claims.filter(pl.col("verdict") == "differs")["says"]) == DIFFERING
    assert claims.filter(pl.col("item") == "table-3").height == 24 + 3
    needed = found["table-3"].filter(pl.col("k") == 10)["rho2"].item()
    assert needed == pytest.approx(0.367886)


def test_the_printed_coins_give_the_printed_table(tmp_path: Path) -> None:
    table = reproduce("pg", ["table-2"], out=tmp_path)["table-2"]
    assert table.filter(pl.col("person").is_in(["Bob", "Debbie", "Fiona", "Isaac"]))["shown"].to_list() == [
        "hypertension",
        "breast cancer",
        "bronchitis",
        "ovarian cancer",
    ]


def test_a_broken_bound_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exhaustive check of the theorems has teeth: with the bound of larger groups it counts breaches."""
    monkeypatch.setattr(theorems, "Terms", lambda k, size, skew: Terms(k + 2, size, skew))
    found = theorems.try_all(3, 2, theorems.KEEPS[1], theorems.SKEWS[1])
    assert found["theorem 2"] > 0
    assert found["theorem 3"] > 0
    assert found["inequality 20"] > 0


def test_the_attack_of_the_theorems_is_that_of_the_product() -> None:
    prior = tuple(Fraction(part, 8) for part in (3, 4, 1))
    h, after = theorems.attack(prior, Fraction(3, 10), 1, 2)
    ours = vl.attacks.corruption.posterior([float(x) for x in prior], 0, Channel(0.3, 3), 3, [0, 2])
    assert float(h) == pytest.approx(ours[0])
    assert [float(x) for x in after] == pytest.approx(list(ours[1]))


def test_em_ends_at_the_most_likely_counts() -> None:
    rng, channel = np.random.default_rng(3), Channel(0.4, 5)
    for _ in range(20):
        counts = rng.integers(1, 60, 5).astype(float)
        direct = (counts - float(channel.noise) * counts.sum()) / 0.4
        em, inverse = maximize_likelihood(counts, channel), invert(counts, channel)
        assert em.sum() == pytest.approx(counts.sum())
        if direct.min() > 0:
            assert em == pytest.approx(inverse, abs=1e-3)
        likelihood = [
            float((counts * np.log(0.4 * x + float(channel.noise) * counts.sum())).sum()) for x in (em, inverse)
        ]
        assert likelihood[0] >= likelihood[1] - 1e-6


def test_a_point_and_the_users_table(tmp_path: Path) -> None:
    """Both splitters are published with a guarantee that is true for them, and the lines span all seeds."""
    source = tmp_path / "sal.csv"
    vl.datasets.census(4000).write_csv(source)
    point = measure_point(utility.read_census(Run(data=source)), 6, 0.3, 0)
    aware, blind = (point[f"{name}, rho2"] for name in SPLITTERS)
    assert (aware, blind) == (0.848649, 0.450356)
    item = next(item for item in PAPER.items if item.name == "figure-2")
    table = item.compute(Run(data=source, quick=True))
    assert table["k"].unique().sort().to_list() == [2, 6, 10]
    assert set(table["method"]) == {*SPLITTERS, "optimistic", "pessimistic"}
    assert (table["low"] <= table["error"]).all()
    assert table["error"].is_between(0, 1).all()


def test_verdicts_of_the_committed_figures() -> None:
    """The claims about Figures 2 and 3 hold for the numbers in the gallery, and can fail."""
    place = Path(__file__).parents[3] / "docs" / "reproduction" / "pg"
    for item in PAPER.items:
        if item.name.startswith("figure"):
            table = pl.read_csv(place / f"{item.name}.csv")
            checked = [check_claim(claim, table) for claim in item.claims]
            assert [c.needs_attention for c in checked if c.needs_attention] == []
            worse = table.with_columns(
                error=pl.when(pl.col("method") == next(iter(SPLITTERS))).then(0.9).otherwise("error")
            )
            changed = [check_claim(claim, round_numbers(worse)) for claim in item.claims]
            assert any(c.needs_attention for c in changed)


def test_the_paper_is_listed() -> None:
    assert [item.name for item in PAPER.items] == [*CHEAP, "figure-2", "figure-3", "reconstruction"]

"""Which release wins: the one with the least distance of marginals that has lost no column, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import RECOGNISABLE
from voile.flow.compare.comparison import Comparison
from voile.flow.compare.trial import LossResult, Trial
from voile.flow.compare.trial_table import TrialTable

KEY = vl.Key(bytes(32))


def make_trial(title: str, loss: float, **facts: object) -> Trial:
    columns = {"age": loss / 2, "city": loss, "zip": 2 * loss}
    losses = (LossResult("marginals", "Marginals", loss, columns),)
    trial = Trial(title, "k-anonymity (k=5)", {"name": title}, (), verified="holds", losses=losses)
    return replace(trial, **facts)  # type: ignore[arg-type]


TRIALS = (make_trial("a", 0.1, lost=("zip",)), make_trial("b", 0.3, recognisable=True), make_trial("c", 0.2))


def test_a_release_with_a_lost_column_wins_only_if_that_is_allowed() -> None:
    table = TrialTable(TRIALS, (), "marginals", 100)
    assert table.best is TRIALS[2]
    assert replace(table, allow_lost=True).best is TRIALS[0]
    alone = replace(table, rows=TRIALS[:1])
    assert alone.best is None
    assert alone.only_lost("k-anonymity (k=5)")
    assert not table.only_lost("k-anonymity (k=5)")


def test_the_median_and_the_worst_column_stand_beside_the_loss() -> None:
    told = TrialTable(TRIALS, (), "marginals", 100).as_json()["trials"][2]["columns"]
    each = [{"column": name, "loss": loss, "stars": None} for name, loss in (("age", 0.1), ("city", 0.2), ("zip", 0.4))]
    assert told == {"median": 0.2, "worst": "zip", "worst_loss": 0.4, "each": each}
    assert TRIALS[2].column_losses("query-error") == (None, None, None)


def test_a_trial_survives_its_json() -> None:
    assert Trial.from_json(TRIALS[0].as_json()) == TRIALS[0]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 120),
            "zip": [f"{n:05}" for n in rng.integers(0, 99999, 120)],
            "disease": rng.choice(["flu", "cold", "gout", "asthma"], 120),
        }
    )
    data = vl.read(frame, vl.Schema(quasi=["age", "zip"], sensitive=["disease"]))
    methods = [vl.Mondrian(), vl.FullDomain(suppression=0.0), vl.Anatomy()]
    measures = [vl.measures.Marginals(), vl.measures.QueryError(queries=50, repetitions=1)]
    return vl.compare(data, vl.LDiversity(l=2), methods, [vl.attacks.Homogeneity()], measures, key=KEY)


def test_marginals_decide_and_losses_are_found_on_a_real_table(comparison: Comparison) -> None:
    mondrian, full_domain, anatomy = comparison.rows
    assert comparison.by == "marginals"
    assert "zip" in full_domain.lost
    assert not anatomy.lost
    assert (mondrian.recognisable, full_domain.recognisable, anatomy.recognisable) == (False, False, True)
    assert comparison.best is anatomy
    assert RECOGNISABLE in comparison.html
    assert "Cannot win." in comparison.html
    assert set(comparison.frame().columns) >= {"lost columns", "recognisable", "worst column", "loss median column"}

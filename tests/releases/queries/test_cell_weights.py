"""Weighted estimates: recomputed from the text of the published cells, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import even_count

import voile as vl
from voile.errors import PolicyError, SchemaError

KEY = vl.Key(bytes(range(32)))


def survey(whole: bool) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    weights = rng.gamma(3, 50, 400).round(1) + 1
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, 400),
            "wt": weights.round().astype(np.int64) if whole else weights,
            "disease": rng.choice(["flu", "HIV", "acne"], 400),
        }
    )


def publish(frame: pl.DataFrame, method: Any = None, **more: Any) -> Any:
    schema = vl.Schema(**{"quasi": ["age"], "sensitive": ["disease"], "weight": "wt", **more})
    return vl.publish(vl.read(frame, schema), vl.KAnonymity(k=4), method or vl.Mondrian(), key=KEY)


def ends(cell: Any, entry: Any) -> tuple[float, float]:
    """The ends of a published cell, from its text."""
    text = str(cell)
    if text == "*":
        return float(entry["domain"]["min"]), float(entry["domain"]["max"])
    low, _, high = text.strip("[]").partition(", ")
    return float(low), float(high or low)


def weigh(release: Any, keep: Any = lambda row: 1.0) -> tuple[float, float]:
    """The weighted estimate, and the number of rows, by the definition."""
    entry = next(entry for entry in release.dictionary["columns"] if entry["name"] == "wt")
    people = rows = 0.0
    for row in release.tables["table"].iter_rows(named=True):
        share = keep(row)
        people += share * sum(ends(row["wt"], entry)) / 2
        rows += share
    return people, rows


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(suppression=0.05)], ids=["boxes", "levels"])
def test_a_row_counts_the_mean_of_the_ends_of_its_cell(whole: bool, method: Any, tmp_path: Path) -> None:
    release = publish(survey(whole), method)
    release.save(tmp_path / "out", format="csv")
    for shown in (release, vl.load(tmp_path / "out")):
        assert vl.verify(tmp_path / "out").holds
        people, rows = weigh(shown)
        assert even_count(shown) == pytest.approx(people)
        assert even_count(shown, weighted=False) == pytest.approx(rows)
        people, rows = weigh(shown, lambda row: float(row["disease"] == "HIV"))
        assert even_count(shown, disease="HIV") == pytest.approx(people)
        assert even_count(shown, "disease = 'HIV'", weighted=False) == pytest.approx(rows)


def test_the_weighted_estimate_is_near_the_population() -> None:
    frame = survey(False)
    release = publish(frame)
    for disease in ("flu", "HIV", "acne"):
        truth = frame.filter(pl.col("disease") == disease)["wt"].sum()
        assert even_count(release, disease=disease) == pytest.approx(truth, rel=0.1)
        found = release.count(disease=disease)
        assert found.at_least <= truth <= found.at_most
        assert found.at_least < found.low < found.high < found.at_most
        assert release.count(disease=disease, weighted=False).is_exact


@pytest.mark.parametrize("whole", [False, True])
def test_a_condition_on_the_weight_counts_the_part_of_the_cell_that_satisfies_it(whole: bool) -> None:
    """Each cell is replaced by 4,000 values spread evenly over it (by all its whole numbers)."""
    release = publish(survey(whole))
    entry = next(entry for entry in release.dictionary["columns"] if entry["name"] == "wt")
    expected = 0.0
    for cell in release.tables["table"]["wt"]:
        low, high = ends(cell, entry)
        values = np.arange(low, high + 1) if whole else np.linspace(low, high, 4001)
        inside = (values >= 100) & (values <= 180)
        expected += float((values * inside).mean())
    assert even_count(release, wt=(100, 180)) == pytest.approx(expected, rel=1e-3)
    if whole:
        expected = 0.0
        for cell in release.tables["table"]["wt"]:
            low, high = ends(cell, entry)
            values = np.arange(low, high + 1)
            expected += float((values * np.isin(values, [90, 120])).mean())
        assert even_count(release, wt=[90, 120]) == pytest.approx(expected)


def test_equal_weights_are_exact() -> None:
    release = publish(survey(False).with_columns(wt=pl.lit(2.5)))
    assert even_count(release) == 1000
    assert release.count().is_exact


def test_a_sampled_release_is_weighted_by_its_boxes() -> None:
    frame = survey(False)
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], weight="wt")
    policy = vl.Policy(vl.AntiCorruption(rho1=0.4, rho2=0.8, skew=0.4))
    release = vl.publish(vl.read(frame, schema), policy, vl.PerturbedGeneralization(), key=KEY)
    entry = next(entry for entry in release.dictionary["columns"] if entry["name"] == "wt")
    table = release.tables["table"]
    expected = sum(
        sum(ends(cell, entry)) / 2 * size for cell, size in zip(table["wt"], table["group_size"], strict=True)
    )
    assert even_count(release) == pytest.approx(expected)


def test_methods_that_show_exact_values_refuse_a_weight_that_is_not_withheld() -> None:
    data = vl.read(survey(False), vl.Schema(quasi=["age"], sensitive=["disease"], weight="wt"))
    for model, method in (
        (vl.LDiversity(l=2), vl.Anatomy()),
        (vl.MultiDiversity({"disease": 2}), vl.Decompose()),
        (vl.MInvariance(m=2), vl.Republish()),
    ):
        with pytest.raises(PolicyError) as caught:
            vl.publish(data, model, method)
        assert caught.value.code == "policy.weight"
        assert "withhold_weight=True" in caught.value.hint


def test_a_release_without_a_weight_counts_rows() -> None:
    release = publish(survey(False), withhold_weight=True)
    assert release.weight_name is None
    assert even_count(release) == 400
    with pytest.raises(SchemaError, match="no survey weight"):
        even_count(release, weighted=True)


def test_a_register_needs_no_weight() -> None:
    frame = survey(False)
    register = vl.read(frame, vl.Schema(quasi=["age"]))
    release = publish(frame)
    fitting, sizes = release.candidates(register)
    assert (fitting >= sizes).all()

"""The paper recomputed: the printed posteriors, and a quick run of the experiment."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from papers.quick_forms import list_changed_verdicts, reproduce_quickly

from voile.errors import SpecError
from voile.papers.reproduce import reproduce

PRINTED = {
    "2-diversity": ("1/2", "1"),
    "(3,3)-diversity": ("1/2", "2/3"),
    "(0.4,3)-anonymity, our own": ("2/5", "2/3"),
    "0.2-closeness": ("2/3", "1"),
    "(2,5k)-anonymity": ("2/3", "1"),
    "personalized privacy": ("1/2", "1"),
    "sequential releases": ("1/2", "1"),
    "(0.6,2)-safety, as the slides count": ("1/5", "2/3"),
    "(0.6,1)-safety, our own": ("2/5", "2/3"),
    "Adult, aged 80, self-employed": ("1/2", "1"),
}


def test_every_example(tmp_path: Path) -> None:
    found = reproduce("minimality", ["examples", "global", "masking"], out=tmp_path)
    rows = {row["example"]: (row["before"], row["after"]) for row in found["examples"].iter_rows(named=True)}
    assert rows == PRINTED
    closed = found["global"].filter(pl.col("groups") == "2+3+5")["after"].to_list()
    assert closed == ["9/25", "32/75", "2/5"]
    masking = found["masking"].filter(pl.col("what") == "belief, original sampling")
    assert masking.filter(pl.col("theta") == 0.4)["belief"].max() == pytest.approx(0.58)
    slack = found["masking"].filter(pl.col("what") == "belief, slack sampling")
    assert all(belief <= 1 / least + 1e-9 for belief, least in slack.select("belief", "l").iter_rows())
    assert (tmp_path / "minimality" / "examples.csv").exists()


def test_the_table_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="needs the Adult table"):
        reproduce("minimality", ["adult-80"], out=tmp_path)


def test_the_quick_form_gives_the_committed_verdicts(adult: pl.DataFrame, tmp_path: Path) -> None:
    found = reproduce_quickly("minimality", tmp_path)
    assert list_changed_verdicts("minimality", tmp_path) == []
    rows = {row["workclass"]: (row["before"], row["written"], row["attack"]) for row in found["adult-80"].to_dicts()}
    assert rows == {"Self-emp-not-inc": ("1/2", "1", 1.0), "Private": ("1/4", "0", 0.0)}
    table = found["experiment-local"]
    assert table["columns"].unique().sort().to_list() == [3, 5, 8]
    assert table["m"].unique().sort().to_list() == [2, 10]
    ignoring = table.filter(pl.col("algorithm") == "ignores the attack")
    masked = table.filter(pl.col("algorithm") == "MASK, fixed channels")
    assert (ignoring["changed"] == 0).all()
    # blind groups need not be coarser than those that must hide the values themselves
    assert masked["distortion"].mean() <= ignoring["distortion"].mean() * 1.05
    imitating = table.filter(pl.col("algorithm") == "MASK, the paper's sampling")
    assert masked["changed"].mean() < imitating["changed"].mean()
    assert "(d) distortion, m = 10" in (tmp_path / "minimality" / "experiment-local.svg").read_text()
    assert "(c) execution time" in (tmp_path / "minimality" / "times" / "experiment-local.svg").read_text()


def test_the_tables_of_the_slides_are_published_by_a_method_and_then_attacked(tmp_path: Path) -> None:
    found = reproduce("minimality", ["published"], out=tmp_path)["published"]
    first = found.filter(pl.col("expected").is_not_null())
    assert set(first["example"]) == set(PRINTED) - {"(0.6,2)-safety, as the slides count"}
    for row in first.iter_rows(named=True):
        assert (row["before"], row["written"]) == PRINTED[row["example"]]
        assert row["written"] == row["expected"]
        assert row["attack"] == pytest.approx(float(Fraction(row["expected"])))
    others = found.filter(pl.col("expected").is_null() & pl.col("attack").is_not_null())
    assert others["attack"].to_list() == [pytest.approx(float(Fraction(text))) for text in others["written"]]
    shown = first.filter(pl.col("example") == "2-diversity")["published"].item()
    assert shown == "*: None, None, Yes, Yes; q2: None, None"

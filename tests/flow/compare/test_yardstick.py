"""Yardsticks: synthetic tables are measured as releases are, stand apart, and never win."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SpecError
from voile.flow.compare.comparison_request import read_comparison_request
from voile.flow.compare.yardstick import NOTE, Yardstick, measure_yardstick
from voile.io.spec_files import make_spec
from voile.tables.microdata import Microdata

FRAME = pl.DataFrame(
    {
        "age": np.random.default_rng(0).integers(20, 40, 90),
        "city": ["Bern", "Lyon", "Rome"] * 30,
        "disease": ["flu", "cold"] * 45,
    }
)


def read() -> Microdata:
    return vl.read(FRAME, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))


def test_a_copy_loses_nothing_and_rows_are_scaled() -> None:
    assert measure_yardstick(read(), Yardstick(FRAME, 1)).loss == pytest.approx(0)
    twice = measure_yardstick(read(), Yardstick(pl.concat([FRAME, FRAME]), 1))
    assert (twice.rows, twice.loss) == (180, pytest.approx(0))


def test_values_that_nobody_has_are_lost() -> None:
    elsewhere = FRAME.with_columns(city=pl.lit("Atlantis"))
    parts = measure_yardstick(read(), Yardstick(elsewhere, 1)).parts
    assert parts["city"] == pytest.approx(1)
    assert parts["age"] == pytest.approx(1 / 3)  # alone and with the disease nothing is lost
    flat = measure_yardstick(read(), Yardstick(FRAME.with_columns(disease=pl.lit("flu")), 1))
    assert flat.parts["disease"] == pytest.approx(0.5)


def test_yardsticks_stand_apart_from_trials(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "mst.csv")
    yardstick = Yardstick(tmp_path / "mst.csv", 0.5, "MST")
    methods, measures = [vl.Mondrian()], [vl.measures.Marginals()]
    comparison = vl.compare(read(), vl.KAnonymity(k=5), methods, [], measures, yardsticks=[yardstick])
    told = comparison.as_json()
    assert [item["epsilon"] for item in told["yardsticks"]] == [0.5]
    assert comparison.best is comparison.rows[0]  # although the synthetic table loses less
    assert len(told["trials"]) == 1
    assert NOTE.split(".")[0] in comparison.html
    assert "MST" in comparison.html


def test_bad_yardsticks_are_refused() -> None:
    with pytest.raises(SpecError, match="above 0"):
        Yardstick(FRAME, 0)
    with pytest.raises(DataError, match="'city'"):
        measure_yardstick(read(), Yardstick(FRAME.drop("city"), 1))


def test_a_spec_and_flags_name_files_with_their_epsilon(tmp_path: Path) -> None:
    (tmp_path / "mst.csv").write_text("age\n1\n")
    sections = {
        "schema": {"quasi": ["age"]},
        "policy": {"model": "k-anonymity", "k": 5},
        "compare": {
            "synthetic": [{"file": "mst.csv", "epsilon": 2}, "aim.csv:epsilon=1/2,title=AIM"],
            "allow_lost": True,
        },
    }
    request = read_comparison_request(make_spec(sections, tmp_path / "spec.toml"))
    assert [(item.title, item.epsilon) for item in request.yardsticks] == [("mst", 2.0), ("AIM", 0.5)]
    assert str(request.yardsticks[0].table) == str(tmp_path / "mst.csv")
    assert request.allow_lost
    sections["compare"] = {"synthetic": ["aim.csv"]}
    with pytest.raises(SpecError, match="epsilon"):
        read_comparison_request(make_spec(sections))

"""The paper, recomputed: every cell of Table III, the examples and the lemmas; the figures on a small table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import voile as vl
from voile.papers.perturbed_generalization.perturbed_generalization import PAPER
from voile.papers.reproduce import reproduce


def test_every_cell_of_the_guarantee_table(tmp_path: Path) -> None:
    table = reproduce("pg", ["guarantees"], out=tmp_path)["guarantees"]
    assert table.height == 2 * (5 + 7)
    off = table.filter(pl.col("remark") != "").to_dicts()
    assert [(row["p"], row["k"], row["what"], row["printed"]) for row in off] == [(0.3, 10, "rho2", 0.36)]
    assert off[0]["certified"] == pytest.approx(0.367886)
    near = table.filter(pl.col("remark") == "")
    assert ((near["certified"] - near["printed"]).abs() <= 0.005 + 1e-6).all()


def test_examples_and_lemmas(tmp_path: Path) -> None:
    found = reproduce("pg", ["tables", "attacks", "lemmas"], out=tmp_path)
    assert found["tables"]["group_size"].to_list() == [2, 2, 2, 2]
    beliefs = {row["value"]: row["posterior"] for row in found["attacks"].to_dicts()}
    assert found["attacks"]["posterior"][0] == 1.0  # Calvin
    assert beliefs["breast cancer"] == max(v for k, v in beliefs.items() if k != "pneumonia")
    respiratory = found["attacks"].filter(pl.col("value") == "a respiratory disease").row(0, named=True)
    assert respiratory["posterior"] <= respiratory["prior"]  # Theorem 1: y is no respiratory disease
    lemmas = found["lemmas"]
    assert (lemmas["printed"] - lemmas["computed"]).abs().max() < 1e-9


def test_the_figures_on_a_users_table(tmp_path: Path) -> None:
    source = tmp_path / "sal.csv"
    vl.datasets.census(4000).write_csv(source)
    found = reproduce("pg", ["figure-2", "figure-3"], out=tmp_path / "out", data=source)
    assert found["figure-2"]["k"].unique().sort().to_list() == [2, 4, 6, 8, 10]
    assert found["figure-3"]["p"].n_unique() == 7
    for frame in found.values():
        assert set(frame["method"]) == {"PG", "optimistic", "pessimistic"}
        assert frame.select(pl.col("^error.*$").is_between(0, 1).all()).row(0) == (True, True)
    assert len(list((tmp_path / "out" / "pg").glob("*.svg"))) == 4


def test_the_paper_is_listed() -> None:
    assert [item.name for item in PAPER.items] == ["tables", "attacks", "lemmas", "guarantees", "figure-2", "figure-3"]

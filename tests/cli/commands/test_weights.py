"""Survey weights and confirmed columns at the command line: flags, a spec, and the measure of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import voile as vl
from voile.cli import app
from voile.errors import DataError


@pytest.fixture
def table(tmp_path: Path) -> str:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 40, 200),
            "wt": rng.gamma(3, 50, 200).round(2) + 1,
            "disease": rng.choice(["flu", "HIV", "acne"], 200),
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    return str(tmp_path / "t.csv")


ROLES = ["--quasi", "age", "--sensitive", "disease", "--model", "k-anonymity:k=5"]


def test_a_weight_is_coarsened_and_measured_with(table: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert CliRunner().invoke(app, ["publish", table, "--out", out, "--weight", "wt", *ROLES]).exit_code == 0
    assert vl.load(out).weight_name == "wt"
    answer = CliRunner().invoke(app, ["measure", out, "--data", table, "--measure", "query-error", "--json"])
    assert "weighted" in json.loads(answer.stdout)["losses"][0]["title"]


def test_a_spec_withholds_a_weight_and_confirms_a_column(table: str, tmp_path: Path) -> None:
    out, spec = str(tmp_path / "out"), tmp_path / "spec.toml"
    spec.write_text('[schema]\nquasi = ["age"]\nsensitive = ["disease"]\nweight = "wt"\nwithhold_weight = true\n')
    arguments = ["publish", table, "--out", out, "--spec", str(spec), "--model", "k-anonymity:k=5"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert vl.load(out).weight_name is None
    spec.write_text('[schema]\nquasi = ["age"]\nother = ["wt"]\nconfirmed = ["wt"]\n')
    assert CliRunner().invoke(app, [*arguments, "--force"]).exit_code == 0


def test_a_near_unique_column_is_refused_until_it_is_confirmed(table: str, tmp_path: Path) -> None:
    arguments = ["publish", table, "--out", str(tmp_path / "out"), "--other", "wt", *ROLES]
    refused = CliRunner().invoke(app, arguments)
    assert isinstance(refused.exception, DataError)
    assert refused.exception.code == "data.near-unique"
    assert CliRunner().invoke(app, [*arguments, "--confirm", "wt"]).exit_code == 0

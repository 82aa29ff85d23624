"""`voile advise --for` and `voile init --for`: a promise for an audience; and what an error offers instead."""

from __future__ import annotations

import tomllib
from pathlib import Path

import polars as pl
import pytest
from calling import Voile

import voile as vl

ROLES = ("--quasi", "birth,sex,zip", "--sensitive", "disease")


@pytest.fixture
def hospital(voile: Voile) -> Path:
    vl.datasets.hospital().write_csv(voile.folder / "hospital.csv")
    return voile.folder / "hospital.csv"


def test_a_recommendation_can_be_published_as_printed(voile: Voile, hospital: Path) -> None:
    answer = voile("advise", hospital, *ROLES, "--for", "partner")
    assert answer.code == 0
    assert "--model k-anonymity:k=5 and --model l-diversity:l=3,column=disease" in answer.out
    assert "Not covered:" in answer.out
    assert "Without 'birth' the other columns lose" in answer.out
    stated = voile("advise", hospital, *ROLES, "--for", "partner", "--json").json["recommendation"]
    assert stated["looked_at_values"]
    models = [flag for model in stated["text"].split(" and ") for flag in model.split()]
    assert voile("publish", hospital, *ROLES, *models, "--out", "out").code == 0


def test_an_audience_replaces_models_and_must_exist(voile: Voile, hospital: Path) -> None:
    assert voile("advise", hospital, *ROLES, "--for", "partner", "--model", "k-anonymity:k=5").code == 2
    answer = voile("advise", hospital, *ROLES, "--for", "publik")
    assert (answer.code, "Did you mean 'public'" in answer.err) == (2, True)
    assert voile("init", hospital, "--for", "publik").code == 2
    assert not (voile.folder / "spec.toml").exists()


def test_a_spec_for_an_audience_publishes(voile: Voile, hospital: Path) -> None:
    answer = voile("init", hospital, "--for", "public", "--json")
    written = tomllib.loads((voile.folder / "spec.toml").read_text(encoding="utf-8"))
    assert written["policy"] == answer.json["recommendation"]["policy"]
    assert voile("publish", hospital, "--spec", "spec.toml", "--out", "out").code == 0


def test_an_infeasible_promise_names_one_that_works(voile: Voile) -> None:
    table = vl.datasets.hospital().with_columns(positive=pl.int_range(400) % 4 == 0)
    table.write_csv(voile.folder / "tests.csv")
    roles = ("--quasi", "birth,sex,zip", "--sensitive", "positive")
    answer = voile("publish", "tests.csv", *roles, "--model", "l-diversity:l=5", "--out", "out", "--json")
    assert answer.code == 4
    assert "Within reach is --model alpha-k-anonymity:alpha=0.88,k=5." in answer.err
    text = answer.json["error"]["alternatives"][0]["text"]
    assert voile("publish", "tests.csv", *roles, *text.split(), "--out", "out").code == 0


def test_a_preview_writes_nothing(voile: Voile, hospital: Path) -> None:
    asked = ("publish", hospital, *ROLES, "--model", "k-anonymity:k=5", "--out", "out", "--preview")
    answer = voile(*asked)
    assert answer.code == 0
    assert "for you alone" in answer.out
    assert len(voile(*asked, "--json").json["rows"]) == 20
    assert [file.name for file in voile.folder.iterdir()] == ["hospital.csv"]
    assert voile(*asked, "--private", "p.json").code == 2

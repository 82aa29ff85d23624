"""Wishes at the command line: flags win over the spec, and `advise` tells what would help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calling import K5, ROLES, Voile

import voile as vl


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("steering") / "people.csv"
    vl.datasets.hospital().write_csv(path)
    return str(path)


def test_wishes_reach_the_dictionary(voile: Voile, people: str, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text("[schema.steering.sex]\ncoarsest = 0\n[schema.steering.zip]\nweight = 9\n")
    flags = ["--steering", "zip:weight=2", "--steering", "birth:bottom=1940-01-01,finest=1"]
    voile("publish", people, "--spec", str(tmp_path / "spec.toml"), "--out", str(tmp_path / "out"), *ROLES, *K5, *flags)
    entries = json.loads((tmp_path / "out" / "dictionary.json").read_text())["columns"]
    assert {entry["name"]: entry.get("steering") for entry in entries} == {
        "birth": {"finest": 1, "bottom": "1940-01-01"},
        "sex": {"coarsest": 0},
        "zip": {"weight": 2},
        "disease": None,
    }


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("zip", "names no column"),
        ("zop:weight=2", "Did you mean 'zip'?"),
        ("zip:weight=-1", "A weight must be a number from 0 up"),
        ("zip:weight", "has a part without '='"),
    ],
)
def test_bad_wishes_are_refused(voile: Voile, people: str, tmp_path: Path, flag: str, words: str) -> None:
    answer = voile("publish", people, "--out", tmp_path / "out", *ROLES, *K5, "--steering", flag)
    assert answer.code == 2
    assert words in " ".join(answer.err.split())


def test_advice_names_the_most_expensive_column(voile: Voile, people: str) -> None:
    body = voile("advise", people, *ROLES, *K5, "--json").json
    assert [cost["column"] for cost in body["columns"]] == ["birth", "zip", "sex"]

"""Perturbed generalization at the command line: the budget, the release and the corruption attack."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from calling import Voile

import voile as vl

QUASI = "age,gender,education"
PUBLISH = ["--quasi", QUASI, "--sensitive", "income", "--domain", "income=0..49"]
PUBLISH += ["--model", "anti-corruption:rho1=0.2,rho2=0.5", "--method", "perturbed-generalization:s=0.25"]
BY = ["publish", "people.csv", "--out", "x", *PUBLISH[:-1]]


@pytest.fixture
def voile(voile: Voile) -> Voile:
    """The command line in a folder with people, their register without incomes, and the corrupted people."""
    frame = vl.datasets.census(800)
    frame.write_csv("people.csv")
    frame.drop("income").write_csv("voters.csv")
    frame.head(100).select("age", "gender", "education", "income").write_csv("known.csv")
    Path("key.hex").write_text("0f" * 32)
    return voile


def test_a_release_keeps_its_budget_against_the_attack(voile: Voile) -> None:
    code, out, _ = voile("guarantees", "--p", "0.3", "--k", "6", "--skew", "0.1", "--domain", "50", "--rho1", "0.2")
    assert code == 0
    assert "0.4504" in out
    code, out, _ = voile("publish", "people.csv", "--out", "r", *PUBLISH, "--key-file", "key.hex")
    assert code == 0
    assert "NEEDS" in out
    code, out, _ = voile("verify", "r", "--json")
    assert code == 0
    assert [check["answer"] for check in json.loads(out)["checks"]] == ["holds", "holds", "needs", "needs"]
    code, out, _ = voile("verify", "r", "--data", "people.csv", "--key-file", "key.hex", "--json")
    assert json.loads(out)["holds"]
    Path("other.hex").write_text("0e" * 32)
    code, out, _ = voile("verify", "r", "--data", "people.csv", "--key-file", "other.hex")
    assert code == 5
    attack = ["audit", "r", "--attack", "corruption", "--external", "voters.csv", "--corrupted", "known.csv"]
    code, out, _ = voile(*attack, "--json")
    assert code == 0
    result = json.loads(out)
    assert result["passed"]
    assert any(finding["inside_the_promise"] for finding in result["findings"])
    assert result["findings"][0]["people"] == 800


def test_corrupted_people_imply_the_corruption_attack(voile: Voile) -> None:
    voile("publish", "people.csv", "--out", "k", *PUBLISH[:4], "--model", "k-anonymity:k=4")
    code, out, _ = voile("audit", "k", "--corrupted", "known.csv", "--json")
    assert code == 0
    assert [finding["attack"] for finding in json.loads(out)["findings"]] == ["corruption"]
    assert json.loads(out)["findings"][0]["details"]["known people"] == 100
    code, _, err = voile("audit", "k", "--attack", "linking", "--corrupted", "known.csv")
    assert code == 2
    assert "--attack corruption" in err


def test_a_spec_and_flags_give_the_same_release(voile: Voile) -> None:
    Path("spec.toml").write_text(
        f"""
[schema]
quasi = {json.dumps(QUASI.split(","))}
sensitive = ["income"]
[schema.domains]
income = {list(range(50))}
[[policy]]
model = "anti-corruption"
rho1 = 0.2
rho2 = 0.5
[method]
name = "perturbed-generalization"
s = 0.25
"""
    )
    voile("publish", "people.csv", "--out", "a", *PUBLISH, "--key-file", "key.hex")
    code, _, err = voile("publish", "people.csv", "--out", "b", "--spec", "spec.toml", "--key-file", "key.hex")
    assert code == 0, err
    assert vl.load("a").tables["table"].equals(vl.load("b").tables["table"])


def test_a_declared_domain_must_cover_the_table(voile: Voile) -> None:
    options = ["--quasi", "age", "--sensitive", "gender", "--model", "anti-corruption:skew=0.5"]
    code, out, _ = voile("publish", "people.csv", "--out", "g", *options, "--domain", "gender=Female|Male|Other")
    assert code == 0, out
    assert vl.load("g").dictionary["columns"][-1]["domain"]["values"] == ["Female", "Male", "Other"]
    code, _, err = voile("publish", "people.csv", "--out", "h", *options, "--domain", "gender=Female|Other")
    assert code == 3
    assert "outside its declared domain" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([*BY, "perturbed-generalization:p=2"], 2, "at most"),
        ([*BY, "perturbed-generalization:p=0.9"], 4, "largest p"),
        ([*BY, "perturbed-generalization:s=0.001"], 4, "1/800"),
    ],
)
def test_bad_parameters_are_refused(voile: Voile, arguments: list[str], code: int, message: str) -> None:
    answer = voile(*arguments)
    assert answer.code == code
    assert message in answer.err


def test_a_perturbed_release_can_be_measured_and_reported(voile: Voile) -> None:
    voile("publish", "people.csv", "--out", "r", *PUBLISH, "--format", "csv")
    code, out, _ = voile("measure", "r", "--data", "people.csv", "--measure", "classification:starts=25", "--json")
    assert code == 0
    assert set(json.loads(out)["losses"][0]["parts"]) == {"optimistic", "pessimistic", "most common class"}
    code, _, err = voile("report", "r", "--data", "people.csv")
    assert code == 0, err
    assert pl.read_csv("r/table.csv").columns[-1] == "group_size"

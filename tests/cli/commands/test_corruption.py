"""Perturbed generalization at the command line, from the budget to the attack."""

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
    """The command line in a folder with people, their register without incomes, and those who were corrupted."""
    frame = vl.datasets.census(800)
    frame.write_csv("people.csv")
    frame.drop("income").write_csv("voters.csv")
    frame.head(100).select("age", "gender", "education", "income").write_csv("known.csv")
    Path("key.hex").write_text("0f" * 32)
    return voile


def test_from_budget_to_attack(voile: Voile) -> None:
    code, out, _ = voile("guarantees", "--p", "0.3", "--k", "6", "--skew", "0.1", "--domain", "50", "--rho1", "0.2")
    assert code == 0
    assert "0.4504" in out
    code, out, _ = voile("publish", "people.csv", "--out", "r", *PUBLISH, "--key-file", "key.hex")
    assert code == 0
    assert "NEEDS" in out
    code, out, _ = voile("verify", "r", "--json")
    assert code == 0
    assert [check["answer"] for check in json.loads(out)["checks"]] == ["holds", "holds", "needs"]
    code, out, _ = voile("verify", "r", "--data", "people.csv", "--key-file", "key.hex", "--json")
    assert json.loads(out)["holds"]
    Path("other.hex").write_text("0e" * 32)
    code, out, _ = voile("verify", "r", "--data", "people.csv", "--key-file", "other.hex")
    assert code == 5
    attack = ["audit", "r", "--attack", "corruption", "--external", "voters.csv", "--corrupted", "known.csv"]
    code, out, _ = voile(*attack, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["passed"]
    assert any(finding["inside_the_promise"] for finding in found["findings"])
    assert found["findings"][0]["people"] == 800


def test_corrupted_people_alone_choose_the_attack(voile: Voile) -> None:
    voile("publish", "people.csv", "--out", "k", *PUBLISH[:4], "--model", "k-anonymity:k=4")
    code, out, _ = voile("audit", "k", "--corrupted", "known.csv", "--json")
    assert code == 0
    assert [finding["attack"] for finding in json.loads(out)["findings"]] == ["corruption"]
    assert json.loads(out)["findings"][0]["details"]["known people"] == 100
    code, _, err = voile("audit", "k", "--attack", "linking", "--corrupted", "known.csv")
    assert code == 2
    assert "--attack corruption" in err


def test_a_spec_says_the_same(voile: Voile) -> None:
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


def test_a_domain_of_names_and_one_that_is_too_small(voile: Voile) -> None:
    given = ["--quasi", "age", "--sensitive", "gender", "--model", "anti-corruption:skew=0.5"]
    code, out, _ = voile("publish", "people.csv", "--out", "g", *given, "--domain", "gender=Female|Male|Other")
    assert code == 0, out
    assert vl.load("g").dictionary["columns"][-1]["domain"]["values"] == ["Female", "Male", "Other"]
    code, _, err = voile("publish", "people.csv", "--out", "h", *given, "--domain", "gender=Female|Other")
    assert code == 3
    assert "outside its declared domain" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([*BY, "perturbed-generalization:p=2"], 2, "at most"),
        ([*BY, "perturbed-generalization:p=0.9"], 4, "largest p"),
        ([*BY, "perturbed-generalization:s=0.001"], 4, "1/800"),
    ],
)
def test_bad_requests(voile: Voile, arguments: list[str], code: int, said: str) -> None:
    left, _, err = voile(*arguments)
    assert left == code
    assert said in err


def test_measure_and_report(voile: Voile) -> None:
    voile("publish", "people.csv", "--out", "r", *PUBLISH, "--format", "csv")
    code, out, _ = voile("measure", "r", "--data", "people.csv", "--measure", "classification:starts=25", "--json")
    assert code == 0
    assert set(json.loads(out)["losses"][0]["parts"]) == {"optimistic", "pessimistic", "most common class"}
    code, _, err = voile("report", "r", "--data", "people.csv")
    assert code == 0, err
    assert pl.read_csv("r/table.csv").columns[-1] == "group_size"

"""`voile audit`: named attacks, outside tables, and the exit code when an attack succeeds."""

from __future__ import annotations

import sys
from pathlib import Path

from calling import SEER, Voile


def test_audit_runs_the_named_attacks(voile: Voile, release: Path, table: Path) -> None:
    answer = voile("audit", release)
    assert answer.code == 0
    assert "inside the promise" in answer.out
    json_answer = voile(
        "audit", release, "--data", table, "--attack", "linking", "--attack", "elimination:values=2", "--json"
    )
    assert {finding["attack"] for finding in json_answer.json["findings"]} == {"linking", "elimination"}
    assert json_answer.json["findings"][0]["worst_before"] is not None
    external = voile("audit", release, "--external", table, "--attack", "linking", "--json")
    assert "Journalist" in [finding["title"] for finding in external.json["findings"]]
    assert voile("audit", release, "--attack", "linkin").code == 2
    assert voile("audit", release, "--data", "none.csv").code == 3


def test_beliefs_are_about_people_where_they_have_several_rows(voile: Voile) -> None:
    visits = "patient,age,disease\n" + "".join(f"p{i // 3},{20 + i // 9},{i % 5}\n" for i in range(90))
    (voile.folder / "visits.csv").write_text(visits)
    unit = ("--person", "patient", "--rows-per-person", "2")
    roles = ("--quasi", "age", "--sensitive", "disease", "--model", "k-anonymity:k=2")
    assert voile("publish", "visits.csv", "--out", "out", *unit, *roles).code == 0
    answer = voile("audit", "out", "--data", "visits.csv", "--person", "patient")
    assert answer.code == 0
    assert "Beliefs are about at least 30 people, who may have up to 2 rows each." in answer.out
    findings = voile("audit", "out", "--data", "visits.csv", "--person", "patient", "--json").json["findings"]
    counted = {finding["attack"]: (finding["people"], finding.get("people_at_least")) for finding in findings}
    assert counted["linking"] == (30, True)
    assert counted["agreeing-rows"] == (30, None)
    assert "agreeing-rows needs the original table" in voile("audit", "out").out


def test_an_attack_that_succeeds_exits_with_5(voile: Voile, release: Path) -> None:
    (voile.folder / "seer.py").write_text(SEER)
    from voile.plugins.registry import _registry

    try:
        answer = voile("audit", release, "--plugin", "seer.py", "--attack", "seer", "--json")
        assert answer.code == 5
        assert answer.json["passed"] is False
        assert "BROKEN" in voile("audit", release, "--plugin", "seer.py", "--attack", "seer").out
    finally:
        _registry["attacks"].pop("seer", None)
        sys.modules.pop("voile_plugin_seer", None)

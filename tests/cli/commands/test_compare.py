"""`voile compare` and `voile adversaries`: flags, a spec, files, and exit codes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from calling import K5, ROLES, SEER, Voile

FAST = ("--attack", "linking", "--measure", "certainty")
L3 = ("--model", "l-diversity:l=3")


def test_compare_names_the_method_with_the_least_loss(voile: Voile, table: Path) -> None:
    answer = voile("compare", table, *ROLES, *L3, *FAST)
    assert answer.code == 0
    assert "Methods for l-diversity (l=3)" in answer.out
    assert "* inside the promise, ! above its bound" in answer.out
    assert "What a step costs" in answer.out
    assert "Keeps l-diversity (l=3) at the least loss: anatomy, with a loss of 0.0000 by certainty." in answer.out
    assert not list(voile.folder.iterdir()), "nothing is written without --out"


def test_a_loss_that_was_asked_for_is_printed(voile: Voile, table: Path) -> None:
    pytest.importorskip("sklearn")
    measures = ("--measure", "marginals", "--measure", "learners")
    answer = voile("compare", table, *ROLES, *K5, *FAST[:2], *measures, "--method", "full-domain", "--allow-lost")
    assert "Losses that were asked for" in answer.out
    assert "Loss of learners" in answer.out


def test_the_same_call_resumes_from_the_out_folder(voile: Voile, table: Path) -> None:
    arguments = ("compare", table, *ROLES, *K5, *FAST, "--method", "mondrian", "--out", "out", "--json")
    result = voile(*arguments).json
    assert {file.name for file in Path("out").iterdir()} == {
        "comparison.html",
        "comparison.json",
        "comparison.csv",
        "trials",
    }
    assert voile(*arguments).json == result, "even the seconds are the same: nothing ran again"
    assert result["page"] == str(Path("out") / "comparison.html")


def test_every_method_is_tried_with_every_value_that_varies(voile: Voile, table: Path) -> None:
    options = ("--method", "mondrian", "--method", "full-domain:suppression=0.05", "--vary", "k=3,9")
    result = voile("compare", table, *ROLES, *K5, *FAST, *options, "--json").json
    assert [(row["title"], row["promise"]) for row in result["trials"]] == [
        ("mondrian", "k-anonymity (k=3)"),
        ("full-domain (suppression=0.05)", "k-anonymity (k=3)"),
        ("mondrian", "k-anonymity (k=9)"),
        ("full-domain (suppression=0.05)", "k-anonymity (k=9)"),
    ]
    output = voile("compare", table, *ROLES, *K5, *FAST, *options).out
    assert "Keeps k-anonymity (k=9) at the least loss" in output


def test_a_spec_can_hold_the_comparison_and_flags_win(voile: Voile, table: Path) -> None:
    Path("spec.toml").write_text(
        '[schema]\nidentifier = ["name"]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease"]\n'
        '[[policy]]\nmodel = "k-anonymity"\nk = 5\n'
        '[compare]\nmethods = ["mondrian"]\nmeasures = ["certainty"]\nadversary = ["neighbour"]\n'
        "[compare.vary]\nk = [3, 9]\n"
    )
    result = voile("compare", table, "--spec", "spec.toml", "--json").json
    assert [row["promise"] for row in result["trials"]] == ["k-anonymity (k=3)", "k-anonymity (k=9)"]
    assert result["trials"][0]["reached"][0]["presets"] == ["neighbour"]
    flagged = voile("compare", table, "--spec", "spec.toml", "--vary", "k=4", "--adversary", "colleague", "--json").json
    assert [row["promise"] for row in flagged["trials"]] == ["k-anonymity (k=4)"]
    assert {name for item in flagged["trials"][0]["reached"] for name in item["presets"]} == {"colleague"}


def test_an_external_register_gives_the_journalist_attack(voile: Voile, table: Path) -> None:
    result = voile("compare", table, *ROLES, *K5, *FAST, "--method", "mondrian", "--external", table, "--json").json
    assert "Journalist" in [item["title"] for item in result["trials"][0]["reached"]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--model", "l-diversity:l=3", "--adversary", "nobody"), 2),
        (("--model", "l-diversity:l=3", "--vary", "k"), 2),
        (("--model", "l-diversity:l=3", "--by", "fun"), 2),
        (("--method", "mondrian"), 2),
        (("--model", "l-diversity:l=50"), 4),
    ],
)
def test_exit_code_of_a_comparison_without_winner(
    voile: Voile, table: Path, arguments: tuple[str, ...], code: int
) -> None:
    answer = voile("compare", table, *ROLES, *FAST, *arguments)
    assert answer.code == code
    assert "Traceback" not in answer.err
    assert code != 4 or "at the least loss: none. The most frequent value of 'disease' covers" in answer.out


def test_bad_tables_are_refused(voile: Voile) -> None:
    Path("empty.csv").write_text("")
    assert voile("compare", "empty.csv", *ROLES, *K5).code == 3
    assert voile("compare", "absent.csv", *ROLES, *K5).code == 3


def test_a_promise_that_an_attack_breaks_exits_with_5(voile: Voile, table: Path) -> None:
    preset = "from voile.extend import Preset\nPreset('oracle', 'an oracle', 'Sees.', ('seer',))\n"
    Path("seer.py").write_text(SEER + preset)
    from voile.adversaries.presets import _presets
    from voile.plugins.registry import _registry

    try:
        options = ("--plugin", "seer.py", "--adversary", "oracle", "--measure", "certainty", "--method", "mondrian")
        answer = voile("compare", table, *ROLES, *K5, *options)
        assert answer.code == 5
        assert "BROKEN" in answer.out
        assert "1.000!" in answer.out
        assert "oracle: an oracle" in voile("adversaries", "--plugin", "seer.py").out
    finally:
        _registry["attacks"].pop("seer", None)
        _presets.pop("oracle", None)
        sys.modules.pop("voile_plugin_seer", None)


def test_adversaries_lists_the_presets(voile: Voile) -> None:
    answer = voile("adversaries")
    assert answer.code == 0
    assert "insurer: an insurer with published health statistics" in answer.out
    assert voile("adversaries", "--json").json["adversaries"][0]["name"] == "neighbour"


def test_audit_and_report_take_an_adversary(voile: Voile, release: Path, table: Path) -> None:
    adversaries = ("--adversary", "colleague", "--adversary", "employer")
    result = voile("audit", release, "--data", table, *adversaries, "--json").json
    assert {name for finding in result["findings"] for name in finding["presets"]} == {"colleague"}
    assert len(result["notes"]) == 2
    answer = voile("audit", release, "--adversary", "statistician")
    assert "needs the original table, or a register of the population" in answer.out
    refused = voile("audit", release, "--adversary", "employer")
    assert refused.code == 2
    assert "None of the requested attacks applies to this release" in refused.err
    report = voile("report", release, "--data", table, "--adversary", "insurer", "--out", "report.html", "--json").json
    assert report["adversaries"][0]["name"] == "an insurer with published health statistics"
    assert "Weights the values of your group by those rates" in Path("report.html").read_text(encoding="utf-8")


def test_compare_after_an_earlier_release_as_flags_or_spec(voile: Voile, table: Path) -> None:
    base = ("--quasi", "birth,sex,zip", "--sensitive", "disease", "--person", "name", "--model", "m-invariance:m=3")
    assert voile("publish", table, *base, "--out", "one", "--ledger", "ledger.json").code == 0
    before = Path("ledger.json").read_bytes()
    asked = ("compare", table, *base, "--measure", "certainty", "--json")
    result = voile(*asked, "--attack", "subtraction", "--after", "one", "--ledger", "ledger.json").json
    assert result["after"] == 1
    assert [item["attack"] for item in result["trials"][0]["reached"]] == ["subtraction"]
    assert result["trials"][0]["kept"]
    assert Path("ledger.json").read_bytes() == before
    answer = voile(*asked, "--attack", "subtraction", "--after", "one")
    assert answer.code == 4
    assert answer.json["trials"][0]["fault"]["code"] == "data.ledger"
    assert "--ledger" in answer.json["trials"][0]["fault"]["hint"]
    Path("spec.toml").write_text('[release]\nafter = ["one"]\nledger = "ledger.json"\n')
    assert voile(*asked, "--attack", "subtraction", "--spec", "spec.toml").json["trials"][0]["kept"]
    assert voile(*asked, "--ledger", "none.json").code == 3

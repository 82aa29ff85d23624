"""`voile publish`: a request can be flags or a spec.toml, flags win, and bad requests are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from calling import K5, ROLES, Voile

import voile as vl
from voile.errors import SpecError, Unsatisfiable
from voile.io.release_folder import file_digest

KEY = "0f" * 32

SPEC = """
[schema]
identifier = ["name"]
quasi = ["birth", "sex", "zip"]
sensitive = ["disease"]
[schema.hierarchies]
zip = "prefixes:5,3,1"
[[policy]]
model = "k-anonymity"
k = 5
[method]
name = "full-domain"
suppression = 0.1
[release]
format = "csv"
"""


def test_publish_with_flags_alone(voile: Voile, table: Path) -> None:
    answer = voile("publish", table, "--out", "out", *ROLES, *K5, "--model", "l-diversity:l=2")
    assert answer.code == 0
    assert "400 people in" in answer.out
    assert "HOLDS" in answer.out
    assert answer.err == ""
    assert vl.verify(voile.folder / "out").holds
    assert len(vl.load(voile.folder / "out").certificate.claims) == 2


def test_publish_with_a_spec_alone(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", "--json")
    assert answer.code == 0
    assert answer.json["verdict"]["holds"]
    assert answer.json["people"] + answer.json["withheld"] == 400
    assert (voile.folder / "out" / "table.csv").exists()
    assert vl.load(voile.folder / "out").certificate.method == {
        "name": "full-domain",
        "suppression": 0.1,
        "blanks": False,
    }


def test_several_sensitive_columns_as_flags_or_spec_give_the_same_release(voile: Voile, table: Path) -> None:
    """The same request is made with both forms of the flag, and with a spec."""
    frame = pl.read_csv(table).with_columns(treatment=pl.Series(["pills", "rest", "surgery", "diet"] * 100))
    frame.write_csv("both.csv")
    roles = ("--identifier", "name", "--quasi", "birth,sex,zip", "--sensitive", "disease,treatment")
    (voile.folder / "key").write_text(KEY)
    options = ("--key-file", "key", "--method", "decompose:primary=treatment", "--json")
    for number, model in enumerate(("disease=3,treatment=4", "l=disease=3|treatment=4")):
        answer = voile(
            "publish", "both.csv", "--out", f"out{number}", *roles, "--model", f"multi-diversity:{model}", *options
        )
        assert answer.code == 0, answer.err
        assert answer.json["verdict"]["holds"]
    (voile.folder / "spec.toml").write_text(
        '[schema]\nidentifier = ["name"]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease", "treatment"]\n'
        '[[policy]]\nmodel = "multi-diversity"\nl = {disease = 3, treatment = 4}\n'
        '[method]\nname = "decompose"\nprimary = "treatment"\n'
    )
    assert voile("publish", "both.csv", "--out", "out2", "--spec", "spec.toml", "--key-file", "key").code == 0
    for name in ("quasi", "joint", "sensitive_disease", "sensitive_treatment"):
        assert len({file_digest(voile.folder / f"out{number}" / f"{name}.parquet") for number in range(3)}) == 1
    audit = voile(
        "audit", "out0", "--attack", "chain", "--attack", "exclusion:values=2", "--data", "both.csv", "--json"
    )
    assert {item["attack"] for item in audit.json["findings"]} == {"chain", "exclusion"}
    assert voile("measure", "out0", "--data", "both.csv", "--measure", "query-error:sensitive=1").code == 0
    assert voile("report", "out0", "--data", "both.csv").code == 0
    refused = voile("publish", "both.csv", "--out", "x", *roles, "--model", "multi-diversity:disease=90,treatment=2")
    assert refused.code == Unsatisfiable.exit_code
    assert "largest possible l is" in refused.err


def test_flags_win_over_the_spec(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    trees = voile.folder / "trees"
    trees.mkdir()
    codes = vl.datasets.hospital()["zip"].unique().sort()
    (trees / "zip.csv").write_text("".join(f"{code};dep {code[:2]};*\n" for code in codes))
    flags = ("--model", "k-anonymity:k=9", "--format", "parquet", "--hierarchies", trees, "--quasi", "sex,zip")
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", *flags, "--method", "full-domain")
    assert answer.code == 0
    loaded = vl.load(voile.folder / "out")
    assert loaded.certificate.claims[0]["parameters"] == {"k": 9}
    assert loaded.certificate.method["suppression"] == 0
    assert (voile.folder / "out" / "table.parquet").exists()
    assert [entry["name"] for entry in loaded.described("quasi")] == ["sex", "zip"]
    assert all(label.startswith("dep ") or label == "*" for label in loaded.tables["table"]["zip"].cast(pl.String))


def test_a_flag_changes_the_role_of_a_column(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", "--sensitive", "zip")
    assert answer.code == 0
    loaded = vl.load(voile.folder / "out")
    assert [entry["name"] for entry in loaded.described("sensitive")] == ["zip"]
    assert [entry["name"] for entry in loaded.described("quasi")] == ["birth", "sex"]


def digests(folder: Path) -> dict[str, str]:
    return {path.name: file_digest(path) for path in folder.iterdir()}


def test_a_key_file_makes_a_release_repeatable(voile: Voile, table: Path) -> None:
    (voile.folder / "key").write_text(KEY + "\n")
    for out in ("one", "two"):
        flags = ("--method", "anatomy", "--model", "l-diversity:l=3", "--key-file", "key")
        assert voile("publish", table, "--out", out, *ROLES, *flags).code == 0
    assert digests(voile.folder / "one") == digests(voile.folder / "two")
    assert voile("publish", table, "--out", "three", *ROLES, *flags[:-2]).code == 0
    assert digests(voile.folder / "one")["quasi.parquet"] != digests(voile.folder / "three")["quasi.parquet"]
    content = b"".join(path.read_bytes() for path in (voile.folder / "one").iterdir())
    assert KEY.encode() not in content
    assert bytes.fromhex(KEY) not in content
    (voile.folder / "key").write_text("short")
    assert voile("publish", table, "--out", "four", *ROLES, *flags).code == 3
    assert voile("publish", table, "--out", "four", *ROLES, *flags[:-1], "none").code == 3


def test_only_force_replaces_a_release_and_nothing_else(voile: Voile, table: Path) -> None:
    assert voile("publish", table, "--out", "out", *ROLES, *K5).code == 0
    answer = voile("publish", table, "--out", "out", *ROLES, *K5)
    assert (answer.code, "--force" in answer.err) == (2, True)
    assert voile("publish", table, "--out", "out", *ROLES, *K5, "--force").code == 0
    (voile.folder / "mine").mkdir()
    (voile.folder / "mine" / "x").write_text("x")
    assert voile("publish", table, "--out", "mine", *ROLES, *K5, "--force").code == 2


def test_all_problems_are_listed_in_json(voile: Voile, table: Path) -> None:
    flags = ("--quasi", "sex,sex", "--model", "k-anonymity:k=1", "--method", "magic", "--format", "xml")
    answer = voile("publish", table, "--out", "o", *flags, "--json")
    assert answer.code == 2
    assert len(answer.json["error"]["problems"]) == 4


@pytest.mark.parametrize(
    "flags",
    [
        ("--model", "k-anonymity:5"),
        ("--model", "k-anonymity:k"),
        ("--model", ""),
        ("--model", "k-anonymity:k=5,k=6"),
        (*K5, "--kind", "sex"),
        (*K5, "--kind", "sex=magic"),
        (*K5, "--missing", "maybe"),
        (*K5, "--hierarchies", "none"),
        (*K5, "--spec", "none.toml"),
        (*K5, "--delimiter", "::"),
        (*K5, "--format", "xml"),
        (*K5, "--method", "mondrian:recoding=magic"),
        (*K5, "--out", "file.txt"),
        (),
    ],
)
def test_bad_requests_are_refused_and_write_nothing(voile: Voile, table: Path, flags: tuple[Any, ...]) -> None:
    (voile.folder / "file.txt").write_text("x")
    answer = voile("publish", table, "--out", "o", *ROLES, *flags, "--json")
    assert answer.code == 2
    assert answer.json["error"]["message"]
    assert not (voile.folder / "o").exists()


def test_a_promise_broken_after_saving_exits_with_5(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from voile.results import Answer, Checked, Verdict

    broken = Verdict((Checked("files", Answer.BROKEN, "The disk lies."),))
    monkeypatch.setattr("voile.flow.verify.verify.verify", lambda folder, **options: broken)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 5
    assert answer.json["verdict"]["holds"] is False


def test_a_second_release_with_a_ledger_as_flags_or_spec(voile: Voile, tmp_path: Path) -> None:
    """Earlier releases and a ledger can be named by flags or in a spec."""
    frame = vl.datasets.hospital()
    frame.write_csv(tmp_path / "q1.csv")
    frame.head(350).write_csv(tmp_path / "q2.csv")
    base = ["--quasi", "birth,sex,zip", "--sensitive", "disease", "--person", "name", "--model", "m-invariance:m=3"]
    first, second, ledger = str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "ledger.json")
    answer = voile("publish", str(tmp_path / "q1.csv"), *base, "--out", first, "--ledger", ledger)
    assert answer.code == 0, answer.err
    arguments = ["publish", str(tmp_path / "q2.csv"), *base, "--out", second, "--after", first, "--ledger", ledger]
    answer = voile(*arguments)
    assert answer.code == 0, answer.err
    assert voile("verify", second).code == 0  # NEEDS does not mean broken
    checked = voile(
        "verify", second, "--after", first, "--data", str(tmp_path / "q2.csv"), "--person", "name", "--ledger", ledger
    )
    assert checked.code == 0, checked.err
    assert "Groups agree" in " ".join(checked.out.split())
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[schema]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease"]\nperson = "name"\n'
        '[[policy]]\nmodel = "m-invariance"\nm = 3\n'
        '[release]\nafter = ["one", "two"]\nledger = "ledger.json"\n'
    )
    answer = voile("publish", str(tmp_path / "q2.csv"), "--spec", str(spec), "--out", str(tmp_path / "three"))
    assert answer.code == 0, answer.err
    spec.write_text('[release]\nafter = "one"\nledger = 3\n')
    answer = voile("publish", str(tmp_path / "q2.csv"), "--spec", str(spec), "--out", str(tmp_path / "four"))
    assert answer.code == SpecError.exit_code
    assert "2 problems" in answer.err


def test_a_masked_release_is_verified_by_publishing_it_again(voile: Voile, tmp_path: Path) -> None:
    frame = vl.datasets.hospital()
    frame.write_csv(tmp_path / "patients.csv")
    disease = sorted(frame["disease"].unique().to_list())[0]
    (tmp_path / "key").write_text("ab" * 32)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[schema]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease"]\n'
        f'[[policy]]\nmodel = "m-confidentiality"\nm = 3\nprotect = ["{disease}"]\n'
        '[method]\nname = "mask"\nk = 4\nanonymizer = {name = "mondrian", recoding = "tight"}\n'
    )
    out, key = str(tmp_path / "out"), str(tmp_path / "key")
    answer = voile("publish", str(tmp_path / "patients.csv"), "--spec", str(spec), "--out", out, "--key-file", key)
    assert answer.code == 0, answer.err
    assert "NEEDS" in answer.out
    answer = voile("verify", out, "--data", str(tmp_path / "patients.csv"), "--key-file", key, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["holds"]
    flags = [
        "--method",
        "mask:k=4,anonymizer=mondrian:recoding=tight",
        "--key-file",
        key,
        "--out",
        str(tmp_path / "same"),
    ]
    assert voile("publish", str(tmp_path / "patients.csv"), "--spec", str(spec), *flags).code == 0
    assert vl.load(out).digest == vl.load(tmp_path / "same").digest

"""`voile publish`: flags and spec.toml say the same, flags win, and what is wrong is refused."""

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


def test_flags_alone(voile: Voile, table: Path) -> None:
    answer = voile("publish", table, "--out", "out", *ROLES, *K5, "--model", "l-diversity:l=2")
    assert answer.code == 0
    assert "400 people in" in answer.out
    assert "HOLDS" in answer.out
    assert answer.err == ""
    assert vl.verify(voile.folder / "out").holds
    assert len(vl.load(voile.folder / "out").certificate.claims) == 2


def test_a_spec_alone(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", "--json")
    assert answer.code == 0
    assert answer.json["verdict"]["holds"]
    assert answer.json["people"] + answer.json["withheld"] == 400
    assert (voile.folder / "out" / "table.csv").exists()
    assert vl.load(voile.folder / "out").certificate.method == {"name": "full-domain", "suppression": 0.1}


def test_several_sensitive_columns(voile: Voile, table: Path) -> None:
    """The same request as flags, in its two forms, and as a spec."""
    frame = pl.read_csv(table).with_columns(treatment=pl.Series(["pills", "rest", "surgery", "diet"] * 100))
    frame.write_csv("both.csv")
    roles = ("--identifier", "name", "--quasi", "birth,sex,zip", "--sensitive", "disease,treatment")
    (voile.folder / "key").write_text(KEY)
    same = ("--key-file", "key", "--method", "decompose:primary=treatment", "--json")
    for number, model in enumerate(("disease=3,treatment=4", "l=disease=3|treatment=4")):
        answer = voile(
            "publish", "both.csv", "--out", f"out{number}", *roles, "--model", f"multi-diversity:{model}", *same
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
    found = voile(
        "audit", "out0", "--attack", "chain", "--attack", "exclusion:values=2", "--data", "both.csv", "--json"
    )
    assert {item["attack"] for item in found.json["findings"]} == {"chain", "exclusion"}
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


def test_a_flag_moves_a_column(voile: Voile, table: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out", "--sensitive", "zip")
    assert answer.code == 0
    loaded = vl.load(voile.folder / "out")
    assert [entry["name"] for entry in loaded.described("sensitive")] == ["zip"]
    assert [entry["name"] for entry in loaded.described("quasi")] == ["birth", "sex"]


def tables(place: Path) -> dict[str, str]:
    return {found.name: file_digest(found) for found in place.iterdir()}


def test_a_key_file_makes_a_release_repeatable(voile: Voile, table: Path) -> None:
    (voile.folder / "key").write_text(KEY + "\n")
    for out in ("one", "two"):
        flags = ("--method", "anatomy", "--model", "l-diversity:l=3", "--key-file", "key")
        assert voile("publish", table, "--out", out, *ROLES, *flags).code == 0
    assert tables(voile.folder / "one") == tables(voile.folder / "two")
    assert voile("publish", table, "--out", "three", *ROLES, *flags[:-2]).code == 0
    assert tables(voile.folder / "one")["quasi.parquet"] != tables(voile.folder / "three")["quasi.parquet"]
    joined = b"".join(found.read_bytes() for found in (voile.folder / "one").iterdir())
    assert KEY.encode() not in joined
    assert bytes.fromhex(KEY) not in joined
    (voile.folder / "key").write_text("short")
    assert voile("publish", table, "--out", "four", *ROLES, *flags).code == 3
    assert voile("publish", table, "--out", "four", *ROLES, *flags[:-1], "none").code == 3


def test_force(voile: Voile, table: Path) -> None:
    assert voile("publish", table, "--out", "out", *ROLES, *K5).code == 0
    answer = voile("publish", table, "--out", "out", *ROLES, *K5)
    assert (answer.code, "--force" in answer.err) == (2, True)
    assert voile("publish", table, "--out", "out", *ROLES, *K5, "--force").code == 0
    (voile.folder / "mine").mkdir()
    (voile.folder / "mine" / "x").write_text("x")
    assert voile("publish", table, "--out", "mine", *ROLES, *K5, "--force").code == 2


def test_all_problems_in_json(voile: Voile, table: Path) -> None:
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
def test_requests_that_are_wrong(voile: Voile, table: Path, flags: tuple[Any, ...]) -> None:
    (voile.folder / "file.txt").write_text("x")
    answer = voile("publish", table, "--out", "o", *ROLES, *flags, "--json")
    assert answer.code == 2
    assert answer.json["error"]["message"]
    assert not (voile.folder / "o").exists()


def test_a_promise_broken_after_saving(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from voile.results import Answer as Said
    from voile.results import Checked, Verdict

    broken = Verdict((Checked("files", Said.BROKEN, "The disk lies."),))
    monkeypatch.setattr("voile.flow.verify.verify.verify", lambda place, **given: broken)
    answer = voile("publish", table, "--out", "o", *ROLES, *K5, "--json")
    assert answer.code == 5
    assert answer.json["verdict"]["holds"] is False


def test_publishing_again(voile: Voile, tmp_path: Path) -> None:
    """Earlier releases, a ledger and a key at the command line and in a spec: what the flags say, the file says."""
    frame = vl.datasets.hospital()
    frame.write_csv(tmp_path / "q1.csv")
    frame.head(350).write_csv(tmp_path / "q2.csv")
    base = ["--quasi", "birth,sex,zip", "--sensitive", "disease", "--person", "name", "--model", "m-invariance:m=3"]
    one, two, ledger = str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "ledger.json")
    done = voile("publish", str(tmp_path / "q1.csv"), *base, "--out", one, "--ledger", ledger)
    assert done.code == 0, done.err
    again = ["publish", str(tmp_path / "q2.csv"), *base, "--out", two, "--after", one, "--ledger", ledger]
    done = voile(*again)
    assert done.code == 0, done.err
    assert voile("verify", two).code == 0  # NEEDS is no breach
    checked = voile(
        "verify", two, "--after", one, "--data", str(tmp_path / "q2.csv"), "--person", "name", "--ledger", ledger
    )
    assert checked.code == 0, checked.err
    assert "Signatures agree" in checked.out.replace("\n", " ")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[schema]\nquasi = ["birth", "sex", "zip"]\nsensitive = ["disease"]\nperson = "name"\n'
        '[[policy]]\nmodel = "m-invariance"\nm = 3\n'
        '[release]\nafter = ["one", "two"]\nledger = "ledger.json"\n'
    )
    done = voile("publish", str(tmp_path / "q2.csv"), "--spec", str(spec), "--out", str(tmp_path / "three"))
    assert done.code == 0, done.err
    spec.write_text('[release]\nafter = "one"\nledger = 3\n')
    done = voile("publish", str(tmp_path / "q2.csv"), "--spec", str(spec), "--out", str(tmp_path / "four"))
    assert done.code == SpecError.exit_code
    assert "2 problems" in done.err


def test_masking_and_making_it_again(voile: Voile, tmp_path: Path) -> None:
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
    done = voile("publish", str(tmp_path / "patients.csv"), "--spec", str(spec), "--out", out, "--key-file", key)
    assert done.code == 0, done.err
    assert "NEEDS" in done.out
    done = voile("verify", out, "--data", str(tmp_path / "patients.csv"), "--key-file", key, "--json")
    assert done.code == 0, done.err
    assert done.json["holds"]
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

"""An option that has no effect is refused, and an option that has one reaches its table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from calling import K5, ROLES, Voile

import voile as vl

READING = {"--delimiter": ";", "--encoding": "latin-1", "--null": "?", "--query": "select 1"}
PRIVATE = {"--key-file": "key.hex", "--ledger": "book", "--person": "name", "--hierarchies": "trees"}
CALLS: dict[str, tuple[Any, ...]] = {
    **{f"verify {flag}": ("verify", "DIR", flag, value) for flag, value in {**READING, **PRIVATE}.items()},
    **{f"audit {flag}": ("audit", "DIR", flag, value) for flag, value in READING.items()},
    **{f"report {flag}": ("report", "DIR", flag, value) for flag, value in READING.items()},
    "audit --hierarchies": ("audit", "DIR", "--hierarchies", "trees"),
    "report --hierarchies": ("report", "DIR", "--hierarchies", "trees"),
    "audit --query": ("audit", "DIR", "--external", "TABLE", "--query", "select 1"),
    "audit --person": ("audit", "DIR", "--data", "TABLE", "--person", "name"),
    "report --person": ("report", "DIR", "--person", "name"),
    "measure --person": ("measure", "DIR", "--data", "TABLE", "--person", "name"),
    "verify --prior": ("verify", "DIR", "--prior", "known.csv"),
    "verify --data": ("verify", "DIR", "--data", "TABLE"),
    "verify --after": ("verify", "DIR", "--after", "DIR"),
    "reproduce --data": ("reproduce", "pg", "table-2", "--out", "o", "--data", "TABLE"),
    "publish --delimiter": ("publish", "people.parquet", "--out", "o", *ROLES, *K5, "--delimiter", ";"),
    "publish --encoding": ("publish", "sqlite:///p.db", "--out", "o", *ROLES, *K5, "--encoding", "latin-1"),
    "compare --null": ("compare", "people.parquet", *ROLES, *K5, "--null", "?"),
    "measure --null": ("measure", "DIR", "--data", "people.parquet", "--null", "?"),
    "hierarchies --null": ("hierarchies", "people.parquet", "--out", "trees", "--null", "?"),
    "prior --null": ("prior", "people.parquet", "--out", "p.csv", "--quasi", "a", "--sensitive", "b", "--null", "?"),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_option_without_effect_is_refused(voile: Voile, release: Path, table: Path, call: str) -> None:
    paths = {"DIR": release, "TABLE": table}
    answer = voile(*(paths.get(part, part) for part in CALLS[call]), "--json")
    assert answer.code == 2
    assert answer.json["error"]["code"] == "spec.unused-option"
    assert answer.json["error"]["message"].startswith(f"{call.split()[1]} has no effect here: ")
    assert not (voile.folder / "o").exists()


def test_several_options_without_effect_are_named_together(voile: Voile, release: Path) -> None:
    error = voile("verify", release, "--delimiter", ";", "--null", "?", "--json").json["error"]
    assert [problem["code"] for problem in error["problems"]] == ["spec.unused-option"] * 2
    assert "--delimiter" in error["message"]
    assert "--null" in error["message"]


def test_evidence_that_no_claim_rests_on_is_refused(voile: Voile, release: Path, table: Path) -> None:
    """A user who gives the table and the key would believe that they were used."""
    Path("key.hex").write_text("ab" * 32)
    error = voile("verify", release, "--data", table, "--key-file", "key.hex", "--json").json["error"]
    assert [problem["message"].split()[0] for problem in error["problems"]] == ["--data", "--key-file"]


def test_reading_options_in_a_spec_are_refused_without_a_csv(voile: Voile, table: Path) -> None:
    Path("spec.toml").write_text('[read]\nnull_values = ["?"]\n')
    pl.read_csv(table).write_parquet("people.parquet")
    for command in (("compare",), ("publish", "--out", "o")):
        answer = voile(*command, "people.parquet", *ROLES, *K5, "--spec", "spec.toml", "--json")
        assert answer.json["error"]["code"] == "spec.unused-option"


def test_reading_options_apply_to_the_register(voile: Voile, release: Path) -> None:
    people = vl.datasets.hospital().with_columns(sex=pl.col("sex").str.replace("F", "Fé"))
    text = people.write_csv(separator="|").encode("latin-1")
    Path("voters.csv").write_bytes(text)
    flags = ("--external", "voters.csv", "--attack", "linking")
    assert voile("audit", release, *flags, "--encoding", "utf8").code == 3, "it is not UTF-8"
    assert voile("audit", release, *flags, "--encoding", "latin-1").code != 3
    Path("known.csv").write_bytes(vl.datasets.hospital().with_columns(disease=pl.lit("?")).write_csv().encode())
    absent = voile("audit", release, "--corrupted", "known.csv", "--null", "?", "--json")
    assert absent.code == 0, "none of them is in the release"


def test_reading_options_apply_to_the_register_of_a_comparison(voile: Voile, table: Path) -> None:
    names = "birth,sex,zip,city\n" + "".join(f"{row['birth']},{row['sex']},{row['zip']},Orléans\n" for row in people())
    Path("voters.csv").write_bytes(names.encode("latin-1"))
    flags = (*ROLES, *K5, "--method", "mondrian", "--attack", "linking", "--measure", "certainty")
    arguments = ("compare", table, *flags, "--external", "voters.csv")
    assert voile(*arguments, "--encoding", "utf8").code == 3
    assert voile(*arguments, "--encoding", "latin-1").code == 0
    Path("spec.toml").write_text('[read]\nencoding = "latin-1"\n')
    assert voile(*arguments, "--spec", "spec.toml").code == 0


def people() -> list[dict[str, Any]]:
    return vl.datasets.hospital().to_dicts()


def test_the_table_and_the_key_show_how_many_rows_a_person_has(voile: Voile, table: Path) -> None:
    Path("key.hex").write_text("ab" * 32)
    key = ("--key-file", "key.hex")
    assert voile("publish", table, "--out", "o", *ROLES, *K5, "--person", "name", *key).code == 0
    for evidence in ((), key):
        answer = voile("verify", "o", "--data", table, "--person", "name", *evidence, "--json")
        assert answer.code == 0
        assert "rows per person" in [check["what"] for check in answer.json["checks"]]

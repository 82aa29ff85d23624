"""The unit of privacy at the command line: `--person`, `--rows-per-person` and `--rows-are`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from calling import Answer, Voile

import voile as vl
from voile.tables.unit import ASSUMED, DECLARED, IDENTIFIER, PERSON_COLUMN, Unit

ROLES = ("--quasi", "age,sex,city", "--sensitive", "disease")
PERSON = ("--person", "patient_id")
K3 = ("--model", "k-anonymity:k=3")
NOT_COVERED = "Not covered: an adversary who knows how many rows a person has and that these rows agree"


@pytest.fixture(scope="session")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 visits of 100 patients, who have one to five each; the quasi-identifier of a patient is constant."""
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    draw_visits().write_csv(path)
    return path


def draw_visits() -> pl.DataFrame:
    rows = []
    for person in range(100):
        for visit in range(1 + person % 5):
            disease = ("flu", "gout", "cold", "asthma")[(person + visit) % 4]
            city = ("Orléans", "Tours", "Blois")[person % 3]
            rows.append((f"patient-{person:03d}", 20 + person % 47, "FM"[person % 2], city, disease))
    return pl.DataFrame(rows, schema=["patient_id", "age", "sex", "city", "disease"], orient="row")


def publish(voile: Voile, table: Path | str, *flags: Any) -> Answer:
    return voile("publish", table, "--out", "out", "--force", *ROLES, *K3, *flags)


def read_unit(voile: Voile) -> Unit:
    return vl.load(voile.folder / "out").unit


def test_repeated_identifiers_are_refused_with_the_ways_on(voile: Voile, visits: Path) -> None:
    answer = publish(voile, visits, "--identifier", "patient_id", "--json")
    assert answer.code == 3
    error = answer.json["error"]
    assert error["code"] == "data.people"
    assert "300 rows share 100 values of the identifier 'patient_id'" in error["message"]
    assert "--person patient_id, with --rows-per-person 1 or more" in error["hint"]
    assert "--rows-are people" in error["hint"]


def test_one_row_per_person_is_published_by_default(voile: Voile, visits: Path) -> None:
    answer = publish(voile, visits, *PERSON)
    assert answer.code == 0
    assert answer.out.startswith("100 people in ")
    assert "The table has 100 people in 300 rows\n" in answer.out
    assert "200 rows left out because some people have more than 1 row\n" in answer.out
    assert "Every person has one row" in answer.out
    assert "Not covered" not in answer.out
    assert read_unit(voile) == Unit(1, PERSON_COLUMN)


def test_several_rows_per_person(voile: Voile, visits: Path) -> None:
    answer = publish(voile, visits, *PERSON, "--rows-per-person", "3")
    assert answer.code == 0
    assert answer.out.startswith("240 rows of at least 80 people in ")
    assert "60 rows left out because some people have more than 3 rows\n" in answer.out
    assert NOT_COVERED in answer.out
    assert vl.load(voile.folder / "out").sizes.min() >= 9
    body = publish(voile, visits, *PERSON, "--rows-per-person", "3", "--json").json
    counts = {"people": 80, "rows": 240, "left_out": 60, "withheld": 0, "dropped": 0}
    counts |= {"people_in_table": 100, "rows_in_table": 300}
    assert {name: body[name] for name in counts} == counts
    assert body["unit"] == {"of": "person", "rows": 3, "basis": "person column"}


def test_more_rows_per_person_than_anybody_has_is_said(voile: Voile, visits: Path) -> None:
    answer = publish(voile, visits, *PERSON, "--rows-per-person", "8")
    assert answer.code == 0
    assert "Nobody has more than 5 rows, so --rows-per-person 5 would do, with finer groups." in answer.out
    assert "left out" not in answer.out
    assert "Nobody has more" not in publish(voile, visits, *PERSON, "--rows-per-person", "5").out


def test_people_are_counted_only_where_something_tells_them_apart(voile: Voile, visits: Path) -> None:
    bare = publish(voile, visits)
    assert bare.out.startswith("300 rows in ")
    assert "nobody checked it" in bare.out
    assert read_unit(voile) == Unit(1, ASSUMED)
    assert publish(voile, visits, "--json").json["people_in_table"] is None
    declared = publish(voile, visits, "--identifier", "patient_id", "--rows-are", "people")
    assert declared.code == 0
    assert declared.out.startswith("300 rows in ")
    assert read_unit(voile) == Unit(1, DECLARED)
    certificate = (voile.folder / "out" / "certificate.json").read_text()
    assert '"basis": "declared"' in certificate
    draw_visits().unique("patient_id").write_csv("single.csv")
    single = publish(voile, "single.csv", "--identifier", "patient_id")
    assert single.out.startswith("100 people in ")
    assert read_unit(voile) == Unit(1, IDENTIFIER)


SPEC = """[schema]
quasi = ["age", "sex", "city"]
sensitive = ["disease"]
{unit}
[[policy]]
model = "k-anonymity"
k = 3
"""


def test_the_spec_names_the_unit_and_flags_win(voile: Voile, visits: Path) -> None:
    spec = voile.folder / "spec.toml"

    def ask(unit: str, *flags: str) -> Unit:
        spec.write_text(SPEC.format(unit=unit))
        answer = voile("publish", visits, "--spec", spec, "--out", "out", "--force", *flags)
        assert answer.code == 0, answer.err
        return read_unit(voile)

    several = 'person = "patient_id"\nrows_per_person = 4'
    assert ask(several) == Unit(4, PERSON_COLUMN)
    assert ask(several, "--rows-per-person", "2") == Unit(2, PERSON_COLUMN)
    assert ask(several, "--rows-are", "people") == Unit(1, DECLARED)
    declared = 'identifier = ["patient_id"]\nrows_are = "people"'
    assert ask(declared) == Unit(1, DECLARED)
    assert ask(declared, *PERSON) == Unit(1, PERSON_COLUMN)
    assert ask('other = ["patient_id"]\nkinds = {patient_id = "categorical"}', *PERSON) == Unit(1, PERSON_COLUMN)
    assert "patient-0" not in "".join(path.read_text() for path in (voile.folder / "out").glob("*.json"))
    spec.write_text(SPEC.format(unit="rows_per_persn = 3"))
    answer = voile("publish", visits, "--spec", spec, "--out", "x", "--json")
    assert answer.json["error"]["hint"] == "Did you mean 'rows_per_person'?"


BAD: dict[str, tuple[tuple[str, ...], int, str]] = {
    "also quasi": (("--person", "age"), 2, "schema.role-twice"),
    "also sensitive": (("--person", "disease"), 2, "schema.role-twice"),
    "below one": ((*PERSON, "--rows-per-person", "0"), 2, "schema.rows-per-person"),
    "no person": (("--rows-per-person", "2"), 2, "schema.rows-per-person"),
    "other word": (("--rows-are", "visits"), 2, "schema.rows-are"),
    "both": ((*PERSON, "--rows-are", "people"), 2, "schema.rows-are"),
    "unknown column": (("--person", "nobody"), 2, "schema.unknown-column"),
    "anatomy": (
        (*PERSON, "--rows-per-person", "2", "--method", "anatomy", "--model", "l-diversity:l=2"),
        2,
        "policy.rows-per-person",
    ),
    "t-closeness": ((*PERSON, "--rows-per-person", "2", "--model", "t-closeness:t=0.5"), 2, "policy.rows-per-person"),
    "too few rows": (
        (*PERSON, "--rows-per-person", "2", "--model", "k-anonymity:k=91"),
        4,
        "unsatisfiable.k-anonymity",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_units_are_refused(voile: Voile, visits: Path, case: str) -> None:
    flags, exit_code, code = BAD[case]
    answer = publish(voile, visits, *flags, "--json")
    assert answer.code == exit_code, answer.out
    assert answer.json["error"]["code"] == code
    assert not (voile.folder / "out").exists()


def test_the_largest_possible_k_counts_people(voile: Voile, visits: Path) -> None:
    """With at most 2 rows each, 180 rows are left, and one group of all of them has at least 90 people."""
    roles, unit = ("--out", "out", *ROLES), (*PERSON, "--rows-per-person", "2")
    answer = voile("publish", visits, *roles, *unit, "--model", "k-anonymity:k=91", "--json")
    assert answer.code == 4
    assert "90" in answer.json["error"]["best"]
    assert voile("publish", visits, *roles, *unit, "--model", "k-anonymity:k=90").code == 0


def test_rows_of_nobody_are_refused_or_dropped(voile: Voile) -> None:
    nobody = pl.when(pl.col("patient_id") == "patient-007").then(None).otherwise(pl.col("patient_id"))
    draw_visits().with_columns(patient_id=nobody).write_csv("some.csv")
    answer = publish(voile, "some.csv", *PERSON, "--json")
    assert answer.code == 3
    assert answer.json["error"]["code"] == "data.person"
    assert "--missing drop" in answer.json["error"]["hint"]
    dropped = publish(voile, "some.csv", *PERSON, "--missing", "drop", "--json")
    assert (dropped.code, dropped.json["people"], dropped.json["dropped"]) == (0, 99, 3)


def test_commands_beside_a_release_ask_for_the_person(voile: Voile, visits: Path) -> None:
    assert publish(voile, visits, *PERSON, "--rows-per-person", "3").code == 0
    for verb in ("verify", "audit", "measure", "report"):
        answer = voile(verb, "out", "--data", visits, "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "spec.person")
        assert answer.json["error"]["hint"] == "Name the column, e.g. --person patient_id."
    verified = voile("verify", "out", "--data", visits, *PERSON)
    assert verified.code == 0
    assert verified.out.startswith("Verified with the table ")
    assert "rows per person" in verified.out
    assert NOT_COVERED in verified.out
    assert voile("measure", "out", "--data", visits, *PERSON).code == 0
    assert voile("audit", "out", "--data", visits, *PERSON).code == 0
    assert voile("report", "out", "--data", visits, *PERSON).code == 0


def test_the_key_makes_the_release_again(voile: Voile, visits: Path) -> None:
    (voile.folder / "key").write_text("0f" * 32)
    assert publish(voile, visits, *PERSON, "--rows-per-person", "2", "--key-file", "key").code == 0
    evidence = ("--data", visits, *PERSON, "--key-file", "key")
    answer = voile("verify", "out", *evidence, "--json")
    checks = {check["what"]: check["answer"] for check in answer.json["checks"]}
    assert checks["rows per person"] == "holds"
    (voile.folder / "key").write_text("aa" * 32)
    assert voile("verify", "out", *evidence).code == 5


def test_the_table_refutes_a_wrong_word(voile: Voile, visits: Path) -> None:
    """Whoever has the table finds out that rows are not people, whether that was declared or assumed."""
    for flags in (("--identifier", "patient_id", "--rows-are", "people"), ()):
        assert publish(voile, visits, *flags).code == 0
        assert voile("verify", "out").code == 0
        answer = voile("verify", "out", "--data", visits, *PERSON, "--json")
        assert answer.code == 5
        broken = [check["what"] for check in answer.json["checks"] if check["answer"] == "broken"]
        assert broken == ["rows per person"]


def test_a_later_release_has_the_same_unit(voile: Voile, visits: Path) -> None:
    assert publish(voile, visits, *PERSON, "--rows-per-person", "2").code == 0
    later = ("publish", visits, "--out", "later", *ROLES, *K3, "--after", "out", "--json")
    for flags in ((), PERSON, (*PERSON, "--rows-per-person", "3")):
        answer = voile(*later, *flags)
        assert (answer.code, answer.json["error"]["code"]) == (2, "policy.after-unit")
    assert voile(*later, *PERSON, "--rows-per-person", "2").code == 0


def test_compare_tries_what_serves_several_rows_per_person(voile: Voile, visits: Path) -> None:
    chosen = ("--attack", "linking", "--measure", "certainty", "--by", "certainty")
    answer = voile("compare", visits, *ROLES, *K3, *PERSON, "--rows-per-person", "2", *chosen, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["unit"] == {"of": "person", "rows": 2, "basis": "person column"}
    assert {trial["method"]["name"] for trial in answer.json["trials"]} >= {"mondrian", "full-domain"}
    assert all(trial["fault"] is None for trial in answer.json["trials"])
    text = voile("compare", visits, *ROLES, *K3, *PERSON, "--rows-per-person", "2", "--method", "mondrian", *chosen)
    assert " rows " in text.out
    refused = voile("compare", visits, *ROLES, "--model", "t-closeness:t=0.5", *PERSON, "--rows-per-person", "2")
    assert refused.code == 2
    assert "needs one row per person" in refused.err


def test_statistics_count_people(voile: Voile, visits: Path) -> None:
    flags = ("--quasi", "sex,city", "--sensitive", "disease", "--min-support", "45", "--out", "prior.csv", "--json")
    rows, people = (voile("prior", visits, *flags, *extra, "--force").json["signatures"] for extra in ((), PERSON))
    assert rows > people > 0

"""Publishing people with several rows: what is refused, and what the release states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, PolicyError, SchemaError, SpecError, Unsatisfiable
from voile.flow.request.release_schema import table_schema
from voile.results import Answer
from voile.tables.unit import DECLARED, PERSON_COLUMN, Unit

KEY = vl.Key(bytes(32))
ROLES: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["disease"]}
VISITS = pl.DataFrame(
    [
        (f"patient-{person}", 20 + person % 30, "FM"[person % 2], ("flu", "gout", "cold")[(person + visit) % 3])
        for person in range(100)
        for visit in range(1 + person % 5)
    ],
    schema=["patient_id", "age", "sex", "disease"],
    orient="row",
)


def read(frame: pl.DataFrame = VISITS, **unit: Any) -> Any:
    return vl.read(frame, vl.Schema(**ROLES, **({"person": "patient_id"} | unit)))


@pytest.mark.parametrize("name", ["age", "disease"])
def test_a_person_column_has_no_other_role(name: str) -> None:
    with pytest.raises(SchemaError, match=f"Column '{name}' is listed twice") as error:
        vl.Schema(**ROLES, person=name)
    assert error.value.code == "schema.role-twice"


@pytest.mark.parametrize("rows", [0, -1])
def test_less_than_one_row_per_person_is_refused(rows: int) -> None:
    with pytest.raises(SchemaError, match="would publish nobody"):
        vl.Schema(**ROLES, person="patient_id", rows_per_person=rows)


def test_rows_without_a_person_are_refused_or_dropped() -> None:
    nobody = pl.when(pl.col("patient_id") == "patient-4").then(None).otherwise(pl.col("patient_id"))
    frame = VISITS.with_columns(patient_id=nobody)
    for missing in ("error", "value"):
        with pytest.raises(DataError, match="5 rows have no value in 'patient_id'") as error:
            read(frame, missing=missing)
        assert error.value.code == "data.person"
    data = read(frame, missing="drop")
    assert (data.people.people, data.dropped) == (99, 5)


def test_more_rows_than_anybody_has_is_no_error() -> None:
    data = read(rows_per_person=9)
    assert data.count_left_out() == 0
    release = vl.publish(data, vl.KAnonymity(k=3))
    assert release.unit == Unit(9, PERSON_COLUMN)
    assert release.sizes.min() >= 27


def test_the_largest_k_counts_people() -> None:
    data = read(rows_per_person=2)
    with pytest.raises(Unsatisfiable) as error:
        vl.publish(data, vl.KAnonymity(k=91))
    assert "90" in error.value.best
    assert vl.publish(data, vl.KAnonymity(k=90)).sizes.tolist() == [180]


def test_rows_may_be_declared_people_whatever_the_column_is_called(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="300 rows share 100 values of the identifier 'patient_id'"):
        vl.read(VISITS, vl.Schema(**ROLES, identifier=["patient_id"]))
    declared = vl.read(VISITS, vl.Schema(**ROLES, identifier=["patient_id"], rows_are="people"))
    folder = vl.publish(declared, vl.KAnonymity(k=3)).save(tmp_path / "out")
    (claim,) = json.loads((folder / "certificate.json").read_text())["claims"]
    assert claim["unit"] == Unit(1, DECLARED).as_json()
    verdict = vl.verify(folder, data=read())
    assert [check.what for check in verdict.checks if check.answer is Answer.BROKEN] == ["rows per person"]


@pytest.mark.parametrize("unit", [{"person": None}, {"rows_per_person": 1}, {"rows_per_person": 3}])
def test_a_later_release_has_the_same_unit(unit: dict[str, Any]) -> None:
    first = vl.publish(read(rows_per_person=2), vl.KAnonymity(k=3))
    with pytest.raises(PolicyError, match="protects another unit") as error:
        vl.publish(read(**unit), vl.KAnonymity(k=3), after=[first])
    assert error.value.code == "policy.after-unit"


def test_the_schema_of_a_release_needs_the_name_of_the_person_column() -> None:
    release = vl.publish(read(rows_per_person=2), vl.KAnonymity(k=3), key=KEY)
    with pytest.raises(SpecError, match="does not say which one") as error:
        table_schema(release)
    assert error.value.code == "spec.person"
    schema = table_schema(release, person="patient_id")
    assert (schema.person, schema.rows_per_person) == ("patient_id", 2)
    verdict = vl.verify(release, data=vl.read(VISITS, schema), key=KEY)
    assert verdict.holds
    assert verdict.checks[-1].what == "rows per person"


@pytest.mark.parametrize("rows", [1, 3])
def test_an_audit_with_the_table_never_contradicts_the_draw(rows: int) -> None:
    """The auditor does not know which rows were drawn, so the prior attack learns from all of them."""
    data = read(rows_per_person=rows)
    for number in range(5):
        release = vl.publish(data, vl.KAnonymity(k=2), key=vl.Key(bytes([number] * 32)))
        assert vl.audit(release, data, [vl.attacks.Prior(min_support=2)]).findings


def test_a_report_says_rows_and_names_who_is_not_covered() -> None:
    several = vl.report(vl.publish(read(rows_per_person=3), vl.KAnonymity(k=3)))
    content = several.as_json()
    assert content["headline"]["people"] == 80
    assert content["headline"]["unit"] == content["groups"]["unit"]
    assert content["headline"]["unit"]["total"] == 240
    assert content["promises"][0]["notes"]
    for text in (
        "Every person has at most 3 rows",
        "People, at least",
        "<strong>Not covered: an adversary who",
    ):
        assert text in several.html
    assert "Rows in the smallest group" in several.html
    single = vl.report(vl.publish(read(), vl.KAnonymity(k=3)))
    assert "People in the smallest group" in single.html
    assert "Not covered" not in single.html
    bare = vl.report(vl.publish(read(person=None), vl.KAnonymity(k=3)))
    assert "Rows in the smallest group" in bare.html
    assert any("did not check it" in limit for limit in bare.as_json()["limits"])


def test_a_comparison_says_what_it_counts(tmp_path: Path) -> None:
    wanted: dict[str, Any] = {"methods": [vl.Mondrian()], "attacks": [], "measures": [vl.measures.Certainty()]}
    several = vl.compare(read(rows_per_person=3), vl.KAnonymity(k=3), store=tmp_path, **wanted)
    assert several.unit == Unit(3, PERSON_COLUMN)
    assert "one table (240 rows of at least 80 people)" in several.html
    assert vl.compare(read(rows_per_person=5), vl.KAnonymity(k=3), store=tmp_path, **wanted).rows[0].people == 300
    assert vl.compare(read(rows_per_person=6), vl.KAnonymity(k=3), store=tmp_path, **wanted).rows[0].groups < 20
    assert len(list(tmp_path.glob("trial-*.json"))) == 3, "another unit is another trial"


def test_a_comparison_verifies_with_the_prior_of_the_drawn_rows() -> None:
    """A promise about statistics that are learned from the table is about the rows that the key draws."""
    model = vl.RRobustness(r=2, column="disease")
    (trial,) = vl.compare(read(), model, [vl.Art()], attacks=[], measures=[], key=KEY).rows
    assert (trial.fault, trial.verified) == (None, "holds")

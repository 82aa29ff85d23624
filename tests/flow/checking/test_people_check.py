"""Forged units: whoever has the folder, or the folder and the table, notices them."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import EXAMPLES, KEY, people, schema

import voile as vl
from voile.errors import DataError
from voile.flow.checking.people_check import TITLE
from voile.models.policy import make_claim
from voile.results import Answer
from voile.tables.unit import Unit

ROLES: dict[str, Any] = {"quasi": ["age", "city"], "sensitive": ["disease"]}
ONE = {"of": "person", "rows": 1, "basis": "person column"}
FORGED_UNITS = {
    "missing": None,
    "a number": 1,
    "a list": [1],
    "empty": {},
    "negative": {**ONE, "rows": -1},
    "zero": {**ONE, "rows": 0},
    "true": {**ONE, "rows": True},
    "a float": {**ONE, "rows": 1.0},
    "a text": {**ONE, "rows": "1"},
    "nothing": {**ONE, "rows": None},
    "nested": {**ONE, "rows": {"rows": 1}},
    "unknown basis": {**ONE, "basis": "trust me"},
    "basis of a wrong type": {**ONE, "basis": ["person column"]},
    "several rows without a column": {**ONE, "rows": 2, "basis": "assumed"},
    "extra key": {**ONE, "note": "households, too"},
    "no basis": {"of": "person", "rows": 1},
    "of something else": {**ONE, "of": "household"},
}


def visits() -> pl.DataFrame:
    """200 people with 1 to 9 visits each."""
    rng = np.random.default_rng(5)
    owner = np.repeat(np.arange(200), rng.integers(1, 10, 200))
    return pl.DataFrame(
        {
            "patient": owner,
            "age": rng.integers(20, 80, 200)[owner],
            "city": rng.choice(["Bern", "Lyon", "Oslo"], 200)[owner],
            "disease": rng.choice(["acne", "flu", "gout", "HIV", "lupus", "mumps", "scurvy"], len(owner)),
        }
    )


def with_person(rows: int = 1) -> vl.Schema:
    return vl.Schema(**ROLES, person="patient", rows_per_person=rows)


def publish_visits(rows: int = 1, policy: Any = None, method: Any = None) -> Any:
    return vl.publish(vl.read(visits(), with_person(rows)), policy or vl.KAnonymity(k=5), method, key=KEY)


def as_people() -> Any:
    """Publish the visits as if every row were a person."""
    declared = vl.Schema(**ROLES, identifier=["patient"], rows_are="people")
    return vl.publish(vl.read(visits(), declared), vl.KAnonymity(k=5), key=KEY)


def forge(folder: Path, certificate: Callable[[Any], None] | None, dictionary: Callable[[Any], None] | None) -> None:
    """Change the documents of a folder, and write the new digest into the certificate."""
    stated = json.loads((folder / "certificate.json").read_text())
    if dictionary is not None:
        document = json.loads((folder / "dictionary.json").read_text())
        dictionary(document)
        content = json.dumps(document).encode()
        (folder / "dictionary.json").write_bytes(content)
        stated["files"]["dictionary.json"] = "sha256:" + hashlib.sha256(content).hexdigest()
    if certificate is not None:
        certificate(stated)
    (folder / "certificate.json").write_text(json.dumps(stated))


def set_unit(unit: Any) -> Callable[[Any], None]:
    """State another unit in a dictionary."""

    def change(document: Any) -> None:
        document.pop("unit")
        if unit is not None:
            document["unit"] = copy.deepcopy(unit)

    return change


def set_claimed_units(unit: Any) -> Callable[[Any], None]:
    """State another unit in every claim."""

    def change(certificate: Any) -> None:
        for claim in certificate["claims"]:
            set_unit(unit)(claim)

    return change


@pytest.mark.parametrize("where", ["claim", "dictionary", "both"])
@pytest.mark.parametrize("name", sorted(FORGED_UNITS))
def test_a_unit_that_is_none_is_broken(name: str, where: str, tmp_path: Path) -> None:
    folder = publish_visits().save(tmp_path / "out")
    assert vl.verify(folder).holds
    unit = FORGED_UNITS[name]
    forge(
        folder,
        set_claimed_units(unit) if where != "dictionary" else None,
        set_unit(unit) if where != "claim" else None,
    )
    assert vl.verify(folder).broken
    assert vl.verify(folder, data=vl.read(visits(), with_person()), key=KEY).broken


@pytest.mark.parametrize("stated", ["claim", "dictionary"])
@pytest.mark.parametrize("unit", [Unit(1, "identifier"), Unit(1, "assumed"), Unit(2, "person column")])
def test_claims_and_dictionary_must_agree(unit: Unit, stated: str, tmp_path: Path) -> None:
    folder = publish_visits().save(tmp_path / "out")
    change = unit.as_json()
    forge(
        folder,
        set_claimed_units(change) if stated == "claim" else None,
        set_unit(change) if stated == "dictionary" else None,
    )
    assert vl.verify(folder).broken


def test_one_claim_with_another_unit_is_broken(tmp_path: Path) -> None:
    policy = vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2))
    folder = publish_visits(1, policy).save(tmp_path / "out")

    def change(certificate: Any) -> None:
        set_unit(Unit(1, "declared").as_json())(certificate["claims"][1])

    forge(folder, change, None)
    assert vl.verify(folder).broken


def test_fewer_rows_per_person_than_were_drawn(tmp_path: Path) -> None:
    """Groups of 15 rows for 3 rows per person are claimed to be 15-anonymous for one: only the table tells."""
    folder = publish_visits(3).save(tmp_path / "out")

    def change(certificate: Any) -> None:
        claim = make_claim(vl.KAnonymity(k=15), None, ROLES["quasi"], Unit(1, "person column"))
        certificate["claims"] = [claim.against_algorithm().as_json()]

    forge(folder, change, set_unit(ONE))
    assert vl.verify(folder).holds  # which the page of the unit says: a stranger cannot count people
    verdict = vl.verify(folder, data=vl.read(visits(), with_person()))
    assert verdict.broken
    assert [check.answer for check in verdict.checks if check.what == TITLE] == [Answer.BROKEN]


@pytest.mark.parametrize("basis", ["person column", "identifier", "assumed", "declared"])
def test_visits_published_as_people_are_broken_with_the_table(basis: str, tmp_path: Path) -> None:
    folder = as_people().save(tmp_path / "out")
    unit = Unit(1, basis).as_json()
    forge(folder, set_claimed_units(unit), set_unit(unit))
    assert vl.verify(folder).holds
    data = vl.read(visits(), with_person())
    assert vl.verify(folder, data=data).broken
    assert vl.verify(folder, data=data, key=KEY).broken
    five = vl.read(visits(), with_person(5))
    assert vl.verify(folder, data=five).broken


def test_other_rows_of_the_same_people_are_broken_with_the_key() -> None:
    """The number of rows is right, but they are not those that the key draws."""
    data = vl.read(visits(), with_person(2))
    other = vl.publish(data, vl.KAnonymity(k=5), key=vl.Key(bytes(32)))
    assert vl.verify(other, data=data).holds
    assert vl.verify(other, data=data, key=KEY).broken
    assert vl.verify(publish_visits(2), data=data, key=KEY).holds


def test_a_group_with_more_rows_than_its_people_have_is_broken() -> None:
    """As many rows as there are people, but some cities have more rows than people."""
    frame = visits()
    most = frame.with_columns(pl.len().over("patient").alias("rows")).sort("rows", descending=True)
    chosen = most.head(frame["patient"].n_unique()).select("city", "disease")
    release = vl.publish(vl.read(chosen, vl.Schema(quasi=["city"], sensitive=["disease"])), vl.KAnonymity(k=5), key=KEY)
    assert vl.verify(release).holds
    data = vl.read(frame, vl.Schema(quasi=["city"], sensitive=["disease"], person="patient"))
    verdict = vl.verify(release, data=data)
    assert verdict.broken
    assert "more rows than the people in them" in str(verdict)


def test_several_rows_in_a_shape_that_needs_one_are_broken(tmp_path: Path) -> None:
    for number, (policy, method) in enumerate(
        [
            (vl.LDiversity(l=2), vl.Anatomy()),
            (vl.MultiDiversity({"disease": 2}), vl.Decompose()),
        ]
    ):
        folder = publish_visits(1, policy, method).save(tmp_path / str(number))
        assert vl.verify(folder).holds
        several = Unit(2, "person column")

        def change(certificate: Any, several: Unit = several) -> None:
            for claim in certificate["claims"]:
                claim["unit"] = several.as_json()
                claim["not_covered"] = [*several.not_covered(), *claim["not_covered"]]

        forge(folder, change, set_unit(several.as_json()))
        assert vl.verify(folder).broken


@pytest.mark.parametrize("model", ["l-diversity", "t-closeness"])
def test_several_rows_under_a_model_that_needs_one_are_broken(model: str, tmp_path: Path) -> None:
    """Entropy l-diversity and t-closeness have no form for people with several rows."""
    policy = vl.LDiversity(l=2, form="entropy") if model == "l-diversity" else vl.TCloseness(t=0.9)
    folder = publish_visits(1, policy).save(tmp_path / "out")
    several = Unit(2, "person column")

    def change(certificate: Any) -> None:
        for claim in certificate["claims"]:
            claim["unit"] = several.as_json()
            claim["not_covered"] = [*several.not_covered(), *claim["not_covered"]]

    forge(folder, change, set_unit(several.as_json()))
    assert vl.verify(folder).broken


@pytest.mark.parametrize("rows", [-1, 0, 1, 2, True, 1.0, None, "1"])
def test_a_parameter_cannot_state_the_rows_per_person(rows: Any, tmp_path: Path) -> None:
    """Only the unit states it: a claim of k = 400 with -1 rows per person would hold in any table."""
    folder = publish_visits().save(tmp_path / "out")

    def change(certificate: Any) -> None:
        stated = make_claim(vl.KAnonymity(k=400), None, ROLES["quasi"], Unit(1, "person column"))
        claim = stated.against_algorithm().as_json()
        certificate["claims"] = [{**claim, "parameters": {**claim["parameters"], "rows_per_person": rows}}]

    forge(folder, change, None)
    assert vl.verify(folder).broken


def test_the_adversary_who_is_not_covered_must_be_named(tmp_path: Path) -> None:
    folder = publish_visits(2).save(tmp_path / "out")

    def change(certificate: Any) -> None:
        certificate["claims"][0]["not_covered"] = []

    forge(folder, change, None)
    assert vl.verify(folder).broken


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_whoever_has_the_table_confirms_every_method(name: str) -> None:
    policy, method = EXAMPLES[name]
    frame = people().with_columns(pl.Series("patient", np.arange(2000) % 1200))
    data = vl.read(frame, schema(person="patient"))
    ledger = vl.Ledger() if name == "republish" else None
    release = vl.publish(data, policy, method, key=KEY, ledger=ledger)
    for key in (None, KEY) if ledger is None else (None,):
        verdict = vl.verify(release, data=data, key=key, ledger=ledger)
        assert not verdict.broken, f"{name}: {verdict}"
        assert [check.answer for check in verdict.checks if check.what == TITLE] == [Answer.HOLDS]


def test_a_table_that_cannot_be_published_is_broken_with_the_key() -> None:
    few = vl.read(visits().filter(pl.col("patient") < 3), with_person())
    verdict = vl.verify(publish_visits(), data=few, key=KEY)
    assert verdict.broken
    assert "cannot be published" in str(verdict)


def test_a_table_read_for_more_rows_than_the_shape_has() -> None:
    """Buckets need one row per person, so they cannot be made again from a table read for two: rows are counted."""
    buckets = publish_visits(1, vl.LDiversity(l=2), vl.Anatomy())
    verdict = vl.verify(buckets, data=vl.read(visits(), with_person(2)), key=KEY)
    assert not verdict.broken


def test_a_table_that_does_not_tell_people_apart_is_not_compared_with_people() -> None:
    frame = pl.DataFrame({"id": [1, 1, 2, 3], "age": [30, 30, 40, 50], "disease": ["flu", "flu", "gout", "acne"]})
    release = vl.publish(
        vl.read(frame, vl.Schema(person="id", quasi=["age"], sensitive=["disease"])), vl.KAnonymity(k=3)
    )
    rows = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    for work in (lambda: vl.audit(release, rows), lambda: vl.measure(rows, release)):
        with pytest.raises(DataError, match="does not tell whose its rows are"):
            work()


def test_the_publisher_verifies_with_the_rows_per_person_of_the_release() -> None:
    frame = pl.DataFrame({"id": [1, 1, 2, 2, 3, 3, 4], "age": [30, 31, 32, 33, 34, 35, 36], "d": list("abcabca")})
    schema = vl.Schema(person="id", rows_per_person=2, quasi=["age"], sensitive=["d"])
    key = vl.Key(bytes(range(32)))
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=3), key=key)
    one_row = vl.read(frame, vl.Schema(person="id", quasi=["age"], sensitive=["d"]))
    assert vl.verify(release, data=one_row, key=key).holds

"""Personalized privacy with a guarding node per person: from a column that nobody sees."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.engines import base
from voile.errors import DataError, PolicyError, SchemaError, Unsatisfiable
from voile.results import Answer
from voile.tables import partition_tree

SCHOOL = {"elementary": ["1st", "2nd"], "university": ["BA", "MA"]}
BELOW = {"elementary": {"1st", "2nd"}, "university": {"BA", "MA"}, "1st": {"1st"}, "BA": {"BA"}}
TREE = {"north": ["a", "b"], "south": ["c", "d"]}
SECRET = "wish-of-nobody-else"
MODEL = vl.Personalized(p=0.5, own_nodes=True)
METHODS = (vl.Mondrian(), vl.FullDomain(), vl.FullDomain(suppression=0.4), vl.LocalRecoding())


def schema(**more: Any) -> vl.Schema:
    trees = {"school": SCHOOL, "q": TREE}
    domains = {"school": ["1st", "2nd", "BA", "MA"], "q": list("abcd")}
    given = {"guarding": {"school": SECRET}, "hierarchies": trees, "domains": domains, **more}
    return vl.Schema(quasi=["q"], sensitive=["school"], **given)


def frame(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"q": pl.String, "school": pl.String, SECRET: pl.String}, orient="row")


def covers(label: str, place: str) -> bool:
    return label in ("*", place) or place in TREE.get(label, ()) or f"{{{place}" in label or f"|{place}" in label


def breaches(release: Any, rows: list[tuple[str, str, str | None]]) -> int:
    """Count the pairs of a person and a group that they fit in which the node they guard covers more than half: by
    code that knows nothing of voile but the published table."""
    groups: dict[str, list[str]] = {}
    for label, value in release.tables["table"].select("q", "school").rows():
        groups.setdefault(str(label), []).append(value)
    wrong = 0
    for place, _, node in rows:
        for label, values in groups.items():
            if node and covers(label, place):
                wrong += Fraction(sum(value in BELOW[node] for value in values), len(values)) > Fraction(1, 2)
    return wrong


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_tiny_table_and_every_wish(method: Any) -> None:
    """All tables of four people in three places with three values and four wishes, thinned out: nobody is shown in a
    group in which their node covers more than half, in any group that they fit."""
    people = list(itertools.product(["1st", "2nd", "BA"], [None, "elementary", "1st", "BA"]))
    published = refused = 0
    for number, chosen in enumerate(itertools.product(people, repeat=4)):
        if number % 331:
            continue
        rows = [(place, value, node) for place, (value, node) in zip("abbc", chosen, strict=True)]
        try:
            release = vl.publish(vl.read(frame(*rows), schema()), MODEL, method)
        except Unsatisfiable:
            refused += 1
            continue
        published += 1
        assert breaches(release, rows) == 0
    assert published > 20
    assert refused > 5


def test_the_slides_publish_one_table_as_it_is_and_not_the_other() -> None:
    fine = frame(("a", "BA", None), ("b", "1st", "elementary"), ("b", "BA", "none"))
    release = vl.publish(vl.read(fine, schema()), MODEL, vl.LocalRecoding())
    assert sorted(release.tables["table"].rows()) == [("a", "BA"), ("b", "1st"), ("b", "BA")]
    exposed = frame(("a", "1st", "elementary"), ("b", "BA", ""), ("b", "BA", None))
    release = vl.publish(vl.read(exposed, schema()), MODEL, vl.LocalRecoding())
    assert sorted(release.tables["table"].rows()) == [("b", "BA"), ("north", "1st"), ("north", "BA")]


def test_merging_may_break_it_and_mondrian_serves_it_nevertheless() -> None:
    assert not MODEL.monotone
    assert vl.Personalized(p=0.5).monotone
    rows = [("a", "1st", "elementary"), ("a", "BA", None), *[("c", "1st", None)] * 4]
    with pytest.raises(Unsatisfiable, match="1 of 6 people guard a node that covers more than"):
        vl.publish(vl.read(frame(*rows), schema()), MODEL, vl.Mondrian())
    release = vl.publish(vl.read(frame(*rows), schema()), MODEL, vl.FullDomain())
    assert sorted(set(release.tables["table"]["q"])) == ["a", "c"]


def test_what_verify_answers(tmp_path: Path) -> None:
    rows = [("a", "1st", "elementary"), ("a", "BA", None), ("c", "1st", None), ("c", "2nd", "university")]
    data = vl.read(frame(*rows), schema())
    release = vl.publish(data, MODEL, vl.FullDomain())
    release.save(tmp_path / "out")
    answers = [vl.verify(tmp_path / "out", data=table).checks[-1].answer for table in (None, data)]
    assert answers == [Answer.NEEDS, Answer.HOLDS]
    asked = [*rows[:2], ("c", "1st", "elementary"), rows[3]]
    broken = vl.verify(tmp_path / "out", data=vl.read(frame(*asked), schema()))
    assert broken.checks[-1].answer is Answer.BROKEN
    assert "For 1 people" in broken.checks[-1].detail
    fewer = vl.verify(tmp_path / "out", data=vl.read(frame(*rows[:3]), schema()))
    assert fewer.checks[-1].answer is Answer.BROKEN
    balanced = [("a", "1st", "elementary"), ("a", "BA", None), ("c", "2nd", None), ("c", "MA", "MA")]
    strong = vl.publish(vl.read(frame(*balanced), schema()), MODEL)
    verdict = vl.verify(strong)
    assert verdict.checks[-1].answer is Answer.HOLDS
    assert "whatever node" in verdict.checks[-1].detail


def test_somebody_who_fits_several_groups_needs_the_key() -> None:
    rows = [("a", "1st", "elementary"), ("b", "BA", "university"), *[("b", "2nd", None)] * 4]
    data = vl.read(frame(*rows), schema())
    key = vl.Key(bytes(range(32)))
    release = vl.publish(data, MODEL, vl.LocalRecoding(), key=key)
    others = [*rows[:1], ("b", "BA", "elementary"), *rows[2:]]
    open_question = vl.verify(release, data=vl.read(frame(*others), schema()))
    assert open_question.checks[-1].answer in (Answer.NEEDS, Answer.BROKEN)
    assert vl.verify(release, data=data, key=key).holds


def test_the_column_and_its_nodes_are_nowhere_in_the_release(tmp_path: Path) -> None:
    rows = [("a", "1st", "elementary"), ("a", "BA", None), ("c", "2nd", "university"), ("c", "MA", "BA")]
    data = vl.read(frame(*rows), schema())
    vl.publish(data, MODEL).save(tmp_path / "out")
    for path in (tmp_path / "out").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()
    other = [(place, value, None) for place, value, _ in rows]
    release = vl.publish(vl.read(frame(*other), schema()), MODEL, vl.FullDomain())
    same = vl.publish(vl.read(frame(*rows), schema()), MODEL, vl.FullDomain())
    assert release.digest == same.digest  # nothing but the groups depends on what people guard
    audit, losses = vl.audit(release, data=data), vl.measure(data, release)
    report = vl.report(release, audit, losses, vl.verify(release, data=data))
    assert SECRET not in json.dumps(report.as_json(), default=str) + report.html
    gaps = " ".join(release.certificate.claims[0]["not_covered"])
    assert "knows the algorithm" in gaps
    assert "who guards what" in gaps


@pytest.mark.parametrize(
    ("node", "message"),
    [("secondary", "1 rows of .* name a guarding node that is neither"), ("*", "guard every value of 'school'")],
)
def test_a_node_that_is_not_in_the_hierarchy_is_refused(node: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        vl.read(frame(("a", "1st", node), ("b", "BA", None)), schema())
    assert "secondary" not in str(error.value)


@pytest.mark.parametrize(
    ("guarding", "message"),
    [
        ({"school": "absent"}, "The table has no column 'absent'"),
        ({"school": "q"}, r"Column 'q' is listed twice \(quasi and guarding\)"),
        ({"school": "school"}, "listed twice"),
        ({"q": SECRET}, "'q', which is not a sensitive column"),
        ({"school": 3}, "one column per sensitive column"),
        ("wish", "guarding must map column names"),
    ],
)
def test_a_wrong_column_is_refused(guarding: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        vl.read(frame(("a", "1st", None)), schema(guarding=guarding))


def test_several_rows_per_person_are_refused() -> None:
    table = frame(("a", "1st", "elementary"), ("b", "BA", None), ("b", "MA", None)).with_columns(
        id=pl.Series([1, 1, 2])
    )
    with pytest.raises(DataError, match="3 rows of 2 people, and guarding nodes need one row per person"):
        vl.read(table, schema(person="id"))
    with pytest.raises(SchemaError, match="one row per person"):
        schema(person="id", rows_per_person=2)
    single = vl.read(table.head(2).with_columns(id=pl.Series([1, 2])), schema(person="id"))
    assert vl.publish(single, MODEL).people == 2


def test_a_request_that_does_not_fit_is_refused() -> None:
    table = frame(("a", "1st", "elementary"), ("b", "BA", None))
    with pytest.raises(PolicyError, match="no model of the policy reads them"):
        vl.publish(vl.read(table, schema()), vl.KAnonymity(k=2))
    with pytest.raises(PolicyError, match="no column tells which node of 'school'"):
        vl.publish(vl.read(table, schema(guarding={})), MODEL)
    with pytest.raises(PolicyError, match="everybody guards the same nodes, or everybody guards their own"):
        vl.Personalized(nodes=("1st",), own_nodes=True)
    with pytest.raises(PolicyError, match="anatomy"):
        vl.publish(vl.read(table, schema()), MODEL, vl.Anatomy())
    assert "own_nodes" not in vl.Personalized(nodes=("1st",)).parameters()


def large_table(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    school = rng.choice(["1st", "2nd", "BA", "MA"], rows)
    wish = np.where(rng.random(rows) < 0.3, np.where(rng.random(rows) < 0.5, school, "elementary"), "")
    place = rng.choice(list("abcd"), rows)
    table = pl.DataFrame({"q": place, "age": rng.integers(20, 60, rows), "school": school, SECRET: wish})
    return table.with_columns(pl.col(SECRET).replace("", None))


@pytest.mark.parametrize("person", [None, "id"])
def test_the_same_release_on_disk(person: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 500)
    monkeypatch.setattr(base, "CHUNK_ROWS", 400)
    table = large_table(1_500).with_row_index("id")
    table.write_parquet(tmp_path / "people.parquet")
    wanted = vl.Schema(
        quasi=["q", "age"],
        sensitive=["school"],
        hierarchies={"school": SCHOOL},
        guarding={"school": SECRET},
        person=person,
    )
    key, model = vl.Key(bytes(range(32))), vl.Personalized(p=0.6, own_nodes=True)
    here = vl.publish(vl.read(table, wanted), model, key=key)
    there = vl.publish(vl.read(tmp_path / "people.parquet", wanted, engine=vl.Disk()), model, key=key)
    assert there.digest == here.digest
    assert here.groups > 50
    assert vl.verify(here, data=vl.read(table, wanted)).holds

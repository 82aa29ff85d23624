"""Agreeing rows: the belief of an adversary who knows how often a person came, and that the reason was always the
same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest

import voile as vl
from voile.attacks.base import RawTable
from voile.errors import PolicyError
from voile.testing import check_attack

DISEASES = ("acne", "flu", "gout")


def make_visits(seed: int, people: int = 12, *, moving: bool = False) -> pl.DataFrame:
    """Visits of people with one chronic disease each; with `moving` their age differs from visit to visit."""
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 6, people)
    age = np.repeat(rng.integers(20, 60, people), times)
    return pl.DataFrame(
        {
            "patient": np.repeat(np.arange(people), times),
            "age": age + (rng.integers(0, 20, len(age)) if moving else 0),
            "disease": np.repeat(rng.choice(DISEASES, people), times),
        }
    )


def read(frame: pl.DataFrame, rows_per_person: int) -> Any:
    schema = vl.Schema(person="patient", rows_per_person=rows_per_person, quasi=["age"], sensitive=["disease"])
    return vl.read(frame, schema)


def boxes_and_diseases(release: Any) -> tuple[list[set[int]], list[list[str]]]:
    """Return the ages and the diseases of each box."""
    table = release.tables["table"].select(pl.col("age").cast(pl.String).alias("box"), "disease")
    entry = next(entry for entry in release.described("quasi") if entry["name"] == "age")
    groups = table.group_by("box", maintain_order=True).agg("disease")
    ages = [set(oracle.stands_for(box, entry, list(range(20, 90)))) for box in groups["box"]]
    return ages, groups["disease"].to_list()


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_belief_equals_that_of_enumerated_draws(seed: int, moving: bool) -> None:
    frame, limit = make_visits(seed, moving=moving), 2 + seed % 2
    data = read(frame, limit)
    release = vl.publish(data, vl.KAnonymity(k=2))
    (finding,) = vl.audit(release, data, [vl.attacks.AgreeingRows()]).findings
    boxes, groups = boxes_and_diseases(release)
    expected, unclear_people, contradictory_people = [], 0, 0
    for (_,), rows in frame.group_by("patient"):
        groups_of_rows = [[g for g, box in enumerate(boxes) if age in box] for age in rows["age"]]
        if any(len(fitting) != 1 for fitting in groups_of_rows):
            unclear_people += 1
            continue
        person = Counter(fitting[0] for fitting in groups_of_rows)
        beliefs = oracle.agreeing_rows(person, limit, groups, DISEASES)
        if beliefs is None:
            contradictory_people += 1
        else:
            expected.append(float(max(beliefs)))
    assert sorted(finding.belief.rows) == pytest.approx(sorted(expected))
    assert finding.belief.details == {
        "people whose value is certain": sum(belief > 1 - 1e-9 for belief in expected),
        "people whose group is unclear": unclear_people,
        "people whose rows cannot agree": contradictory_people,
    }


def test_the_original_table_shows_all_rows() -> None:
    """Ann has three rows among five alike, and only acne occurs three times. Bob has the other two."""
    frame = pl.DataFrame(
        {"patient": ["ann"] * 3 + ["bob"] * 2, "age": [30] * 5, "disease": ["acne", "acne", "acne", "flu", "flu"]}
    )
    data = read(frame, 2)
    (guess,) = vl.attacks.AgreeingRows().learn(data).guesses(RawTable(data), None)
    assert sorted(guess.belief.rows) == pytest.approx([3 / 4, 1])
    assert guess.belief.baseline == pytest.approx(3 / 5)


def test_a_promise_about_people_does_not_cover_it() -> None:
    """Ann came twice, and of eight rows that look alike only two have the same disease."""
    people = ["ann", "ann", "bob", "cem", "dan", "eva", "fay", "gil"]
    diseases = ["acne", "acne", "flu", "gout", "HIV", "migraine", "asthma", "rosacea"]
    data = read(pl.DataFrame({"patient": people, "age": [30] * 8, "disease": diseases}), 2)
    release = vl.publish(data, vl.LDiversity(l=2))
    audit = vl.audit(release, data)
    by_attack = {finding.attack: finding for finding in audit.findings}
    assert by_attack["homogeneity"].inside
    assert by_attack["homogeneity"].belief.worst == pytest.approx(1 / 2)
    finding = by_attack["agreeing-rows"]
    assert not finding.inside
    assert sorted(finding.belief.rows) == pytest.approx([1 / 4] * 6 + [1])
    assert finding.belief.details["people whose value is certain"] == 1
    assert finding.before is not None
    assert audit.passed


def test_the_attack_does_not_apply_to_one_row_per_person() -> None:
    data = read(make_visits(0, 40), 1)
    release = vl.publish(data, vl.KAnonymity(k=2))
    assert "agreeing-rows" not in {finding.attack for finding in vl.audit(release, data).findings}
    with pytest.raises(PolicyError, match="agreeing-rows does not apply"):
        vl.audit(release, data, [vl.attacks.AgreeingRows()])


def test_the_attack_needs_the_original_table_with_its_persons() -> None:
    frame = make_visits(0, 40)
    data = read(frame, 2)
    release = vl.publish(data, vl.KAnonymity(k=2))
    audit_without_table = vl.audit(release)
    assert audit_without_table.notes == (
        "The attack agreeing-rows needs the original table in memory, read with the column of persons.",
    )
    assert audit_without_table.findings
    with pytest.raises(PolicyError, match="needs the original table") as caught:
        vl.audit(release, attacks=[vl.attacks.AgreeingRows()])
    assert caught.value.code == "policy.adversary"
    audit = vl.audit(release, adversary="receptionist")
    assert audit.notes[0].startswith("receptionist: the attack agreeing-rows needs the original table")
    assert {finding.attack for finding in audit.findings} == {"linking", "homogeneity"}


def test_the_attack_keeps_the_contract() -> None:
    check_attack(vl.attacks.AgreeingRows)


def test_a_comparison_runs_it_where_people_have_several_rows() -> None:
    measures = [vl.measures.Certainty()]
    for limit in (1, 2):
        comparison = vl.compare(read(make_visits(0, 40), limit), vl.KAnonymity(k=2), [vl.Mondrian()], measures=measures)
        attacks = {finding.attack for trial in comparison.rows for finding in trial.reached}
        assert ("agreeing-rows" in attacks) is (limit > 1)

"""Rows and people: linking, homogeneity and elimination count people, compared with a count by their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest

import voile as vl
from voile.attacks.base import RawTable
from voile.attacks.people_in_groups import FewestPeople
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.release_pieces import lies_in_pieces
from voile.tables.part_protocol import PartsInMemory

QUASI = ["age", "city"]
ATTACKS = [vl.attacks.Linking(), vl.attacks.Homogeneity(), vl.attacks.Elimination(values=1), vl.attacks.Skewness()]


def make_visits(seed: int, people: int = 40) -> pl.DataFrame:
    """Visits of people with one to six rows, whose age and disease vary from row to row."""
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 7, people)
    total = int(times.sum())
    return pl.DataFrame(
        {
            "patient": [f"p{i}" for i in np.repeat(np.arange(people), times)],
            "age": np.repeat(rng.integers(20, 26, people), times) + rng.integers(0, 2, total),
            "city": np.repeat(rng.choice(["Bern", "Lyon"], people), times),
            "disease": rng.choice(["acne", "flu", "gout", "HIV", "migraine", "asthma"], total),
        }
    )


def read(frame: Any, rows_per_person: int, **options: Any) -> Any:
    schema = vl.Schema(person="patient", rows_per_person=rows_per_person, quasi=QUASI, sensitive=["disease"])
    return vl.read(frame, schema, **options)


def beliefs(target: Any, external: Any = None) -> dict[str, Any]:
    return {guess.title: guess.belief for attack in ATTACKS for guess in attack.guesses(target, external)}


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_each_group_has_at_least_its_rows_over_the_limit_in_people(seed: int, limit: int) -> None:
    data = read(make_visits(seed), limit)
    release = vl.publish(data, vl.KAnonymity(k=3))
    boxes: dict[Any, Counter[str]] = {}
    for *box, disease in release.tables["table"].select(pl.col(*QUASI).cast(pl.String), "disease").iter_rows():
        boxes.setdefault(tuple(box), Counter())[disease] += 1
    expected_by_title: dict[str, list[tuple[float, int]]] = {"Prosecutor": [], "Homogeneity of 'disease'": []}
    expected_by_title["'disease' after ruling out 1 value"] = []
    for values in boxes.values():
        rows = values.total()
        people = -(-rows // limit)
        shares = [Fraction(1, rows), oracle.homogeneity([*values.values()]), oracle.elimination([*values.values()], 1)]
        for entries, share in zip(expected_by_title.values(), shares, strict=True):
            entries.append((float(min(Fraction(1), limit * share)), people))
    beliefs_by_title, rows = beliefs(release), release.people
    for title, entries in expected_by_title.items():
        belief = beliefs_by_title[title]
        pairs = sorted(zip(belief.risk.round(9).tolist(), belief.people.tolist(), strict=True))
        assert pairs == sorted((round(risk, 9), people) for risk, people in entries)
        assert belief.count_people() == -(-rows // limit)
        assert belief.exact is (limit == 1)
    assert beliefs_by_title["Prosecutor"].baseline == pytest.approx(1 / -(-rows // limit))
    assert beliefs_by_title["Prosecutor"].worst <= 1 / 3
    assert vl.audit(release, data).passed


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_original_table_counts_all_rows_of_everybody(seed: int, limit: int) -> None:
    frame = make_visits(seed)
    rows = Counter(frame.select(QUASI).iter_rows())
    values: dict[Any, Counter[str]] = {}
    rows_by_patient: dict[str, Counter[Any]] = {}
    for patient, *box, disease in frame.select("patient", *QUASI, "disease").iter_rows():
        values.setdefault(tuple(box), Counter())[disease] += 1
        rows_by_patient.setdefault(patient, Counter())[tuple(box)] += 1
    identity_risks = [
        max(Fraction(m, rows[box]) for box, m in own_rows.items()) for own_rows in rows_by_patient.values()
    ]
    largest_counts = {box: max(count.values()) for box, count in values.items()}
    value_risks = [
        max(min(1, Fraction(m * largest_counts[box], rows[box])) for box, m in own_rows.items())
        for own_rows in rows_by_patient.values()
    ]
    beliefs_by_title = beliefs(RawTable(read(frame, limit)))
    assert sorted(beliefs_by_title["Prosecutor"].rows) == pytest.approx(sorted(map(float, identity_risks)))
    assert beliefs_by_title["Prosecutor"].baseline == pytest.approx(1 / len(rows_by_patient))
    assert beliefs_by_title["Prosecutor"].details == {"unique people": identity_risks.count(Fraction(1))}
    assert beliefs_by_title["Marketer"].worst == pytest.approx(float(sum(identity_risks) / len(rows_by_patient)))
    assert sorted(beliefs_by_title["Homogeneity of 'disease'"].rows) == pytest.approx(sorted(map(float, value_risks)))
    groups_with_one_value = {box for box, count in values.items() if len(count) == 1}
    exposed = sum(any(box in groups_with_one_value for box in own_rows) for own_rows in rows_by_patient.values())
    assert beliefs_by_title["Homogeneity of 'disease'"].details["people in groups with one value"] == exposed
    assert all(belief.exact and belief.count_people() == len(rows_by_patient) for belief in beliefs_by_title.values())


@pytest.mark.parametrize("limit", [1, 4])
def test_the_rows_of_a_register_are_people(limit: int) -> None:
    """The register lists every patient once per age and city, and the journalist counts its rows as people."""
    frame = make_visits(3)
    places = frame.select("patient", *QUASI).unique(maintain_order=True).select(QUASI)
    register = vl.read(places, vl.Schema(quasi=QUASI))
    release = vl.publish(read(frame, limit), vl.KAnonymity(k=2))
    fitting, rows = release.candidates(register)
    belief = beliefs(release, register)["Journalist"]
    assert belief.risk == pytest.approx(1 / np.maximum(fitting, rows / limit))
    assert belief.count_people() == -(-release.people // limit)
    assert belief.baseline == pytest.approx(1 / places.height)
    raw_belief = beliefs(RawTable(read(frame, limit)), register)["Journalist"]
    people_by_row = Counter(places.iter_rows())
    risk_by_patient = {}
    for patient, *box in frame.select("patient", *QUASI).iter_rows():
        risk_by_patient[patient] = max(risk_by_patient.get(patient, 0), 1 / people_by_row[tuple(box)])
    assert sorted(raw_belief.rows) == pytest.approx(sorted(risk_by_patient.values()))
    assert raw_belief.details == {"people who match nobody in the external table": 0}


def test_on_disk_the_original_table_has_the_drawn_rows(tmp_path: Any) -> None:
    frame = make_visits(1)
    frame.write_parquet(tmp_path / "visits.parquet")
    data = read(tmp_path / "visits.parquet", 2, engine=vl.Disk(scratch=str(tmp_path)))
    belief, here = (beliefs(RawTable(table))["Prosecutor"] for table in (data, read(frame, 2)))
    assert belief.count_people() == here.count_people()
    assert sorted(belief.rows) == pytest.approx(sorted(here.rows))


def test_people_are_counted_over_all_groups_together() -> None:
    """A person may be in several groups, so a table may have fewer people than the sum over its groups."""
    belief = FewestPeople(np.array([1, 1, 7]), 2).believe("identity", np.array([1, 1, 1 / 7]), 0.1)
    assert belief.people.tolist() == [1, 1, 4]
    assert belief.risk.tolist() == pytest.approx([1, 1, 2 / 7])
    assert (belief.count_people(), belief.above(0.5), belief.describe_people()) == (5, 1, "at least 5 people")


@pytest.mark.parametrize("seed", range(3))
def test_a_release_in_parts_gives_the_same_numbers(seed: int) -> None:
    release = vl.publish(read(make_visits(seed, 120), 3), vl.KAnonymity(k=2))
    table = release.tables["table"]
    part_of_row = np.random.default_rng(seed).integers(0, 4, table.height)
    parts = [{"table": table.filter(pl.Series(part_of_row == part))} for part in range(4)]
    partitioned_release = replace(release, tables=PartitionedTables(PartsInMemory(parts, []), {"table": table.clear()}))
    assert lies_in_pieces(partitioned_release)
    register = vl.read(make_visits(seed + 1).select(QUASI), vl.Schema(quasi=QUASI))
    for external in (None, register):
        expected_findings = vl.audit(release, attacks=ATTACKS, external=external).as_json()["findings"]
        findings = vl.audit(partitioned_release, attacks=ATTACKS, external=external).as_json()["findings"]
        for finding, expected in zip(findings, expected_findings, strict=True):
            assert finding.pop("details") == pytest.approx(expected.pop("details"))
            for name in ("mean", "worst", "baseline"):
                assert finding.pop(name) == pytest.approx(expected.pop(name))
            assert finding == expected


def test_reports_say_that_the_number_of_people_is_a_lower_bound() -> None:
    data = read(make_visits(2), 3)
    release = vl.publish(data, vl.KAnonymity(k=2))
    for finding in vl.audit(release, data).findings:
        report = finding.as_json()
        if finding.attack == "agreeing-rows":
            assert "people_at_least" not in report
        else:
            assert report["people_at_least"] is True
            assert report["people"] == -(-release.people // 3)

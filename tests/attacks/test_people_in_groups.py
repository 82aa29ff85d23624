"""Rows and people: linking, homogeneity and elimination count people, by an independent count with the ids."""

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


def visits(seed: int, people: int = 40) -> pl.DataFrame:
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
def test_a_release_has_at_least_so_many_people(seed: int, limit: int) -> None:
    data = read(visits(seed), limit)
    release = vl.publish(data, vl.KAnonymity(k=3))
    boxes: dict[Any, Counter[str]] = {}
    for *box, disease in release.tables["table"].select(pl.col(*QUASI).cast(pl.String), "disease").iter_rows():
        boxes.setdefault(tuple(box), Counter())[disease] += 1
    wanted: dict[str, list[tuple[float, int]]] = {"Prosecutor": [], "Homogeneity of 'disease'": []}
    wanted["'disease' after ruling out 1 value"] = []
    for values in boxes.values():
        rows = values.total()
        people = -(-rows // limit)
        shares = [Fraction(1, rows), oracle.homogeneity([*values.values()]), oracle.elimination([*values.values()], 1)]
        for entries, share in zip(wanted.values(), shares, strict=True):
            entries.append((float(min(Fraction(1), limit * share)), people))
    found, rows = beliefs(release), release.people
    for title, entries in wanted.items():
        belief = found[title]
        pairs = sorted(zip(belief.risk.round(9).tolist(), belief.people.tolist(), strict=True))
        assert pairs == sorted((round(risk, 9), people) for risk, people in entries)
        assert belief.count_people() == -(-rows // limit)
        assert belief.exact is (limit == 1)
    assert found["Prosecutor"].baseline == pytest.approx(1 / -(-rows // limit))
    assert found["Prosecutor"].worst <= 1 / 3
    assert vl.audit(release, data).passed


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_original_table_counts_all_rows_of_everybody(seed: int, limit: int) -> None:
    frame = visits(seed)
    rows = Counter(frame.select(QUASI).iter_rows())
    values: dict[Any, Counter[str]] = {}
    own: dict[str, Counter[Any]] = {}
    for patient, *box, disease in frame.select("patient", *QUASI, "disease").iter_rows():
        values.setdefault(tuple(box), Counter())[disease] += 1
        own.setdefault(patient, Counter())[tuple(box)] += 1
    identity = [max(Fraction(m, rows[box]) for box, m in held.items()) for held in own.values()]
    largest = {box: max(count.values()) for box, count in values.items()}
    value = [max(min(1, Fraction(m * largest[box], rows[box])) for box, m in held.items()) for held in own.values()]
    found = beliefs(RawTable(read(frame, limit)))
    assert sorted(found["Prosecutor"].rows) == pytest.approx(sorted(map(float, identity)))
    assert found["Prosecutor"].baseline == pytest.approx(1 / len(own))
    assert found["Prosecutor"].details == {"unique people": identity.count(Fraction(1))}
    assert found["Marketer"].worst == pytest.approx(float(sum(identity) / len(own)))
    assert sorted(found["Homogeneity of 'disease'"].rows) == pytest.approx(sorted(map(float, value)))
    one_value = {box for box, count in values.items() if len(count) == 1}
    exposed = sum(any(box in one_value for box in held) for held in own.values())
    assert found["Homogeneity of 'disease'"].details["people in groups with one value"] == exposed
    assert all(belief.exact and belief.count_people() == len(own) for belief in found.values())


@pytest.mark.parametrize("limit", [1, 4])
def test_the_rows_of_a_register_are_people(limit: int) -> None:
    """The register lists every patient once per place, and a stranger; the journalist counts its rows as people."""
    frame = visits(3)
    places = frame.select("patient", *QUASI).unique(maintain_order=True).select(QUASI)
    register = vl.read(places, vl.Schema(quasi=QUASI))
    release = vl.publish(read(frame, limit), vl.KAnonymity(k=2))
    fitting, rows = release.candidates(register)
    belief = beliefs(release, register)["Journalist"]
    assert belief.risk == pytest.approx(1 / np.maximum(fitting, rows / limit))
    assert belief.count_people() == -(-release.people // limit)
    assert belief.baseline == pytest.approx(1 / places.height)
    raw = beliefs(RawTable(read(frame, limit)), register)["Journalist"]
    alike = Counter(places.iter_rows())
    worst = {}
    for patient, *box in frame.select("patient", *QUASI).iter_rows():
        worst[patient] = max(worst.get(patient, 0), 1 / alike[tuple(box)])
    assert sorted(raw.rows) == pytest.approx(sorted(worst.values()))
    assert raw.details == {"people who match nobody in the external table": 0}


def test_without_memory_the_original_table_has_the_drawn_rows(tmp_path: Any) -> None:
    frame = visits(1)
    frame.write_parquet(tmp_path / "visits.parquet")
    data = read(tmp_path / "visits.parquet", 2, engine=vl.Disk(scratch=str(tmp_path)))
    belief = beliefs(RawTable(data))["Prosecutor"]
    assert not belief.exact
    assert belief.count_people() == -(-data.rows.total // 2)


def test_rows_of_all_groups_count_together() -> None:
    """A person may have rows in several groups, so that all rows may have fewer people than the groups one by one."""
    belief = FewestPeople(np.array([1, 1, 7]), 2).believe("identity", np.array([1, 1, 1 / 7]), 0.1)
    assert belief.people.tolist() == [1, 1, 4]
    assert belief.risk.tolist() == pytest.approx([1, 1, 2 / 7])
    assert (belief.count_people(), belief.above(0.5), belief.describe_people()) == (5, 1, "at least 5 people")


@pytest.mark.parametrize("seed", range(3))
def test_a_release_in_parts_gives_the_same_numbers(seed: int) -> None:
    release = vl.publish(read(visits(seed, 120), 3), vl.KAnonymity(k=2))
    table = release.tables["table"]
    home = np.random.default_rng(seed).integers(0, 4, table.height)
    parts = [{"table": table.filter(pl.Series(home == part))} for part in range(4)]
    apart = replace(release, tables=PartitionedTables(PartsInMemory(parts, []), {"table": table.clear()}))
    assert lies_in_pieces(apart)
    register = vl.read(visits(seed + 1).select(QUASI), vl.Schema(quasi=QUASI))
    for external in (None, register):
        whole = vl.audit(release, attacks=ATTACKS, external=external).as_json()["findings"]
        pieces = vl.audit(apart, attacks=ATTACKS, external=external).as_json()["findings"]
        for one, other in zip(pieces, whole, strict=True):
            assert one.pop("details") == pytest.approx(other.pop("details"))
            for name in ("mean", "worst", "baseline"):
                assert one.pop(name) == pytest.approx(other.pop(name))
            assert one == other


def test_attacks_that_take_rows_as_people_say_so() -> None:
    data = read(visits(2), 3)
    release = vl.publish(data, vl.KAnonymity(k=2))
    for finding in vl.audit(release, data).findings:
        told = finding.as_json()
        if finding.attack == "agreeing-rows":
            assert "people_at_least" not in told
        else:
            assert told["people_at_least"] is True
            assert told["people"] == -(-release.people // 3)

"""Republishing under m-invariance: people enter and leave, and their lists of values stay the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.append.worlds import Group, beliefs
from published import even_count

import voile as vl
from voile.errors import DataError, PolicyError, SchemaError, Unsatisfiable
from voile.results import Answer

SCHEMA = vl.Schema(person="patient", quasi=["age", "city"], sensitive=["disease"])
DISEASES = ["acne", "flu", "gout", "HIV", "mumps", "polio"]


def make_hospital(ids: list[int], seed: int = 1, unique: bool = False) -> pl.DataFrame:
    """Return the people with these numbers, whose age, city and disease are the same in every table."""
    rng = np.random.default_rng(seed)
    ages, cities = rng.integers(20, 40, 4000), rng.choice(["a", "b"], 4000)
    diseases = rng.choice(DISEASES, 4000, p=[0.25, 0.2, 0.2, 0.15, 0.1, 0.1])
    age = np.arange(4000) if unique else ages
    names = [f"patient {i}" for i in ids]
    return pl.DataFrame({"patient": names, "age": age[ids], "city": cities[ids], "disease": diseases[ids]})


def values_by_group(release: Any) -> dict[int, frozenset[str]]:
    table = release.tables["sensitive"]
    return {g: frozenset(table.filter(pl.col("group") == g)["disease"].to_list()) for g in table["group"].unique()}


def publish_quarters(
    seed: int, m: int, rounds: int = 4, unique: bool = True
) -> tuple[list[Any], list[pl.DataFrame], vl.Ledger]:
    rng = np.random.default_rng(seed)
    ids, next_id, ledger = list(range(120)), 120, vl.Ledger()
    releases: list[Any] = []
    frames = []
    for _ in range(rounds):
        frame = make_hospital(ids, unique=unique)
        releases.append(vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=m), after=releases, ledger=ledger))
        frames.append(frame)
        staying_ids = rng.choice(ids, int(len(ids) * rng.uniform(0.5, 0.95)), replace=False).tolist()
        new_people = int(rng.integers(0, 40))
        ids, next_id = [*staying_ids, *range(next_id, next_id + new_people)], next_id + new_people
    return releases, frames, ledger


@settings(max_examples=12)
@given(st.integers(0, 2**32), st.integers(2, 3))
def test_lists_never_change_and_nobody_is_forgotten(seed: int, m: int) -> None:
    """If every person has an age of their own, the releases alone show whether everybody keeps their list."""
    releases, frames, ledger = publish_quarters(seed, m)
    values_by_age: dict[int, frozenset[str]] = {}
    for index, (release, frame) in enumerate(zip(releases, frames, strict=True)):
        values = values_by_group(release)
        assert all(len(group_values) >= m for group_values in values.values())
        assert (release.tables["sensitive"]["count"] == 1).all()
        quasi = release.tables["quasi"]
        ages = frame["age"].to_list()
        assert set(quasi["age"].to_list()) <= set(ages)
        assert release.people + release.dictionary["withheld"] == frame.height  # the others wait
        disease_by_age = dict(zip(ages, frame["disease"].to_list(), strict=True))
        for group, age in quasi.select("group", "age").iter_rows():
            assert disease_by_age[age] in values[group]
            assert values_by_age.setdefault(age, values[group]) == values[group]
        people, counterfeit_table = Counter(quasi["group"].to_list()), release.tables["counterfeits"]
        counterfeits = dict(
            zip(counterfeit_table["group"].to_list(), counterfeit_table["count"].to_list(), strict=True)
        )
        assert all(
            len(group_values) == people[group] + counterfeits.get(group, 0) for group, group_values in values.items()
        )
        assert vl.verify(release, after=releases[:index]).holds
    assert len(ledger.releases) == len(releases)


def test_estimates_count_only_the_real_values() -> None:
    """The real values of a group are those of its people, and all other values are counterfeits."""
    releases, frames, _ = publish_quarters(5, 3)
    for release, frame in zip(releases, frames, strict=True):
        people = frame.height - release.dictionary["withheld"]
        assert release.people == people
        assert even_count(release, disease=DISEASES) == pytest.approx(people)
        assert even_count(release) == pytest.approx(people)


def test_losses_are_finite_if_a_value_is_only_counterfeit() -> None:
    """Everybody who had the value has left."""
    frame = make_hospital(list(range(200)), unique=True)
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    later_data = vl.read(frame.filter(pl.col("disease") != "polio"), SCHEMA)
    second = vl.publish(later_data, vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert "polio" in second.tables["sensitive"]["disease"].to_list()
    losses = vl.measure(later_data, second)
    assert all(np.isfinite(loss.value) for loss in losses.items)
    assert losses["alteration"].value == 0
    attacks = [vl.attacks.Linking(), vl.attacks.Homogeneity(), vl.attacks.Minimality()]
    assert vl.audit(second, later_data, attacks, external=later_data).passed


def test_people_who_share_a_quasi_identifier_need_the_ledger() -> None:
    releases, frames, ledger = publish_quarters(3, 3, unique=False)
    verdict = vl.verify(releases[-1], after=releases[:-1])
    assert verdict.checks[-1].answer is Answer.NEEDS
    data = vl.read(frames[-1], SCHEMA)
    assert vl.verify(releases[-1], after=releases[:-1], data=data, ledger=ledger).holds


def test_a_release_that_ignores_the_earlier_one_is_broken() -> None:
    """The second quarter is grouped without regard to the first, but its certificate claims otherwise."""
    ledger = vl.Ledger()
    frame = make_hospital(list(range(60)), unique=True)
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    second = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), after=[first], ledger=ledger)
    unrelated_release = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3))
    forged_release = replace(unrelated_release, certificate=second.certificate)
    assert vl.verify(forged_release, after=[first]).checks[-1].answer is Answer.BROKEN
    assert vl.verify(second, after=[first]).holds


def test_counterfeits_keep_a_list_complete() -> None:
    """One of three people leaves and nobody enters: the list still has three values, one of them a counterfeit."""
    frame = pl.DataFrame({"patient": ["a", "b", "c"], "age": [1, 2, 3], "city": "x", "disease": ["flu", "HIV", "gout"]})
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    second = vl.publish(vl.read(frame.head(2), SCHEMA), vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert second.tables["counterfeits"].rows() == [(1, 1)]
    assert sorted(second.tables["sensitive"]["disease"].to_list()) == ["HIV", "flu", "gout"]
    assert second.tables["quasi"]["age"].to_list() == [1, 2]
    assert second.dictionary["withheld"] == 0


def test_nobody_takes_the_place_of_a_leaver() -> None:
    """A newcomer with the value of somebody who left would tell that both have the same one."""
    frame = pl.DataFrame({"patient": ["a", "b", "c"], "age": [1, 2, 3], "city": "x", "disease": ["flu", "HIV", "gout"]})
    later_frame = pl.DataFrame(
        {"patient": ["a", "b", "d"], "age": [1, 2, 4], "city": "x", "disease": ["flu", "HIV", "gout"]}
    )
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    second = vl.publish(vl.read(later_frame, SCHEMA), vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert second.tables["counterfeits"].rows() == [(1, 1)]
    assert second.tables["quasi"]["age"].to_list() == [1, 2]
    assert second.dictionary["withheld"] == 1  # d waits
    third = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), after=[first, second], ledger=ledger)
    assert third.tables["quasi"]["age"].to_list() == [1, 2, 3]  # c returns to the old place
    assert third.tables["counterfeits"].height == 0


def test_new_people_of_one_value_wait_until_they_can_be_grouped() -> None:
    first_frame = make_hospital(list(range(30)), unique=True)
    newcomers = pl.DataFrame({"patient": ["n1", "n2"], "age": [5001, 5002], "city": "a", "disease": ["flu"] * 2})
    others = newcomers.with_columns(pl.col("patient") + "'", pl.col("age") + 10, pl.lit("gout").alias("disease"))
    ledger = vl.Ledger()
    first = vl.publish(vl.read(first_frame, SCHEMA), vl.MInvariance(m=2), ledger=ledger)
    data = vl.read(pl.concat([first_frame, newcomers]), SCHEMA)
    second = vl.publish(data, vl.MInvariance(m=2), after=[first], ledger=ledger)
    assert (second.people, second.dictionary["withheld"]) == (30, 2)
    assert vl.verify(second, after=[first], data=data, ledger=ledger).holds
    data = vl.read(pl.concat([first_frame, newcomers, others]), SCHEMA)
    third = vl.publish(data, vl.MInvariance(m=2), after=[first, second], ledger=ledger)
    assert (third.people, third.dictionary["withheld"]) == (34, 0)
    assert vl.verify(third, after=[first, second], data=data, ledger=ledger).holds


def test_a_changed_value_keeps_the_old_place() -> None:
    frame = make_hospital(list(range(60)), unique=True)
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    changed_data = vl.read(frame.with_columns(pl.lit("typhus").alias("disease")), SCHEMA)
    second = vl.publish(changed_data, vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert all(first.tables[name].equals(second.tables[name]) for name in first.tables)
    assert vl.verify(second, after=[first]).holds


@pytest.mark.parametrize("quarters", [2, 3, 4])
def test_known_rates_gain_nothing_when_companions_are_replaced(quarters: int) -> None:
    """Ann stays while her companion is replaced each time. In m-invariance as published her belief in flu is .909, .990
    and .999 after 2, 3 and 4 releases, if flu is ten times as common as HIV; here it stays at 1/2."""
    ledger, releases, groups = vl.Ledger(), list[Any](), list[Group]()
    rates = {"flu": Fraction(10), "HIV": Fraction(1)}
    ann = {"patient": "ann", "age": 30, "city": "x", "disease": "HIV"}
    for quarter in range(quarters):
        companion = {"patient": f"c{quarter}", "age": 40 + quarter, "city": "x", "disease": "flu"}
        data = vl.read(pl.DataFrame([ann, companion]), SCHEMA)
        releases.append(vl.publish(data, vl.MInvariance(m=2), after=releases, ledger=ledger))
        ages = releases[-1].tables["quasi"]["age"].to_list()
        assert ages == ([30, 40] if quarter == 0 else [30])  # the new companions wait
        assert releases[-1].tables["sensitive"]["disease"].to_list() == ["HIV", "flu"]
        groups.append((frozenset({"ann", "c0"}), Counter(["flu", "HIV"])))  # c0 or, later, the seat that c0 left
    assert beliefs(groups, rates)["ann"]["flu"] == Fraction(1, 2)
    replaced = [(frozenset({"ann", f"c{quarter}"}), Counter(["flu", "HIV"])) for quarter in range(quarters)]
    reached = {2: 0.909, 3: 0.990, 4: 0.999}[quarters]
    assert float(beliefs(replaced, rates)["ann"]["HIV"]) == pytest.approx(reached, abs=1e-3)


def test_no_published_file_mentions_a_person(tmp_path: Path) -> None:
    releases, _, ledger = publish_quarters(2, 3)
    for index, release in enumerate(releases):
        folder = release.save(tmp_path / str(index), format="csv")
        content = b"".join(file.read_bytes() for file in folder.iterdir())
        assert b"patient" not in content
        for secret in (ledger.salt.hex(), *map(str, ledger.people.tolist())):
            assert secret.encode() not in content
        assert "patient" not in f"{release!r}{release.dictionary}{release.certificate}"


def test_releases_do_not_depend_on_the_order_of_rows() -> None:
    frame, key = make_hospital(list(range(60)), unique=True), vl.Key(bytes(range(32)))
    release = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), key=key, ledger=vl.Ledger())
    reversed_release = vl.publish(vl.read(frame.reverse(), SCHEMA), vl.MInvariance(m=3), key=key, ledger=vl.Ledger())
    assert all(release.tables[name].equals(reversed_release.tables[name]) for name in release.tables)


def test_a_ledger_is_saved_for_its_owner_only_and_read_back(tmp_path: Path) -> None:
    frame = make_hospital(list(range(40)), unique=True)
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    path = ledger.save(tmp_path / "private" / "ledger.json")
    assert path.stat().st_mode & 0o077 == 0
    assert "patient 1" not in path.read_text()
    read_back = vl.Ledger.read(path)
    assert (read_back.salt, read_back.releases, read_back.people.tolist()) == (
        ledger.salt,
        ledger.releases,
        ledger.people.tolist(),
    )
    second = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), after=[first], ledger=read_back)
    assert vl.verify(second, after=[first]).holds


def test_requests_without_a_matching_ledger_or_table_are_refused(tmp_path: Path) -> None:
    frame = make_hospital(list(range(60)), unique=True)
    data, ledger = vl.read(frame, SCHEMA), vl.Ledger()
    first = vl.publish(data, vl.MInvariance(m=3), ledger=ledger)
    data_without_persons = vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    with pytest.raises(DataError, match="it must be known who sat in which group"):
        vl.publish(data, vl.MInvariance(m=3), after=[first])
    with pytest.raises(DataError, match="no column that identifies each person"):
        vl.publish(data_without_persons, vl.MInvariance(m=3), after=[first], ledger=ledger)
    with pytest.raises(DataError, match="It records 1 release, and 0 are named"):
        vl.publish(data, vl.MInvariance(m=3), ledger=ledger)
    with pytest.raises(DataError, match="cannot be read"):
        vl.Ledger.read(tmp_path / "none.json")
    with pytest.raises(Unsatisfiable, match="m = 9 is out of reach"):
        vl.publish(data, vl.MInvariance(m=9))
    data_with_two_rows = vl.read(pl.concat([frame, frame.head(1)]), SCHEMA)
    assert data_with_two_rows.count_left_out() == 1  # one of two rows of a person is published
    data_with_several_rows = vl.read(frame, replace(SCHEMA, rows_per_person=2))
    with pytest.raises(PolicyError, match="needs one row per person"):
        vl.publish(data_with_several_rows, vl.MInvariance(m=3), ledger=vl.Ledger())
    with pytest.raises(PolicyError, match="has no meaning"):
        vl.publish(data, vl.MInvariance(m=3), vl.Anatomy())
    with pytest.raises(SchemaError, match="listed twice"):
        vl.Schema(person="age", quasi=["age"])
    with pytest.raises(SchemaError, match="no column 'nobody'"):
        vl.read(frame, vl.Schema(person="nobody", quasi=["age"]))
    assert ledger.releases == [first.digest]  # failed requests leave no trace


def test_tampered_counterfeits_break_the_release() -> None:
    releases, _, _ = publish_quarters(8, 3)
    release = next(release for release in releases if release.tables["counterfeits"].height)
    without_counterfeits = {**release.tables, "counterfeits": release.tables["counterfeits"].clear()}
    assert vl.verify(replace(release, tables=without_counterfeits)).broken
    doubled_counterfeits = {**release.tables, "counterfeits": pl.concat([release.tables["counterfeits"]] * 2)}
    assert vl.verify(replace(release, tables=doubled_counterfeits)).broken

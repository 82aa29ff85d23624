"""Republishing under m-invariance: people enter and leave, their lists of values stay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import DataError, PolicyError, SchemaError, Unsatisfiable
from voile.results import Answer

SCHEMA = vl.Schema(person="patient", quasi=["age", "city"], sensitive=["disease"])
DISEASES = ["acne", "flu", "gout", "HIV", "mumps", "polio"]


def hospital(ids: list[int], seed: int = 1, unique: bool = False) -> pl.DataFrame:
    """Everybody has the same age, city and disease whenever they are in the table."""
    rng = np.random.default_rng(seed)
    ages, cities = rng.integers(20, 40, 4000), rng.choice(["a", "b"], 4000)
    diseases = rng.choice(DISEASES, 4000, p=[0.25, 0.2, 0.2, 0.15, 0.1, 0.1])
    age = np.arange(4000) if unique else ages
    names = [f"patient {number}" for number in ids]
    return pl.DataFrame({"patient": names, "age": age[ids], "city": cities[ids], "disease": diseases[ids]})


def lists(release: Any) -> dict[int, frozenset[str]]:
    table = release.tables["sensitive"]
    return {g: frozenset(table.filter(pl.col("group") == g)["disease"].to_list()) for g in table["group"].unique()}


def quarters(
    seed: int, m: int, rounds: int = 4, unique: bool = True
) -> tuple[list[Any], list[pl.DataFrame], vl.Ledger]:
    rng = np.random.default_rng(seed)
    ids, following, ledger = list(range(120)), 120, vl.Ledger()
    releases: list[Any] = []
    frames = []
    for _ in range(rounds):
        frame = hospital(ids, unique=unique)
        releases.append(vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=m), after=releases, ledger=ledger))
        frames.append(frame)
        stay = rng.choice(ids, int(len(ids) * rng.uniform(0.5, 0.95)), replace=False).tolist()
        new = int(rng.integers(0, 40))
        ids, following = [*stay, *range(following, following + new)], following + new
    return releases, frames, ledger


@settings(max_examples=12)
@given(st.integers(0, 2**32), st.integers(2, 3))
def test_lists_never_change_and_nobody_is_lost(seed: int, m: int) -> None:
    """If every person has an age of their own, the releases alone show whether everybody keeps their list."""
    releases, frames, ledger = quarters(seed, m)
    known: dict[int, frozenset[str]] = {}
    for number, (release, frame) in enumerate(zip(releases, frames, strict=True)):
        values = lists(release)
        assert all(len(listed) >= m for listed in values.values())
        assert (release.tables["sensitive"]["count"] == 1).all()
        quasi = release.tables["quasi"]
        assert sorted(quasi["age"].to_list()) == sorted(frame["age"].to_list())
        own = dict(zip(frame["age"].to_list(), frame["disease"].to_list(), strict=True))
        for group, age in quasi.select("group", "age").iter_rows():
            assert own[age] in values[group]
            assert known.setdefault(age, values[group]) == values[group]
        people, shown = Counter(quasi["group"].to_list()), release.tables["counterfeits"]
        fake = dict(zip(shown["group"].to_list(), shown["count"].to_list(), strict=True))
        assert all(len(listed) == people[group] + fake.get(group, 0) for group, listed in values.items())
        assert vl.verify(release, after=releases[:number]).holds
    assert len(ledger.releases) == len(releases)


def test_everybodys_value_is_in_exactly_one_place() -> None:
    """The real values of a group are those of its people: only the rest is counterfeit."""
    releases, frames, _ = quarters(5, 3)
    for release, frame in zip(releases, frames, strict=True):
        assert release.people == frame.height
        assert release.estimate(disease=DISEASES) == pytest.approx(frame.height)
        assert release.estimate() == pytest.approx(frame.height)


def test_what_analysts_lose_can_be_measured() -> None:
    """Even if a value occurs only as a counterfeit, because everybody who had it has left."""
    frame = hospital(list(range(200)), unique=True)
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    later = vl.read(frame.filter(pl.col("disease") != "polio"), SCHEMA)
    second = vl.publish(later, vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert "polio" in second.tables["sensitive"]["disease"].to_list()
    losses = vl.measure(later, second)
    assert all(np.isfinite(loss.value) for loss in losses.items)
    assert losses["alteration"].value == 0
    attacks = [vl.attacks.Linking(), vl.attacks.Homogeneity(), vl.attacks.Minimality()]
    assert vl.audit(second, later, attacks, external=later).passed


def test_people_who_share_a_quasi_identifier_need_the_ledger() -> None:
    releases, frames, ledger = quarters(3, 3, unique=False)
    verdict = vl.verify(releases[-1], after=releases[:-1])
    assert verdict.checks[-1].answer is Answer.NEEDS
    data = vl.read(frames[-1], SCHEMA)
    assert vl.verify(releases[-1], after=releases[:-1], data=data, ledger=ledger).holds


def test_a_release_that_forgets_is_broken() -> None:
    """The second quarter is dealt without regard to the first, under a certificate that claims otherwise."""
    ledger = vl.Ledger()
    frame = hospital(list(range(60)), unique=True)
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    second = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), after=[first], ledger=ledger)
    fresh = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3))
    forged = replace(fresh, certificate=second.certificate)
    data = vl.read(frame, SCHEMA)
    assert vl.verify(forged, after=[first]).checks[-1].answer is Answer.NEEDS
    assert vl.verify(forged, after=[first], data=data, ledger=ledger).checks[-1].answer is Answer.BROKEN
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


def test_new_people_take_free_places_before_counterfeits_do() -> None:
    frame = pl.DataFrame({"patient": ["a", "b", "c"], "age": [1, 2, 3], "city": "x", "disease": ["flu", "HIV", "gout"]})
    later = pl.DataFrame({"patient": ["a", "b", "d"], "age": [1, 2, 4], "city": "x", "disease": ["flu", "HIV", "gout"]})
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    second = vl.publish(vl.read(later, SCHEMA), vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert second.tables["counterfeits"].height == 0
    assert second.groups == 1


def test_new_people_of_one_value_join_an_old_list() -> None:
    """Two newcomers with the same disease cannot be grouped together; each joins a group of counterfeits."""
    base = hospital(list(range(30)), unique=True)
    disease = base["disease"].to_list()[0]
    extra = pl.DataFrame({"patient": ["n1", "n2"], "age": [5001, 5002], "city": "a", "disease": [disease] * 2})
    ledger = vl.Ledger()
    first = vl.publish(vl.read(base, SCHEMA), vl.MInvariance(m=2), ledger=ledger)
    data = vl.read(pl.concat([base, extra]), SCHEMA)
    second = vl.publish(data, vl.MInvariance(m=2), after=[first], ledger=ledger)
    assert second.people == 32
    assert vl.verify(second, after=[first], data=data, ledger=ledger).holds
    third = vl.publish(data, vl.MInvariance(m=2), after=[first, second], ledger=ledger)
    assert vl.verify(third, after=[first, second], data=data, ledger=ledger).holds


def test_the_person_reaches_nothing_that_is_published(tmp_path: Path) -> None:
    releases, frames, ledger = quarters(2, 3)
    for number, release in enumerate(releases):
        place = release.save(tmp_path / str(number), format="csv")
        content = b"".join(found.read_bytes() for found in place.iterdir())
        assert b"patient" not in content
        for secret in (ledger.salt.hex(), *(ledger.pseudonym(name) for name in frames[number]["patient"])):
            assert secret.encode() not in content
        assert "patient" not in f"{release!r}{release.dictionary}{release.certificate}"


def test_releases_do_not_depend_on_the_order_of_rows() -> None:
    frame, key = hospital(list(range(60)), unique=True), vl.Key(bytes(range(32)))
    one = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), key=key, ledger=vl.Ledger())
    other = vl.publish(vl.read(frame.reverse(), SCHEMA), vl.MInvariance(m=3), key=key, ledger=vl.Ledger())
    assert all(one.tables[name].equals(other.tables[name]) for name in one.tables)


def test_the_ledger_travels_in_a_file(tmp_path: Path) -> None:
    frame = hospital(list(range(40)), unique=True)
    ledger = vl.Ledger()
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), ledger=ledger)
    place = ledger.save(tmp_path / "private" / "ledger.json")
    assert place.stat().st_mode & 0o077 == 0
    assert "patient 1" not in place.read_text()
    again = vl.Ledger.read(place)
    assert (again.salt, again.releases, again.signatures) == (ledger.salt, ledger.releases, ledger.signatures)
    second = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), after=[first], ledger=again)
    assert vl.verify(second, after=[first]).holds


def test_bad_input(tmp_path: Path) -> None:
    frame = hospital(list(range(60)), unique=True)
    data, ledger = vl.read(frame, SCHEMA), vl.Ledger()
    first = vl.publish(data, vl.MInvariance(m=3), ledger=ledger)
    bare = vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    with pytest.raises(DataError, match="it must be known who was shown with which values"):
        vl.publish(data, vl.MInvariance(m=3), after=[first])
    with pytest.raises(DataError, match="no column that identifies each person"):
        vl.publish(bare, vl.MInvariance(m=3), after=[first], ledger=ledger)
    with pytest.raises(DataError, match="The ledger belongs to 1 releases, not to the 0"):
        vl.publish(data, vl.MInvariance(m=3), ledger=ledger)
    with pytest.raises(DataError, match="cannot be read"):
        vl.Ledger.read(tmp_path / "none.json")
    changed = vl.read(frame.with_columns(pl.lit("typhus").alias("disease")), SCHEMA)
    with pytest.raises(Unsatisfiable, match="60 people have a sensitive value that is not among") as error:
        vl.publish(changed, vl.MInvariance(m=3), after=[first], ledger=ledger)
    assert error.value.code == "unsatisfiable.changed"
    with pytest.raises(Unsatisfiable, match="m = 9 is out of reach"):
        vl.publish(data, vl.MInvariance(m=9))
    twice = vl.read(pl.concat([frame, frame.head(1)]), SCHEMA)
    assert twice.count_left_out() == 1  # of somebody with two rows one is published
    several = vl.read(frame, replace(SCHEMA, rows_per_person=2))
    with pytest.raises(PolicyError, match="needs one row per person"):
        vl.publish(several, vl.MInvariance(m=3), ledger=vl.Ledger())
    with pytest.raises(PolicyError, match="has no meaning"):
        vl.publish(data, vl.MInvariance(m=3), vl.Anatomy())
    with pytest.raises(SchemaError, match="listed twice"):
        vl.Schema(person="age", quasi=["age"])
    with pytest.raises(SchemaError, match="no column 'nobody'"):
        vl.read(frame, vl.Schema(person="nobody", quasi=["age"]))
    assert ledger.releases == [first.digest]  # what failed left no trace


def test_tampered_counterfeits_are_found() -> None:
    releases, _, _ = quarters(8, 3)
    release = next(release for release in releases if release.tables["counterfeits"].height)
    none = {**release.tables, "counterfeits": release.tables["counterfeits"].clear()}
    assert vl.verify(replace(release, tables=none)).broken
    twice = {**release.tables, "counterfeits": pl.concat([release.tables["counterfeits"]] * 2)}
    assert vl.verify(replace(release, tables=twice)).broken

"""The shape Sampled: what its tables say, estimates through the channel, and what is wrong with changed ones."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import even_count

import voile as vl
from voile.errors import DataError, PolicyError, SchemaError
from voile.releases.shapes.sampled import Sampled

POLICY = vl.AntiCorruption(rho1=0.2, rho2=0.95, skew=0.2)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return vl.datasets.census(20_000)


@pytest.fixture(scope="module")
def release(people: pl.DataFrame) -> Sampled:
    schema = vl.Schema(quasi=["age", "gender", "education"], sensitive=["income"], domains={"income": list(range(50))})
    made = vl.publish(vl.read(people, schema), POLICY, vl.PerturbedGeneralization(s=0.25, p=0.6), key=vl.Key(bytes(32)))
    assert isinstance(made, Sampled)
    return made


def test_it_stands_for_everybody(release: Sampled) -> None:
    assert release.people == 20_000
    assert release.groups == release.tables["table"].height <= 20_000 / 4
    assert release.tables["table"].columns[:4] == ["age", "age_low", "age_high", "gender"]


def test_quasi_identifiers_are_estimated_by_spreading(release: Sampled, people: pl.DataFrame) -> None:
    assert even_count(release) == 20_000
    assert even_count(release, gender="Male") == pytest.approx((people["gender"] == "Male").sum(), rel=0.02)
    assert even_count(release, age=(17, 90)) == pytest.approx(20_000)


def test_sensitive_values_are_estimated_through_the_channel(release: Sampled, people: pl.DataFrame) -> None:
    low = people.filter(pl.col("income") < 10)
    found = even_count(release, "select count(*) from t where income < 10")
    assert found == pytest.approx(low.height, rel=0.08)
    naive = release.tables["table"].filter(pl.col("income") < 10)["group_size"].sum()
    assert abs(found - low.height) < abs(naive - low.height)
    men = low.filter(pl.col("gender") == "Male").height
    assert even_count(release, gender="Male", income=(0, 9)) == pytest.approx(men, rel=0.15)
    assert even_count(release, income=(0, 49)) == pytest.approx(20_000)
    with pytest.raises(SchemaError, match="no column 'disease'"):
        even_count(release, disease="flu")


def test_an_estimate_is_never_negative(release: Sampled) -> None:
    assert all(even_count(release, income=value, age=(17, 20)) >= 0 for value in range(50))


def changed(release: Sampled, **tables: Any) -> Sampled:
    table = release.tables["table"].with_columns(**tables)
    return dataclasses.replace(release, tables={"table": table})


def test_what_is_changed_is_found(release: Sampled) -> None:
    assert not vl.verify(release).broken
    assert "below 1" in str(vl.verify(changed(release, group_size=pl.col("group_size") * 0)))
    small = vl.verify(changed(release, group_size=pl.lit(3, dtype=pl.Int64)))
    assert small.broken
    assert "fewer than 4" in str(small)


def entry(release: Sampled, **said: Any) -> Sampled:
    columns = [dict(one) for one in release.dictionary["columns"]]
    columns[-1].update(said)
    return dataclasses.replace(release, dictionary={**release.dictionary, "columns": columns})


def test_the_dictionary_must_tell_the_channel(release: Sampled) -> None:
    for said in ({"keep": None}, {"keep": 1.5}, {"keep": True}, {"domain": {"min": 0, "max": 49, "missing": False}}):
        with pytest.raises(DataError, match="how the sensitive values were perturbed"):
            _ = entry(release, **said).channel
    assert "different values of p" in str(vl.verify(entry(release, keep=0.5)))


def test_a_certificate_that_says_too_little(release: Sampled) -> None:
    for lost in ("s", "p", "splitter"):
        method = {name: value for name, value in release.certificate.method.items() if name != lost}
        bare = dataclasses.replace(release, certificate=dataclasses.replace(release.certificate, method=method))
        assert "BROKEN method" in str(vl.verify(bare))


def test_an_attack_on_counts_does_not_apply(release: Sampled) -> None:
    with pytest.raises(PolicyError, match="homogeneity does not apply"):
        vl.audit(release, attacks=[vl.attacks.Homogeneity()])
    names = {finding.attack for finding in vl.audit(release).findings}
    assert names == {"corruption", "linking"}


def test_groups_of_people(release: Sampled, people: pl.DataFrame) -> None:
    data = vl.read(people.head(300), vl.Schema(quasi=["age", "gender", "education"]))
    group = release.locate(data)
    assert (group >= 0).all()
    fitting, _ = release.candidates(data)
    counts = data.rows.histogram(["age", "gender", "education"]).counts
    assert np.array_equal(np.bincount(group, weights=counts, minlength=release.groups), fitting)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_it_survives_its_folder(release: Sampled, format: str, tmp_path: Any) -> None:
    place = release.save(tmp_path / "r", format=format)
    again = vl.load(place)
    assert isinstance(again, Sampled)
    assert again.channel == release.channel
    assert even_count(again, income=(0, 9), age=(30, 40)) == pytest.approx(
        even_count(release, income=(0, 9), age=(30, 40))
    )
    assert not vl.verify(place).broken

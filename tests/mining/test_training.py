"""Releases of any shape turned into a table to learn from."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.mining import training
from voile.mining.training import make_classes
from voile.tables.domain import Domain

KEY = vl.Key(bytes(32))


@pytest.fixture(scope="module")
def data() -> Any:
    frame = vl.datasets.census(3000).select("age", "gender", "education", "income")
    schema = vl.Schema(quasi=["age", "gender", "education"], sensitive=["income"], domains={"income": list(range(50))})
    return vl.read(frame, schema)


def test_classes_are_runs_that_begin_at_the_given_values() -> None:
    domain = Domain(pl.Series(range(50)), "numeric")
    assert make_classes(domain).names == ("0 to 24", "25 to 49")
    classes = make_classes(domain, ["25", "37"])
    assert classes.shares.tolist() == [0.5, 0.24, 0.26]
    assert make_classes(Domain(pl.Series(list("abc")), "categorical")).names == ("a", "b", "c")
    for starts in ([0], [99], [37, 25], [25, 25]):
        with pytest.raises(PolicyError, match="must start at values"):
            make_classes(domain, starts)


def test_every_shape_gives_a_table_that_weighs_everybody(data: Any) -> None:
    requests = [
        (vl.KAnonymity(k=5), None),
        (vl.LDiversity(l=3), vl.Anatomy()),
        (vl.AntiCorruption(), vl.PerturbedGeneralization(s=0.2)),
    ]
    for policy, method in requests:
        release = vl.publish(data, policy, method, key=KEY)
        training_set = training(release, [25])
        assert training_set.weight.sum() == 3000
        assert training_set.X.columns == ["age", "gender", "education"]
        assert len(training_set.y) == training_set.X.height
        assert training_set.X["age"].is_between(17, 90).all()
        assert training(release, [25]).X.equals(training_set.X)
        if method is None or release.shape == "bucketized":
            true_counts = data.rows.histogram(["income"])
            people_below = true_counts.counts[true_counts.codes[:, 0] < 25].sum()
            assert training_set.weight[training_set.y == 0].sum() == people_below
            assert training_set.channel.keep == 1


def test_values_are_drawn_from_their_cells(data: Any) -> None:
    release = vl.publish(data, vl.AntiCorruption(), vl.PerturbedGeneralization(s=0.2), key=KEY)
    training_set = training(release)
    drawn_people = vl.read(training_set.X, vl.Schema(quasi=["age", "gender", "education"]))
    fitting, _ = release.candidates(drawn_people)
    assert (fitting == 1).all()  # boxes tile, and each has the one row that was drawn for it


def test_a_dealt_world_agrees_with_the_buckets(data: Any) -> None:
    release = vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=KEY)
    training_set = training(release, list(range(1, 50)))  # every value is a class
    counts = release.tallies["income"]
    world = np.zeros((counts.groups, 50), dtype=np.int64)
    np.add.at(world, (release.group, training_set.y), 1)  # type: ignore[attr-defined]
    bucket_counts = np.zeros_like(world)
    bucket_counts[counts.owner, counts.values] = counts.counts
    assert np.array_equal(world, bucket_counts)


def test_dates_and_numbers_are_drawn_from_the_published_range() -> None:
    days = [datetime.date(2024, 1, day) for day in range(1, 21)]
    frame = pl.DataFrame({"day": [*days[:-2], None, None], "x": [0.5 * n for n in range(20)], "value": ["a", "b"] * 10})
    schema = vl.Schema(quasi=["day", "x"], sensitive=["value"], missing="value")
    for release in (
        vl.publish(vl.read(frame, schema), vl.KAnonymity(k=10), key=KEY),
        vl.publish(vl.read(frame, schema), vl.AntiCorruption(skew=0.5), vl.PerturbedGeneralization(s=0.5), key=KEY),
    ):
        training_set = training(release)
        assert training_set.X.schema["day"] == pl.Date
        known_days = training_set.X["day"].drop_nulls()
        assert known_days.is_between(days[0], days[-3]).all()
        assert training_set.X["x"].is_between(0, 9.5).all()

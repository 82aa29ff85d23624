"""From a release of any shape to a table to learn from."""

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


def test_classes() -> None:
    domain = Domain(pl.Series(range(50)), "numeric")
    assert make_classes(domain).names == ("0 to 24", "25 to 49")
    three = make_classes(domain, ["25", "37"])
    assert three.shares.tolist() == [0.5, 0.24, 0.26]
    assert make_classes(Domain(pl.Series(list("abc")), "categorical")).names == ("a", "b", "c")
    for wrong in ([0], [99], [37, 25], [25, 25]):
        with pytest.raises(PolicyError, match="must start at values"):
            make_classes(domain, wrong)


def test_every_shape_gives_everybody(data: Any) -> None:
    asked = [
        (vl.KAnonymity(k=5), None),
        (vl.LDiversity(l=3), vl.Anatomy()),
        (vl.AntiCorruption(), vl.PerturbedGeneralization(s=0.2)),
    ]
    for policy, method in asked:
        release = vl.publish(data, policy, method, key=KEY)
        given = training(release, [25])
        assert given.weight.sum() == 3000
        assert given.X.columns == ["age", "gender", "education"]
        assert len(given.y) == given.X.height
        assert given.X["age"].is_between(17, 90).all()
        assert training(release, [25]).X.equals(given.X)
        if method is None or release.shape == "bucketized":
            true = data.rows.histogram(["income"])
            below = true.counts[true.codes[:, 0] < 25].sum()
            assert given.weight[given.y == 0].sum() == below
            assert given.channel.keep == 1


def test_values_are_drawn_from_their_cells(data: Any) -> None:
    release = vl.publish(data, vl.AntiCorruption(), vl.PerturbedGeneralization(s=0.2), key=KEY)
    given = training(release)
    drawn = vl.read(given.X, vl.Schema(quasi=["age", "gender", "education"]))
    fitting, _ = release.candidates(drawn)
    assert (fitting == 1).all()  # boxes tile, and each has the one row that was drawn for it


def test_a_dealt_world_agrees_with_the_buckets(data: Any) -> None:
    release = vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=KEY)
    given = training(release, list(range(1, 50)))  # every value a class
    counts = release.tallies["income"]
    world = np.zeros((counts.groups, 50), dtype=np.int64)
    np.add.at(world, (release.group, given.y), 1)  # type: ignore[attr-defined]
    told = np.zeros_like(world)
    told[counts.owner, counts.values] = counts.counts
    assert np.array_equal(world, told)


def test_dates_and_missing_values() -> None:
    days = [datetime.date(2024, 1, day) for day in range(1, 21)]
    frame = pl.DataFrame({"day": [*days[:-2], None, None], "x": [0.5 * n for n in range(20)], "value": ["a", "b"] * 10})
    schema = vl.Schema(quasi=["day", "x"], sensitive=["value"], missing="value")
    for release in (
        vl.publish(vl.read(frame, schema), vl.KAnonymity(k=10), key=KEY),
        vl.publish(vl.read(frame, schema), vl.AntiCorruption(skew=0.5), vl.PerturbedGeneralization(s=0.5), key=KEY),
    ):
        given = training(release)
        assert given.X.schema["day"] == pl.Date
        known = given.X["day"].drop_nulls()
        assert known.is_between(days[0], days[-3]).all()
        assert given.X["x"].is_between(0, 9.5).all()

"""The error of a tree learned from a release, between its yardsticks."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.mining.training import training
from voile.mining.tree import grow

KEY = vl.Key(bytes(32))
ASK = vl.measures.Classification(starts=("12",))


@pytest.fixture(scope="module")
def data() -> Any:
    frame = vl.datasets.census(30_000).select("age", "gender", "education", "occupation", "income")
    names = frame.columns[:-1]
    return vl.read(frame, vl.Schema(quasi=names, sensitive=["income"], domains={"income": list(range(50))}))


def test_it_lies_between_the_yardsticks(data: Any) -> None:
    release = vl.publish(data, vl.AntiCorruption(rho1=0.2, rho2=0.9), vl.PerturbedGeneralization(s=0.25), key=KEY)
    loss = ASK(data, release)
    assert loss.parts["optimistic"] < loss.value < loss.parts["pessimistic"]
    assert loss.value - loss.parts["optimistic"] < loss.parts["pessimistic"] - loss.value
    assert ASK(data, release) == loss


def test_an_exact_release_is_as_good_as_the_table() -> None:
    frame = pl.DataFrame({"age": [20, 30] * 50, "value": ["a", "b"] * 50})
    plain = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["value"]))
    loss = vl.measures.Classification()(plain, vl.publish(plain, vl.KAnonymity(k=2)))
    assert loss.value == loss.parts["optimistic"] == 0.0
    assert loss.parts["most common class"] == 0.5


def test_the_error_is_counted_over_the_whole_table(data: Any) -> None:
    release = vl.publish(data, vl.KAnonymity(k=5), key=KEY)
    tree = grow(training(release, ["12"]), 8)
    frame = vl.datasets.census(30_000)
    wrong = tree.decide(frame) != (frame["income"].to_numpy() >= 12)
    assert ASK(data, release).value == pytest.approx(float(np.mean(wrong)))


def test_bad_requests(data: Any) -> None:
    release = vl.publish(data, vl.KAnonymity(k=5), key=KEY)
    with pytest.raises(PolicyError, match="must start at values"):
        vl.measures.Classification(starts=("many",))(data, release)
    bare = vl.read(vl.datasets.census(100), vl.Schema(quasi=["age"]))
    with pytest.raises(PolicyError, match="needs a sensitive column"):
        ASK(bare, vl.publish(bare, vl.KAnonymity(k=5)))

"""Homogeneity: the most frequent value of each group, by fractions."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.attacks.base import RawTable


def published(seed: int, k: int) -> tuple[pl.DataFrame, Any, Any]:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 40, 40),
            "disease": rng.choice(["flu", "HIV", "acne"], 40),
            "job": rng.permutation(np.resize(["a", "b"], 40)),
        }
    )
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease", "job"]))
    return frame, data, vl.publish(data, vl.KAnonymity(k=k))


def groups(release: Any, column: str) -> list[Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for age, value in release.tables["table"].select(pl.col("age").cast(pl.String), column).iter_rows():
        found.setdefault(age, Counter())[value] += 1
    return list(found.values())


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 6))
def test_belief_is_the_largest_share(seed: int, k: int) -> None:
    frame, _, release = published(seed, k)
    for guess in vl.attacks.Homogeneity().guesses(release, None):
        name = str(guess.belief.column)
        inside = groups(release, name)
        expected = [float(oracle.homogeneity([*values.values()])) for values in inside for _ in range(values.total())]
        assert sorted(guess.belief.rows) == pytest.approx(sorted(expected))
        usual = Counter(frame[name].to_list())
        assert guess.belief.baseline == pytest.approx(max(usual.values()) / usual.total())
        certain = sum(values.total() for values in inside if len(values) == 1)
        assert guess.belief.details["people in groups with one value"] == certain


def test_by_hand() -> None:
    """Two alike with flu, three alike with three diseases: certainty for two, a third for three."""
    frame = pl.DataFrame({"age": [30, 30, 50, 50, 50], "disease": ["flu", "flu", "HIV", "acne", "gout"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    (guess,) = vl.attacks.Homogeneity().guesses(RawTable(data), None)
    assert sorted(guess.belief.rows) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])
    assert guess.belief.mean == pytest.approx(3 / 5)
    assert guess.belief.baseline == pytest.approx(2 / 5)
    assert guess.belief.above(0.5) == 2


def test_k_anonymity_promises_nothing_against_it() -> None:
    _, data, release = published(1, 2)
    found = vl.audit(release, data, [vl.attacks.Homogeneity()])
    assert not any(finding.inside for finding in found.findings)
    diverse = vl.publish(data, vl.LDiversity(l=2, column="job"))
    inside = [finding for finding in vl.audit(diverse, data, [vl.attacks.Homogeneity()]).findings if finding.inside]
    assert [finding.belief.column for finding in inside] == ["job"]
    assert inside[0].belief.worst <= 0.5

"""Homogeneity: the share of the most frequent value of each group, compared with exact fractions."""

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


def publish_random_table(seed: int, k: int) -> tuple[pl.DataFrame, Any, Any]:
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


def count_groups(release: Any, column: str) -> list[Counter[str]]:
    counts_by_age: dict[str, Counter[str]] = {}
    for age, value in release.tables["table"].select(pl.col("age").cast(pl.String), column).iter_rows():
        counts_by_age.setdefault(age, Counter())[value] += 1
    return list(counts_by_age.values())


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 6))
def test_belief_is_the_largest_share(seed: int, k: int) -> None:
    frame, _, release = publish_random_table(seed, k)
    for guess in vl.attacks.Homogeneity().guesses(release, None):
        name = str(guess.belief.column)
        value_counts = count_groups(release, name)
        expected = [
            float(oracle.homogeneity([*values.values()])) for values in value_counts for _ in range(values.total())
        ]
        assert sorted(guess.belief.rows) == pytest.approx(sorted(expected))
        totals = Counter(frame[name].to_list())
        assert guess.belief.baseline == pytest.approx(max(totals.values()) / totals.total())
        people_certain = sum(values.total() for values in value_counts if len(values) == 1)
        assert guess.belief.details["people in groups with one value"] == people_certain


def test_belief_is_one_in_a_uniform_group_and_a_third_among_three_values() -> None:
    """Two equal rows have the same disease, and three equal rows have three."""
    frame = pl.DataFrame({"age": [30, 30, 50, 50, 50], "disease": ["flu", "flu", "HIV", "acne", "gout"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    (guess,) = vl.attacks.Homogeneity().guesses(RawTable(data), None)
    assert sorted(guess.belief.rows) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])
    assert guess.belief.mean == pytest.approx(3 / 5)
    assert guess.belief.baseline == pytest.approx(2 / 5)
    assert guess.belief.above(0.5) == 2


def test_k_anonymity_promises_nothing_against_it() -> None:
    _, data, release = publish_random_table(1, 2)
    audit = vl.audit(release, data, [vl.attacks.Homogeneity()])
    assert not any(finding.inside for finding in audit.findings)
    diverse_release = vl.publish(data, vl.LDiversity(l=2, column="job"))
    promised_findings = [
        finding for finding in vl.audit(diverse_release, data, [vl.attacks.Homogeneity()]).findings if finding.inside
    ]
    assert [finding.belief.column for finding in promised_findings] == ["job"]
    assert promised_findings[0].belief.worst <= 0.5

"""Skewness: the gain of belief in the best set of values, compared with trying all sets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 8))
def test_belief_gains_most_in_the_best_of_all_sets(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": rng.integers(20, 40, 40), "disease": rng.choice(list("abcde"), 40)})
    release = vl.publish(vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"])), vl.KAnonymity(k=k))
    (guess,) = vl.attacks.Skewness().guesses(release, None)
    totals = Counter(frame["disease"].to_list())
    groups: dict[str, Counter[str]] = {}
    for age, value in release.tables["table"].select(pl.col("age").cast(pl.String), "disease").iter_rows():
        groups.setdefault(age, Counter())[value] += 1
    expected = []
    for value_counts in groups.values():
        gain = oracle.variation([value_counts[value] for value in totals], [*totals.values()])
        expected += [float(gain)] * value_counts.total()
    assert sorted(guess.belief.rows) == pytest.approx(sorted(expected), abs=1e-12)
    assert guess.belief.baseline == 0


def test_t_closeness_promises_against_it_and_l_diversity_does_not() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"age": rng.integers(20, 80, 300), "disease": rng.choice(list("abc"), 300)})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    close_finding = vl.audit(vl.publish(data, vl.TCloseness(t=0.2)), attacks=[vl.attacks.Skewness()]).findings[0]
    assert close_finding.inside
    assert close_finding.passed
    assert 0.1 < close_finding.belief.worst <= 0.2 + 1e-9
    diverse_finding = vl.audit(vl.publish(data, vl.LDiversity(l=2)), attacks=[vl.attacks.Skewness()]).findings[0]
    assert not diverse_finding.inside
    ordered_data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"], kinds={"disease": "ordered"}))
    ordered_release = vl.publish(ordered_data, vl.TCloseness(t=0.2, distance="ordered"))
    assert not vl.audit(ordered_release, attacks=[vl.attacks.Skewness()]).findings[0].inside

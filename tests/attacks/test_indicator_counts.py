"""Attacks on columns that show only whether a value is protected, and on groups that show a lower bound of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import CAPPED
from voile.adversaries.prior_posterior import make_indicator
from voile.attacks.indicator_counts import expect_cases, expect_counts
from voile.errors import PolicyError
from voile.tables.group_counts import tally


def count_groups(shown: list[tuple[int, int, int]]) -> Any:
    """Counts of groups that show so many other, protected and hidden values."""
    column = vl.read(
        pl.DataFrame({"a": ["x", "y"], "s": ["hiv", "none"]}), vl.Schema(quasi=["a"], sensitive=["s"])
    ).columns["s"]
    entries = [(group, value, count) for group, row in enumerate(shown) for value, count in enumerate(row) if count]
    group, value, count = (np.array(part) for part in zip(*entries, strict=True))
    return tally(make_indicator(column, CAPPED), group, value, count, len(shown))


def test_numbers_that_are_shown_stay_as_they_are() -> None:
    counts = count_groups([(8, 2, 0), (9, 1, 0)])
    assert expect_cases(counts).tolist() == [2, 1]
    expected = expect_counts(counts)
    assert expected.counts.tolist() == [8, 2, 9, 1]
    assert expected.remarks == {}


def test_a_lower_bound_is_completed_by_what_is_to_be_expected() -> None:
    """The share of cases is where it agrees with itself: cases over people, with the mean of a binomial above c."""
    counts = count_groups([(95, 5, 0), (0, 3, 7)])
    first, second = expect_cases(counts)
    assert first == 5
    assert 3 < second < 4
    share = (first + second) / 110
    weights = [math.comb(10, k) * share**k * (1 - share) ** (10 - k) for k in range(11)]
    mean = sum(k * weights[k] for k in range(3, 11)) / sum(weights[3:])
    assert second == pytest.approx(mean, abs=1e-9)
    assert list(expect_counts(counts).remarks.values()) == [10]


def make_release() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    ages, jobs = rng.integers(20, 60, 1500), rng.choice(list("abc"), 1500)
    is_sick = rng.random(1500) < 0.003 * (ages - 15)
    frame = pl.DataFrame({"age": ages, "job": jobs, "d": np.where(is_sick, "HIV", rng.choice(["flu", "cold"], 1500))})
    data = vl.read(frame, vl.Schema(quasi=["age", "job"], sensitive=["d"]))
    model = vl.RRobustness(r=5, protect=["HIV"], protect_as="set", prior=vl.learn_prior(data, smoothing=1))
    return data, vl.publish(data, model)


def test_attacks_believe_in_protected_values_and_in_nothing_else() -> None:
    data, release = make_release()
    shown = release.tables["sensitive"].with_columns(pl.col("d").cast(pl.String))
    assert "not shown" in shown["d"]
    homogeneity, skewness = vl.audit(release, data, [vl.attacks.Homogeneity(), vl.attacks.Skewness()]).findings
    assert homogeneity.title == "Protected values of 'd' in groups"
    assert homogeneity.before is None  # the table shows values, which is another question
    assert homogeneity.belief.worst < 0.5  # "other values", the most frequent label, is nothing to believe in
    truth = (data.rows.histogram(["d"]).counts).tolist()
    share = truth[data.columns["d"].domain.labels.index("HIV")] / 1500
    assert homogeneity.belief.baseline == pytest.approx(share, abs=0.01)
    assert skewness.belief.worst == pytest.approx(
        np.abs(homogeneity.belief.risk - homogeneity.belief.baseline).max(), abs=1e-9
    )
    capped = set(shown.filter(pl.col("d") == "not shown")["group"])
    people = release.tables["quasi"].filter(pl.col("group").is_in(capped)).height
    for finding in (homogeneity, skewness):
        assert people in finding.belief.details.values()


def test_nothing_can_be_ruled_out_where_no_value_is_shown() -> None:
    data, release = make_release()
    assert "elimination" not in {finding.attack for finding in vl.audit(release, data).findings}
    with pytest.raises(PolicyError, match="elimination"):
        vl.audit(release, data, [vl.attacks.Elimination()])

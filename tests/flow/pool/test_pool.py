"""Rubin's rules, by hand and for the results of other libraries."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression

import voile as vl
from voile.errors import DataError


def test_numbers_and_variances_are_pooled_by_hand() -> None:
    """Rubin (1987): q = 2, within 0.5, between 1 times 4/3."""
    found = vl.pool([1.0, 2.0, 3.0], [0.4, 0.5, 0.6])
    total = 0.5 + 4 / 3
    increase = (4 / 3) / 0.5
    freedom = 2 * (1 + 1 / increase) ** 2
    assert found.estimate[0] == pytest.approx(2)
    assert found.standard_error[0] == pytest.approx(math.sqrt(total))
    assert found.degrees_of_freedom[0] == pytest.approx(freedom)
    assert found.high[0] == pytest.approx(2 + stats.t.ppf(0.975, freedom) * math.sqrt(total))
    assert found.low[0] == pytest.approx(4 - found.high[0])
    assert found.missing_information[0] == pytest.approx((increase + 2 / (freedom + 3)) / (increase + 1))
    assert "estimate" in str(found)
    assert found.to_frame().height == 1


def test_equal_results_lack_no_information() -> None:
    found = vl.pool([[1.0, 2.0]] * 4, [[0.25, 1.0]] * 4)
    assert found.standard_error.tolist() == [0.5, 1.0]
    assert found.missing_information.tolist() == [0, 0]
    assert found.high[0] == pytest.approx(1 + 1.959964 * 0.5, rel=1e-5)


def test_results_of_statsmodels_bring_their_variances() -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    tables = [
        pd.DataFrame({"one": 1.0, "a": x[:, 0], "b": x[:, 1] + rng.normal(scale=0.1, size=200)}) for _ in range(5)
    ]
    y = x @ [1.0, -2.0] + rng.normal(size=200)
    fits = [sm.OLS(y, table).fit() for table in tables]
    found = vl.pool(fits)
    assert found.names == ("one", "a", "b")
    by_hand = vl.pool([fit.params.to_numpy() for fit in fits], [fit.bse.to_numpy() ** 2 for fit in fits])
    assert found.low.tolist() == pytest.approx(by_hand.low.tolist())
    assert found.low[2] < -2 < found.high[2] + 0.2


def test_results_of_scikit_learn_state_no_variances() -> None:
    rng = np.random.default_rng(1)
    tables = [pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]) for _ in range(3)]
    fits = [LinearRegression().fit(table, table["a"] * 2 + 1) for table in tables]
    found = vl.pool(fits)
    assert found.names == ("intercept", "a", "b")
    assert found.estimate[:2].tolist() == pytest.approx([1, 2])
    assert "no variances" in found.note
    classes = rng.integers(0, 3, 60)
    several = vl.pool([LogisticRegression().fit(table, classes) for table in tables])
    assert len(several.names) == 9
    assert several.missing_information.max() == 1


@pytest.mark.parametrize(
    ("estimates", "variances"),
    [([1.0], None), ([], None), ([1.0, [1.0, 2.0]], None), ([1.0, 2.0], [1.0]), ([1.0, 2.0], [-1.0, 1.0]),
     ([1.0, math.nan], None), (["a", "b"], None), ([1.0, 2.0], [])],
)  # fmt: skip
def test_what_cannot_be_pooled_is_refused(estimates: list, variances: list | None) -> None:
    with pytest.raises(DataError) as caught:
        vl.pool(estimates, variances)
    assert caught.value.code == "data.pool"

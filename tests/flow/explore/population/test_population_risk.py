"""The risk in the population: sdcMicro's published example, sums by hand, and inputs that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import voile as vl
from voile.errors import DataError, SpecError
from voile.flow.explore.inspection import Inspection
from voile.flow.explore.population.individual_risk import estimate_risk

# the example of Capobianchi, Polettini and Lucarelli in sdcMicro (francdat): weights, and the answers of indivRisk
WEIGHTS = [18.0, 45.5, 39.0, 17.0, 541.0, 8.0, 5.0, 92.0]
KEYS = ["a", "b", "b", "c", "d", "e", "f", "a"]
RISKS = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]


def inspect(frame: pl.DataFrame, **options: Any) -> Inspection:
    return vl.inspect(frame, {"quasi": ["key"], **options.pop("roles", {})}, **options)


def test_individual_risk_is_that_of_sdcmicro() -> None:
    frame = pl.DataFrame({"key": KEYS, "wt": WEIGHTS})
    risk = inspect(frame, roles={"weight": "wt"}).population
    assert risk is not None
    assert (risk.population, risk.sample, risk.weighted) == (766, 8, True)
    expected = dict(zip(KEYS, RISKS, strict=True))
    assert sorted(risk.risks) == pytest.approx(sorted(expected.values()), abs=1e-8)
    assert risk.expected_finds == pytest.approx(sum(RISKS), abs=1e-7)
    assert risk.worst_risk == pytest.approx(max(RISKS), abs=1e-8)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("chance", [0.02, 0.3, 0.9])
def test_individual_risk_is_an_expectation(size: int, chance: float) -> None:
    people = np.arange(size, 5_000)  # F given f is negative binomial
    by_hand = (stats.nbinom.pmf(people - size, size, chance) / people).sum()
    assert estimate_risk(np.array([size]), np.array([size / chance]))[0] == pytest.approx(by_hand, rel=1e-9)


def test_a_group_that_is_wholly_in_the_sample() -> None:
    assert estimate_risk(np.array([1, 4]), np.array([1.0, 4.0])).tolist() == [1.0, 0.25]


def test_a_population_that_is_the_sample_is_counted() -> None:
    risk = inspect(pl.DataFrame({"key": KEYS}), population=8).population
    assert risk is not None
    assert (risk.low, risk.estimate, risk.high) == (4, 4, 4)


def test_the_range_is_about_the_estimate() -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"key": rng.integers(0, 900, 1_000)})
    risk = inspect(frame, population=20_000).population
    assert risk is not None
    assert 0 < risk.low <= risk.estimate <= risk.high <= 20_000
    assert risk.high <= 4.0001 * risk.low
    content = risk.as_json()
    assert set(content["estimates"]) == set(content["assumptions"]) == {"zayatz", "pitman", "snb", "growth"}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"population": 7}, "spec.population"),
        ({"population": 100, "roles": {"weight": "wt"}}, "spec.population"),
        ({"population": 100, "roles": {"quasi": []}}, "spec.population"),
    ],
)
def test_a_wrong_population_is_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(SpecError) as caught:
        inspect(pl.DataFrame({"key": KEYS, "wt": WEIGHTS}), **options)
    assert caught.value.code == code


@pytest.mark.parametrize("wrong", [0.0, -1.0, None, float("inf")])
def test_weights_that_are_not_above_zero_are_refused(wrong: float | None) -> None:
    frame = pl.DataFrame({"key": KEYS, "wt": [wrong, *WEIGHTS[1:]]})
    with pytest.raises(DataError) as caught:
        inspect(frame, roles={"weight": "wt"})
    assert caught.value.code in ("data.weight", "data.number")


def test_a_register_by_hand(tmp_path: Path) -> None:
    table = pl.DataFrame({"key": ["a", "a", "b", "x"], "age": [1, 1, 2, 3]})
    people = pl.DataFrame({"key": ["a", "a", "a", "b", "c"], "age": [1, 1, 1, 2, 9], "name": list("vwxyz")})
    people.write_csv(tmp_path / "register.csv")
    found = vl.inspect(table, {"quasi": ["key", "age"]}, register=tmp_path / "register.csv").register
    assert found is not None
    assert (found.people, found.k_map, found.alone) == (5, 1, 1)
    assert (found.delta_low, found.delta_high) == (0.0, 1.0)  # nobody of c is in the table, b certainly is
    assert (found.unmatched, found.overfull) == (1, 0)


def test_a_register_of_others_is_refused() -> None:
    with pytest.raises(DataError, match="fits anybody"):
        vl.inspect(pl.DataFrame({"key": ["a"]}), {"quasi": ["key"]}, register=pl.DataFrame({"key": ["b"]}))


def test_normalised_weights_estimate_no_population_and_stop_nothing() -> None:
    table = pl.DataFrame({"age": [20, 21, 22, 22], "wt": [0.4, 0.6, 1.5, 1.5]})
    schema = vl.Schema(quasi=["age"], weight="wt", withhold_weight=True)
    inspection = vl.inspect(table, schema, special_uniques=True)
    assert inspection.population is None
    assert inspection.special_uniques is not None
    assert "2 different weights in 'wt' are below 1" in inspection.weight_note
    assert inspection.weight_note in inspection.as_json()["weight_note"]
    assert "normalised" in inspection.html
    known = vl.inspect(table, schema, population=400)
    assert known.population is not None
    assert not known.population.weighted
    assert known.weight_note == ""
    assert "weight_note" not in known.as_json()

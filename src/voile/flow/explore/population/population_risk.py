"""How many people stand out in the population, estimated from a sample of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from voile.errors import SpecError, option
from voile.flow.explore.population.individual_risk import estimate_risk
from voile.flow.explore.population.uniques_estimates import (
    estimate_by_growth,
    estimate_pitman,
    estimate_slide_negative_binomial,
    estimate_zayatz,
)
from voile.result_tables import ResultTable

SPREAD = 2.0  # the range reaches from the estimate divided by this to the estimate times this
HIGH = 0.1  # an individual risk above this is counted

ASSUMPTIONS = {
    "zayatz": "the population's groups have the sizes of the sample's; far too high for small samples",
    "pitman": "people who are alone go on to grow as a power of the number of people; tends to be high",
    "snb": "the sizes of groups follow a slide negative binomial; tends to be high",
    "growth": "the share of people who are alone goes on to fall as in the sample; tends to be low",
}


@dataclass(frozen=True, eq=False)
class PopulationRisk(ResultTable):
    """Estimates for a population of `population` people, of whom `sample` are in the table.

    `estimates` are the people who are alone in the population by each method, `estimate` is the geometric mean of
    Pitman's and the growth's, and `low` to `high` the range around it. `risks` is the risk of each group of the sample
    that its row is found by linking it with the whole population, and `sizes` the rows of that group.
    """

    population: int
    sample: int
    weighted: bool
    estimates: Mapping[str, float]
    risks: np.ndarray
    sizes: np.ndarray

    def __repr__(self) -> str:
        return f"PopulationRisk({self.low:,.0f} to {self.high:,.0f} of {self.population:,} alone, estimated)"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [
            {"estimator": name, "alone in the population": number, "assumes that": ASSUMPTIONS[name]}
            for name, number in self.estimates.items()
        ]

    @property
    def estimate(self) -> float:
        """The people who are alone in the population."""
        return min(math.sqrt(self.estimates["pitman"] * self.estimates["growth"]), self._most)

    @property
    def _most(self) -> float:
        """Everybody who is alone in the population and in the sample is alone there."""
        alone = int((self.sizes == 1).sum())
        return min(alone * self.population / self.sample, float(self.population))

    @property
    def low(self) -> float:
        return self.estimate if self.sample == self.population else self.estimate / SPREAD

    @property
    def high(self) -> float:
        return self.estimate if self.sample == self.population else min(self.estimate * SPREAD, self._most)

    @property
    def mean_risk(self) -> float:
        return float(np.average(self.risks, weights=self.sizes))

    @property
    def worst_risk(self) -> float:
        return float(self.risks.max())

    @property
    def expected_finds(self) -> float:
        """How many rows are expected to be found if every row is linked with the whole population."""
        return float((self.risks * self.sizes).sum())

    def as_json(self) -> dict[str, Any]:
        return {
            "population": self.population,
            "sample": self.sample,
            "weighted": self.weighted,
            "alone": {"estimate": self.estimate, "low": self.low, "high": self.high},
            "estimates": dict(self.estimates),
            "assumptions": ASSUMPTIONS,
            "individual": {
                "mean": self.mean_risk,
                "worst": self.worst_risk,
                "expected_finds": self.expected_finds,
                "above": HIGH,
                "rows_above": int(self.sizes[self.risks > HIGH].sum()),
            },
        }


def estimate_population(sizes: np.ndarray, weights: np.ndarray | None, population: int | None) -> PopulationRisk:
    """Estimate who stands out in the population from the groups of a sample: their `sizes`, and the sum of the
    `weights` in each or the number of people in the `population`."""
    sample = int(sizes.sum())
    people = round(float(weights.sum())) if weights is not None else int(population or 0)
    if people < sample:
        raise SpecError(
            f"The population ({people:,}) is smaller than the sample ({sample:,}).",
            code="spec.population",
            hint=f"Give the number of people that the table was drawn from, e.g. {option('population', 10 * sample)}.",
        )
    estimators = {
        "zayatz": estimate_zayatz,
        "pitman": estimate_pitman,
        "snb": estimate_slide_negative_binomial,
        "growth": estimate_by_growth,
    }
    if people == sample:
        estimates = dict.fromkeys(estimators, float((sizes == 1).sum()))
    else:
        estimates = {name: min(estimate(sizes, people), float(people)) for name, estimate in estimators.items()}
    totals = weights if weights is not None else sizes * (people / sample)
    return PopulationRisk(people, sample, weights is not None, estimates, estimate_risk(sizes, totals), sizes)

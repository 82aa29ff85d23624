"""The contract of a measure: a finite loss, the same twice, and least where nothing is changed."""

from __future__ import annotations

import json

import numpy as np
import polars as pl

import voile as vl
from voile.extend import Measure
from voile.testing.plugin_contract import check_plugin, example_of, require
from voile.testing.sample_tables import sample, sample_releases


def check_measure(measure: Measure | type[Measure], unchanged: float | None = None) -> None:
    """Check the contract of a measure: finite, never negative, the same twice, and no worse on a release that changes
    nothing than on one that loses everything. `unchanged` is the largest loss it may report if nothing is changed.

    >>> check_measure(vl.measures.Certainty(), unchanged=0)
    """
    measure = example_of(measure)
    check_plugin(measure)
    frame, schema = sample(40, 4)
    data, twice = vl.read(frame, schema), vl.read(pl.concat([frame, frame]), schema)
    several = vl.read(*sample(40, 5, more=True))
    for table, release in [(one, release) for one in (data, several) for release in sample_releases(one)]:
        loss = measure(table, release)
        good = bool(np.isfinite(loss.value)) and loss.value >= 0 and loss.measure == measure.name
        require(measure, good, "a loss must be finite, not negative, and name its measure")
        require(measure, measure(table, release) == loss, "it must measure the same twice")
        json.dumps(loss.as_json(), allow_nan=False)
    exact, worst = (measure(twice, vl.publish(twice, vl.KAnonymity(k=k))).value for k in (2, 80))
    require(measure, exact <= worst, "changing nothing must not lose more than putting everybody in one box")
    require(measure, unchanged is None or exact <= unchanged, f"nothing was changed, but it reports {exact}")

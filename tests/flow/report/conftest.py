"""A release of the hospital table with an audit, and the full report on it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from report_examples import INSIDER, LOSSES, NEIGHBOUR

import voile as vl
from voile.flow.report.report import Report, report
from voile.releases.release import Release
from voile.results import Audit, Belief, Finding


@pytest.fixture(scope="package")
def data() -> Any:
    schema = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])
    return vl.read(vl.datasets.hospital(), schema)


@pytest.fixture(scope="package")
def release(data: Any) -> Release:
    return vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))


@pytest.fixture(scope="package")
def audit(release: Release) -> Audit:
    sizes, tallies = release.sizes, release.tallies["disease"]
    unique = Belief("identity", np.array([1.0, 0.5]), np.array([372, 28]), 1 / 400)
    largest = tallies.largest() / sizes
    return Audit(
        (
            Finding(
                "linking",
                "Linking",
                NEIGHBOUR,
                Belief("identity", 1 / sizes, sizes, 1 / 400),
                Fraction(1, 5),
                "k",
                unique,
            ),
            Finding(
                "homogeneity",
                "Same value",
                NEIGHBOUR,
                Belief("belief", largest, sizes, 0.19, "disease"),
                Fraction(1, 3),
            ),
            Finding(
                "skewness", "Gain", NEIGHBOUR, Belief("gain", largest / 2, sizes, 0.0, "disease"), Fraction(3, 5), "t"
            ),
            Finding("minimality", "Minimality", INSIDER, Belief("belief", largest, sizes, 0.19, "disease"), None),
            Finding(
                "order", "Distance", INSIDER, Belief("distance", largest, sizes, 0.0, "disease", {"worlds": 9.0}), None
            ),
        )
    )


@pytest.fixture(scope="package")
def full(release: Release, audit: Audit) -> Report:
    return report(release, audit, LOSSES)

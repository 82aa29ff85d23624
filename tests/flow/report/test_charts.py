"""The charts of a report: the numbers behind them, and drawings that are well formed."""

from __future__ import annotations

import dataclasses
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from report_examples import Page

from voile.flow.report import charts
from voile.flow.report.report import Report
from voile.results import Audit


def test_charts_are_described_and_well_formed(full: Report) -> None:
    page = Page(full.html)
    described = [value for tag, name, value in page.attributes if tag == "div" and name == "aria-label"]
    drawings = re.findall(r"<svg.*?</svg>", full.html, flags=re.S)
    assert len(drawings) == 2 * 7  # inside: probability, gain; outside: probability, distance; curve, bars, sizes
    assert page.attributes.count(("div", "role", "img")) == len(drawings)
    assert all(described)
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    names = [value for _, name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("steps", [3, 5000])
def test_the_curve_counts_people(steps: int) -> None:
    rng = np.random.default_rng(4)
    risk, people = rng.choice(rng.random(steps), 2000), rng.integers(1, 9, 2000)
    points = charts.exceedance(risk, people)
    assert len(points) <= charts.POINTS + 2
    assert points[0] == [0.0, 1.0]
    assert points == sorted(points, key=lambda point: point[0])
    assert max(risk) in [place for place, _ in points]
    for place, share in points:
        assert share == pytest.approx(people[risk >= place].sum() / people.sum())


def test_the_curve_of_nobody() -> None:
    assert charts.exceedance(np.zeros(0), np.zeros(0, dtype=np.int64)) == []


@pytest.mark.parametrize(
    "sizes",
    [
        np.array([5]),
        np.array([5, 5, 9]),
        np.arange(5, 400),
        np.append(np.full(1000, 7), [100_000, 250_000]),
        np.append(np.full(1000, 0), [1, 250_000]),
        np.random.default_rng(1).geometric(0.01, 100_000),
    ],
)
def test_bins_cover_every_group_once(sizes: np.ndarray) -> None:
    bins = charts.bin_sizes(sizes)
    assert len(bins) <= charts.BARS
    assert sum(bin["groups"] for bin in bins) == len(sizes)
    assert bins[0]["from"] == sizes.min()
    for bin in bins:
        assert bin["groups"] == ((sizes >= bin["from"]) & (sizes <= bin["to"])).sum()
    assert charts.draw_histogram(bins, "people", 340).startswith("<svg")


def test_no_groups_no_bins() -> None:
    assert charts.bin_sizes(np.zeros(0, dtype=np.int64)) == []


def test_a_bar_chart_shows_the_columns_that_lose_most() -> None:
    parts = {f"c{number}": number / 100 for number in range(100)}
    shown = charts.select_largest(parts)
    assert len(shown) == charts.BARS
    assert shown[0] == ("c99", 0.99)


def test_without_a_linking_attack_the_curve_shows_another(audit: Audit) -> None:
    linking, *others = audit.findings
    assert charts.over_people(others) is None
    other = dataclasses.replace(linking, attack="other", belief=dataclasses.replace(linking.belief, limits="belief"))
    found = charts.over_people([*others, other])
    assert found is not None
    assert found["attack"] == "other"

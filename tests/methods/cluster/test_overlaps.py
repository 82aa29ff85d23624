"""Boxes of clusters overlap: whoever looks for a person counts every box that the person fits."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from published import KEY

import voile as vl
from voile.releases.release import Release
from voile.tables.microdata import Microdata


def people(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, 40),
            "city": rng.choice(["Bern", "Lyon", "Rome", "Oslo"], 40),
            "disease": rng.choice(["flu", "cold", "gout"], 40),
        }
    )


def publish(seed: int) -> tuple[Release, Microdata]:
    data = vl.read(people(seed), vl.Schema(quasi=["age", "city"], sensitive=["disease"]))
    return vl.publish(data, vl.KAnonymity(k=3), vl.Cluster(), key=KEY), data


def list_fits(release: Release, frame: pl.DataFrame) -> dict[tuple[int, str], list[tuple[str, str]]]:
    """The boxes that each combination fits, read from the published labels."""
    boxes = list(dict.fromkeys(release.tables["table"].select(pl.col("age", "city").cast(pl.String)).rows()))
    fits: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for age, city in frame.select("age", "city").rows():
        fits[age, city] = [box for box in boxes if _has_age(box[0], age) and _has_city(box[1], city)]
    return fits


def _has_age(label: str, age: int) -> bool:
    low, _, high = label.strip("[]").partition(", ")
    return label == "*" or int(low) <= age <= int(high or low)


def _has_city(label: str, city: str) -> bool:
    return label == "*" or city in label.strip("{}").split("|")


@pytest.mark.parametrize("seed", range(1, 5))
def test_every_box_that_a_person_fits_is_counted(seed: int) -> None:
    release, data = publish(seed)
    frame = people(seed)
    fits = list_fits(release, frame)
    assert any(len(boxes) > 1 for boxes in fits.values())  # else the test says nothing
    table = data.rows.histogram(["age", "city"])
    domains = [data.columns[name].domain.values.to_list() for name in ("age", "city")]
    kinds = [(domains[0][age], domains[1][city]) for age, city in table.codes.tolist()]
    located = release.locate(data)
    assert [group >= 0 for group in located] == [len(fits[kind]) == 1 for kind in kinds]
    shown = release.tables["table"].select(pl.col("age", "city").cast(pl.String)).rows()
    boxes = list(dict.fromkeys(shown))
    counts = dict.fromkeys(boxes, 0)
    for kind in frame.select("age", "city").rows():
        for box in fits[kind]:
            counts[box] += 1
    candidates, sizes = release.candidates(data)
    assert sorted(zip(candidates.tolist(), sizes.tolist(), strict=True)) == sorted(
        (counts[box], shown.count(box)) for box in boxes
    )
    matches = release.match_register(data)
    assert len(matches.kind) == sum(len(fits[kind]) for kind in kinds)
    assert int(matches.people.sum()) == sum(counts.values())


@pytest.mark.parametrize("seed", range(1, 5))
def test_linking_weighs_all_who_fit(seed: int) -> None:
    release, data = publish(seed)
    fits = list_fits(release, people(seed))
    fitting = {box: 0 for boxes in fits.values() for box in boxes}
    for kind in people(seed).select("age", "city").rows():
        for box in fits[kind]:
            fitting[box] += 1
    findings = vl.audit(release, attacks=[vl.attacks.Linking()], external=data).findings
    finding = next(found for found in findings if found.title == "Journalist")
    shown = release.tables["table"].select(pl.col("age", "city").cast(pl.String)).rows()
    assert finding.belief.mean == pytest.approx(np.mean([1 / fitting[box] for box in shown]))
    assert finding.passed


def test_a_release_with_overlapping_boxes_verifies_and_its_copy_does_not_break_it() -> None:
    release, data = publish(1)
    assert vl.verify(release, data=data, key=KEY).holds
    again = vl.publish(data, vl.KAnonymity(k=3), vl.Cluster(), key=KEY, after=[release])
    assert vl.verify(again, after=[release]).broken is False

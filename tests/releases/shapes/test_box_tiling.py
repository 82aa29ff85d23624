"""Boxes that tile: every vector in exactly one, and a check that finds all others out."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.releases.cells.cells import sets
from voile.releases.shapes.box_tiling import tiles
from voile.releases.shapes.sampled import Sampled
from voile.tables.domain import Domain

DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=number) for number in range(0, 60, 7)]
VALUES: dict[str, list[Any]] = {
    "age": [17, 18, 25, 26, 40, 41, 90],
    "day": DAYS,
    "weight": [0.5, 1.25, 3.0, 3.5, 1e9],
    "city": ["Bern", "Lyon", "Oslo", "a|b", "{c}", "*"],
    "grade": ["low", "mid", "high"],
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, vl.Schema]:
    names = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3, unique=True))
    rows = draw(st.integers(4, 40))
    holes = draw(st.booleans())
    cells = {
        name: draw(st.lists(st.sampled_from([*VALUES[name], *([None] * holes)]), min_size=rows, max_size=rows))
        for name in names
    }
    for name in names:
        cells[name][0] = VALUES[name][0]  # not all missing
    cells["value"] = draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
    declared: dict[str, list[Any]] = {"grade": VALUES["grade"]} if "grade" in names else {}
    declared |= {"age": list(range(10, 100))} if "age" in names and draw(st.booleans()) else {}
    kinds = {"grade": "ordered"} if "grade" in names else {}
    schema = vl.Schema(
        quasi=names,
        sensitive=["value"],
        missing="value",
        kinds=kinds,
        domains={**declared, "value": ["a", "b", "c", "d"]},
    )
    dtypes = {"day": pl.Date, "age": pl.Int16, "weight": pl.Float64}
    frame = pl.DataFrame({k: pl.Series(v, dtype=dtypes.get(k)) for k, v in cells.items()})
    return frame, schema


def holding(release: Sampled, data: Any) -> list[int]:
    """For every vector of the data's domain, how many boxes hold it."""
    masks = []
    for column in data.columns.quasi:
        matrix = release.cells[column.name].recode(column.domain).matrix.toarray() > 0
        masks.append(matrix[release.boxes[column.name]])
    points = itertools.product(*(range(column.size) for column in data.columns.quasi))
    return [int(np.logical_and.reduce([m[:, c] for m, c in zip(masks, point, strict=True)]).sum()) for point in points]


@pytest.mark.parametrize("splitter", ["mondrian", "specialization"])
@given(table=tables(), k=st.integers(1, 4))
def test_every_vector_lies_in_one_box(splitter: str, table: tuple[pl.DataFrame, vl.Schema], k: int) -> None:
    data = vl.read(*table)
    method = vl.PerturbedGeneralization(s=1 / k, splitter=splitter)
    release = vl.publish(data, vl.AntiCorruption(growth=0.4, skew=0.5), method, key=vl.Key(bytes(32)))
    assert isinstance(release, Sampled)
    assert set(holding(release, data)) == {1}
    assert release.people == data.rows.total
    assert release.sizes.min() >= k
    fitting, _ = release.candidates(data)
    assert np.array_equal(fitting, release.sizes)  # the people whom a row stands for are those in its box


@given(st.data())
def test_the_check_agrees_with_looking_at_every_point(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    boxes = [[set(range(size)) for size in sizes]]
    for _ in range(data.draw(st.integers(0, 6))):  # cut, by any set of codes
        number, column = data.draw(st.integers(0, len(boxes) - 1)), data.draw(st.integers(0, len(sizes) - 1))
        cell = boxes[number][column]
        left = data.draw(st.sets(st.sampled_from(sorted(cell))))
        if left and left != cell:
            other = [set(part) for part in boxes[number]]
            boxes[number][column], other[column] = left, cell - left
            boxes.append(other)
    if data.draw(st.booleans()):  # and spoil it
        number, column = data.draw(st.integers(0, len(boxes) - 1)), data.draw(st.integers(0, len(sizes) - 1))
        boxes[number][column] = data.draw(st.sets(st.integers(0, sizes[column] - 1), min_size=1))
    shown = []
    for column, size in enumerate(sizes):
        domain = Domain(pl.Series([f"v{code}" for code in range(size)]), "categorical")
        members = np.array([code for box in boxes for code in sorted(box[column])])
        starts = np.concatenate([[0], np.cumsum([len(box[column]) for box in boxes])])
        shown.append(({"domain": {"missing": False}}, sets(domain, starts, members), np.arange(len(boxes))))
    assert tiles(shown) is oracle.tiling(boxes, sizes)


@pytest.fixture
def release() -> Sampled:
    rows = {"age": [20, 25, 30, 35, 40, 45, 50, 55], "value": list("abcdabcd")}
    schema = vl.Schema(quasi=["age"], sensitive=["value"], domains={"value": list("abcd")})
    made = vl.publish(
        vl.read(pl.DataFrame(rows), schema), vl.AntiCorruption(growth=0.4, skew=0.5), vl.PerturbedGeneralization(s=0.5)
    )
    assert isinstance(made, Sampled)
    return made


@pytest.mark.parametrize(
    ("labels", "answer"),
    [
        (["[20, 25]", "[26, 35]", "[36, 45]", "[46, 55]"], True),
        (["[20, 25]", "[27, 35]", "[36, 45]", "[46, 55]"], False),  # a gap
        (["[20, 25]", "[25, 35]", "[36, 45]", "[46, 55]"], False),  # an overlap
        (["[20, 25]", "[26, 35]", "[36, 45]", "[46, 54]"], False),  # short of the end
        (["[20, 25]", "[26, 35]", "[36, 45]", "[46, 60]"], False),  # beyond it
        (["[20, 25]", "[26, 35]", "*", "[46, 55]"], False),
        (["[20, 25]", "[20, 25]", "[36, 45]", "[46, 55]"], False),
    ],
)
def test_gaps_and_overlaps_break_the_claim(release: Sampled, labels: list[str], answer: bool) -> None:
    table = release.tables["table"].with_columns(pl.Series("age", labels))
    changed = Sampled({"table": table}, release.dictionary, release.certificate)
    assert vl.verify(changed).broken is not answer

"""The page and the files of a comparison."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import voile as vl
from voile.errors import DataError
from voile.flow.compare.comparison import Comparison


@pytest.fixture(scope="module")
def found() -> Any:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    measures = [vl.measures.Certainty(), vl.measures.QueryError(queries=50, repetitions=2)]
    return vl.compare(data, [vl.LDiversity(l=2), vl.LDiversity(l=3)], measures=measures, adversary=["neighbour"])


def test_the_page_stands_alone(found: Comparison) -> None:
    page = found.html
    assert not re.findall(r"<(script|link|img|iframe|form)\b", page)
    assert not [found for found in re.findall(r"https?://[^\"'\s<]+", page) if "www.w3.org" not in found]
    assert "url(" not in page
    assert len(page.encode()) < 2_000_000
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.S):
        ElementTree.fromstring(drawing)
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names))


def test_the_page_names_the_best_of_every_promise(found: Comparison) -> None:
    for promise in found.promises:
        best = found.best_for(promise)
        assert best is not None
        assert f"<strong>{best.title}</strong> keeps {promise} at the least loss" in found.html
    for heading in ("The trials", "Risk against loss", "What attacks reach", "What analysts lose", "Limits"):
        assert f"<h2>{heading}</h2>" in found.html


def test_no_cell_of_the_data(found: Comparison) -> None:
    frame = vl.datasets.hospital()
    text = re.sub(r"<(style|svg).*?</\1>", "", found.html, flags=re.S) + json.dumps(found.as_json())
    for column in ("name", "disease", "zip", "birth"):
        for value in frame[column].cast(str).unique():
            assert not re.search(rf"\b{re.escape(value)}\b", text), column


def test_the_files(found: Comparison, tmp_path: Path) -> None:
    page = found.save(tmp_path / "out")
    assert page == tmp_path / "out" / "comparison.html"
    assert {file.name for file in page.parent.iterdir()} == {"comparison.html", "comparison.json", "comparison.csv"}
    assert json.loads((page.parent / "comparison.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(found.as_json())
    )
    with (page.parent / "comparison.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == sum(len(row.reached) for row in found.rows)
    assert {row["best"] for row in rows} == {"true", "false"}


def test_a_place_that_cannot_be_written(found: Comparison, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError) as caught:
        found.save(tmp_path / "file")
    assert caught.value.code == "data.write"


def test_a_comparison_without_trials() -> None:
    empty = Comparison((), (), "certainty", 0)
    assert empty.best is None
    assert empty.frontier() == []
    assert empty.frame().height == 0
    assert repr(empty) == "Comparison(0 trials, 0 keep the promise; best: none)"
    assert "What attacks reach" in empty.html

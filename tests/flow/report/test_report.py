"""The report: what it never says, unusual releases, and the files it writes."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report_examples import NEIGHBOUR, Page

import voile as vl
from voile.errors import DataError, SpecError
from voile.flow.report.report import Report, report
from voile.releases.certificate import Certificate
from voile.releases.release import Release
from voile.releases.shape_contract import ShapeDescription
from voile.results import Answer, Audit, Belief, Checked, Finding, Loss, Losses, Verdict


def test_verify_is_the_default(release: Release) -> None:
    assert report(release).verdict == vl.verify(release)


def test_page_and_json_agree(full: Report) -> None:
    content = full.as_json()
    assert content["headline"]["people"] == 400
    assert content["headline"]["groups"] == content["groups"]["groups"] == full.release.groups
    assert sum(bin["groups"] for bin in content["groups"]["histogram"]) == full.release.groups
    assert [item["title"] for item in content["losses"]] == ["Certainty penalty", "Query error"]
    assert len(content["audit"]["findings"]) == 5
    content["promises"].clear()
    assert len(full.as_json()["promises"]) == 2  # a copy each time


def test_no_cell_of_the_data(full: Report) -> None:
    frame = vl.datasets.hospital()
    text = Page(full.html).text + json.dumps(full.as_json(), ensure_ascii=False)
    for column in ("name", "disease", "zip", "birth"):
        for value in frame[column].cast(str).unique():
            assert not re.search(rf"\b{re.escape(value)}\b", text), column


def test_everything_is_inside_the_page(full: Report) -> None:
    page = Page(full.html)
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert not [
        name for _, name, _ in page.attributes if name.startswith("on") or name in ("src", "href", "xlink:href")
    ]
    assert "url(" not in full.html
    assert "@import" not in full.html
    outside = {found for found in re.findall(r"https?://[^\"'\s<]+", full.html) if "www.w3.org" not in found}
    assert not outside
    assert len(full.html.encode()) < 300_000


def test_names_are_escaped(release: Release) -> None:
    evil = "<script>alert('x')</script>&\""
    columns = [{**entry, "name": evil, "cell": evil} for entry in release.dictionary["columns"]]
    finding = Finding(
        evil, evil, NEIGHBOUR, Belief("belief", np.array([0.2]), np.array([9]), 0.1, evil, {evil: 1.0}), None
    )
    made = report(
        dataclasses.replace(release, dictionary={"columns": columns}),
        Audit((finding,)),
        Losses((Loss("certainty", evil, 0.1, {evil: 0.5}, evil),)),
        Verdict((Checked(evil, Answer.HOLDS, evil),)),
    )
    assert "script" not in Page(made.html).tags
    assert evil in Page(made.html).text


def test_many_columns_and_many_people_stay_small(release: Release) -> None:
    names = [f"a_column_with_a_rather_long_name_{number}" for number in range(40)]
    columns = [
        {"name": name, "role": "other", "kind": "numeric", "shown": "exact", "cell": "the person's own value"}
        for name in names
    ]
    sizes = np.append(np.random.default_rng(0).geometric(0.02, 500_000) + 9, [200_000] * 20)
    large: Any = SimpleNamespace(
        people=5_000_000,
        sizes=sizes,
        shape="generalized",
        description=ShapeDescription("one table"),
        dictionary={"columns": columns},
        certificate=release.certificate,
        counted={},
        tables={},
        box_cells={},
        shows_boxes=True,
    )
    risk = np.random.default_rng(0).beta(1, 30, 300_000)
    finding = Finding(
        "linking", "Linking", NEIGHBOUR, Belief("identity", risk, np.ones(300_000, int), 1e-7), Fraction(1, 5)
    )
    losses = Losses((Loss("certainty", "Certainty", 0.3, dict.fromkeys(names, 0.3)),))
    made = report(large, Audit((finding,)), losses, Verdict((Checked("tables", Answer.HOLDS),)))
    assert len(made.html.encode()) < 300_000
    assert len(json.dumps(made.as_json())) < 60_000
    assert "5,000,000" in made.html
    assert "and 34 more" in made.html


def test_a_release_whose_tables_are_gone(release: Release) -> None:
    made = report(dataclasses.replace(release, tables={}))
    assert made.as_json()["headline"]["answer"] == "broken"
    assert made.as_json()["headline"]["people"] is None
    assert "The groups cannot be counted" in made.html


@pytest.mark.parametrize(
    "claim", [{}, {"model": 7, "adversary": []}, {"model": "k-anonymity", "adversary": {"knows": 3}}]
)
def test_a_certificate_from_elsewhere_may_say_anything(release: Release, claim: dict[str, Any]) -> None:
    certificate = Certificate("generalized", {}, (claim,), "somebody")
    made = report(dataclasses.replace(release, certificate=certificate))
    assert "This claim cannot be read." in made.html
    assert "BROKEN" in made.html


def test_no_claims_at_all(release: Release) -> None:
    certificate = dataclasses.replace(release.certificate, claims=())
    assert "The certificate makes no claim." in report(dataclasses.replace(release, certificate=certificate)).html


def test_numbers_that_are_none(release: Release) -> None:
    belief = Belief("belief", np.array([np.nan]), np.array([3]), float("nan"), "disease")
    losses = Losses((Loss("certainty", "Certainty", float("inf"), {"zip": float("nan")}),))
    made = report(release, Audit((Finding("x", "X", NEIGHBOUR, belief, None),)), losses)
    assert made.as_json()["losses"][0]["value"] is None
    assert "–" in made.html


def test_save_writes_the_page_and_the_same_as_json(full: Report, tmp_path: Path) -> None:
    place = full.save(tmp_path / "new" / "report.html")
    assert place == tmp_path / "new" / "report.html"
    assert place.read_text(encoding="utf-8") == full.html
    assert json.loads(place.with_suffix(".json").read_text(encoding="utf-8")) == full.as_json()
    place.write_text("old")
    full.save(str(place))
    assert place.read_text(encoding="utf-8") == full.html
    assert sorted(found.name for found in place.parent.iterdir()) == ["report.html", "report.json"]


def test_a_report_goes_beside_a_release(full: Report, tmp_path: Path) -> None:
    full.release.save(tmp_path / "out")
    full.save(tmp_path / "out" / "report.html")
    verdict = vl.verify(tmp_path / "out")
    assert verdict.holds
    assert "report.html" in verdict.notes[-1]


def test_what_cannot_be_written(full: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError) as caught:
        full.save(tmp_path / "file" / "report.html")
    assert caught.value.code == "data.write"
    assert caught.value.hint
    assert str(tmp_path) not in str(caught.value)
    (tmp_path / "report.html").mkdir()
    with pytest.raises(DataError):
        full.save(tmp_path / "report.html")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["file", "report.html"]


def test_a_report_is_a_page(full: Report, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        full.save(tmp_path / "report.json")


def test_the_libraries_of_charts_load_late() -> None:
    code = (
        "import sys, voile.flow.report as r; print([m for m in ('altair', 'vl_convert', 'jinja2') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

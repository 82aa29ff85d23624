"""Promises by audience, alternatives by a button, the preview, and who decided: the page shows what Python computes."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

CONTENTS = ["certificate.json", "dictionary.json", "table.csv"]
ROLES = {"birth": "quasi", "sex": "quasi", "zip": "quasi", "positive": "sensitive"}


@pytest.fixture(scope="module", autouse=True)
def tests(folder: Path) -> None:
    vl.datasets.hospital().with_columns(positive=pl.int_range(400) % 4 == 0).write_csv(folder / "tests.csv")


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def load(visitor: Any) -> None:
    visitor.post("/", {"how": "path", "path": "tests.csv"})
    visitor.mark(ROLES)


def test_a_card_chooses_its_promise_and_its_reasons_reach_the_report(visitor: Any, folder: Path) -> None:
    load(visitor)
    page = visitor.client.get("/promise").text
    assert re.findall(r'<h2 id="audience-(\w+)">', page) == ["inside", "partner", "public"]
    assert page.index("audience-public") < page.index("Expert: choose every promise yourself")
    assert (
        page.index("models.k-anonymity.on") < page.index("models.l-diversity.on") < page.index("models.sequential.on")
    )
    chosen = visitor.post("/promise", {"audience": "public"})
    assert "Chosen: The public" in chosen
    assert "nobody can be linked to a value of 'positive' with probability above 0.88" in text(chosen)
    assert "No exact date of birth is published: it is shown by year" in text(chosen)
    assert "Ranges of 'birth' end at exact dates" not in text(chosen), "the wish is taken with the promise"
    shown = visitor.post("/publish/preview")
    assert "for you alone" in text(shown)
    assert "the table as it was read: birth by year" in text(shown)
    assert shown.count('<th scope="row">after</th>') == 20
    given = {
        "where": "folder",
        "name": "decided",
        "format": "csv",
        "decided_by": "A. Schmidt",
        "decided_on": "2026-03-31",
    }
    reasons = re.search(r'name="reasons"[^>]*>([^<]*)<', shown)
    assert reasons
    visitor.post("/publish", {**given, "reasons": unescape(reasons[1])})
    report = visitor.client.get("/publish/report.json").json()
    assert report["decision"]["by"] == "A. Schmidt"
    assert report["decision"]["reasons"][0] == "The public."
    assert vl.load(folder / "decided").dictionary["columns"][0]["steering"] == {"round": "year"}
    claims = {claim["model"] for claim in vl.load(folder / "decided").certificate.claims}
    assert claims == {"k-anonymity", "alpha-k-anonymity"}
    assert sorted(file.name for file in (folder / "decided").iterdir()) == CONTENTS, "nothing of the preview"


def test_a_promise_out_of_reach_is_replaced_with_one_click(visitor: Any) -> None:
    load(visitor)
    page = visitor.post("/promise", {"models.l-diversity.on": "on", "models.l-diversity.l": "5"})
    assert "Promise this instead: alpha-k-anonymity with alpha: 0.88, k: 5" in text(page)
    applied = visitor.post("/promise", {"alternative": "1"})
    assert "differs from that of the whole table by at most 0.2" in text(applied)
    assert "Continue: compare the methods" in text(applied)
    assert "Nothing is promised yet" in text(visitor.post("/promise", {"alternative": "0"})), (
        "there is nothing to replace"
    )
    assert "Nothing is promised yet" in text(visitor.post("/promise", {"audience": "martians"}))


def test_a_wrong_date_is_refused_on_the_page(visitor: Any) -> None:
    load(visitor)
    visitor.post("/promise", {"audience": "inside"})
    words = text(visitor.post("/publish", {"where": "zip", "name": "x", "decided_on": "31.3.2026"}))
    assert "'31.3.2026' is not a date." in words
    assert "Decided on: 2026-03-31" in words

"""Real files on the page: conversions are shown and saved, questions are asked, and undecided columns are refused."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from voile.io.table_files import FILE_KINDS

ROLES = {"born": "quasi", "sex": "quasi", "seen": "quasi", "cost": "sensitive"}


@pytest.fixture(scope="module", autouse=True)
def export(folder: Path) -> None:
    rows = "".join(f"{1 + n % 28}.02.1980;{'Mm'[n % 2]};0{1 + n % 9}/03/2024;{n},50 €;{n % 30}\n" for n in range(60))
    (folder / "export.csv").write_bytes(("born;sex;seen;cost;x7\n" + rows).encode("cp1252"))


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def test_conversions_are_shown_decided_and_saved(visitor: Any) -> None:
    words = text(visitor.post("/", {"how": "path", "path": "export.csv"}))
    assert "The file is read as cp1252." in words, words
    assert "born: read as dates, the day first" in words
    assert "Readings of columns: born=text leaves it as it is written" in words
    assert "seen: no date tells whether the day or the month comes first." in words
    assert "'M' (30), 'm' (30) may be one value" in words
    assert "'seen' can be read in several ways" in text(visitor.mark(ROLES))
    visitor.post("/", {"how": "path", "path": "export.csv", "convert": "seen=day-first", "merge": "sex"})
    words = text(visitor.mark({**ROLES, "x7": "unsure"}))
    assert "'x7': nobody has decided what to do with it yet." in words
    assert "The risk with these roles" in visitor.mark(ROLES)
    visitor.post("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "3"})
    spec = tomllib.loads(visitor.client.get("/publish/spec.toml").text)
    assert spec["read"] == {
        "encoding": "cp1252",
        "merge": ["sex"],
        "convert": {"born": "day-first", "seen": "day-first", "cost": "decimal-comma"},
    }


def test_a_form_that_names_no_reading_is_refused(visitor: Any) -> None:
    assert "There is no reading" in text(visitor.post("/", {"how": "path", "path": "export.csv", "convert": "born"}))
    assert FILE_KINDS[".xlsx"] == "labelled"


def test_the_population_is_estimated_under_the_suggested_roles(visitor: Any) -> None:
    words = text(visitor.post("/", {"how": "demo"}))
    assert "How anonymous the table is as it stands" in words
    assert "l, entropy" in words
    assert "In the population" not in words
    assert "smaller than" in text(visitor.post("/estimate", {"population": "20"}))
    assert "must be a whole number" in text(visitor.post("/estimate", {"population": "many"}))
    words = text(visitor.post("/estimate", {"population": "40,000", "special_uniques": "yes"}))
    assert "of 40,000 people in the population are unique by" in words
    assert "Growth of the sample" in words
    assert "DIS-SUDA is" in words


def test_changes_at_the_border_are_shown_kept_and_undone(visitor: Any) -> None:
    changes = {"ages": "birth=2026-01-01", "shift_dates": "admitted", "safe_harbor": "zip=zip"}
    words = text(visitor.post("/", {"how": "demo", **changes}))
    assert "birth became the age at 2026-01-01. zip follows the Safe Harbor rule “zip”." in words
    assert "admitted: dates are shifted" in words
    roles = {"name": "identifier", "birth_age": "quasi", "sex": "quasi", "admitted": "quasi", "disease": "sensitive"}
    assert "How anonymous the table is" in text(visitor.mark(roles))
    visitor.post("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "3"})
    words = text(visitor.post("/publish", {"name": "r", "format": "csv", "where": "zip"}))
    assert "Checklist (45 CFR 164.514(b)(2)" in words, words
    assert "shifted" in words
    spec = tomllib.loads(visitor.client.get("/publish/spec.toml").text)
    assert spec["prepare"] == {
        "ages": {"birth": "2026-01-01"},
        "safe_harbor": {"zip": "zip"},
        "shift_dates": ["admitted"],
    }
    assert "no column 'left'" in text(visitor.post("/", {"how": "demo", "shift_dates": "left"}))
    assert "Changed before reading" not in text(visitor.post("/", {"how": "demo"}))
    assert "has no effect here" in text(visitor.post("/", {"how": "demo", "shift_days": "3"}))

"""Wishes on the page: folded under "more", saved with the roles, and part of the spec."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

ROLES = {"age": "quasi", "zip": "quasi", "ill": "sensitive"}


@pytest.fixture(scope="module", autouse=True)
def people(folder: Path) -> None:
    rows = [(20 + n * 7 % 70, f"{n % 3}0{n % 5}", "abc"[n % 3]) for n in range(60)]
    pl.DataFrame(rows, schema=["age", "zip", "ill"], orient="row").write_csv(folder / "steered.csv")


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def test_wishes_of_the_form_reach_the_release(visitor: Any, folder: Path) -> None:
    visitor.post("/", {"how": "path", "path": "steered.csv"})
    page = visitor.mark(ROLES, **{"top.0": "80", "round.0": "10", "weight.0": "2", "weight.2": "5", "mean.0": "10"})
    assert "More: steer single columns" in text(page)
    assert 'name="top.0" type="text" size="8" maxlength="30" value="80"' in page
    visitor.post("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "5"})
    visitor.post("/publish", {"where": "folder", "name": "steered", "format": "csv"})
    entry = vl.load(folder / "steered").dictionary["columns"][0]
    assert entry["steering"] == {"weight": 2, "top": 80, "round": 10, "mean": 10}


def test_a_bad_wish_is_said_on_the_page(visitor: Any) -> None:
    visitor.post("/", {"how": "path", "path": "steered.csv"})
    words = text(visitor.mark(ROLES, **{"weight.0": "-1"}))
    assert "Column 'age': A weight must be a number from 0 up." in words

"""Guarding nodes on the page: the column is chosen where columns are marked, and the promise is made with it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

ROLES = {"place": "quasi", "school": "sensitive"}


@pytest.fixture(scope="module", autouse=True)
def wishes(folder: Path) -> None:
    rows = [("a", "1st", "elementary"), ("a", "BA", None), ("b", "2nd", None), ("b", "MA", "MA")] * 5
    pl.DataFrame(rows, schema=["place", "school", "wish"], orient="row").write_csv(folder / "wishes.csv")


def text(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def test_a_column_of_guarding_nodes_shapes_a_release_and_is_not_in_it(visitor: Any, folder: Path) -> None:
    visitor.post("/", {"how": "path", "path": "wishes.csv"})
    assert "neither a value of 'school' nor a label" in text(visitor.mark(ROLES, guard="2"))
    assert "the tree of school" in text(visitor.mark(ROLES))
    outline = "elementary\n  1st\n  2nd\nuniversity\n  BA\n  MA\n"
    visitor.post("/tree/1", {"how": "outline", "outline": outline})
    assert "The risk with these roles" in visitor.mark(ROLES, guard="2")
    chosen = {"models.personalized.on": "on", "models.personalized.p": "0.5", "models.personalized.own_nodes": "yes"}
    words = text(visitor.post("/promise", chosen))
    assert "lies below the node that they guard" in words
    words = text(visitor.post("/publish", {"where": "folder", "name": "of-wishes", "format": "csv"}))
    assert "20 rows" in words
    release = vl.load(folder / "of-wishes")
    assert release.certificate.claims[0]["parameters"]["own_nodes"] is True
    assert all(b"wish" not in path.read_bytes() for path in (folder / "of-wishes").iterdir())


def test_nodes_of_several_secret_columns_are_not_for_the_page(visitor: Any) -> None:
    visitor.post("/", {"how": "path", "path": "wishes.csv"})
    words = text(visitor.mark({"place": "sensitive", "school": "sensitive"}, guard="2"))
    assert "needs one sensitive column, and 2 are marked" in words

"""Tasks about the table before anything is published, called as the worker calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.web.tasks import table_tasks

SEXES = sorted(set(vl.datasets.hospital()["sex"].to_list()))


@pytest.fixture
def payload(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "people.csv"
    vl.datasets.hospital().write_csv(path)
    schema = {"identifier": ["name"], "quasi": ["birth", "sex", "zip"], "sensitive": ["disease"]}
    return {"source": str(path), "read": {}, "spec": {"schema": schema}}


def say_nothing(*_: Any) -> None:
    """Take the place of the progress that a visitor sees."""


def test_the_first_rows_hold_no_identifier(payload: dict[str, Any]) -> None:
    names = vl.datasets.hospital().columns
    shown = table_tasks.peek({**payload, "names": names, "hidden": ["name"]}, say_nothing)
    assert sorted(shown["names"]) == sorted(set(names) - {"name"})
    assert len(shown["rows"]) == table_tasks.ROWS


def test_a_tree_is_an_outline(payload: dict[str, Any]) -> None:
    tree = table_tasks.tree({**payload, "column": "sex", "hierarchy": {"any": SEXES}}, say_nothing)
    assert tree["leaves"] == len(SEXES)
    assert tree["outline"].splitlines() == SEXES

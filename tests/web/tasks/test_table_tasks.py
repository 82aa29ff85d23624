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


def ignore_progress(*_: Any) -> None:
    """Stand in for the progress that a visitor sees."""


def test_the_first_rows_hold_no_identifier(payload: dict[str, Any]) -> None:
    names = vl.datasets.hospital().columns
    result = table_tasks.peek({**payload, "names": names, "hidden": ["name"]}, ignore_progress)
    assert sorted(result["names"]) == sorted(set(names) - {"name"})
    assert len(result["rows"]) == table_tasks.ROWS


def test_a_tree_is_returned_as_an_outline(payload: dict[str, Any]) -> None:
    tree = table_tasks.tree({**payload, "column": "sex", "hierarchy": {"any": SEXES}}, ignore_progress)
    assert tree["leaves"] == len(SEXES)
    assert tree["outline"].splitlines() == SEXES

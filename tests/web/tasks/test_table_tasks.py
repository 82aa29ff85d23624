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


def describe_promise(payload: dict[str, Any], **entry: Any) -> dict[str, Any]:
    request = {**payload, "spec": {**payload["spec"], "policy": [entry]}}
    (promise,) = table_tasks.promise(request, ignore_progress)["promises"]
    return promise


def test_a_promise_knows_whether_its_method_covers_the_algorithm(payload: dict[str, Any], tmp_path: Path) -> None:
    sizes = describe_promise(payload, model="k-anonymity", k=5)
    assert any("mondrian" in words for words in sizes["knows"])
    assert "fixed beforehand" in sizes["note"]
    values = describe_promise(payload, model="l-diversity", l=2)
    assert any("algorithm" in words for words in values["beyond"])
    assert not values["note"]
    data = vl.read(payload["source"], vl.Schema(**payload["spec"]["schema"]))
    vl.learn_prior(data, smoothing=1).save(tmp_path / "prior.csv")
    robust = {"model": "r-robustness", "r": 3, "protect": ["HIV infection"], "prior": str(tmp_path / "prior.csv")}
    assert any("algorithm" in words for words in describe_promise(payload, **robust)["beyond"])
    given = describe_promise(payload, **robust, source="elsewhere")
    assert any("capped-counts" in words for words in given["knows"])
    assert any("very table" in words for words in given["gaps"])


def test_a_tree_is_returned_as_an_outline(payload: dict[str, Any]) -> None:
    tree = table_tasks.tree({**payload, "column": "sex", "hierarchy": {"any": SEXES}}, ignore_progress)
    assert tree["leaves"] == len(SEXES)
    assert tree["outline"].splitlines() == SEXES

"""Titles that a file of Stata or SPSS gives to its columns are kept in the dictionary: they are words, not cells."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import voile as vl

TITLES = ["Age in\nyears", "Marital status", "Income of the household"]


def write_survey(folder: Path) -> Path:
    frame = pd.DataFrame(
        {"v1": [30.0, 31.0, 40.0, 41.0] * 5, "v2": [1.0, 2.0] * 10, "v3": [float(n % 3) for n in range(20)]}
    )
    labels = {"v2": {1.0: "single", 2.0: "married"}}
    path = folder / "survey.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, column_labels=TITLES)
    return path


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()])
def test_a_release_keeps_the_titles_of_its_columns(tmp_path: Path, method: vl.Method) -> None:
    path, schema = write_survey(tmp_path), vl.Schema(quasi=["v1"], sensitive=["v2"])
    dictionaries = []
    for number, engine in enumerate((None, vl.Disk())):
        release = vl.publish(vl.read(path, schema, engine=engine), vl.LDiversity(l=2), method)
        folder = tmp_path / str(number)
        release.save(folder)
        assert vl.verify(folder).holds
        dictionaries.append(json.loads((folder / "dictionary.json").read_text()))
    assert {entry["name"]: entry["title"] for entry in dictionaries[0]["columns"]} == {
        "v1": "Age in years",
        "v2": "Marital status",
    }
    assert dictionaries[0]["columns"] == dictionaries[1]["columns"]
    assert "Income" not in str(dictionaries)  # of a column that is not published


def test_a_folder_without_titles_is_as_before(tmp_path: Path) -> None:
    frame = vl.datasets.hospital()
    release = vl.publish(vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"])), vl.KAnonymity(k=2))
    assert not any("title" in entry for entry in release.dictionary["columns"])


@pytest.mark.parametrize("title", ["", " x", "two\nlines", "x" * 301, 7, "hidden\u200b", None])
def test_a_title_in_another_form_is_broken(tmp_path: Path, title: object) -> None:
    data = vl.read(write_survey(tmp_path), vl.Schema(quasi=["v1"], sensitive=["v2"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    entries = [{**entry, "title": title} for entry in release.dictionary["columns"]]
    verdict = vl.verify(replace(release, dictionary={**release.dictionary, "columns": entries}))
    assert verdict.broken
    assert "'title' is no title of a column" in str(verdict)

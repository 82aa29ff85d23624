"""What a published folder may hold: everything else is named as a fault. Whole folders are forged in tests/forging."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError
from voile.releases.release import Release
from voile.releases.strict_reading.certificate_faults import certificate_faults
from voile.releases.strict_reading.dictionary_faults import dictionary_faults
from voile.releases.strict_reading.distinct_cells import DistinctCells
from voile.releases.strict_reading.shown_values import collect_shown, find_unshown
from voile.releases.strict_reading.table_faults import find_table_faults
from voile.tables.value_text import count_lookalikes

PEOPLE = pl.DataFrame(
    {
        "age": [21, 22, 23, 31, 32, 33, 41, 42, 43],
        "town": ["Bern", "Oslo", "Rome"] * 3,
        "disease": ["flu", "gout", "HIV"] * 3,
    }
)


@pytest.fixture(scope="module")
def release() -> Release:
    data = vl.read(PEOPLE, vl.Schema(quasi=["age", "town"], sensitive=["disease"]))
    return vl.publish(data, vl.KAnonymity(k=3), key=vl.Key(bytes(32)))


def test_an_honest_release_has_no_faults(release: Release) -> None:
    assert list(dictionary_faults(dict(release.dictionary), release.dictionary_keys)) == []
    assert find_table_faults(release, DistinctCells(release.tables)) == []
    assert find_unshown(release, collect_shown(release, DistinctCells(release.tables))) == []


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "'notes' is not known": lambda document: document.update(notes="Bob has HIV"),
    "'withheld' is missing": lambda document: document.pop("withheld"),
    "'withheld' is no number of people": lambda document: document.update(withheld=-1),
    "'type' is no type of a published column": lambda document: document["columns"][0].update(type="Blob"),
    "'cell' says something else": lambda document: document["columns"][0].update(cell="noise"),
    "'kind' does not fit its type": lambda document: document["columns"][2].update(kind="numeric"),
    "'bob' of its domain is not known": lambda document: document["columns"][2]["domain"].update(bob="HIV"),
    "its domain lists a value twice": lambda document: document["columns"][2]["domain"]["values"].append("flu"),
}


@pytest.mark.parametrize("fault", CHANGES)
def test_a_dictionary_with_a_part_that_is_not_known_is_refused(release: Release, fault: str) -> None:
    document = copy.deepcopy(dict(release.dictionary))
    CHANGES[fault](document)
    assert any(fault in found for found in dictionary_faults(document))


def test_a_certificate_of_another_format_is_refused(release: Release) -> None:
    document = {**release.certificate.as_json(), "format": 1}
    assert list(certificate_faults(document)) == ["its format is not 3, which this version reads"]


def test_a_value_that_no_cell_shows_is_not_listed(release: Release) -> None:
    document = copy.deepcopy(dict(release.dictionary))
    document["columns"][2]["domain"]["values"].append("Bob Smith")
    forged = type(release)(release.tables, document, release.certificate)
    assert find_unshown(forged, collect_shown(forged, DistinctCells(forged.tables))) == [
        "the domain of 'disease' is not what its cells show"
    ]


@pytest.mark.parametrize("blank", ["\u200b", " ", "\u00ad", "\ufe0f", "\U000e0101", "\u2800", "\u3164", "\x00"])
def test_texts_that_differ_in_what_nobody_sees_look_alike(blank: str) -> None:
    assert count_lookalikes(["flu", "flu" + blank, "HIV"]) == 1


def test_a_table_with_values_that_look_alike_is_not_read() -> None:
    frame = PEOPLE.with_columns(disease=pl.Series(["flu", "flu\u200b", "HIV"] * 3))
    with pytest.raises(DataError, match="look like others"):
        vl.read(frame, vl.Schema(quasi=["age", "town"], sensitive=["disease"]))

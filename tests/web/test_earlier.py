"""A project's earlier releases on the page: add them with their ledger, publish the next release, take the ledger."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

ROLES = {"age": "quasi", "sex": "quasi", "disease": "sensitive"}
PROMISE = {"models.m-invariance.on": "on", "models.m-invariance.m": "2"}


def write_table(path: Path, people: range) -> None:
    """Write a table of people who have the same values in every table."""
    frame = pl.DataFrame(
        {
            "patient": [f"P{person}" for person in people],
            "age": [20 + person * 7 % 60 for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "disease": [("flu", "cold", "asthma", "gout")[person % 4] for person in people],
        }
    )
    frame.write_csv(path)


@pytest.fixture(scope="module")
def series(visitor: Any, folder: Path) -> dict[str, Any]:
    """Two releases, published on the page one after the other, and the ledger after each."""
    write_table(folder / "q1.csv", range(40))
    write_table(folder / "q2.csv", range(8, 60))
    write_table(folder / "other.csv", range(1000, 1040))
    load(visitor, "q1.csv")
    started = text(visitor.post("/earlier", {"how": "start-ledger"}))
    first = publish(visitor, "q1")
    load(visitor, "q2.csv")
    added = text(add(visitor, [("q1.zip", first["zip"])], first["ledger"]))
    second = publish(visitor, "q2")
    return {"started": started, "added": added, "first": first, "second": second}


def text(page: str) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def load(visitor: Any, name: str) -> None:
    visitor.post("/", {"how": "path", "path": name})


def add(visitor: Any, zips: list[tuple[str, bytes]], ledger: bytes | None = None) -> str:
    files = [("releases", (name, content)) for name, content in zips]
    files += [("ledger", ("ledger.json", ledger))] if ledger is not None else []
    page: str = visitor.post("/earlier", {"how": "add"}, files=files)
    return page


def publish(visitor: Any, name: str, promise: dict[str, str] | None = None, *, choose: bool = True) -> dict[str, Any]:
    if choose:
        visitor.mark(ROLES, person="0", rows_per_person="1")
        visitor.post("/promise", promise or PROMISE)
    page = visitor.post("/publish", {"name": name, "format": "csv"})
    files = {file: visitor.client.get(f"/publish/{file}").content for file in ("release.zip", "ledger.json")}
    return {"page": page, "zip": files["release.zip"], "ledger": files["ledger.json"]}


def unpack(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        packed.extractall(folder)
        return folder / packed.namelist()[0].split("/")[0]


def test_the_next_release_holds_together_with_the_earlier_one(series: dict[str, Any], tmp_path: Path) -> None:
    assert "The ledger lists 0 people: it starts with the next release." in series["started"]
    assert "q1.zip: 40 people in" in series["added"]
    assert "The ledger lists 40 people and belongs to these releases." in series["added"]
    words = text(series["second"]["page"])
    assert "after 1 earlier release." in words
    assert "keep it as secret as the table" in words
    assert "--after q1 --ledger ledger.json" in words
    first, second = unpack(series["first"]["zip"], tmp_path), unpack(series["second"]["zip"], tmp_path)
    (tmp_path / "ledger.json").write_bytes(series["second"]["ledger"])
    ledger = vl.Ledger.read(tmp_path / "ledger.json")
    assert ledger.releases == [vl.load(first).digest, vl.load(second).digest]
    assert len(ledger.people) == 60
    assert vl.verify(second, after=[first], ledger=ledger).holds


def test_the_zip_for_recipients_has_no_ledger(series: dict[str, Any]) -> None:
    for release in (series["first"], series["second"]):
        salt = json.loads(release["ledger"])["salt"].encode()
        with zipfile.ZipFile(io.BytesIO(release["zip"])) as packed:
            assert not any("ledger" in name for name in packed.namelist())
            assert not any(salt in packed.read(name) for name in packed.namelist())


def test_what_does_not_fit_is_refused_and_changes_nothing(visitor: Any, series: dict[str, Any]) -> None:
    first, second = ("q1.zip", series["first"]["zip"]), ("q2.zip", series["second"]["zip"])
    old, new = series["first"]["ledger"], series["second"]["ledger"]
    load(visitor, "q2.csv")
    words = text(add(visitor, [second, first]))
    assert "oldest first" in words
    assert "It keeps what it claims." not in words
    assert "oldest first" in text(add(visitor, [second]))
    assert "It records 1 release, and 2 are named" in text(add(visitor, [first, second], old))
    assert "No file was chosen." in text(visitor.post("/earlier", {"releases": "/etc/passwd", "ledger": "/etc/passwd"}))
    assert "This zip is not a release" in text(add(visitor, [("q1.zip", b"PK nothing")]))
    assert "No file was chosen." in text(visitor.post("/earlier", {"how": "add"}))
    assert "q1.zip: 40 people" in text(add(visitor, [first], old))
    words = text(add(visitor, [first]))
    assert "It records 1 release, and 2 are named" in words
    assert "q1.zip: 40 people" in words, "what was there stays"
    assert "cannot be read. Name the file that an earlier publication wrote." in text(add(visitor, [], b"{}"))
    assert "It records 2 releases" in text(add(visitor, [], new))
    assert "There is no such release." in text(visitor.post("/earlier", {"how": "remove", "number": "7"}))
    assert "A ledger starts with the first release." in text(visitor.post("/earlier", {"how": "start-ledger"}))


def test_a_ledger_of_other_people_is_refused_in_the_words_of_the_form(visitor: Any, series: dict[str, Any]) -> None:
    load(visitor, "other.csv")
    add(visitor, [("q1.zip", series["first"]["zip"])], series["first"]["ledger"])
    visitor.mark(ROLES, person="0", rows_per_person="1")
    assert "The ledger knows nobody of this table." in text(visitor.post("/promise", PROMISE))
    words = text(visitor.post("/publish", {"name": "other"}))
    assert "The ledger knows nobody of this table." in words
    visitor.post("/earlier", {"how": "forget-ledger"})
    words = text(visitor.post("/publish", {"name": "other"}))
    assert "Give the ledger that was kept with them (“Ledger”)." in words
    assert "--ledger" not in words.split("The same without this page")[0]


def test_changed_columns_are_refused_when_the_promise_is_chosen(visitor: Any, series: dict[str, Any]) -> None:
    load(visitor, "q2.csv")
    add(visitor, [("q1.zip", series["first"]["zip"])], series["first"]["ledger"])
    visitor.mark({"age": "quasi", "disease": "sensitive"}, person="0", rows_per_person="1")
    words = text(visitor.post("/promise", PROMISE))
    assert "Earlier release 1 has another schema: it differs in 'sex'." in words


def test_a_comparison_follows_the_earlier_releases_and_its_method_is_published(
    visitor: Any, folder: Path, tmp_path: Path
) -> None:
    promise = {"models.l-diversity.on": "on", "models.l-diversity.l": "2"}
    load(visitor, "q1.csv")
    visitor.post("/earlier", {"how": "start-ledger"})
    first = publish(visitor, "q1", promise)
    load(visitor, "q2.csv")
    add(visitor, [("q1.zip", first["zip"])], first["ledger"])
    visitor.mark(ROLES, person="0", rows_per_person="1")
    visitor.post("/promise", promise)
    chosen = {"methods.mondrian.on": "on", "methods.append.on": "on", "attacks.subtraction.on": "on"}
    page = visitor.post("/compare", {**chosen, "measures.certainty.on": "on"})
    words = text(page)
    assert "Together with the earlier release, this one breaks its promise." in words
    assert "Subtraction of releases" in words
    trials = re.findall(r'name="trial" value="(\d+)"', page)
    assert trials == ["0"], "only append can be looked at"
    visitor.post("/compare/look", {"trial": "0"})
    second = publish(visitor, "q2", promise, choose=False)
    assert "made by append" in text(second["page"])
    places = [unpack(release["zip"], tmp_path) for release in (first, second)]
    (tmp_path / "ledger.json").write_bytes(second["ledger"])
    assert vl.verify(places[1], after=places[:1], ledger=vl.Ledger.read(tmp_path / "ledger.json")).holds


def test_releases_can_be_removed_and_leave_nothing_behind(
    visitor: Any, series: dict[str, Any], settings: Any, tmp_path: Path
) -> None:
    load(visitor, "q2.csv")
    add(visitor, [("q1.zip", series["first"]["zip"]), ("q2.zip", series["second"]["zip"])])
    words = text(visitor.post("/earlier", {"how": "remove", "number": "1"}))
    assert "q1.zip: 40 people" in words
    assert "q2.zip" not in words
    assert len(list(settings.private.glob("*/earlier/*"))) == 1
    visitor.post("/earlier", {"how": "clear"})
    assert not list(settings.private.glob("*/earlier/*"))
    add(visitor, [("q1.zip", series["first"]["zip"])], series["first"]["ledger"])
    assert len(list(settings.private.glob("*/earlier/*"))) == 2
    load(visitor, "q1.csv")
    assert not list(settings.private.glob("*/earlier/*")), "another table has other earlier releases"


def test_a_ledger_that_was_sent_opens_no_folder(visitor: Any, series: dict[str, Any], tmp_path: Path) -> None:
    """A ledger caught between two states names a folder of its publisher's machine; the zips decide instead."""
    before, after = (json.loads(series[name]["ledger"]) for name in ("first", "second"))
    place = {"folder": str(tmp_path / "release"), "certificate": "0" * 64}
    both = json.dumps({"format": 4, "release": place, "before": before, "after": after}).encode()
    load(visitor, "q2.csv")
    zips = [("q1.zip", series["first"]["zip"]), ("q2.zip", series["second"]["zip"])]
    assert "The ledger lists 60 people" in text(add(visitor, zips, both))
    visitor.post("/earlier", {"how": "clear"})
    assert "The ledger lists 40 people" in text(add(visitor, zips[:1], both))

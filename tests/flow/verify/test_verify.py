"""Verifying: nothing that was changed passes, nothing that a stranger wrote ends in a stack trace."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import BrokenPromise, DataError
from voile.io.release_folder import file_digest
from voile.results import Verdict

KEY = vl.Key(bytes(range(32)))
Edit = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One release of each shape and format, never changed."""
    place = tmp_path_factory.mktemp("published")
    rng = np.random.default_rng(3)
    rows = 200
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "zip": [f"{code:05}" for code in rng.integers(1000, 1060, rows)],
            "sex": rng.choice(["F", "M"], rows),
            "pay": rng.normal(3000, 400, rows).round(2),
            "disease": rng.choice(["flu", "HIV", "cold", "gout"], rows),
        }
    )
    schema = vl.Schema(
        quasi=["age", "zip", "sex"],
        sensitive=["disease"],
        other=["pay"],
        confirmed=["pay"],
        hierarchies={"zip": vl.prefixes(5, 3, 1)},
    )
    data = vl.read(frame, schema)
    both = vl.Policy(vl.KAnonymity(k=4), vl.LDiversity(l=2))
    releases = {
        "boxes": vl.publish(data, both, key=KEY),
        "levels": vl.publish(data, both, vl.FullDomain(suppression=0.1), key=KEY),
        "linked": vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=KEY),
    }
    for name, release in releases.items():
        for format in ("parquet", "csv"):
            release.save(place / f"{name}-{format}", format=format)
    return place


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(published / name, tmp_path / "out", dirs_exist_ok=True))


def edit(place: Path, name: str, change: Edit) -> Path:
    """Change a document, and make the digests agree again."""
    document = json.loads((place / name).read_text())
    change(document)
    (place / name).write_text(json.dumps(document))
    return signed(place)


def signed(place: Path) -> Path:
    document = json.loads((place / "certificate.json").read_text())
    document["files"] = {name: file_digest(place / name) for name in document["files"] if (place / name).is_file()}
    (place / "certificate.json").write_text(json.dumps(document))
    return place


def refused(place: Path) -> bool:
    """BROKEN, or an error that says what is wrong with the folder."""
    try:
        return vl.verify(place).broken
    except DataError:
        return True


NAMES = [f"{name}-{format}" for name in ("boxes", "levels", "linked") for format in ("parquet", "csv")]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_published_holds(published: Path, name: str) -> None:
    verdict = vl.verify(published / name)
    assert verdict.holds
    assert verdict.or_raise() is verdict
    assert verdict.as_json()["holds"] is True
    assert "HOLDS" in str(verdict)
    assert vl.verify(vl.load(published / name)).holds


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_byte_in_any_file(copy: Any, published: Path, name: str) -> None:
    for file in [found.name for found in (published / name).iterdir()]:
        place = copy(name)
        whole = (place / file).read_bytes()
        for position in (0, len(whole) // 2, len(whole) - 2):
            broken = bytearray(whole)
            broken[position] ^= 0x10
            (place / file).write_bytes(broken)
            assert refused(place), (file, position)
        (place / file).write_bytes(whole)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_gone_or_cut(copy: Any, published: Path, name: str) -> None:
    for file in [found.name for found in (published / name).iterdir()]:
        place = copy(name)
        whole = (place / file).read_bytes()
        (place / file).write_bytes(whole[: len(whole) // 2])
        assert refused(place)
        if file.endswith((".parquet", "dictionary.json")):  # half of a CSV, signed anew, is another release
            assert refused(signed(place))
        (place / file).unlink()
        assert refused(place)
        shutil.rmtree(place)


def claim(number: int, **parts: Any) -> Edit:
    return lambda document: document["claims"][number].update(parts)


CLAIMS: dict[str, Edit] = {
    "stronger k": claim(0, parameters={"k": 50}),
    "stronger k and its bound": claim(0, parameters={"k": 50}, bound="1/50"),
    "other bound": claim(0, bound="1/50"),
    "no bound": claim(0, bound="0"),
    "bound of nothing": claim(0, bound="1/0"),
    "other promise": claim(0, promise="Nobody will ever know."),
    "other limits": claim(0, limits="belief"),
    "other basis": claim(0, basis="trust"),
    "other adversary": claim(0, adversary={"name": "neighbour", "knows": ["corruption"], "excludes": 9}),
    "unknown adversary": claim(0, adversary={"name": "x", "knows": ["everything"], "excludes": 0}),
    "adversary of text": claim(0, adversary="everybody"),
    "unknown model": claim(0, model="q-anonymity"),
    "model of a plug-in": claim(0, model="third-party:model"),
    "no parameters": claim(0, parameters={}),
    "parameters of text": claim(0, parameters="k=4"),
    "parameters as a list": claim(0, parameters=["k", 4]),
    "unknown parameter": claim(0, parameters={"k": 4, "z": 1}),
    "k of text": claim(0, parameters={"k": "many"}),
    "k below two": claim(0, parameters={"k": 1}, bound="1"),
    "column of a list": claim(0, column=["disease"]),
    "another column": claim(1, column="sex"),
    "a column that is not there": claim(1, column="salary"),
    "no column": claim(1, column=None),
    "no claims": lambda document: document.update(claims=[]),
    "claims of text": lambda document: document.update(claims="k-anonymity"),
    "a claim of text": lambda document: document.update(claims=["k-anonymity"]),
    "a claim of nothing": lambda document: document.update(claims=[{}]),
    "one claim too many": lambda document: document["claims"].append({**document["claims"][0], "bound": "1/9"}),
    "format 1": lambda document: document.update(format=1),
    "format of text": lambda document: document.update(format="1"),
    "no format": lambda document: document.pop("format"),
    "no shape": lambda document: document.pop("shape"),
    "no method": lambda document: document.pop("method"),
    "no tool": lambda document: document.pop("tool"),
    "no claims key": lambda document: document.pop("claims"),
    "no files": lambda document: document.pop("files"),
    "unknown shape": lambda document: document.update(shape="hologram"),
    "shape of a list": lambda document: document.update(shape=["generalized"]),
    "other shape": lambda document: document.update(shape="bucketized"),
    "files as a list": lambda document: document.update(files=list(document["files"])),
    "no dictionary among the files": lambda document: document["files"].pop("dictionary.json"),
    "no table among the files": lambda document: [
        document["files"].pop(name) for name in list(document["files"]) if name.startswith("table")
    ],
}


@pytest.mark.parametrize("what", CLAIMS)
@pytest.mark.parametrize("name", ["boxes-parquet", "levels-csv"])
def test_certificates_that_claim_otherwise(copy: Any, name: str, what: str) -> None:
    place = copy(name)
    document = json.loads((place / "certificate.json").read_text())
    CLAIMS[what](document)
    (place / "certificate.json").write_text(json.dumps(document))
    assert refused(place)


@pytest.mark.parametrize(
    "change",
    [
        claim(0, parameters={"l": 4, "form": "frequency", "c": None}, bound="1/4"),
        claim(0, model="k-anonymity", parameters={"k": 2}, column=None),
        claim(0, column="sex"),
        lambda document: document.update(shape="generalized"),
        lambda document: document["files"].pop(next(name for name in document["files"] if "sensitive" in name)),
    ],
)
@pytest.mark.parametrize("name", ["linked-parquet", "linked-csv"])
def test_certificates_of_linked_tables(copy: Any, name: str, change: Edit) -> None:
    place = copy(name)
    document = json.loads((place / "certificate.json").read_text())
    change(document)
    (place / "certificate.json").write_text(json.dumps(document))
    assert refused(place)


def entry(number: int, **parts: Any) -> Edit:
    return lambda document: document["columns"][number].update(parts)


DICTIONARIES: dict[str, Edit] = {
    "no columns": lambda document: document.pop("columns"),
    "empty columns": lambda document: document.update(columns=[]),
    "columns of text": lambda document: document.update(columns="age"),
    "a column of text": lambda document: document["columns"].insert(0, "age"),
    "a column twice": lambda document: document["columns"].append(document["columns"][0]),
    "a column that is not there": lambda document: document["columns"].append({**document["columns"][0], "name": "x"}),
    "no name": lambda document: document["columns"][0].pop("name"),
    "another name": entry(0, name="x"),
    "a name of a number": entry(0, name=5),
    "unknown role": entry(0, role="public"),
    "unknown kind": entry(0, kind="magic"),
    "no kind": lambda document: document["columns"][0].pop("kind"),
    "no type": lambda document: document["columns"][0].pop("type"),
    "no domain": lambda document: document["columns"][0].pop("domain"),
    "domain of text": entry(0, domain="18-90"),
    "domain of nothing": entry(0, domain={}),
    "domain of other numbers": entry(0, domain={"min": 500, "max": 600, "missing": False}),
    "domain of mixed values": entry(1, domain={"values": ["01000", 5], "missing": False}),
    "domain of other values": entry(1, domain={"values": ["x", "y"], "missing": False}),
    "nested domain": entry(1, domain={"values": [["01000"]], "missing": False}),
    "no sensitive column": lambda document: document.update(
        columns=[column for column in document["columns"] if column["role"] != "sensitive"]
    ),
    "sensitive values of another type": lambda document: next(
        column for column in document["columns"] if column["role"] == "sensitive"
    ).update(domain={"values": [1, 2, 3, 4], "missing": False}),
    "fewer sensitive values": lambda document: next(
        column for column in document["columns"] if column["role"] == "sensitive"
    )["domain"]["values"].pop(),
    "names of text": entry(0, names="x", shown="generalized"),
    "names of numbers": entry(0, names={"x": 5}, shown="generalized"),
    "names of nothing": entry(0, names={"*": []}, shown="generalized"),
    "a hierarchy of text": lambda document: next(
        column for column in document["columns"] if column["role"] == "sensitive"
    ).update(hierarchy="x"),
    "a hierarchy that lacks values": lambda document: next(
        column for column in document["columns"] if column["role"] == "sensitive"
    ).update(hierarchy=[["flu", "*"]]),
    "a quasi-identifier that is not described": lambda document: document["columns"].pop(0),
    "withheld of text": lambda document: document.update(withheld="none"),
}


@pytest.mark.parametrize("what", DICTIONARIES)
@pytest.mark.parametrize("name", ["boxes-parquet", "boxes-csv", "linked-parquet", "linked-csv"])
def test_dictionaries_that_tell_otherwise(copy: Any, name: str, what: str) -> None:
    assert refused(edit(copy(name), "dictionary.json", DICTIONARIES[what]))


def rewrite(place: Path, name: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    change(pl.read_parquet(place / f"{name}.parquet")).write_parquet(place / f"{name}.parquet")
    return signed(place)


TABLES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "a row is gone": lambda table: table.slice(1),
    "a row more": lambda table: pl.concat([table, table.slice(0, 1).with_columns(age=pl.lit("[18, 19]"))]),
    "no rows": lambda table: table.clear(),
    "a column is gone": lambda table: table.drop("age"),
    "the sensitive column is gone": lambda table: table.drop("disease"),
    "a column more": lambda table: table.with_columns(name=pl.Series([f"person {n}" for n in range(table.height)])),
    "another value": lambda table: table.with_columns(disease=pl.lit("plague")),
    "one value for all": lambda table: table.with_columns(disease=pl.lit("flu")),
    "a cell that nothing explains": lambda table: table.with_columns(age=pl.lit("[1, x]")),
    "cells of another type": lambda table: table.with_columns(age=pl.Series([[1]] * table.height)),
    "sensitive cells of another type": lambda table: table.with_columns(disease=pl.lit(5)),
    "missing cells": lambda table: table.with_columns(disease=pl.lit(None, dtype=pl.String)),
}


@pytest.mark.parametrize("what", TABLES)
def test_tables_that_were_changed(copy: Any, what: str) -> None:
    place = copy("boxes-parquet")
    table = pl.read_parquet(place / "table.parquet")
    table = table.with_columns(pl.col(pl.Enum).cast(pl.String) if what == "a row more" else pl.all())
    table = TABLES[what](table)
    table.write_parquet(place / "table.parquet")
    if what == "a row is gone":
        assert vl.verify(signed(place)).holds is (len(table) > 0 and vl.verify(place).holds)
    else:
        assert refused(signed(place))


LINKED: dict[str, tuple[str, Callable[[pl.DataFrame], pl.DataFrame]]] = {
    "a person is gone": ("quasi", lambda table: table.slice(1)),
    "a value is gone": ("sensitive", lambda table: table.slice(1)),
    "a count more": ("sensitive", lambda table: table.with_columns(pl.col("count") + 1)),
    "a count of nothing": ("sensitive", lambda table: table.with_columns(count=pl.lit(0))),
    "a negative count": ("sensitive", lambda table: table.with_columns(count=pl.lit(-1))),
    "counts of text": ("sensitive", lambda table: table.with_columns(count=pl.lit("one"))),
    "half a count": ("sensitive", lambda table: table.with_columns(count=pl.lit(0.5))),
    "no counts": ("sensitive", lambda table: table.drop("count")),
    "missing counts": ("sensitive", lambda table: table.with_columns(count=pl.lit(None, dtype=pl.Int64))),
    "groups of text": ("quasi", lambda table: table.with_columns(pl.col("group").cast(pl.String))),
    "no groups": ("quasi", lambda table: table.drop("group")),
    "missing groups": ("quasi", lambda table: table.with_columns(group=pl.lit(None, dtype=pl.Int64))),
    "one group of all": ("quasi", lambda table: table.with_columns(group=pl.lit(1))),
    "a quasi-identifier is gone": ("quasi", lambda table: table.drop("age")),
    "a column more": ("quasi", lambda table: table.with_columns(name=pl.lit("Ann"))),
    "the sensitive value beside the person": ("quasi", lambda table: table.with_columns(disease=pl.lit("flu"))),
    "empty": ("quasi", lambda table: table.clear()),
}


@pytest.mark.parametrize("what", LINKED)
@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_linked_tables_that_were_changed(copy: Any, what: str, format: str) -> None:
    place = copy(f"linked-{format}")
    name, change = LINKED[what]
    path = place / f"{name}.{format}"
    if format == "parquet":
        change(pl.read_parquet(path)).write_parquet(path)
    else:
        change(pl.read_csv(path)).write_csv(path)
    assert refused(signed(place))


def test_a_table_that_nothing_describes(copy: Any) -> None:
    """A file that the certificate covers and the dictionary does not explain: say, the table as it was."""
    place = copy("boxes-parquet")
    pl.DataFrame({"name": ["Ann"], "disease": ["HIV"]}).write_parquet(place / "raw.parquet")
    document = json.loads((place / "certificate.json").read_text())
    document["files"]["raw.parquet"] = file_digest(place / "raw.parquet")
    (place / "certificate.json").write_text(json.dumps(document))
    assert refused(place)


def test_files_that_nobody_signed_are_named(copy: Any) -> None:
    place = copy("boxes-parquet")
    (place / "notes.txt").write_text("x")
    verdict = vl.verify(place)
    assert verdict.holds
    assert verdict.notes[-1] == "Not covered by the certificate: notes.txt."


def test_broken_promises_can_be_raised(copy: Any) -> None:
    place = copy("boxes-parquet")
    (place / "table.parquet").write_bytes(b"x")
    verdict = vl.verify(str(place))
    assert isinstance(verdict, Verdict)
    with pytest.raises(BrokenPromise, match=r"table.parquet was changed after publishing"):
        verdict.or_raise()


def test_places_that_hold_no_release(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none", str(tmp_path / "none")):
        with pytest.raises(DataError, match=r"holds no certificate.json"):
            vl.verify(place)


def test_the_verdict_shows_no_cell(copy: Any) -> None:
    place = copy("boxes-parquet")
    rewrite(place, "table", lambda table: table.with_columns(disease=pl.lit("CANARY"), age=pl.lit("CANARY")))
    verdict = vl.verify(place)
    assert verdict.broken
    assert "CANARY" not in str(verdict)
    assert "CANARY" not in repr(verdict)
    assert "CANARY" not in json.dumps(verdict.as_json())


def test_a_column_cannot_be_taken_out_of_the_promise(tmp_path: Path) -> None:
    """The claim names the columns that the adversary knows: relabelling one is seen, even where it is signed anew."""
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    release = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy())
    columns = [
        {**entry, "role": "other"} if entry["name"] == "zip" else entry for entry in release.dictionary["columns"]
    ]
    relabelled = replace(release, dictionary={**release.dictionary, "columns": columns})
    assert "Its quasi does not follow" in str(vl.verify(relabelled))
    assert vl.verify(relabelled.save(tmp_path / "out")).broken

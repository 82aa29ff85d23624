"""The dictionary tells what is published and no more: everything that it lists can be read off the published cells."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from published import even_count
from random_requests import REQUESTS, publish_or_refuse

import voile as vl
from voile.tables import partition_tree

KEY = vl.Key(bytes(32))
DAY = datetime.date(1931, 7, 1)


def written_values(label: str, entry: dict[str, Any]) -> list[str]:
    """The values that a published label names, by the words of the dictionary alone."""
    names = entry.get("names", {})
    if label in ("*", "(missing)"):
        return []
    if entry["kind"] in ("numeric", "date"):
        if label.endswith("|(missing)}"):
            label = label[1 : -len("|(missing)}")]
        if label in names:
            return [str(end) for end in names[label]]
        found = re.fullmatch(r"\[(.+?), (.+)\]", label, re.DOTALL)
        return [found[1], found[2]] if found else [label]
    if label in names:
        return []
    if label.startswith("{") and label.endswith("}"):
        parts = re.split(r"(?<!\\)(?:\\\\)*\|", label[1:-1])
        return [re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in parts if part != "(missing)"]
    return [label.removeprefix("\\")]


def text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat(sep=" ") if isinstance(value, datetime.datetime) else str(value)


def check_told(release: Any, declared: set[str]) -> None:
    for entry in release.dictionary["columns"]:
        name, domain = entry["name"], entry["domain"]
        if name in declared or entry["shown"] == "perturbed":
            continue
        cells = {cell for table in release.tables.values() if name in table.columns for cell in table[name].to_list()}
        if entry["shown"] == "suppressed":
            assert cells == {"*"}
            assert domain == {"missing": False}
            assert "names" not in entry
            continue
        labelled = entry["shown"] == "generalized"
        shown = {part for cell in cells if cell is not None and labelled for part in written_values(cell, entry)}
        shown |= {text(cell) for cell in cells if cell is not None and not labelled}
        assert {text(value) for value in domain.get("values", ())} <= shown, name
        assert {text(domain[end]) for end in ("min", "max") if end in domain} <= shown, name
        assert set(entry.get("names", {})) <= cells
        if domain["missing"]:
            assert any(cell is None or "(missing)" in str(cell) for cell in cells)


@settings(max_examples=120, deadline=None)
@given(REQUESTS)
def test_whatever_is_listed_is_published(request: Any) -> None:
    (frame, schema), policy, method = request
    release = publish_or_refuse(frame, schema, policy, method)
    assume(release is not None)
    check_told(release, set(schema.domains))


def patients(rows: int = 60) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "birth": [DAY + datetime.timedelta(37 * n) for n in range(rows)],
            "zip": [f"{10100 + n % 30}" for n in range(rows)],
            "sex": ["F", "M"] * (rows // 2),
            "disease": ["flu", "gout", "cold"] * (rows // 3),
        }
    )


def read_everything(folder: Path) -> str:
    """All that the files of a folder say: documents, footers, schemas, dictionaries of columns, and cells."""
    texts = []
    for path in folder.iterdir():
        texts.append(path.read_bytes().decode("utf-8", "replace"))
        if path.suffix == ".parquet":
            file = pq.ParquetFile(path)
            texts += [str(file.metadata), str(file.schema_arrow.metadata), str(file.read().to_pydict())]
            texts += [str(field.metadata) for field in file.schema_arrow]
            coded = pq.read_table(path, read_dictionary=file.schema_arrow.names)
            for column in coded.columns:
                texts += [str(getattr(chunk, "dictionary", "")) for chunk in column.chunks]
    return "\n".join(texts)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_dates_that_are_hidden_in_every_row_stand_in_no_file(tmp_path: Path, format: str) -> None:
    schema = vl.Schema(quasi=["birth", "sex"], sensitive=["disease"])
    release = vl.publish(vl.read(patients(), schema), vl.KAnonymity(k=30), vl.FullDomain(), key=KEY)
    entry = release.dictionary["columns"][0]
    assert (entry["name"], entry["shown"], entry["domain"]) == ("birth", "suppressed", {"missing": False})
    folder = release.save(tmp_path / "out", format=format)
    assert not re.search(r"19[3-9]\d-\d\d", read_everything(folder))
    assert vl.verify(folder).holds
    assert even_count(vl.load(folder), disease="flu") == 20
    with pytest.raises(vl.errors.SchemaError, match="shows no value of 'birth'"):
        even_count(vl.load(folder), birth=DAY)


def test_codes_below_a_prefix_are_not_listed(tmp_path: Path) -> None:
    schema = vl.Schema(quasi=["zip"], sensitive=["disease"], hierarchies={"zip": vl.prefixes(4, 3)})
    data = vl.read(patients(), schema)
    release = vl.publish(data, vl.KAnonymity(k=15), vl.FullDomain(), key=KEY)
    assert set(release.tables["table"]["zip"]) == {"1010*", "1011*", "1012*"}
    folder = release.save(tmp_path / "out")
    assert not re.search(r"101\d\d", json.dumps(release.dictionary))
    assert not re.search(r"101\d\d", read_everything(folder))
    loaded = vl.load(folder)
    assert even_count(loaded, zip="10105") == pytest.approx(2)  # a hidden digit is one of ten
    assert (loaded.locate(data) >= 0).all()
    assert vl.audit(loaded, data).passed


def test_a_name_of_a_declared_tree_stands_for_all_its_leaves() -> None:
    regions = {"north": ["Oslo", "Turku", "Umea"], "south": ["Rome", "Bari", "Lecce"]}
    frame = pl.DataFrame({"city": ["Oslo", "Turku", "Rome", "Bari"] * 3, "s": ["a", "b", "c"] * 4})
    schema = vl.Schema(quasi=["city"], sensitive=["s"], hierarchies={"city": vl.tree(regions)})
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=6), vl.FullDomain(), key=KEY)
    entry = release.dictionary["columns"][0]
    assert entry["names"] == {"north": ["Oslo", "Turku", "Umea"], "south": ["Rome", "Bari", "Lecce"]}
    assert entry["domain"] == {"values": [], "missing": False}
    assert even_count(release, city="Oslo") == pytest.approx(2)


def test_categories_and_ends_of_withheld_rows_stand_nowhere(tmp_path: Path) -> None:
    rare = pl.DataFrame({"pay": [97531.5], "city": ["Zennor"], "disease": ["kuru"], "note": ["odd"]})
    many = {"pay": [1.5 + n % 4 for n in range(40)], "city": ["Arden", "Bourne"] * 20}
    frame = pl.concat([pl.DataFrame({**many, "disease": ["flu", "gout"] * 20, "note": ["a", "b"] * 20}), rare])
    types = {n: pl.Enum(sorted(frame[n].unique())) for n in ("city", "disease", "note")}
    schema = vl.Schema(quasi=["pay", "city"], sensitive=["disease"], other=["note"])
    data = vl.read(frame.with_columns(pl.col(n).cast(kind) for n, kind in types.items()), schema)
    release = vl.publish(data, vl.KAnonymity(k=5), vl.FullDomain(suppression=0.05), key=KEY)
    assert release.dictionary["withheld"] == 1
    everything = read_everything(release.save(tmp_path / "out"))
    assert not [trace for trace in ("97531", "Zennor", "kuru", "odd") if trace in everything]


def test_parts_and_engines_tell_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patients(600).write_csv(tmp_path / "table.csv")
    schema = vl.Schema(quasi=["birth", "zip", "sex"], sensitive=["disease"])
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 100)
    told = []
    for options in ({}, {"engine": vl.Disk()}):
        data = vl.read(tmp_path / "table.csv", schema, **options)  # type: ignore[arg-type]
        release = vl.publish(data, vl.KAnonymity(k=9), key=KEY)
        check_told(release, set())
        told.append(release.dictionary)
    assert told[0] == told[1]


def test_an_indicator_is_marked_by_a_flag() -> None:
    frame = pl.DataFrame({"age": list(range(40)), "s": ["HIV", "flu", "cold", "gout", "flu"] * 8})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["s"]))
    policy = vl.Policy(vl.RRobustness(r=2, protect=("HIV",), protect_as="set"))
    release = vl.publish(data, policy, vl.Art(publish="indicator"), key=KEY)
    assert release.described("sensitive")[0]["indicator"] is True
    words = frame.with_columns(s=pl.when(pl.col("s") == "HIV").then(pl.lit("protected values")).otherwise("s"))
    plain = vl.publish(vl.read(words, vl.Schema(quasi=["age"], sensitive=["s"])), vl.LDiversity(l=2), vl.Anatomy())
    assert "indicator" not in plain.described("sensitive")[0]

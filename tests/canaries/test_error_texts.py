"""No error shows a cell, whatever goes wrong."""

from __future__ import annotations

import errno
import json
import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from canary_table import (
    CITY,
    CODE,
    ILLNESS,
    NUMBER,
    OTHER,
    QUASI,
    ROLES,
    assert_clean,
    make_table,
    raise_talkative,
    read_table,
    render_error,
    write_csv,
    write_file,
)

import voile as vl
from voile.errors import VoileError
from voile.io import release_folder


def holes() -> pl.DataFrame:
    hole = pl.int_range(pl.len()) == 3
    return make_table().with_columns(pl.when(hole).then(None).otherwise(pl.col(name)).alias(name) for name in QUASI)


def truncated(place: Path, name: str) -> Path:
    path = place / name
    make_table().write_parquet(path) if name.endswith("parquet") else make_table().write_ipc(path)
    return write_file(place, name, path.read_bytes()[:-40])


def database(place: Path) -> str:
    connection = sqlite3.connect(place / "p.db")
    connection.execute("create table p (city text, number)")
    connection.executemany("insert into p values (?, ?)", [(CITY, 5), ("Paris", CODE), ("Nice", b"x")])
    connection.commit()
    connection.close()
    return f"sqlite:///{place / 'p.db'}"


def duck(place: Path) -> str:
    with duckdb.connect(str(place / "p.duckdb")) as connection:
        connection.execute("create table p (city varchar)")
        connection.execute("insert into p values (?)", [CITY])
    return f"duckdb:///{place / 'p.duckdb'}"


def saved(place: Path, **options: Any) -> Path:
    return vl.publish(read_table(), vl.LDiversity(l=2), key=vl.Key(bytes(32))).save(place / "out", **options)


def resigned(place: Path, file: str, change: Callable[[Any], Any]) -> Path:
    """A release whose file was changed and signed anew."""
    path = place / file
    if file.endswith("json"):
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
    else:
        change(pl.read_parquet(path)).write_parquet(path)
    certificate = json.loads((place / "certificate.json").read_text())
    certificate["files"] = {name: release_folder.file_digest(place / name) for name in certificate["files"]}
    (place / "certificate.json").write_text(json.dumps(certificate))
    return place


def no_space(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def rows(*listed: list[str]) -> Any:
    from voile.tables.hierarchy import HierarchyRecipe

    return HierarchyRecipe("rows", content=list(listed))


def one_city(**more: Any) -> Any:
    return vl.read(make_table(), vl.Schema(quasi=["city"], **more))


READING: dict[str, Callable[[Path], Any]] = {
    "kind numeric": lambda p: one_city(kinds={"city": "numeric"}),
    "kind date": lambda p: one_city(kinds={"city": "date"}),
    "kind numeric of an enum": lambda p: vl.read(
        make_table().with_columns(pl.col("city").cast(pl.Enum([CITY, "Paris", "Nice", "Lyon"]))),
        vl.Schema(quasi=["city"], kinds={"city": "numeric"}),
    ),
    "domain": lambda p: one_city(domains={"city": ["Paris", "Nice", "Lyon"]}),
    "domain of another type": lambda p: read_table(domains={"number": [1, CITY]}),
    "domain twice": lambda p: one_city(domains={"city": [CITY, CITY]}),
    "missing": lambda p: read_table(holes()),
    "the word for missing": lambda p: read_table(
        holes().with_columns(city=pl.when(pl.col("city") == CITY).then(pl.lit("(missing)")).otherwise("city")),
        missing="value",
    ),
    "all missing": lambda p: read_table(make_table().with_columns(born=pl.lit(None, dtype=pl.Date)), missing="drop"),
    "infinite": lambda p: read_table(make_table().with_columns(pl.col("real") / 0)),
    "beyond 64 bits": lambda p: read_table(make_table().with_columns(pl.col("number").cast(pl.Int128) * 10**20)),
    "nested": lambda p: read_table(make_table().with_columns(city=pl.concat_list("city"))),
    "binary": lambda p: read_table(make_table().with_columns(pl.col("city").cast(pl.Binary))),
    "object": lambda p: read_table(make_table().with_columns(city=pl.Series([object()] * 40, dtype=pl.Object))),
    "leaf lacks": lambda p: one_city(hierarchies={"city": {"south": ["Nice", "Lyon", "Paris"]}}),
    "leaf twice": lambda p: one_city(hierarchies={"city": {"a": [CITY], "b": [CITY]}}),
    "no tree": lambda p: one_city(hierarchies={"city": {"a": CITY}}),
    "two parents": lambda p: one_city(
        hierarchies={"city": rows([CITY, "m", "a"], ["Paris", "m", "b"], ["Nice", "x", "b"], ["Lyon", "x", "b"])}
    ),
    "rows of different length": lambda p: one_city(hierarchies={"city": rows([CITY], ["Paris", "x"])}),
    "hierarchy of another kind": lambda p: one_city(hierarchies={"city": "intervals:5"}),
    "hierarchy file that lacks a leaf": lambda p: one_city(hierarchies={"city": write_file(p, "h.csv", "Paris;F\n")}),
    "hierarchy file of bytes": lambda p: one_city(
        hierarchies={"city": write_file(p, "h.csv", CITY.encode() + b"\xff")}
    ),
    "unknown column": lambda p: vl.read(make_table(), vl.Schema(quasi=["citty"])),
    "no rows": lambda p: read_table(make_table().clear()),
    "mixed pandas column": lambda p: read_table(
        pd.DataFrame({**make_table().to_pandas(), "city": [NUMBER, CITY] * 20})
    ),
    "lazy frame that fails": lambda p: read_table(make_table().lazy().with_columns(pl.col("city").cast(pl.Int64))),  # type: ignore[arg-type]
    "a dict": lambda p: vl.read({"city": [CITY]}, vl.Schema(quasi=["city"])),
    "a frame and a query": lambda p: vl.read(make_table(), vl.Schema(quasi=["city"]), query="select 1"),
    "ragged": lambda p: read_table(write_csv(p, lambda text: text.replace(f"{CITY},", f"{CITY},{CITY},"))),
    "short line": lambda p: read_table(write_csv(p, lambda text: text.replace(f"{CODE},", ""))),
    "encoding": lambda p: vl.read(
        write_csv(p, lambda text: text.replace("Paris", "Orléans").encode("latin-1")),
        vl.Schema(**ROLES),
        encoding="utf8",
    ),
    "wrong encoding": lambda p: vl.read(write_csv(p), vl.Schema(**ROLES), encoding="utf-16"),
    "open quote": lambda p: read_table(write_csv(p, lambda text: text.replace(CITY, f'"{CITY}'))),
    "text in a column of numbers": lambda p: read_table(
        write_csv(p, lambda text: text.replace(str(NUMBER), CODE)), kinds={"number": "numeric"}
    ),
    "late text in a column of numbers": lambda p: vl.read(
        write_file(p, "t.csv", "n,m\n" + "1,1\n" * 12_000 + f"{CITY},1\n"),
        vl.Schema(quasi=["n"], kinds={"n": "numeric"}),
    ),
    "no header": lambda p: read_table(write_csv(p, lambda text: text.split("\n", 1)[1])),
    "no header, names twice": lambda p: read_table(write_file(p, "t.csv", f"{CITY},5,{CITY},{ILLNESS}\n" * 3)),
    "no column in a file": lambda p: vl.read(write_csv(p), vl.Schema(quasi=["citty"])),
    "truncated parquet": lambda p: read_table(truncated(p, "t.parquet")),
    "truncated arrow": lambda p: read_table(truncated(p, "t.arrow")),
    "no parquet": lambda p: read_table(write_file(p, "t.parquet", f"{CITY},{ILLNESS}\n")),
    "unknown ending": lambda p: read_table(write_file(p, "t.xml", CITY)),
    "sqlite statement": lambda p: vl.read(database(p), vl.Schema(quasi=["city"]), query=f"select '{CITY}' frm p"),
    "sqlite types": lambda p: vl.read(database(p), vl.Schema(quasi=["number"]), query="select number from p"),
    "duckdb cast": lambda p: vl.read(duck(p), vl.Schema(quasi=["n"]), query="select city::int as n from p"),
    "url with a password": lambda p: vl.read(f"postgresql://u:{CITY}@127.0.0.1:9/{ILLNESS}", vl.Schema(quasi=["n"])),
    "nobody serves": lambda p: vl.read(
        f"postgresql://u:{CITY}@127.0.0.1:9/{ILLNESS}", vl.Schema(quasi=["n"]), query=f"select '{CODE}'"
    ),
}


PUBLISHING: dict[str, Callable[[Path], Any]] = {
    "k": lambda p: vl.publish(read_table(), vl.KAnonymity(k=99)),
    "l": lambda p: vl.publish(read_table(), vl.LDiversity(l=30)),
    "distinct l": lambda p: vl.publish(read_table(), vl.LDiversity(l=30, form="distinct")),
    "entropy l": lambda p: vl.publish(read_table(), vl.LDiversity(l=30, form="entropy")),
    "recursive l": lambda p: vl.publish(read_table(), vl.LDiversity(l=4, form="recursive", c=0.1)),
    "alpha": lambda p: vl.publish(read_table(), vl.AlphaK(alpha=0.01, k=2)),
    "unknown protected value": lambda p: vl.publish(read_table(), vl.AlphaK(alpha=0.5, k=2, protect=("plague",))),
    "k, e": lambda p: vl.publish(read_table(sensitive=["real"], quasi=["city"], other=[]), vl.KE(k=2, e=1e9)),
    "k, e of categories": lambda p: vl.publish(read_table(), vl.KE(k=2, e=5)),
    "t of no order": lambda p: vl.publish(read_table(), vl.TCloseness(t=0.1, distance="ordered")),
    "t of no hierarchy": lambda p: vl.publish(read_table(), vl.TCloseness(t=0.1, distance="hierarchical")),
    "anatomy": lambda p: vl.publish(read_table(), vl.LDiversity(l=30), vl.Anatomy()),
    "anatomy of two columns": lambda p: vl.publish(
        read_table(sensitive=["illness", "city"], quasi=["code"]), vl.LDiversity(l=2), vl.Anatomy()
    ),
    "anatomy of k": lambda p: vl.publish(read_table(), vl.KAnonymity(k=2), vl.Anatomy()),
    "injector": lambda p: vl.publish(read_table(), vl.LDiversity(l=30), vl.Injector()),
    "injector without a choice": lambda p: vl.publish(read_table(), vl.LDiversity(l=2), vl.Injector(min_exp=0.0)),
    "full domain": lambda p: vl.publish(read_table(), vl.KAnonymity(k=99), vl.FullDomain()),
    "no sensitive column": lambda p: vl.publish(one_city(), vl.LDiversity(l=2)),
    "another column": lambda p: vl.publish(read_table(), vl.LDiversity(l=2, column="city")),
    "folder that is none": lambda p: [
        write_file(p, "x", ""),
        saved(p),
        vl.publish(read_table(), vl.KAnonymity(k=2)).save(p),
    ],
    "folder that is there": lambda p: [saved(p), saved(p)],
    "unknown format": lambda p: saved(p, format="xml"),
}


AFTERWARDS: dict[str, Callable[[Path], Any]] = {
    "estimate of another type": lambda p: vl.load(saved(p)).estimate(number="many"),
    "estimate of no date": lambda p: vl.load(saved(p)).estimate(born="soon"),
    "estimate of no column": lambda p: vl.load(saved(p)).estimate(citty=1),
    "estimate of no query": lambda p: vl.load(saved(p)).estimate("city like 'L%'"),
    "truncated table": lambda p: vl.load(
        write_file(saved(p), "table.parquet", (p / "out" / "table.parquet").read_bytes()[:-30]).parent
    ),
    "a cell that nothing explains": lambda p: vl.verify(
        resigned(saved(p), "table.parquet", lambda table: table.with_columns(city=pl.lit(f"{{{CITY}|x}}")))
    ).or_raise(),
    "another sensitive value": lambda p: vl.verify(
        resigned(saved(p), "table.parquet", lambda table: table.with_columns(illness=pl.lit(OTHER)))
    ).or_raise(),
    "one value for all": lambda p: vl.verify(
        resigned(saved(p), "table.parquet", lambda table: table.with_columns(illness=pl.lit(ILLNESS)))
    ).or_raise(),
    "a dictionary without values": lambda p: vl.verify(
        resigned(saved(p), "dictionary.json", lambda d: d["columns"][0].update(domain={"values": [5, CITY]}))
    ).or_raise(),
    "a dictionary of other values": lambda p: vl.verify(
        resigned(saved(p), "dictionary.json", lambda d: d["columns"][0]["domain"].update(values=["x"]))
    ).or_raise(),
    "measure against another table": lambda p: vl.measure(
        read_table(make_table().with_columns(illness=pl.lit("flu"))), vl.load(saved(p)), [vl.measures.QueryError()]
    ),
    "measure against other columns": lambda p: vl.measure(
        vl.read(make_table(), vl.Schema(quasi=["name"])), vl.load(saved(p)), [vl.measures.Certainty()]
    ),
    "audit with another register": lambda p: vl.audit(
        vl.load(saved(p)), attacks=[vl.attacks.Linking()], external=vl.read(make_table(), vl.Schema(quasi=["name"]))
    ),
    "no key": lambda p: vl.Key.read(write_file(p, "key", CITY)),
}


@pytest.mark.parametrize(
    "provoke",
    [
        pytest.param(provoke, id=f"{part}: {name}")
        for part, cases in (("reading", READING), ("publishing", PUBLISHING), ("afterwards", AFTERWARDS))
        for name, provoke in cases.items()
    ],
)
def test_no_error_shows_a_cell(
    provoke: Callable[[Path], Any],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(VoileError) as error:
            provoke(tmp_path)
    assert_clean(render_error(error.value))
    assert_clean("".join(str(warning.message) for warning in warned))
    assert_clean(caplog.text + "".join(repr(record.args) for record in caplog.records))
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "")


@pytest.mark.parametrize("failing", [no_space, raise_talkative], ids=["no space", "a library that talks"])
def test_a_save_that_fails_shows_no_cell(
    failing: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = vl.publish(read_table(), vl.KAnonymity(k=2))
    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", failing)
    with pytest.raises(VoileError) as error:
        release.save(tmp_path / "out")
    assert_clean(render_error(error.value))

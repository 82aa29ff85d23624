"""Nothing leaks but the release: unmistakable cells are planted, everything is made to fail, and nothing shows them."""

from __future__ import annotations

import datetime
import errno
import functools
import json
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import voile as vl
from voile import cli
from voile.attacks.base import Guess, RawTable
from voile.errors import VoileError
from voile.io import release_folder
from voile.measures.base import View, outline_table
from voile.releases.queries.query import parse_query

NAME = "Quirinius Zbygniew"
CITY = "Llanfairpwll"
CODE = "QZ-77Q"
NUMBER = 987_654_321
REAL = 31337.424242
DAY = datetime.date(1907, 7, 17)
ILLNESS = "Psittacosis"
OTHER = "Kakapo"
TEXTS = (NAME, "Zbygniew", CITY, CODE, ILLNESS, OTHER)
NUMBERS = (str(NUMBER), "987,654,321", "31337.42", "1907-07-17", "1907, 7, 17")
CANARIES = (*TEXTS, *NUMBERS)


def plain(rows: int = 40) -> pl.DataFrame:
    """People like others, and the canary in the first row."""
    days = [DAY, *(datetime.date(1980, 1, 1) + datetime.timedelta(n) for n in range(rows - 1))]
    return pl.DataFrame(
        {
            "name": [NAME, *(f"person {n}" for n in range(rows - 1))],
            "city": [CITY, *(("Paris", "Nice", "Lyon")[n % 3] for n in range(rows - 1))],
            "code": [CODE, *(f"A{n % 4}-{n % 10}" for n in range(rows - 1))],
            "number": [NUMBER, *range(rows - 1)],
            "real": [REAL, *(n / 7 for n in range(rows - 1))],
            "born": days,
            "illness": [ILLNESS, *(("flu", "gout", "cold")[n % 3] for n in range(rows - 1))],
            "ward": [OTHER, *(("north", "south")[n % 2] for n in range(rows - 1))],
        }
    )


QUASI = ["city", "code", "number", "real", "born"]
ROLES: dict[str, Any] = {"identifier": ["name"], "quasi": QUASI, "sensitive": ["illness"], "other": ["ward"]}


def data(frame: pl.DataFrame | None = None, **more: Any) -> Any:
    return vl.read(plain() if frame is None else frame, vl.Schema(**{**ROLES, **more}))


def clean(text: str) -> None:
    shown = [canary for canary in CANARIES if canary.lower() in text.lower()]
    assert not shown, f"it shows {shown}"


def holes() -> pl.DataFrame:
    hole = pl.int_range(pl.len()) == 3
    return plain().with_columns(pl.when(hole).then(None).otherwise(pl.col(name)).alias(name) for name in QUASI)


def written(place: Path, name: str, content: str | bytes) -> Path:
    path = place / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def csv(place: Path, change: Callable[[str], str | bytes] = lambda text: text) -> Path:
    return written(place, "t.csv", change(plain().write_csv()))


def truncated(place: Path, name: str) -> Path:
    path = place / name
    plain().write_parquet(path) if name.endswith("parquet") else plain().write_ipc(path)
    return written(place, name, path.read_bytes()[:-40])


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
    return vl.publish(data(), vl.LDiversity(l=2), key=vl.Key(bytes(32))).save(place / "out", **options)


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


def chatty(*_: Any, **__: Any) -> Any:
    raise pl.exceptions.ComputeError(f"cannot write {CITY} {ILLNESS}")


def rows(*listed: list[str]) -> Any:
    from voile.tables.hierarchy import HierarchyRecipe

    return HierarchyRecipe("rows", content=list(listed))


def one_city(**more: Any) -> Any:
    return vl.read(plain(), vl.Schema(quasi=["city"], **more))


READING: dict[str, Callable[[Path], Any]] = {
    "kind numeric": lambda p: one_city(kinds={"city": "numeric"}),
    "kind date": lambda p: one_city(kinds={"city": "date"}),
    "kind numeric of an enum": lambda p: vl.read(
        plain().with_columns(pl.col("city").cast(pl.Enum([CITY, "Paris", "Nice", "Lyon"]))),
        vl.Schema(quasi=["city"], kinds={"city": "numeric"}),
    ),
    "domain": lambda p: one_city(domains={"city": ["Paris", "Nice", "Lyon"]}),
    "domain of another type": lambda p: data(domains={"number": [1, CITY]}),
    "domain twice": lambda p: one_city(domains={"city": [CITY, CITY]}),
    "missing": lambda p: data(holes()),
    "the word for missing": lambda p: data(
        holes().with_columns(city=pl.when(pl.col("city") == CITY).then(pl.lit("(missing)")).otherwise("city")),
        missing="value",
    ),
    "all missing": lambda p: data(plain().with_columns(born=pl.lit(None, dtype=pl.Date)), missing="drop"),
    "infinite": lambda p: data(plain().with_columns(pl.col("real") / 0)),
    "beyond 64 bits": lambda p: data(plain().with_columns(pl.col("number").cast(pl.Int128) * 10**20)),
    "nested": lambda p: data(plain().with_columns(city=pl.concat_list("city"))),
    "binary": lambda p: data(plain().with_columns(pl.col("city").cast(pl.Binary))),
    "object": lambda p: data(plain().with_columns(city=pl.Series([object()] * 40, dtype=pl.Object))),
    "leaf lacks": lambda p: one_city(hierarchies={"city": {"south": ["Nice", "Lyon", "Paris"]}}),
    "leaf twice": lambda p: one_city(hierarchies={"city": {"a": [CITY], "b": [CITY]}}),
    "no tree": lambda p: one_city(hierarchies={"city": {"a": CITY}}),
    "two parents": lambda p: one_city(
        hierarchies={"city": rows([CITY, "m", "a"], ["Paris", "m", "b"], ["Nice", "x", "b"], ["Lyon", "x", "b"])}
    ),
    "rows of different length": lambda p: one_city(hierarchies={"city": rows([CITY], ["Paris", "x"])}),
    "hierarchy of another kind": lambda p: one_city(hierarchies={"city": "intervals:5"}),
    "hierarchy file that lacks a leaf": lambda p: one_city(hierarchies={"city": written(p, "h.csv", "Paris;F\n")}),
    "hierarchy file of bytes": lambda p: one_city(hierarchies={"city": written(p, "h.csv", CITY.encode() + b"\xff")}),
    "unknown column": lambda p: vl.read(plain(), vl.Schema(quasi=["citty"])),
    "no rows": lambda p: data(plain().clear()),
    "mixed pandas column": lambda p: data(pd.DataFrame({**plain().to_pandas(), "city": [NUMBER, CITY] * 20})),
    "lazy frame that fails": lambda p: data(plain().lazy().with_columns(pl.col("city").cast(pl.Int64))),  # type: ignore[arg-type]
    "a dict": lambda p: vl.read({"city": [CITY]}, vl.Schema(quasi=["city"])),
    "a frame and a query": lambda p: vl.read(plain(), vl.Schema(quasi=["city"]), query="select 1"),
    "ragged": lambda p: data(csv(p, lambda text: text.replace(f"{CITY},", f"{CITY},{CITY},"))),
    "short line": lambda p: data(csv(p, lambda text: text.replace(f"{CODE},", ""))),
    "encoding": lambda p: data(csv(p, lambda text: text.replace("Paris", "Orléans").encode("latin-1"))),
    "wrong encoding": lambda p: vl.read(csv(p), vl.Schema(**ROLES), encoding="utf-16"),
    "open quote": lambda p: data(csv(p, lambda text: text.replace(CITY, f'"{CITY}'))),
    "text in a column of numbers": lambda p: data(
        csv(p, lambda text: text.replace(str(NUMBER), CODE)), kinds={"number": "numeric"}
    ),
    "late text in a column of numbers": lambda p: vl.read(
        written(p, "t.csv", "n,m\n" + "1,1\n" * 12_000 + f"{CITY},1\n"),
        vl.Schema(quasi=["n"], kinds={"n": "numeric"}),
    ),
    "no header": lambda p: data(csv(p, lambda text: text.split("\n", 1)[1])),
    "no header, names twice": lambda p: data(written(p, "t.csv", f"{CITY},5,{CITY},{ILLNESS}\n" * 3)),
    "no column in a file": lambda p: vl.read(csv(p), vl.Schema(quasi=["citty"])),
    "truncated parquet": lambda p: data(truncated(p, "t.parquet")),
    "truncated arrow": lambda p: data(truncated(p, "t.arrow")),
    "no parquet": lambda p: data(written(p, "t.parquet", f"{CITY},{ILLNESS}\n")),
    "unknown ending": lambda p: data(written(p, "t.xml", CITY)),
    "sqlite statement": lambda p: vl.read(database(p), vl.Schema(quasi=["city"]), query=f"select '{CITY}' frm p"),
    "sqlite types": lambda p: vl.read(database(p), vl.Schema(quasi=["number"]), query="select number from p"),
    "duckdb cast": lambda p: vl.read(duck(p), vl.Schema(quasi=["n"]), query="select city::int as n from p"),
    "url with a password": lambda p: vl.read(f"postgresql://u:{CITY}@127.0.0.1:9/{ILLNESS}", vl.Schema(quasi=["n"])),
    "nobody serves": lambda p: vl.read(
        f"postgresql://u:{CITY}@127.0.0.1:9/{ILLNESS}", vl.Schema(quasi=["n"]), query=f"select '{CODE}'"
    ),
}

PUBLISHING: dict[str, Callable[[Path], Any]] = {
    "k": lambda p: vl.publish(data(), vl.KAnonymity(k=99)),
    "l": lambda p: vl.publish(data(), vl.LDiversity(l=30)),
    "distinct l": lambda p: vl.publish(data(), vl.LDiversity(l=30, form="distinct")),
    "entropy l": lambda p: vl.publish(data(), vl.LDiversity(l=30, form="entropy")),
    "recursive l": lambda p: vl.publish(data(), vl.LDiversity(l=4, form="recursive", c=0.1)),
    "alpha": lambda p: vl.publish(data(), vl.AlphaK(alpha=0.01, k=2)),
    "unknown protected value": lambda p: vl.publish(data(), vl.AlphaK(alpha=0.5, k=2, protect=("plague",))),
    "k, e": lambda p: vl.publish(data(sensitive=["real"], quasi=["city"], other=[]), vl.KE(k=2, e=1e9)),
    "k, e of categories": lambda p: vl.publish(data(), vl.KE(k=2, e=5)),
    "t of no order": lambda p: vl.publish(data(), vl.TCloseness(t=0.1, distance="ordered")),
    "t of no hierarchy": lambda p: vl.publish(data(), vl.TCloseness(t=0.1, distance="hierarchical")),
    "anatomy": lambda p: vl.publish(data(), vl.LDiversity(l=30), vl.Anatomy()),
    "anatomy of two columns": lambda p: vl.publish(
        data(sensitive=["illness", "city"], quasi=["code"]), vl.LDiversity(l=2), vl.Anatomy()
    ),
    "anatomy of k": lambda p: vl.publish(data(), vl.KAnonymity(k=2), vl.Anatomy()),
    "injector": lambda p: vl.publish(data(), vl.LDiversity(l=30), vl.Injector()),
    "injector without a choice": lambda p: vl.publish(data(), vl.LDiversity(l=2), vl.Injector(min_exp=0.0)),
    "full domain": lambda p: vl.publish(data(), vl.KAnonymity(k=99), vl.FullDomain()),
    "no sensitive column": lambda p: vl.publish(one_city(), vl.LDiversity(l=2)),
    "another column": lambda p: vl.publish(data(), vl.LDiversity(l=2, column="city")),
    "folder that is none": lambda p: [written(p, "x", ""), saved(p), vl.publish(data(), vl.KAnonymity(k=2)).save(p)],
    "folder that is there": lambda p: [saved(p), saved(p)],
    "unknown format": lambda p: saved(p, format="xml"),
}

AFTERWARDS: dict[str, Callable[[Path], Any]] = {
    "estimate of another type": lambda p: vl.load(saved(p)).estimate(number="many"),
    "estimate of no date": lambda p: vl.load(saved(p)).estimate(born="soon"),
    "estimate of no column": lambda p: vl.load(saved(p)).estimate(citty=1),
    "estimate of no query": lambda p: vl.load(saved(p)).estimate("city like 'L%'"),
    "truncated table": lambda p: vl.load(
        written(saved(p), "table.parquet", (p / "out" / "table.parquet").read_bytes()[:-30]).parent
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
        data(plain().with_columns(illness=pl.lit("flu"))), vl.load(saved(p)), [vl.measures.QueryError()]
    ),
    "measure against other columns": lambda p: vl.measure(
        vl.read(plain(), vl.Schema(quasi=["name"])), vl.load(saved(p)), [vl.measures.Certainty()]
    ),
    "audit with another register": lambda p: vl.audit(
        vl.load(saved(p)), attacks=[vl.attacks.Linking()], external=vl.read(plain(), vl.Schema(quasi=["name"]))
    ),
    "no key": lambda p: vl.Key.read(written(p, "key", CITY)),
}


def rendered(error: BaseException) -> str:
    """All that a terminal, a log or a crash report would show of an error."""
    texts = ["".join(traceback.format_exception(error)), str(error), repr(error), repr(error.args)]
    texts += [f"{key}={value!r}" for key, value in vars(error).items()]
    if isinstance(error, VoileError):
        texts.append(json.dumps(error.as_json()))
    for inner in (error.__cause__, None if error.__suppress_context__ else error.__context__):
        if inner is not None:
            texts.append(rendered(inner))
    return "\n".join(texts)


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
    clean(rendered(error.value))
    clean("".join(str(warning.message) for warning in warned))
    clean(caplog.text + "".join(repr(record.args) for record in caplog.records))
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "")


@pytest.mark.parametrize("failing", [no_space, chatty], ids=["no space", "a library that talks"])
def test_a_save_that_fails_shows_no_cell(
    failing: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = vl.publish(data(), vl.KAnonymity(k=2))
    monkeypatch.setattr("polars.DataFrame.write_parquet", failing)
    with pytest.raises(VoileError) as error:
        release.save(tmp_path / "out")
    clean(rendered(error.value))


# what is shown of objects -------------------------------------------------------------------------------------------
@functools.cache
def things() -> dict[str, Any]:
    trees = {"city": vl.tree({"x": [CITY]})}
    schema = vl.Schema(**ROLES, domains={"ward": [OTHER, "north", "south"]}, hierarchies=trees)
    table = data(hierarchies={"city": vl.by_frequency(), "code": "auto"})
    boxes = vl.publish(table, vl.LDiversity(l=2))
    linked = vl.publish(data(), vl.LDiversity(l=2), vl.Anatomy())
    several = vl.read(plain(), vl.Schema(**{**ROLES, "sensitive": ["illness", "city"], "quasi": ["number", "real"]}))
    lists = vl.publish(several, vl.MultiDiversity(otherwise=1))
    audit, losses = vl.audit(boxes, table), vl.measure(table, boxes)
    compared = vl.compare(table, vl.LDiversity(l=2), [vl.Mondrian()], measures=[vl.measures.Certainty()])
    quasi = table.columns.quasi
    histogram = table.rows.histogram(QUASI)
    return {
        "Schema": schema,
        "Microdata": table,
        "Columns": table.columns,
        "Column": quasi[0],
        "Domain": quasi[0].domain,
        "Hierarchy": quasi[0].hierarchy,
        "HierarchyRecipe": schema.hierarchies["city"],
        "rows": table.rows,
        "keyed rows": table.rows.with_key(vl.Key(bytes(32))),
        "Histogram": histogram,
        "placed rows": table.rows.place(histogram, np.zeros(len(histogram.counts), dtype=np.int64)),
        "Generalized": boxes,
        "Bucketized": linked,
        "Decomposed": lists,
        "ValueLists": next(iter(lists.value_lists.values())),  # type: ignore[attr-defined]
        "SensitiveRows": linked.sensitive_rows(table.columns),
        "TrainingRows": linked.training_rows(np.random.default_rng(0)),
        "RowMatching": lists.row_matching,  # type: ignore[attr-defined]
        "Cells": boxes.cells["city"],  # type: ignore[attr-defined]
        "Counts": boxes.tallies["illness"],
        "counts of linked tables": linked.tallies["illness"],
        "Certificate": boxes.certificate,
        "Verdict": vl.verify(boxes),
        "verdict in words": str(vl.verify(linked)),
        "Audit": audit,
        "Finding": audit.findings[0],
        "Belief": audit.findings[0].belief,
        "Losses": losses,
        "RawTable": RawTable(table),
        "View": View(table, boxes),
        "Outline": outline_table(table),
        "Guess": Guess("x", audit.findings[0].adversary, audit.findings[0].belief),
        "Policy": vl.Policy(vl.KAnonymity(k=2)),
        "Key": vl.Key.fresh(),
        "Query": parse_query({"number": 1}, {}),
        "Comparison": compared,
        "Trial": compared.rows[0],
    }


NAMES = (
    *(
        "Schema",
        "Microdata",
        "Columns",
        "Column",
        "Domain",
        "Hierarchy",
        "HierarchyRecipe",
        "rows",
        "keyed rows",
        "Histogram",
    ),
    *(
        "placed rows",
        "Generalized",
        "Bucketized",
        "Decomposed",
        "ValueLists",
        "RowMatching",
        "SensitiveRows",
        "TrainingRows",
        "Cells",
        "Counts",
        "counts of linked tables",
        "Certificate",
    ),
    *("Verdict", "verdict in words", "Audit", "Finding", "Belief", "Losses", "RawTable", "View", "Guess", "Policy"),
    *("Key", "Query", "Comparison", "Trial", "Outline"),
)


@pytest.mark.parametrize("name", NAMES)
def test_no_repr_shows_a_cell(name: str) -> None:
    thing = things()[name]
    clean(repr(thing) + str(thing) + f"{thing}")
    clean(repr([thing]) + repr({"x": thing}))


@pytest.mark.parametrize(
    "name", ["rows", "keyed rows", "placed rows", "Histogram", "Counts", "Cells", "Belief", "View"]
)
def test_reprs_are_short_and_hold_no_arrays(name: str) -> None:
    """Codes are as good as cells to whoever has the dictionary."""
    shown = repr(things()[name])
    assert "array(" not in shown
    assert "shape:" not in shown
    assert len(shown) < 300


def test_every_thing_was_looked_at() -> None:
    assert set(NAMES) == set(things())


# what is published --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize(
    "method", [vl.Mondrian(), vl.FullDomain(suppression=0.2), vl.Anatomy(), vl.Injector()], ids=repr
)
def test_identifiers_are_nowhere_and_cells_only_in_tables(tmp_path: Path, format: str, method: Any) -> None:
    release = vl.publish(data(), vl.LDiversity(l=2), method)
    place = release.save(tmp_path / "out", format=format)
    clean((place / "certificate.json").read_text())
    for path in place.iterdir():
        content = path.read_bytes()
        assert NAME.encode() not in content
        assert b"Zbygniew" not in content
    for table in release.tables.values():
        assert "name" not in table.columns


def test_what_is_withheld_is_mentioned_nowhere(tmp_path: Path) -> None:
    """The canary is alone with its values: once it is withheld, neither tables nor dictionary speak of it."""
    day = pl.lit(datetime.date(2000, 1, 1))
    frame = plain().with_columns(number=pl.lit(1), real=pl.lit(1.0), born=day, code=pl.lit("x"))
    release = vl.publish(data(frame), vl.KAnonymity(k=5), vl.FullDomain(suppression=0.1))
    assert release.people < 40
    place = release.save(tmp_path / "out", format="csv")
    for path in place.iterdir():
        for canary in (CITY, ILLNESS, OTHER, NAME):
            assert canary not in path.read_text()


def test_the_command_line_shows_no_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = csv(tmp_path)
    flags = ["--identifier", "name", "--quasi", ",".join(QUASI), "--sensitive", "illness", "--other", "ward"]
    calls = [
        ["publish", table, "--out", "out", *flags, "--model", "l-diversity:l=2"],
        ["publish", table, "--out", "out", *flags, "--model", "l-diversity:l=20", "--force"],
        ["publish", table, "--out", "out2", *flags, "--model", "k-anonymity:k=2", "--kind", "city=numeric"],
        ["verify", "out"],
        ["audit", "out", "--data", table],
        ["measure", "out", "--data", table],
        ["report", "out", "--data", table, "--out", "report.html"],
        ["hierarchies", table, "--out", "trees"],
        ["compare", table, "--out", "compared", *flags, "--model", "l-diversity:l=2", "--adversary", "insurer"],
    ]
    for call in calls:
        for more in ([], ["--json"]):
            forced = ["--force"] if more and call[0] in ("publish", "hierarchies") and "--force" not in call else []
            monkeypatch.setattr(sys, "argv", ["voile", *map(str, call), *more, *forced])
            with pytest.raises(SystemExit):
                cli.main()
            shown = capfd.readouterr()
            clean(shown.out + shown.err)
    for page in (tmp_path / "report.html", *(tmp_path / "compared").glob("*.*"), *(tmp_path / "compared").glob("*/*")):
        clean(page.read_text())


def test_the_watch_watches() -> None:
    """What these tests look at does show a cell, where an error is raised while another one talks."""
    try:
        try:
            chatty()
        except pl.exceptions.ComputeError:
            raise VoileError("Quiet.", code="x.y")  # noqa: B904 - the fault that is looked for
    except VoileError as error:
        with pytest.raises(AssertionError, match="it shows"):
            clean(rendered(error))

"""The options that commands share: how a table is read, plug-ins, and the text of lists and pairs."""

from __future__ import annotations

import inspect
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import ROLES, Voile

from voile.cli.flags import Json, ReadOptions, parse_numbers, parse_pair, with_table_options
from voile.errors import SpecError


def test_with_table_options_expands_the_options_in_place() -> None:
    calls: list[Any] = []

    @with_table_options
    def look(source: str, force: bool = False, *, read_options: ReadOptions, as_json: Json = False) -> None:
        """Look."""
        calls.append((source, force, read_options, as_json))

    signature, more = inspect.signature(look), ["convert", "merge", "sheet"]
    assert list(signature.parameters) == ["source", "force", "query", "delimiter", "encoding", "null", *more, "as_json"]
    assert (look.__name__, look.__doc__) == ("look", "Look.")
    arguments = {"source": "t.csv", "force": True, "query": None, "delimiter": "|", "encoding": None, "null": ["?"]}
    look(**arguments, convert=["age = text"], merge="sex, city", sheet=None, as_json=True)
    conversions = {"convert": {"age": "text"}, "merge": ["sex", "city"]}
    assert calls == [("t.csv", True, {"delimiter": "|", "null_values": ["?"], **conversions}, True)]


def test_text_that_cannot_be_parsed_is_refused() -> None:
    with pytest.raises(SpecError, match="has no '='"):
        parse_pair("zip")
    with pytest.raises(SpecError, match="--k '2,x' is not a list of numbers"):
        parse_numbers("k", "2,x", int)


def test_reading_options_reach_every_command(voile: Voile) -> None:
    rows = "".join(f"{20 + n % 9}|Orléans|{'?' if n == 7 else 'flu'}\n" for n in range(30))
    (voile.folder / "t.csv").write_bytes(("âge|city|disease\n" + rows).encode("latin-1"))
    flags = ("--quasi", "âge,city", "--sensitive", "disease", "--model", "k-anonymity:k=3", "--out", "out")
    assert voile("publish", "t.csv", *flags, "--encoding", "utf8").code == 3
    flags = (*flags, "--encoding", "latin-1", "--delimiter", "|", "--null", "?")
    answer = voile("publish", "t.csv", *flags)
    assert answer.code == 3
    assert "1 in 'disease'" in answer.err
    answer = voile("publish", "t.csv", *flags, "--missing", "drop", "--kind", "âge=ordered")
    assert answer.code == 0
    assert "1 row dropped for missing values" in answer.out
    reading = ("--encoding", "latin-1", "--null", "?")
    assert voile("measure", "out", "--data", "t.csv", *reading).code == 0
    assert voile("audit", "out", "--data", "t.csv", *reading).code == 0
    assert voile("hierarchies", "t.csv", "--out", "trees", *reading).code == 0
    assert sorted(path.name for path in (voile.folder / "trees").iterdir()) == ["city.csv", "disease.csv", "âge.csv"]


def test_a_database_is_read_by_a_query(voile: Voile) -> None:
    connection = sqlite3.connect(voile.folder / "p.db")
    connection.execute("create table p (age integer, disease text)")
    connection.executemany("insert into p values (?, ?)", [(20 + n % 5, "flu") for n in range(20)])
    connection.commit()
    connection.close()
    flags = ("--quasi", "age", "--sensitive", "disease", "--model", "k-anonymity:k=3", "--out", "out")
    assert voile("publish", "sqlite:///p.db", *flags).code == 3
    assert voile("publish", "sqlite:///p.db", *flags, "--query", "select * from p").code == 0
    assert voile("measure", "out", "--data", "sqlite:///p.db", "--query", "select * from p").code == 0


def test_a_plugin_is_known_only_if_it_is_named(voile: Voile, table: Path) -> None:
    (voile.folder / "extra.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "from voile.models.k_anonymity import KAnonymity\n"
        "@dataclass(frozen=True)\n"
        "class Even(KAnonymity):\n"
        "    '''k-anonymity with an even k.'''\n"
        "    name: ClassVar[str] = 'even-k'\n"
    )
    from voile.plugins.registry import _registry, registered_classes

    registered_classes("models")
    try:
        flags = (*ROLES, "--model", "even-k:k=4", "--out", "out")
        assert voile("publish", table, *flags).code == 2
        assert voile("publish", table, *flags, "--plugin", "extra.py").code == 0
        assert voile("verify", "out", "--plugin", "extra.py").code == 0
        assert voile("audit", "out", "--plugin", "extra.py").code == 0
    finally:
        _registry["models"].pop("even-k", None)
        sys.modules.pop("voile_plugin_extra", None)
    assert voile("verify", "out").code == 5
    assert voile("verify", "out", "--plugin", "none.py").code == 2

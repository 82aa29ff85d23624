"""Where rows lie, at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import Voile
from published import people

from voile.engines import base
from voile.engines.disk import Disk
from voile.engines.memory import InMemory
from voile.engines.selection import choose_engine
from voile.tables import partition_tree


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 500)
    monkeypatch.setattr(base, "CHUNK_ROWS", 600)
    people().write_parquet(tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


ROLES = ["--quasi", "age,gender,education,marital-status", "--sensitive", "occupation", "--model", "k-anonymity:k=5"]


def test_a_table_on_disk_from_publish_to_measure(voile: Voile, table: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    done = voile("publish", str(table), "--out", out, *ROLES, "--engine", "disk", "--memory", "2GiB", "--json")
    assert done.code == 0, done.err
    told = done.json
    assert told["people"] == 2_000
    assert told["verdict"]["holds"]
    assert "pieces" in done.out
    for command in (
        ["verify", out],
        ["audit", out, "--attack", "linking"],
        ["measure", out, "--data", str(table), "--measure", "certainty"],
        ["report", out, "--data", str(table), "--adversary", "neighbour"],
    ):
        assert voile(*command, "--engine", "disk").code == 0
        assert voile(*command, "--engine", "local").code == 0


def test_a_comparison_on_disk(voile: Voile, table: Path, tmp_path: Path) -> None:
    asked = ["--attack", "linking", "--measure", "certainty", "--method", "mondrian", "--method", "full-domain"]
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    told = {}
    for engine in ("local", "disk"):
        done = voile("compare", str(table), *ROLES, *asked, "--key-file", str(key), "--engine", engine, "--json")
        assert done.code == 0, done.err
        told[engine] = done.json["trials"]
    assert len(told["disk"]) == 2
    for there, here in zip(told["disk"], told["local"], strict=True):
        for part in ("title", "kept", "groups"):
            assert there[part] == here[part]
        assert [item["worst"] for item in there["reached"]] == [item["worst"] for item in here["reached"]]
        assert [item["value"] for item in there["losses"]] == pytest.approx([item["value"] for item in here["losses"]])


def test_an_engine_in_a_spec(voile: Voile, table: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('[engine]\nengine = "disk"\nmemory = "2GiB"\n')
    done = voile("publish", str(table), "--out", str(tmp_path / "out"), *ROLES, "--spec", str(spec))
    assert done.code == 0, done.err
    assert "pieces" in done.out
    spec.write_text("[engine]\nmemory = 2\nmastr = 'x'\n")
    done = voile("publish", str(table), "--out", str(tmp_path / "other"), *ROLES, "--spec", str(spec))
    assert done.code == 2
    assert "master" in done.err
    assert "must be a text" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "dsk"], "no engine 'dsk'"),
        (["--engine", "disk", "--memory", "lots"], "no size"),
        (["--engine", "local", "--memory", "2GiB"], "takes no memory"),
        (["--engine", "disk", "--master", "local[2]"], "takes no master"),
        (["--engine", "spark", "--scratch", "x"], "takes no scratch"),
    ],
)
def test_what_cannot_be_asked(options: list[str], said: str, voile: Voile, table: Path, tmp_path: Path) -> None:
    done = voile("publish", str(table), "--out", str(tmp_path / "out"), *ROLES, *options)
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "out").exists()


def test_the_engine_is_chosen_by_size(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(choose_engine(table, {}), InMemory)
    monkeypatch.setattr("voile.engines.selection._machine_memory", lambda: 1_000)
    assert isinstance(choose_engine(table, {}), Disk)
    assert isinstance(choose_engine(table, {"engine": "local"}), InMemory)
    assert isinstance(choose_engine("sqlite:///x.db", {}), InMemory)

"""Choosing an engine at the command line."""

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


def test_a_table_on_disk_can_be_published_audited_and_measured(voile: Voile, table: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    answer = voile("publish", str(table), "--out", out, *ROLES, "--engine", "disk", "--memory", "2GiB", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["people"] == 2_000
    assert answer.json["verdict"]["holds"]
    assert "pieces" in answer.out
    for command in (
        ["verify", out],
        ["audit", out, "--attack", "linking"],
        ["measure", out, "--data", str(table), "--measure", "certainty"],
        ["report", out, "--data", str(table), "--adversary", "neighbour", "--force"],
    ):
        assert voile(*command, "--engine", "disk").code == 0
        assert voile(*command, "--engine", "local").code == 0


def test_a_comparison_on_disk_agrees_with_one_in_memory(voile: Voile, table: Path, tmp_path: Path) -> None:
    options = ["--attack", "linking", "--measure", "certainty", "--method", "mondrian", "--method", "full-domain"]
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    trials = {}
    for engine in ("local", "disk"):
        answer = voile("compare", str(table), *ROLES, *options, "--key-file", str(key), "--engine", engine, "--json")
        assert answer.code == 0, answer.err
        trials[engine] = answer.json["trials"]
    assert len(trials["disk"]) == 2
    for on_disk, in_memory in zip(trials["disk"], trials["local"], strict=True):
        for part in ("title", "kept", "groups"):
            assert on_disk[part] == in_memory[part]
        assert [item["worst"] for item in on_disk["reached"]] == [item["worst"] for item in in_memory["reached"]]
        losses = [item["value"] for item in in_memory["losses"]]
        assert [item["value"] for item in on_disk["losses"]] == pytest.approx(losses)


def test_a_spec_can_choose_the_engine(voile: Voile, table: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('[engine]\nengine = "disk"\nmemory = "2GiB"\n')
    answer = voile("publish", str(table), "--out", str(tmp_path / "out"), *ROLES, "--spec", str(spec))
    assert answer.code == 0, answer.err
    assert "pieces" in answer.out
    spec.write_text("[engine]\nmemory = 2\nmastr = 'x'\n")
    answer = voile("publish", str(table), "--out", str(tmp_path / "other"), *ROLES, "--spec", str(spec))
    assert answer.code == 2
    assert "master" in answer.err
    assert "must be a text" in answer.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "dsk"], "no engine 'dsk'"),
        (["--engine", "disk", "--memory", "lots"], "no size"),
        (["--engine", "local", "--memory", "2GiB"], "takes no memory"),
        (["--engine", "disk", "--master", "local[2]"], "takes no master"),
        (["--engine", "spark", "--scratch", "x"], "takes no scratch"),
    ],
)
def test_options_that_an_engine_does_not_take_are_refused(
    options: list[str], message: str, voile: Voile, table: Path, tmp_path: Path
) -> None:
    answer = voile("publish", str(table), "--out", str(tmp_path / "out"), *ROLES, *options)
    assert answer.code == 2
    assert message in answer.err
    assert not (tmp_path / "out").exists()


def test_the_engine_is_chosen_by_size(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(choose_engine(table, {}), InMemory)
    monkeypatch.setattr("voile.engines.selection._machine_memory", lambda: 1_000)
    assert isinstance(choose_engine(table, {}), Disk)
    assert isinstance(choose_engine(table, {"engine": "local"}), InMemory)
    assert isinstance(choose_engine("sqlite:///x.db", {}), InMemory)

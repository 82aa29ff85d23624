"""A new engine is a new file and nothing else: toy_engine.py reads, publishes and verifies what memory does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from calling import Voile
from published import KEY, digests, people, schema

import voile as vl
from voile.engines.base import Engine, registered_engines
from voile.engines.selection import choose_engine
from voile.plugins.registry import load_plugin
from voile.tables import partition_tree

TOY = Path(__file__).parent / "toy_engine.py"
ROLES = ["--quasi", "age,gender,education,marital-status", "--sensitive", "occupation", "--model", "k-anonymity:k=5"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 500)
    people().write_parquet(tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@pytest.fixture
def voile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Voile:
    return Voile(monkeypatch, capsys, tmp_path)


@pytest.fixture
def toy() -> type[Engine]:
    load_plugin(str(TOY))
    return registered_engines()["toy"]


@pytest.mark.parametrize(
    ("policy", "method"),
    [
        (vl.Policy(vl.KAnonymity(k=5)), vl.Mondrian()),
        (vl.Policy(vl.LDiversity(l=3)), vl.Anatomy()),
        (vl.Policy(vl.KAnonymity(k=5)), vl.FullDomain(suppression=0.05)),
    ],
    ids=lambda item: getattr(item, "name", ""),
)
def test_it_publishes_what_memory_publishes(
    policy: vl.Policy, method: Any, table: Path, toy: Any, tmp_path: Path
) -> None:
    engine = toy()
    here = vl.publish(vl.read(table, schema()), policy, method, key=KEY)
    there = vl.publish(vl.read(table, schema(), engine=engine), policy, method, key=KEY)
    assert digests(there) == digests(here)
    assert there.certificate == here.certificate
    there.save(tmp_path / "out")
    verdict = vl.verify(tmp_path / "out", engine=engine)
    assert verdict.holds
    assert (verdict.people, verdict.groups) == (here.people, here.groups)


def test_it_tells_of_its_work(table: Path, toy: Any) -> None:
    stages: list[tuple[str, int, int]] = []
    engine = toy(watch=lambda stage, done, parts: stages.append((stage, done, parts)))
    vl.read(table, schema(), engine=engine)
    assert stages == [("look", 7, 7)]


def test_the_command_line_and_a_spec_find_it(table: Path, voile: Voile, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(KEY.secret)
    spec = tmp_path / "spec.toml"
    spec.write_text('[engine]\nengine = "toy:chunk_rows=200"\n')
    shown = []
    for name, options in {
        "local": ["--engine", "local"],
        "toy": ["--plugin", str(TOY), "--engine", "toy"],
        "spec": ["--plugin", str(TOY), "--spec", str(spec)],
    }.items():
        out = tmp_path / name
        done = voile("publish", str(table), "--out", str(out), *ROLES, "--key-file", str(key), *options, "--json")
        assert done.code == 0, done.err
        shown.append(digests(vl.load(out)))
    assert shown[0] == shown[1] == shown[2]
    assert voile("verify", str(tmp_path / "toy"), "--plugin", str(TOY), "--engine", "toy").code == 0


def test_its_knobs_are_its_fields(table: Path, toy: Any, voile: Voile, tmp_path: Path) -> None:
    assert choose_engine(table, {"engine": "toy:chunk_rows=50"}) == toy(chunk_rows="50")
    assert choose_engine(table, {"chunk_rows": "50"}) == toy(chunk_rows="50")
    options = ["--plugin", str(TOY), "--engine", "toy", "--memory", "2GiB"]
    done = voile("publish", str(table), "--out", str(tmp_path / "out"), *ROLES, *options)
    assert done.code == 2
    assert "The engine toy takes no memory." in done.err

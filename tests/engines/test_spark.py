"""Faults on a cluster: what is lost is made again, what fails is named, and nothing is left half done."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cluster
import polars as pl
import pytest
from published import KEY, digests, people, schema

import voile as vl
from voile.engines.spark import session as sessions
from voile.errors import EngineError
from voile.tables import partition_tree

NO_SPARK = cluster.absent()
needs_spark = pytest.mark.skipif(NO_SPARK is not None, reason=NO_SPARK or "")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 700)
    people().write_parquet(tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@needs_spark
@pytest.mark.parametrize("after", ["group"])
def test_a_worker_dies_and_the_release_is_the_same(after: str, table: Path) -> None:
    policy, method = vl.LDiversity(l=3), Careful()
    here = vl.publish(vl.read(people(), schema()), policy, method, key=KEY)
    with cluster.cluster() as found:
        session = cluster.session(found.url)
        told: list[str] = []

        def watch(what: str, done: int, parts: int) -> None:
            told.append(what)
            if what == after and told.count(what) == 1:
                found.kill_worker(0)

        data = vl.read(table, schema(), engine=vl.Spark(session=session, watch=watch))
        there = vl.publish(data, policy, method, key=KEY)
        assert after in told
        assert digests(there) == digests(here)
        session.stop()


@dataclass(frozen=True)
class Careful(vl.Anatomy):
    """Anatomy in two stages, so that a worker can die between them. It has no name of its own: it is in no list."""


@dataclass(frozen=True)
class Clumsy(vl.Mondrian):
    """A method with a fault."""

    def group(self, columns: Any, rows: Any, policy: Any) -> Any:
        raise ZeroDivisionError("somebody's cell: 4711")


@pytest.fixture(autouse=True, scope="module")
def travelling() -> None:
    """What is defined here goes to the workers as it is: they cannot import a test."""
    if NO_SPARK is None:
        from pyspark import cloudpickle

        cloudpickle.register_pickle_by_value(sys.modules[__name__])


@needs_spark
def test_a_failure_is_named_without_a_cell(table: Path, tmp_path: Path) -> None:
    session = cluster.session("local[2]")
    data = vl.read(table, schema(), engine=vl.Spark(session=session))
    with pytest.raises(EngineError, match="ZeroDivisionError") as caught:
        vl.publish(data, vl.KAnonymity(k=5), Clumsy())
    assert "4711" not in str(caught.value)
    release = vl.publish(data, vl.KAnonymity(k=5), key=KEY)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    with pytest.raises(vl.errors.DataError, match="cannot be written"):
        release.save(blocked / "out")
    session.stop()


@needs_spark
def test_the_driver_is_killed_and_nothing_is_half_written(table: Path, tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import os, signal, sys
            sys.path.insert(0, {str(Path(cluster.__file__).parent)!r})
            import cluster, voile as vl
            from voile.tables import partition_tree
            from voile.releases.partitioned_tables import PartitionedTables
            from published import KEY, schema
            partition_tree.LARGEST_PART = 700
            session = cluster.session("local[2]")
            release = vl.publish(vl.read({str(table)!r}, schema(), engine=vl.Spark(session=session)),
                                 vl.LDiversity(l=3), vl.Anatomy(), key=KEY)
            write = PartitionedTables.write
            def half(self, name, folder, format):
                made = write(self, name, folder, format)
                os.kill(os.getpid(), signal.SIGKILL)
            PartitionedTables.write = half
            release.save({str(tmp_path / "out")!r})
            """
        )
    )
    done = subprocess.run([sys.executable, "-W", "ignore", str(script)], capture_output=True, timeout=600, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions.importlib.util, "find_spec", lambda name: None)  # type: ignore[attr-defined]
    with pytest.raises(EngineError, match="PySpark is not installed") as caught:
        sessions.start_session("local[2]")
    assert "voile[spark]" in str(caught.value)
    people = pl.DataFrame({"age": [1, 2]})
    people.write_parquet(tmp_path / "people.parquet")
    people.write_csv(tmp_path / "people.csv")
    for name in ("people.parquet", "people.csv"):
        with pytest.raises(EngineError, match="PySpark is not installed"):
            vl.read(tmp_path / name, vl.Schema(quasi=["age"]), engine=vl.Spark())
    monkeypatch.setattr(sessions.importlib.util, "find_spec", lambda name: object() if name == "pyspark" else None)  # type: ignore[attr-defined]
    with pytest.raises(EngineError, match="Spark Connect is not installed"):
        sessions.start_session("sc://127.0.0.1:1")
    monkeypatch.setattr(sessions.importlib.util, "find_spec", lambda name: object())  # type: ignore[attr-defined]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(EngineError, match="needs Java") as caught:
        sessions.start_session("local[2]")
    assert "apt-get" in str(caught.value)
    assert os.environ.get("JAVA_HOME") is None


def test_nobody_answers_by_connect() -> None:
    pytest.importorskip("grpc")
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        url = f"sc://127.0.0.1:{closed.getsockname()[1]}/;token=secret"
        with pytest.raises(EngineError, match=r"cannot be reached \(ConnectionRefusedError\)") as caught:
            sessions.start_session(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("org.apache.spark.SparkException: Job aborted\n ValueError: cell", "SparkException"),
        ("Traceback:\n  File x\nZeroDivisionError: 4711", "ZeroDivisionError"),
        ("nothing to see", "RuntimeError"),
    ],
)
def test_the_cause_of_a_failure(text: str, cause: str) -> None:
    assert sessions.name_cause(RuntimeError(text)) == cause

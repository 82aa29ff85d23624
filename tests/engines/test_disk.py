"""The disk engine: tables larger than memory, in files without a name, with one or two parts in memory at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import KEY, digests, people, schema

import voile as vl
from voile.engines import base, chunked_rows
from voile.errors import EngineError
from voile.tables import partition_tree
from voile.tables.part_protocol import PartsInMemory


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 500)
    monkeypatch.setattr(base, "CHUNK_ROWS", 600)


def double(part: Any, number: int, more: int) -> tuple[Any, int]:
    return [2 * item + more for item in part], number


def split_by_remainder(part: Any, number: int, homes: int) -> list[tuple[int, Any]]:
    return [(home, [item for item in part if item % homes == home]) for home in range(homes)]


def merge_sorted(fragments: Any, number: int) -> list[int]:
    return sorted(item for fragment in fragments for item in fragment)


def add(part: Any, number: int, more: int) -> Any:
    return [item + more for item in part]


def test_parts_on_disk_do_what_parts_in_memory_do() -> None:
    here = PartsInMemory([[1, 2, 3], [4, 5], []], [])
    there = vl.Disk().list_parts([[1, 2, 3], [4, 5], []], list)
    for parts in (here, there):
        made: Any = parts.map("double", double, 1)
        assert list(made) == [[3, 5, 7], [9, 11], []]
        assert made.summaries == [0, 1, 2]
        assert list(made.map_lazily(add, 10)) == [[13, 15, 17], [19, 21], []]
        assert made.map_lazily(add, 10).summaries == [0, 1, 2]
        assert list(made.repartition("deal", split_by_remainder, merge_sorted, 3, 3)) == [[3, 9], [7], [5, 11]]
        assert len(made.repartition("deal", split_by_remainder, merge_sorted, 3, 3)) == 3


def test_too_many_combinations_are_refused_before_they_are_collected(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    monkeypatch.setattr(vl.Disk, "row_limit", lambda self, columns: 300)
    data = vl.read(tmp_path / "people.parquet", schema(), engine=vl.Disk())
    with pytest.raises(EngineError, match="more than the 600") as caught:
        vl.publish(data, vl.KAnonymity(k=5), vl.FullDomain())
    assert "part by part" in str(caught.value)
    # part by part they fit
    assert vl.verify(vl.publish(data, vl.KAnonymity(k=5))).holds


def test_equal_rows_of_many_chunks_are_counted_once(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    frame = pl.concat([people().head(300)] * 8)
    frame.write_parquet(tmp_path / "people.parquet")
    monkeypatch.setattr(vl.Disk, "row_limit", lambda self, columns: 200)
    data = vl.read(tmp_path / "people.parquet", schema(), engine=vl.Disk())
    there, here = data.rows.collect(), vl.read(frame, schema()).rows.collect()
    assert np.array_equal(there.codes, here.codes)  # type: ignore[attr-defined]
    assert np.array_equal(there.weights, here.weights)  # type: ignore[attr-defined]


def test_wide_counts_are_summed_in_place(small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    data = vl.read(tmp_path / "people.parquet", schema(), engine=vl.Disk())
    plain = digests(vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=KEY))
    monkeypatch.setattr(chunked_rows, "WIDE", 0)
    assert digests(vl.publish(data, vl.LDiversity(l=3), vl.Anatomy(), key=KEY)) == plain


def test_progress_is_reported_part_by_part(small: None, tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    told: list[tuple[str, int, int]] = []
    engine = vl.Disk(watch=lambda what, done, parts: told.append((what, done, parts)))
    vl.publish(vl.read(tmp_path / "people.parquet", schema(), engine=engine), vl.KAnonymity(k=5))
    shown = [(done, parts) for what, done, parts in told if what == "show"]
    assert shown == [(done, shown[0][1]) for done in range(shown[0][1] + 1)]
    assert shown[0][1] > 3


def test_no_temporary_file_survives_a_kill(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    script = textwrap.dedent(
        f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parents[1] / "helpers")!r})
        import voile as vl
        from published import schema
        from voile.tables import partition_tree
        partition_tree.LARGEST_PART = 500
        def watch(what, done, parts):
            if what == "show" and done == 2:
                os.kill(os.getpid(), signal.SIGKILL)
        engine = vl.Disk(scratch={str(scratch)!r}, watch=watch)
        data = vl.read({str(tmp_path / "people.csv")!r}, schema(), engine=engine)
        vl.publish(data, vl.KAnonymity(k=5)).save({str(tmp_path / "out")!r})
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=600, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "out").exists()


def test_temporary_files_that_cannot_be_made(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    with pytest.raises(EngineError, match="temporary file"):
        vl.read(tmp_path / "people.parquet", schema(), engine=vl.Disk(scratch=str(tmp_path / "nowhere")))


def test_a_csv_is_read_as_in_memory(small: None, tmp_path: Path) -> None:
    lines = ["\ufeffage ; zip;when;ok;score;note;disease"]
    for number in range(1500):
        note = '"a; b"' if number % 3 else "?"
        row = [20 + number % 50, f"0{number % 7}", f"2025-0{1 + number % 9}-11", "true" if number % 2 else "false"]
        lines.append(";".join(map(str, [*row, number % 10 / 4, note, " flu " if number % 5 else "cold"])))
    path = tmp_path / "messy.csv"
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
    wanted = vl.Schema(quasi=["age", "zip", "when", "ok", "score", "note"], sensitive=["disease"], missing="value")
    here = vl.read(path, wanted, null_values=["?"])
    there = vl.read(path, wanted, null_values=["?"], engine=vl.Disk())
    assert there.columns.quasi[1].domain.values.to_list() == here.columns.quasi[1].domain.values.to_list()
    for one, other in zip(here.columns, there.columns, strict=True):
        assert one.domain.labels == other.domain.labels
        assert one.kind == other.kind
    assert digests(vl.publish(there, vl.KAnonymity(k=3), key=KEY)) == digests(
        vl.publish(here, vl.KAnonymity(k=3), key=KEY)
    )


def test_sources_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="Disk does not read DataFrame"):
        vl.read(people(), schema(), engine=vl.Disk())
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(vl.errors.DataError, match="not a complete Parquet"):
        vl.read(tmp_path / "broken.parquet", schema(), engine=vl.Disk())


def test_a_faulty_csv_is_not_called_an_arrow_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('age,disease\n30,"flu"x"\n31,cold\n')
    with pytest.raises(vl.errors.DataError, match=r"Line 2 of 'people.csv'") as caught:
        vl.read(path, vl.Schema(quasi=["age"], sensitive=["disease"]), engine=vl.Disk())
    assert "Arrow" not in str(caught.value)


def test_the_copy_of_a_faulty_table_is_closed_with_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tempfile.TemporaryFile()  # noqa: SIM115 - closing it is what is tested
    monkeypatch.setattr(vl.Disk, "open_file", lambda engine: made)
    table = pl.LazyFrame({"age": ["1", "x"]}).select(pl.col("age").cast(pl.Int64))
    with pytest.raises(pl.exceptions.InvalidOperationError):
        vl.Disk().copy(table)
    assert made.closed

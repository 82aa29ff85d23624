"""A file of a few bytes that claims very many rows is refused before memory is taken for them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import voile as vl
from voile.errors import DataError, EngineError
from voile.io import size_limits

SCHEMA = vl.Schema(quasi=["age"], sensitive=["disease"])


def write_claim(path: Path, rows: int = 20_000_000, times: int = 8) -> None:
    """Write 160 million equal rows in a few kilobytes."""
    codes = pa.array(np.zeros(rows, np.int8))
    ages, diseases = pa.array(["30"]), pa.array(["flu"])
    columns = [pa.DictionaryArray.from_arrays(codes, values) for values in (ages, diseases)]
    table = pa.table(columns, names=["age", "disease"])
    options = {"compression": "zstd", "write_statistics": False, "store_schema": False}
    with pq.ParquetWriter(path, table.schema, max_rows_per_page=rows, **options) as writer:
        for _ in range(times):
            writer.write_table(table, row_group_size=rows)


@pytest.fixture(scope="module")
def claim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("claim") / "t.parquet"
    write_claim(path)
    assert path.stat().st_size < 20_000
    return path


@pytest.mark.parametrize("engine", [None, vl.Disk()])
def test_an_input_that_claims_very_many_rows(claim: Path, engine: vl.Disk | None) -> None:
    with pytest.raises(DataError, match="claims 160,000,000 rows"):
        vl.read(claim, SCHEMA, engine=engine)


@pytest.mark.parametrize("engine", [None, vl.Disk()])
def test_a_release_that_claims_very_many_rows(claim: Path, tmp_path: Path, engine: vl.Disk | None) -> None:
    from forging.forgery import Forgery

    frame = pl.DataFrame({"age": ["30"] * 6, "disease": ["flu"] * 6})
    vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=2)).save(tmp_path / "honest")
    forgery = Forgery(tmp_path / "honest")
    forgery.add("table.parquet", claim.read_bytes())
    forgery.write(tmp_path / "forged")
    verdict = vl.verify(tmp_path / "forged", engine=engine)
    assert verdict.broken
    assert "claims 160,000,000 rows" in str(verdict)


def test_a_table_that_does_not_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"age": [str(number % 7) for number in range(1_000)], "disease": ["flu"] * 1_000})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    frame.write_ipc_stream(tmp_path / "t.arrows")
    release = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=2)).save(tmp_path / "out")
    monkeypatch.setattr(size_limits, "find_free_memory", lambda: 20_000)
    for name in ("t.parquet", "t.arrow", "t.arrows"):
        with pytest.raises(EngineError, match="of memory"):
            vl.read(tmp_path / name, SCHEMA)
    with pytest.raises(EngineError, match="of memory"):
        vl.verify(release)
    monkeypatch.undo()
    assert vl.verify(release).holds
    shutil.rmtree(release)


def test_free_memory_is_known() -> None:
    assert 1 << 20 < size_limits.find_free_memory() < 1 << 62

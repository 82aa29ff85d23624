"""Compressed buffers of Arrow files are measured, and refused, before memory is taken for them."""

from __future__ import annotations

import struct
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

import voile as vl
from voile.errors import DataError, EngineError
from voile.io import size_limits
from voile.io.arrow.batch_sizes import measure_batches

SCHEMA = vl.Schema(quasi=["age"], sensitive=["disease"])
FRAMES = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")  # the first bytes of Zstandard and LZ4
ENGINES = [None, vl.Disk()]


def write_table(path: Path, table: pa.Table, codec: str | None, **options: object) -> Path:
    new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
    with new(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec, **options)) as writer:
        writer.write_table(table, max_chunksize=400)
    return path


def write_texts(path: Path, codec: str | None, length: int = 20, rows: int = 1_000) -> Path:
    texts = [str(number % 7) * length for number in range(rows)]
    return write_table(path, pa.table({"age": [str(number % 5) for number in range(rows)], "disease": texts}), codec)


def claim_lengths(path: Path, length: int) -> None:
    """Let every compressed buffer say that it will be so long."""
    content = bytearray(path.read_bytes())
    places = [place for place in range(8, len(content)) if content[place : place + 4] in FRAMES]
    assert places
    for place in places:
        content[place - 8 : place] = struct.pack("<q", length)
    path.write_bytes(content)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("codec", ["zstd", "lz4"])
@pytest.mark.parametrize("name", ["t.arrow", "t.arrows", "t.feather"])
def test_buffers_that_claim_gigabytes(tmp_path: Path, name: str, codec: str, engine: vl.Disk | None) -> None:
    path = write_texts(tmp_path / name, codec)
    vl.read(path, SCHEMA, engine=engine)
    claim_lengths(path, 1 << 31)
    with pytest.raises(DataError, match="its columns claim"):
        vl.read(path, SCHEMA, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["t.arrow", "t.arrows"])
@pytest.mark.parametrize("length", [3, -2, -(1 << 63)])
def test_buffers_that_claim_less_than_they_hold(tmp_path: Path, name: str, length: int, engine: vl.Disk | None) -> None:
    path = write_texts(tmp_path / name, "zstd")
    claim_lengths(path, length)
    with pytest.raises(DataError):
        vl.read(path, SCHEMA, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_of_half_a_gigabyte(tmp_path: Path, engine: vl.Disk | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_limits, "_ALWAYS_BYTES", 1 << 20)
    path = write_texts(tmp_path / "t.arrow", "lz4", length=1 << 21, rows=2)
    with pytest.raises(DataError, match="bytes of text in 2 rows"):
        vl.read(path, SCHEMA, engine=engine)


def test_texts_count_for_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_texts(tmp_path / "t.arrow", "zstd", length=1_000)
    monkeypatch.setattr(size_limits, "find_free_memory", lambda: 700_000)
    with pytest.raises(EngineError, match="of memory"):
        vl.read(path, SCHEMA)
    vl.read(path, SCHEMA, engine=vl.Disk())  # each batch fits


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
@pytest.mark.parametrize("suffix", [".arrow", ".arrows"])
def test_sizes_are_those_of_the_batches(tmp_path: Path, suffix: str, codec: str | None) -> None:
    texts = pa.array(["flu", "HIV", None, "cold"] * 250)
    table = pa.table({"a": texts, "b": texts.dictionary_encode(), "c": pa.array([[1, 2]] * 1_000), "d": range(1_000)})
    for options in ({}, {"use_legacy_format": True}):
        path = write_table(tmp_path / f"t{suffix}", table, codec, **options)
        sizes = measure_batches(path)
        assert [size.rows for size in sizes if size.rows] == [400, 400, 200]
        assert 0.8 * table.nbytes < sum(size.column_bytes for size in sizes) < 1.5 * table.nbytes
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    write = frame.write_ipc if suffix == ".arrow" else frame.write_ipc_stream
    write(path, compression=codec or "uncompressed")  # type: ignore[call-arg]
    assert sum(size.rows for size in measure_batches(path)) == 1_000


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    for name in ("t.arrow", "t.arrows"):
        path = write_texts(tmp_path / name, "zstd")
        content = path.read_bytes()
        for place in range(0, len(content), 41):
            changed = bytearray(content)
            changed[place] ^= 0xFF
            path.write_bytes(changed)
            try:
                measure_batches(path)
            except ValueError:
                continue
        path.write_bytes(content[: len(content) // 2])
        with pytest.raises(ValueError, match="it "):
            measure_batches(path)

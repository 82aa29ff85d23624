"""Every byte of a Parquet file is accounted for: whatever is changed or added is refused, or changes a cell."""

from __future__ import annotations

import datetime
import io
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from voile.io.parquet.pages import check_bytes, decompress
from voile.io.parquet.reading import read_parquet
from voile.io.parquet.writing import split_rows, write_parquet

DAY = datetime.datetime(2025, 12, 31, 12)
FRAME = pl.DataFrame(
    {
        "text": ["a", None, "bcd", "*"] * 40,
        "label": pl.Series(["x", "y", "y", "x"] * 40, dtype=pl.Enum(["z", "y", "x"])),
        "whole": range(160),
        "short": pl.Series([1, -2, None, 3] * 40, dtype=pl.Int8),
        "unsigned": pl.Series([1, 2, 3, 2**63] * 40, dtype=pl.UInt64),
        "real": [0.5, None, 1e300, -1.0] * 40,
        "narrow": pl.Series([0.5, 1.5, 2.5, None] * 40, dtype=pl.Float32),
        "truth": [True, False, None, True] * 40,
        "day": [DAY.date()] * 160,
        "moment": [DAY] * 160,
        "zoned": pl.Series([DAY] * 160, dtype=pl.Datetime("ms", "UTC")),
        "time": [DAY.time()] * 160,
        "nothing": pl.Series([None] * 160, dtype=pl.String),
    }
)
HONEST = {"compression": "zstd", "write_statistics": False, "store_schema": False}


def write(frame: pl.DataFrame) -> bytes:
    sink = io.BytesIO()
    write_parquet(sink, split_rows(frame))
    return sink.getvalue()


def write_otherwise(**options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["x", "y", None] * 9, "b": [1.5, 2.5, None] * 9}), sink, **{**HONEST, **options})
    return sink.getvalue()


def test_what_is_written_is_read() -> None:
    texts = FRAME.with_columns(pl.col(pl.Enum).cast(pl.String))
    assert read_parquet(write(FRAME)).with_columns(pl.col(pl.Enum).cast(pl.String)).equals(texts)
    assert read_parquet(write(FRAME.clear())).height == 0


def test_long_columns_and_long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voile.io.parquet.writing.ROW_GROUP", 20_000)
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "sorted": np.sort(rng.integers(0, 3_000, 50_000)),
            "unique": [f"person {number} {'x' * (number % 50)}" for number in range(50_000)],
            "real": rng.normal(size=50_000),
            "truth": rng.random(50_000) < 0.3,
        }
    )
    content = write(frame)
    assert len(check_bytes(content).row_groups) == 3
    assert read_parquet(content).with_columns(pl.col("unique").cast(pl.String)).equals(frame)


def test_a_category_that_no_row_has_is_not_written() -> None:
    column = pq.read_table(pa.BufferReader(write(FRAME.select("label"))), read_dictionary=["label"]).column(0)
    assert column.chunk(0).dictionary.to_pylist() == ["y", "x"]


def test_a_changed_bit_is_refused_or_changes_a_cell_or_an_encoding() -> None:
    """What stays are choices without content: how a number of a frame is written, and the version of the writer."""
    frame = FRAME.select("text", "label", "whole", "truth", "day")
    content, honest = write(frame), read_parquet(write(frame))
    unseen = 0
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        try:
            unseen += read_parquet(bytes(changed)).equals(honest)
        except Exception:
            continue
    assert unseen < len(content) // 50


@pytest.mark.parametrize(
    "options",
    [
        {"write_statistics": True},
        {"store_schema": True},
        {"write_page_index": True},
        {"write_page_checksum": True},
        {"data_page_version": "2.0"},
        {"compression": "snappy"},
        {"compression": "none"},
        {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}},
    ],
)
def test_what_voile_does_not_write_is_refused(options: dict[str, Any]) -> None:
    check_bytes(write_otherwise())
    with pytest.raises(ValueError, match=r"^(it|its|a|another|bytes) "):
        check_bytes(write_otherwise(**options))


@pytest.mark.parametrize("place", ["start", "before the footer", "between pages", "end"])
def test_a_message_between_the_parts_is_refused(place: str) -> None:
    content, note = write_otherwise(), b"Bob Smith has HIV"
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    second = content.index(b"\x28\xb5\x2f\xfd", 40)
    at = {"start": 4, "before the footer": footer, "between pages": second, "end": len(content)}[place]
    with pytest.raises(ValueError, match=r"^(it|its|a|another|bytes) "):
        check_bytes(content[:at] + note + content[at:])


def test_a_frame_of_zstandard_that_libraries_pass_over() -> None:
    page = pa.compress(b"cells" * 9, codec="zstd", asbytes=True)
    note = b"\x50\x2a\x4d\x18" + (17).to_bytes(4, "little") + b"Bob Smith has HIV"
    assert decompress(page, 45).tobytes() == b"cells" * 9
    for content in (page + note, note + page, page + page):
        with pytest.raises(ValueError, match="compressed in the usual way"):
            decompress(content, 45)


def test_texts_that_are_not_utf8_are_refused() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["Bern", "Lyon"]}), sink, use_dictionary=False, **{**HONEST, "compression_level": 1})
    column = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\4\0\0\0"), pa.py_buffer(b"B\xe9rn")])
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": column}), sink, **HONEST)
    with pytest.raises((ValueError, pa.ArrowInvalid)):
        read_parquet(sink.getvalue())

"""Files of every kind: what exists, what is complete, and Parquet and Arrow."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from sample_files import FRAME, SCHEMA, write_file

import voile as vl
from voile.errors import DataError
from voile.io import table_files


def test_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'none.csv' does not exist"):
        vl.read(tmp_path / "none.csv", SCHEMA)
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        vl.read(str(tmp_path / "d.csv"), SCHEMA)
    with pytest.raises(DataError, match="no known file extension") as error:
        vl.read(write_file(tmp_path, "a\n", "t.docx"), SCHEMA)
    assert ".parquet" in error.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = write_file(tmp_path, "age,zip,disease\n1,2,3\n")
    path.chmod(0)
    with pytest.raises(DataError, match="Permission denied"):
        vl.read(path, SCHEMA)


def write(frame: pl.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.name.startswith("stream"):
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)
    return path


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ipc", "t.feather", "stream.arrow", "stream.arrows"])
def test_columnar_files(tmp_path: Path, name: str) -> None:
    path = write(FRAME, tmp_path / name)
    names: list[str] = []
    table_files.read_file(path, ["zip"], check=names.extend)
    assert names == FRAME.columns
    assert table_files.read_file(path).rows() == FRAME.rows()
    assert table_files.read_file(path, ["zip"]).columns == ["zip"]
    assert vl.read(path, SCHEMA).rows.total == 3


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "stream.arrow"])
def test_truncated_columnar_files(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame({"age": range(500), "zip": [f"{n:05}" for n in range(500)], "disease": ["flu", "HIV"] * 250})
    whole = write(frame, tmp_path / name).read_bytes()
    for size in (1, 7, 11, len(whole) // 3, len(whole) // 2, len(whole) - 9):
        (tmp_path / name).write_bytes(whole[:size])
        with pytest.raises(DataError, match="is not a complete"):
            vl.read(tmp_path / name, SCHEMA)
    (tmp_path / name).write_bytes(b"age,zip\n1,2\n")
    with pytest.raises(DataError, match="it is text data"):
        table_files.read_file(tmp_path / name)


def test_types_of_parquet_are_kept(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": pl.Series([1], dtype=pl.Int8), "b": pl.Series(["x"], dtype=pl.Enum(["x", "y"]))})
    frame.write_parquet(tmp_path / "t.parquet")
    assert table_files.read_file(tmp_path / "t.parquet").dtypes == frame.dtypes

"""A CSV, or a file of Stata or SPSS, on Spark: the same cells as on disk, and the same refusals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cluster
import polars as pl
import pytest
from sample_files import write_file

import voile as vl
from voile.engines.base import Engine, Source
from voile.errors import DataError, EngineError
from voile.io import csv_byte_scan

ACCEPTED = [
    b'\xef\xbb\xbf"p",q\r\n1,"l\r\nm"\r\n" 2 ",b\n\r\n#3,"say ""hi"""\n',
    'p;q\n05;é\n6;"x;\n\ny"\n7;\u00a0\\\n'.encode(),
    "p;q\n31.12.1980;1.234,50 €\n01.02.1975;12 €\n03.04.1990;3,5 €\n".encode(
        "cp1252"
    ),  # converted by all chunks together
]
NO_SPARK = cluster.absent()


def read_all(engine: Engine, path: Path, encoding: str = "auto") -> pl.DataFrame:
    schema = vl.Schema(quasi=["p"], sensitive=["q"])
    return pl.concat(engine.read(Source(path, encoding=encoding), schema).map("look", _take_frame))


def read_ages(engine: Engine, path: Path) -> list[tuple[int, float]]:
    prepared = vl.prepare(path, ages={"p": "2026-01-01"}, engine=engine)
    data = vl.read(prepared, vl.Schema(quasi=["p_age"], sensitive=["q"]), engine=engine)
    table = data.rows.histogram(["p_age", "q"])
    columns = [data.columns[name].domain.decode(table.codes[:, j]) for j, name in enumerate(("p_age", "q"))]
    return list(zip(*(column.to_list() for column in columns), strict=True))


def write_statistics(folder: Path) -> list[Path]:
    """Write a table with labels as Stata and SPSS do; nothing if their reader is missing."""
    try:
        import pandas as pd
        import pyreadstat
    except ImportError:
        return []
    frame = pd.DataFrame({"p": [1.0, 2.0, 1.0], "q": [10115.0, 50667.0, None]})
    texts: dict[str, Any] = {
        "variable_value_labels": {"p": {1: "male", 2: "female"}},
        "column_labels": ["", "Postcode"],
    }
    pyreadstat.write_dta(frame, str(folder / "t.dta"), **texts)
    pyreadstat.write_sav(frame, str(folder / "t.sav"), **texts)
    return [folder / "t.dta", folder / "t.sav"]


def _take_frame(frame: pl.DataFrame, number: int) -> tuple[pl.DataFrame, None]:
    return frame, None


@pytest.mark.skipif(NO_SPARK is not None, reason=NO_SPARK or "")
def test_spark_reads_a_csv_as_disk_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_byte_scan, "RANGE", 8)
    monkeypatch.setattr(csv_byte_scan, "BLOCK", 8)
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test
    session = cluster.session("local[1]")
    spark = vl.Spark(session=session)
    for content in ACCEPTED:
        path = write_file(tmp_path, content)
        assert read_all(spark, path).equals(read_all(vl.Disk(), path))
    assert read_all(spark, path).dtypes == [pl.Date, pl.Float64]
    assert read_ages(spark, path) == read_ages(vl.Disk(), path) == [(35, 3.5), (45, 1234.5), (50, 12.0)]
    path = write_file(tmp_path, ACCEPTED[1].decode().encode("utf-16"))
    assert read_all(spark, path, "utf-16").equals(read_all(vl.Disk(), path, "utf-16"))
    for path in write_statistics(tmp_path):
        assert read_all(spark, path).equals(read_all(vl.Disk(), path))
        assert read_all(spark, path).rows() == [("male", "10115"), ("female", "50667"), ("male", None)]
    session.stop()


def test_spark_refuses_what_memory_refuses(tmp_path: Path) -> None:
    path = write_file(tmp_path, "p,q\n1,flu\rBob,HIV\n")
    with pytest.raises(DataError, match=r"Line 2 of 't.csv' has a carriage return"):
        vl.Spark().read(Source(path), vl.Schema(quasi=["p"], sensitive=["q"]))
    with pytest.raises(EngineError, match="cannot check its lines"):
        vl.Spark().read(Source("hdfs://host/t.csv"), vl.Schema(quasi=["p"], sensitive=["q"]))

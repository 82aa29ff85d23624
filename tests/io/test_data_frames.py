"""Tables of polars, pandas and Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sample_files import FRAME, SCHEMA

import voile as vl
from voile.errors import DataError


@pytest.mark.parametrize(
    "table",
    [
        FRAME,
        FRAME.lazy(),
        FRAME.to_pandas(),
        FRAME.to_arrow(),
        FRAME.to_arrow().to_batches()[0],
    ],
    ids=["polars", "lazy", "pandas", "arrow", "batch"],
)
def test_frames(table: Any) -> None:
    data = vl.read(table, SCHEMA)
    assert data.rows.total == 3
    assert data.columns["zip"].domain.labels == ["01234", "13001", "83000"]
    assert data.columns["age"].kind == "numeric"


def test_a_pandas_index_is_no_data() -> None:
    frame = pl.DataFrame({"age": range(40), "zip": [f"{n % 8:05}" for n in range(40)], "disease": ["flu", "HIV"] * 20})
    plain = frame.to_pandas()
    shuffled = plain.sample(frac=1, random_state=4)
    filtered = pd.concat([plain, plain]).iloc[:40]
    labelled = plain.set_index(pd.Index(np.arange(40)[::-1] // 2, name="age_"))
    key = vl.Key(bytes(32))
    wanted = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=4), key=key).tables["table"]
    for table in (plain, shuffled, filtered, labelled):
        release = vl.publish(vl.read(table, SCHEMA), vl.KAnonymity(k=4), key=key)
        assert release.tables["table"].equals(wanted)
    half = plain[plain["age"] % 2 == 0]
    assert vl.read(half, SCHEMA).rows.total == 20


def test_an_ordered_pandas_categorical_keeps_its_order() -> None:
    table = pd.DataFrame({"size": pd.Categorical(["S", "L", "M"], categories=["S", "M", "L"], ordered=True)})
    data = vl.read(table, vl.Schema(quasi=["size"], kinds={"size": "ordered"}))
    assert data.columns["size"].domain.labels == ["S", "M", "L"]


def test_pandas_columns_that_cannot_be_read_are_named() -> None:
    mixed = pd.DataFrame({"age": [1, "SECRET", 2.5], "zip": ["a", "b", "c"], "disease": ["x", "y", "z"]})
    with pytest.raises(DataError, match="Column 'age' of the pandas table") as error:
        vl.read(mixed, SCHEMA)
    assert "SECRET" not in str(error.value)
    assert vl.read(mixed, vl.Schema(quasi=["zip"], sensitive=["disease"])).rows.total == 3
    twice = pd.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(DataError, match="names twice: 'age'"):
        vl.read(twice, SCHEMA)
    numbered = pd.DataFrame({0: [1, 2], "zip": ["a", "b"]})
    assert vl.read(numbered, vl.Schema(quasi=["0", "zip"])).rows.total == 2


def test_a_lazy_frame_that_fails_says_no_cell() -> None:
    lazy = FRAME.lazy().with_columns(pl.col("disease").cast(pl.Int64))
    with pytest.raises(DataError, match="polars table cannot be read") as error:
        vl.read(lazy, SCHEMA)
    assert "HIV" not in str(error.value)


@pytest.mark.parametrize("thing", [None, 5, {"age": [1]}, [1], FRAME["age"], pd.Series([1]), pa.array([1])])
def test_things_that_are_no_table(thing: Any) -> None:
    with pytest.raises(DataError, match="cannot be read") as error:
        vl.read(thing, SCHEMA)
    assert error.value.code == "data.source"

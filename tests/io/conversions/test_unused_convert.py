"""A reading that is asked for has an effect, or is refused with what to do."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SpecError

TABLE = pl.DataFrame({"born": ["01.02.1950", "13.02.1960"], "sex": ["m", "f"]})
DAY_FIRST = {"born": "day-first"}
SCHEMA = vl.Schema(quasi=["born", "sex"])


def test_tables_with_types_refuse_readings(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    TABLE.write_parquet(path)
    prepared = vl.prepare(TABLE)
    for table in (TABLE, TABLE.to_pandas(), TABLE.to_arrow(), path, prepared):
        with pytest.raises(SpecError, match=r"convert=... has no effect here") as error:
            vl.read(table, SCHEMA, convert=DAY_FIRST)
        assert error.value.code == "spec.unused-option"
        with pytest.raises(SpecError, match=r"convert=... has no effect here"):
            vl.inspect(table, convert=DAY_FIRST)
    with pytest.raises(SpecError, match=r"convert=... has no effect here"):
        vl.prepare(TABLE, ages={"born": "2026-01-01"}, convert=DAY_FIRST)
    with pytest.raises(SpecError, match="has no effect here"):
        vl.read(path, SCHEMA, engine=vl.Disk(), convert=DAY_FIRST)


def test_the_advice_on_texts_that_should_be_dates_works(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no dates") as error:
        vl.prepare(TABLE, ages={"born": "2026-01-01"})
    assert "In any other table, convert the column to dates." in error.value.hint
    dated = TABLE.with_columns(pl.col("born").str.to_date("%d.%m.%Y"))
    assert vl.prepare(dated, ages={"born": "2026-01-01"}).frame["born_age"].to_list() == [75, 65]
    path = tmp_path / "t.csv"
    TABLE.write_csv(path)
    prepared = vl.prepare(path, ages={"born": "2026-01-01"}, convert=DAY_FIRST)
    assert prepared.frame["born_age"].to_list() == [75, 65]


def test_a_mistyped_part_of_a_schema_is_named() -> None:
    with pytest.raises(SpecError, match="no part 'sensitve'") as error:
        vl.inspect(TABLE, {"sensitve": ["sex"]})
    assert error.value.hint == "Did you mean 'sensitive'?"

"""Releases: types that survive, estimates, and what a release says of itself."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import even_count

import voile as vl
from voile.errors import BrokenPromise, DataError, SchemaError, SpecError
from voile.releases.cells.cell_parsing import read_dtype
from voile.releases.cells.column_types import is_text
from voile.releases.release import Release, find_shape

KEY = vl.Key(bytes(range(32)))
NOON = datetime.datetime(2025, 3, 1, 12)
ROWS = 120

TYPES: dict[str, pl.Series] = {
    "int8": pl.Series([-128, 0, 127, 5] * 30, dtype=pl.Int8),
    "int16": pl.Series([-300, 0, 300, 5] * 30, dtype=pl.Int16),
    "int32": pl.Series([-70_000, 0, 70_000, 5] * 30, dtype=pl.Int32),
    "int64": pl.Series([-(2**62), 0, 2**62, 5] * 30, dtype=pl.Int64),
    "uint8": pl.Series([255, 0, 1, 5] * 30, dtype=pl.UInt8),
    "uint16": pl.Series([65_535, 0, 1, 5] * 30, dtype=pl.UInt16),
    "uint32": pl.Series([2**32 - 1, 0, 1, 5] * 30, dtype=pl.UInt32),
    "uint64": pl.Series([2**64 - 1, 0, 1, 5] * 30, dtype=pl.UInt64),
    "float32": pl.Series([0.1, -2.5, 1e30, 5] * 30, dtype=pl.Float32),
    "float64": pl.Series([0.1, -2.5, 1e300, 5] * 30, dtype=pl.Float64),
    "boolean": pl.Series([True, False, True, False] * 30),
    "date": pl.Series([NOON.date() + datetime.timedelta(n) for n in range(4)] * 30),
    "datetime": pl.Series([NOON + datetime.timedelta(microseconds=n) for n in range(4)] * 30),
    "time": pl.Series([datetime.time(8, n, 0, n) for n in range(4)] * 30),
    "string": pl.Series(["x", "", "01", "ü"] * 30),
    "enum": pl.Series(["lo", "mid", "hi", "lo"] * 30, dtype=pl.Enum(["lo", "mid", "hi"])),
}


def wide(missing: bool) -> pl.DataFrame:
    frame = pl.DataFrame({**TYPES, "s": pl.Series(["flu", "HIV", "cold", "gout"] * 30)})
    if missing:
        hole = pl.int_range(pl.len()) % 4 == 1
        frame = frame.with_columns(pl.when(hole).then(None).otherwise(pl.col(name)).alias(name) for name in TYPES)
    return frame


def in_order(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    return sorted(frame.rows(), key=repr)


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()])
@pytest.mark.parametrize("missing", [False, True])
def test_types_of_untouched_columns_survive(tmp_path: Path, method: Any, missing: bool) -> None:
    """Equal quasi-identifiers are one group, so nothing is generalized; other columns are never touched."""
    frame = wide(missing)
    quasi = ["int8", "boolean", "date", "string", "enum", "float32"]
    other = [name for name in TYPES if name not in quasi]
    schema = vl.Schema(quasi=quasi, sensitive=["s"], other=other, missing="value")
    model = vl.LDiversity(l=2) if isinstance(method, vl.Anatomy) else vl.KAnonymity(k=30)
    release = vl.publish(vl.read(frame, schema), model, method, key=KEY)
    release.save(tmp_path / "out")
    loaded = vl.load(tmp_path / "out")
    table = loaded.tables["quasi" if isinstance(method, vl.Anatomy) else "table"]
    for name in TYPES:
        if is_text(frame.schema[name]):  # categories are texts to whoever reads a file
            assert is_text(table.schema[name])
            continue
        assert table.schema[name] == frame.schema[name], name
    names = [*quasi, *other]
    assert in_order(table.select(names)) == in_order(frame.select(names))


@pytest.mark.parametrize("name", TYPES)
def test_types_survive_in_csv_as_far_as_the_dictionary_tells(tmp_path: Path, name: str) -> None:
    schema = vl.Schema(quasi=[name], sensitive=["s"], missing="value")
    release = vl.publish(vl.read(wide(True), schema), vl.LDiversity(l=2), vl.Anatomy(), key=KEY)
    loaded = vl.load(release.save(tmp_path / "out", format="csv"))
    wanted = pl.String() if name == "enum" else TYPES[name].dtype
    assert loaded.tables["quasi"].schema[name] == wanted
    assert loaded.tables["quasi"][name].to_list() == release.tables["quasi"][name].to_list()


# estimates ----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, ROWS),
            "pay": rng.normal(3000, 500, ROWS).round(2),
            "born": [NOON.date() - datetime.timedelta(int(n)) for n in rng.integers(0, 4000, ROWS)],
            "at": [NOON - datetime.timedelta(hours=int(n)) for n in rng.integers(0, 4000, ROWS)],
            "sex": rng.choice(["F", "M"], ROWS),
            "vip": rng.integers(0, 2, ROWS).astype(bool),
            "disease": rng.choice(["flu", "HIV", "cold", "gout"], ROWS),
        }
    )


@pytest.fixture(scope="module")
def schema() -> vl.Schema:
    return vl.Schema(quasi=["age", "pay", "born", "at", "sex", "vip"], sensitive=["disease"])


QUERIES: list[dict[str, Any]] = [
    {},
    {"age": 30},
    {"age": (30, 39)},
    {"age": (30.5, None)},
    {"age": range(30, 40)},
    {"pay": (2500, 3000.5)},
    {"born": ("2020-01-01", "2022-12-31")},
    {"born": (datetime.date(2020, 1, 1), None)},
    {"at": (NOON - datetime.timedelta(60), NOON)},
    {"at": ("2024-12-01", None)},
    {"sex": "F"},
    {"sex": ["F", "M"]},
    {"sex": "X"},
    {"vip": True},
    {"disease": ["HIV", "flu"]},
    {"age": (30, 49), "sex": "F", "disease": "flu", "vip": False},
]


def truth(frame: pl.DataFrame, query: dict[str, Any]) -> int:
    """Counted by hand, row by row."""
    return sum(all(satisfies(row[name], wanted) for name, wanted in query.items()) for row in frame.to_dicts())


def satisfies(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        low, high = (type(value).fromisoformat(end) if isinstance(end, str) else end for end in wanted)
        return (low is None or value >= low) and (high is None or value <= high)
    return value in (wanted if isinstance(wanted, (list, range)) else [wanted])


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_estimates_are_near_the_truth(frame: pl.DataFrame, schema: vl.Schema, number: int) -> None:
    query = QUERIES[number]
    data = vl.read(frame, schema)
    exact = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=KEY)
    boxes = vl.publish(data, vl.KAnonymity(k=2), key=KEY)
    wanted = truth(frame, query)
    if "disease" not in query:
        assert even_count(exact, query) == pytest.approx(wanted)
    assert 0 <= even_count(exact, query) <= ROWS
    assert even_count(boxes, query) == pytest.approx(wanted, abs=0.2 * ROWS)
    if set(query) <= {"disease"}:
        assert even_count(boxes, query) == pytest.approx(wanted)


@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()])
def test_estimates_from_the_folder_are_the_same(
    frame: pl.DataFrame, schema: vl.Schema, tmp_path: Path, format: str, method: Any
) -> None:
    model = vl.LDiversity(l=2)
    release = vl.publish(vl.read(frame, schema), model, method, key=KEY)
    loaded = vl.load(release.save(tmp_path / "out", format=format))
    hidden = {entry["name"] for entry in release.dictionary["columns"] if entry["shown"] == "suppressed"}
    for query in QUERIES:
        if hidden & query.keys():
            with pytest.raises(SchemaError, match="shows no value of"):
                even_count(loaded, query)
            continue
        assert even_count(loaded, query) == pytest.approx(even_count(release, query)), query


def test_three_ways_to_ask(frame: pl.DataFrame, schema: vl.Schema) -> None:
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=3), key=KEY)
    one = even_count(release, age=(30, 40), sex="F", disease=["flu", "HIV"])
    two = even_count(release, {"age": (30, 40), "sex": "F", "disease": ["flu", "HIV"]})
    text = "select count(*) from t where age between 30 and 40 and sex = 'F' and disease in ('flu', 'HIV')"
    assert one == two == even_count(release, text)
    assert even_count(release) == even_count(release, "select count(*) from people") == ROWS
    assert even_count(release, "age >= 30 and age < 40") == pytest.approx(even_count(release, age=(30, 39)))
    assert even_count(release, "born between '2020-01-01' and '2022-12-31'") == even_count(
        release, born=(datetime.date(2020, 1, 1), datetime.date(2022, 12, 31))
    )


def test_halves_of_boxes() -> None:
    frame = pl.DataFrame(
        {"n": [1, 10] * 5, "x": [0.0, 1.0] * 5, "d": [NOON.date(), NOON.date() + datetime.timedelta(9)] * 5}
    )
    domains = {name: frame[name].unique().to_list() for name in frame.columns}
    schema = vl.Schema(quasi=["n", "x", "d"], domains=domains)
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=10), key=KEY)
    assert release.groups == 1
    assert even_count(release, n=(1, 5)) == pytest.approx(5)
    assert even_count(release, n=3) == pytest.approx(1)
    assert even_count(release, n=3.5) == pytest.approx(0)
    assert even_count(release, "n > 5 and n <= 7") == pytest.approx(2)
    assert even_count(release, x=(0.25, 0.5)) == pytest.approx(2.5)
    assert even_count(release, x=0.5) == 0
    assert even_count(release, d=("2025-03-01", "2025-03-05")) == pytest.approx(5)
    assert even_count(release, n=(1, 5), x=(0, 0.5)) == pytest.approx(2.5)


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()])
def test_a_missing_value_never_matches(method: Any) -> None:
    frame = pl.DataFrame({"n": [1, None, 3, 4] * 6, "c": ["a", None, "b", "c"] * 6, "s": ["x", "y", None, "z"] * 6})
    data = vl.read(frame, vl.Schema(quasi=["n", "c"], sensitive=["s"], missing="value"))
    release = vl.publish(data, vl.LDiversity(l=2), method, key=KEY)
    assert even_count(release) == 24
    assert even_count(release, s=["x", "y", "z"]) == pytest.approx(18)
    if isinstance(method, vl.FullDomain):  # all cells are *, with no word about missing ones
        assert [entry["domain"] for entry in release.described("quasi")] == [{"missing": False}] * 2
        return
    assert even_count(release, n=(None, None)) <= 24
    assert even_count(release, c=["a", "b", "c"]) <= 24
    if isinstance(method, vl.Anatomy):
        assert even_count(release, n=(1, 4)) == even_count(release, c=["a", "b", "c"]) == 18


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Anatomy()])
def test_questions_that_cannot_be_answered(frame: pl.DataFrame, schema: vl.Schema, method: Any) -> None:
    release = vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), method, key=KEY)
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        even_count(release, agee=3)
    for name in ("group", "count"):
        with pytest.raises(SchemaError):
            even_count(release, {name: 1})
    for wrong in ({"age": "old"}, {"born": "soon"}, {"born": 5}, {"at": ("noon", None)}, {"pay": ("a", None)}):
        with pytest.raises(SpecError, match="type of its column"):
            even_count(release, wrong)
    for wrong in ("age !", "age = 1 or age = 2", "drop table t"):
        with pytest.raises(SpecError, match="cannot be read"):
            even_count(release, wrong)


# what a release says of itself --------------------------------------------------------------------------------------
def test_the_repr_counts(frame: pl.DataFrame, schema: vl.Schema) -> None:
    release = vl.publish(vl.read(frame, schema), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2)), key=KEY)
    assert repr(release) == f"Generalized(120 rows in {release.groups} groups; k-anonymity, l-diversity)"


def test_shapes_and_types_by_name() -> None:
    assert find_shape("generalized").__name__ == "Generalized"
    with pytest.raises(DataError, match="newer version"):
        find_shape("hologram")
    for series in TYPES.values():
        wanted = pl.String() if isinstance(series.dtype, pl.Enum) else series.dtype
        assert read_dtype(str(wanted)) == wanted
    assert read_dtype("Mystery") == pl.String()


def test_a_table_that_lacks_a_described_column(frame: pl.DataFrame, schema: vl.Schema) -> None:
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=3), key=KEY)
    less = type(release)({"table": release.tables["table"].drop("age")}, release.dictionary, release.certificate)
    with pytest.raises(BrokenPromise, match="has no column 'age'"):
        less.column_of("table", "age")
    assert vl.verify(less).broken
    assert isinstance(release, Release)


@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain(), vl.Anatomy()], ids=repr)
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Paris"])
@pytest.mark.parametrize("unit", ["us", "ms"])
def test_moments_with_a_zone(tmp_path: Path, format: str, method: Any, zone: str | None, unit: Any) -> None:
    moments = pl.Series([NOON + datetime.timedelta(hours=n) for n in range(24)], dtype=pl.Datetime(unit))
    moments = moments.dt.replace_time_zone(zone) if zone else moments
    frame = pl.DataFrame({"at": moments, "seen": moments, "s": ["flu", "HIV", "cold"] * 8})
    data = vl.read(frame, vl.Schema(quasi=["at"], other=["seen"], sensitive=["s"], confirmed=["seen"]))
    release = vl.publish(data, vl.LDiversity(l=2), method, key=KEY)
    loaded = vl.load(release.save(tmp_path / "out", format=format))
    assert vl.verify(tmp_path / "out").holds
    table = loaded.tables["quasi" if isinstance(method, vl.Anatomy) else "table"]
    assert table["seen"].dtype == moments.dtype
    assert table["seen"].sort().to_list() == moments.to_list()
    assert even_count(loaded) == 24
    for query in ({"seen": (NOON, NOON)}, {"seen": "2025-03-01 12:00:00"}):
        assert even_count(loaded, query) == even_count(release, query) == 1

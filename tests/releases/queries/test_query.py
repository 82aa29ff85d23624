"""COUNT queries: keywords, dicts and SQL text, on every type of column."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

from voile.errors import SchemaError, SpecError
from voile.releases.queries.query import Condition, parse_query

DAY = datetime.date(2025, 3, 1)
NOON = datetime.datetime(2025, 3, 1, 12)


def conditions(text: str) -> dict[str, Condition]:
    return dict(parse_query(text, {}).conditions)


# reading ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("age = 30", "age", Condition(values=(30,))),
        ("age=30;", "age", Condition(values=(30,))),
        ("where age = 30", "age", Condition(values=(30,))),
        ("SELECT COUNT(*) FROM t WHERE age = 30", "age", Condition(values=(30,))),
        ('select count(*) from "my table" where age = 30', "age", Condition(values=(30,))),
        ("age >= 30", "age", Condition(low=30)),
        ("age > 30", "age", Condition(low=30, above=True)),
        ("age < 30", "age", Condition(high=30, below=True)),
        ("age <= -1.5e3", "age", Condition(high=-1500.0)),
        ("age between .5 and +7", "age", Condition(low=0.5, high=7)),
        ("age >= 30 and age < 40", "age", Condition(low=30, high=40, below=True)),
        ("age < 40 and age >= 30", "age", Condition(low=30, high=40, below=True)),
        ("sex in ('F', 'M')", "sex", Condition(values=("F", "M"))),
        ("name = 'O''Hara'", "name", Condition(values=("O'Hara",))),
        ("\"first name\" = 'x'", "first name", Condition(values=("x",))),
        ("`where` = 'x'", "where", Condition(values=("x",))),
        ("âge_2 = 1", "âge_2", Condition(values=(1,))),
        ("capital-gain = 1", "capital-gain", Condition(values=(1,))),
        ("married = true", "married", Condition(values=(True,))),
        ("d between '2025-01-01' and '2025-12-31'", "d", Condition(low="2025-01-01", high="2025-12-31")),
    ],
)
def test_sql(text: str, name: str, wanted: Condition) -> None:
    assert conditions(text) == {name: wanted}


def test_sql_without_conditions() -> None:
    assert conditions("select count(*) from t") == {}
    assert conditions("select count(*) from t;") == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "where",
        "age",
        "age =",
        "age = = 3",
        "age = 30 or sex = 'F'",
        "age = 30 sex = 'F'",
        "not age = 30",
        "age != 30",
        "age <> 30",
        "age in ()",
        "age in (1, 2",
        "age in (1 2)",
        "age between 1",
        "age between 1 and",
        "age = 30 and",
        "age = 30 and age = 31",
        "age > 30 and age > 31",
        "age between 1 and 2 and age > 1",
        "select avg(age) from t",
        "select count(*) from t group by sex",
        "select count(*) from t where",
        "select count(*) from t where age = 30 order by age",
        "select count(*) from",
        "select age from t where age = 30",
        "name = 'open",
        "age = 30 # comment",
        "age = 30; drop table t",
    ],
)
def test_sql_that_is_not_understood(text: str) -> None:
    with pytest.raises(SpecError) as error:
        parse_query(text, {})
    assert error.value.code == "spec.query"
    assert "column between a and b" in error.value.hint


def test_dicts_and_keywords() -> None:
    query = parse_query({"age": (30, 40), "sex": ["F"]}, {"zip": {"1", "2"}, "n": range(3)})
    assert query.conditions["age"] == Condition(low=30, high=40)
    assert query.conditions["sex"] == Condition(values=("F",))
    assert set(query.conditions["zip"].values or ()) == {"1", "2"}
    assert query.conditions["n"].values == (0, 1, 2)
    assert parse_query({"age": (None, 40)}, {}).conditions["age"] == Condition(high=40)
    assert set(parse_query("age = 3", {"sex": "F"}).conditions) == {"age", "sex"}


@pytest.mark.parametrize("wanted", [(1, 2, 3), (1,), (), None, [1, None]])
def test_conditions_that_are_none(wanted: Any) -> None:
    with pytest.raises(SpecError):
        parse_query({"age": wanted}, {})


def test_two_conditions_on_one_column() -> None:
    with pytest.raises(SpecError, match="two conditions"):
        parse_query({"age": 1}, {"age": 2})
    with pytest.raises(SpecError, match="two conditions"):
        parse_query("age = 1", {"age": 2})
    with pytest.raises(SpecError, match="it is of type list"):
        parse_query(["age"], {})  # type: ignore[arg-type]


def test_unknown_columns() -> None:
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        parse_query({"agee": 1}, {}).check(["age", "sex"])


# answering ----------------------------------------------------------------------------------------------------------
COLUMNS = {
    "int": pl.Series([1, 2, 3, None]),
    "int8": pl.Series([1, 2, 3, None], dtype=pl.Int8),
    "float": pl.Series([1.0, 2.5, 3.0, None]),
    "bool": pl.Series([True, False, None]),
    "text": pl.Series(["a", "b", None]),
    "enum": pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
    "date": pl.Series([DAY, DAY + datetime.timedelta(1), None]),
    "datetime": pl.Series([NOON, NOON + datetime.timedelta(1), None]),
    "datetime ms": pl.Series([NOON, NOON + datetime.timedelta(1), None], dtype=pl.Datetime("ms")),
    "zone": pl.Series([NOON, NOON + datetime.timedelta(1), None]).dt.replace_time_zone("Europe/Paris"),
    "time": pl.Series([datetime.time(8), datetime.time(9), None]),
}


@pytest.mark.parametrize(
    ("name", "wanted", "matching"),
    [
        ("int", 2, [1]),
        ("int", 2.0, [1]),
        ("int", 2.5, []),
        ("int", np.int64(2), [1]),
        ("int", [1, 3, 99], [0, 2]),
        ("int", (2, None), [1, 2]),
        ("int", (1.5, 2.5), [1]),
        ("int8", 1000, []),
        ("int8", [2, 1000], [1]),
        ("int8", (-1000, 1000), [0, 1, 2]),
        ("float", 2.5, [1]),
        ("float", (2, 3), [1, 2]),
        ("bool", True, [0]),
        ("bool", "false", [1]),
        ("text", "a", [0]),
        ("text", ["a", "b", "c"], [0, 1]),
        ("text", ("b", None), [1]),
        ("enum", "a", [0]),
        ("enum", "zzz", []),
        ("date", DAY, [0]),
        ("date", "2025-03-01", [0]),
        ("date", ("2025-03-02", None), [1]),
        ("date", (DAY, DAY), [0]),
        ("datetime", NOON, [0]),
        ("datetime", "2025-03-01 12:00:00", [0]),
        ("datetime", (DAY, "2025-03-01"), []),
        ("datetime", ("2025-03-02", None), [1]),
        ("datetime ms", ("2025-03-01 12:00:00", None), [0, 1]),
        ("zone", ("2025-03-01 12:00:00", "2025-03-01 12:00:00"), [0]),
        ("zone", ("2025-03-01 11:00:00+00:00", "2025-03-01 11:00:00+00:00"), [0]),
        ("time", "08:00:00", [0]),
        ("time", (datetime.time(8, 30), None), [1]),
    ],
)
def test_matching(name: str, wanted: Any, matching: list[int]) -> None:
    condition = parse_query({"c": wanted}, {}).conditions["c"]
    assert np.flatnonzero(condition.matches(COLUMNS[name])).tolist() == matching
    assert condition.matches(COLUMNS[name], missing=True).tolist()[-1] is False


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("int", "SECRET"),
        ("int", ("SECRET", None)),
        ("float", DAY),
        ("bool", "SECRET"),
        ("bool", 5),
        ("date", "SECRET"),
        ("date", (None, "31/12/2025")),
        ("date", 20250101),
        ("datetime", ("SECRET", None)),
        ("time", "SECRET"),
    ],
)
def test_values_of_another_type(name: str, wanted: Any) -> None:
    condition = parse_query({"c": wanted}, {}).conditions["c"]
    with pytest.raises(SpecError, match="a value does not have the type of its column"):
        condition.matches(COLUMNS[name])


def overlap(condition: Condition, low: list[Any], high: list[Any], dtype: pl.DataType, step: int) -> list[float]:
    inside, width = condition.overlap(np.array(low), np.array(high), dtype, step)
    return [round(float(share), 6) for share in inside / width]


def test_shares_of_whole_numbers() -> None:
    whole = (pl.Int64(), 1)
    assert overlap(Condition(low=20, high=29), [20, 25, 40, 29], [29, 34, 49, 29], *whole) == [1, 0.5, 0, 1]
    assert overlap(Condition(low=20, above=True), [20], [29], *whole) == [0.9]
    assert overlap(Condition(high=20, below=True), [20, 10], [29, 20], *whole) == [0, round(10 / 11, 6)]
    assert overlap(Condition(values=(20, 21, 21.0, 99)), [20], [29], *whole) == [0.2]
    assert overlap(Condition(low=20.5), [20], [29], *whole) == [0.9]
    assert overlap(Condition(high=20.5, below=True), [20], [29], *whole) == [0.1]
    assert overlap(Condition(values=(20.5,)), [20], [29], *whole) == [0]


def test_shares_of_real_intervals() -> None:
    real = (pl.Float64(), 0)
    assert overlap(Condition(low=0.5, high=2), [0, 1, 3], [1, 1, 4], *real) == [0.5, 1, 0]
    assert overlap(Condition(values=(1,)), [1, 0], [1, 2], *real) == [1, 0]


def test_shares_of_days() -> None:
    days = pl.Series([DAY, DAY + datetime.timedelta(9)]).to_physical().to_list()
    shares = overlap(Condition(low="2025-03-06"), [days[0]], [days[1]], pl.Date(), 1)
    assert shares == [0.5]
    with pytest.raises(SpecError, match="type of its column"):
        overlap(Condition(low="soon"), [0], [1], pl.Date(), 1)
    with pytest.raises(SpecError, match="type of its column"):
        overlap(Condition(values=("x",)), [0], [1], pl.Int64(), 1)


def test_open_ends_at_a_point() -> None:
    real = (pl.Float64(), 0)
    assert overlap(Condition(low=5, above=True), [5, 5], [5, 6], *real) == [0, 1]
    assert overlap(Condition(high=5, below=True), [5], [5], *real) == [0]
    assert overlap(Condition(low=5, high=5), [5], [5], *real) == [1]
    assert overlap(Condition(), [5, 5], [5, 9], *real) == [1, 1]
    assert overlap(Condition(), [5], [9], pl.Int64(), 1) == [1]

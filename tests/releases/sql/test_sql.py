"""SQL on completions: what is answered, how it is pooled, and what is refused by name."""

from __future__ import annotations

import polars as pl
import pytest
from published import EXAMPLES, KEY, people, schema

import voile as vl
from voile.errors import SchemaError, SpecError
from voile.releases.release import Release


@pytest.fixture(scope="module")
def release() -> Release:
    return vl.publish(vl.read(people(800), schema()), *EXAMPLES["mondrian"], key=KEY)


def test_a_query_is_what_the_tables_say_on_average(release: Release) -> None:
    answer = release.query(
        "select gender, count(*) as n, avg(age), sum(age) as total from t where age >= 30 group by gender"
    )
    assert answer.keys == ("gender",)
    tables = list(release.complete(20))
    for keys, (count, mean, total) in answer.rows:
        drawn = [table.filter((pl.col("age") >= 30) & (pl.col("gender") == keys[0])) for table in tables]
        assert count.estimate == pytest.approx(sum(t.height for t in drawn) / 20)
        assert mean.estimate == pytest.approx(sum(float(t["age"].mean()) for t in drawn) / 20)  # type: ignore[arg-type]
        assert total.estimate == pytest.approx(sum(t["age"].sum() for t in drawn) / 20)
        assert mean.low is not None
        assert mean.high is not None
        assert mean.low < mean.estimate < mean.high
        assert count == release.count(age=(30, None), gender=keys[0])
    frame = answer.to_frame()
    assert frame.columns[:6] == ["gender", "n", "n_low", "n_high", "n_at_least", "n_at_most"]
    assert answer.as_json()["rows"][0]["n"]["at_least"] == answer.rows[0][1][0].at_least


@pytest.mark.parametrize(
    "where",
    [
        "age between 30 and 40 or gender = 'Male'",
        "not (gender = 'Male')",
        "age in (30, 31) and gender <> 'Male'",
        "age + 1 > 30",
        "gender like 'M%'",
        "cast(age as double) > 30.5",
    ],
)
def test_other_conditions_have_an_interval_and_no_bounds(release: Release, where: str) -> None:
    ((_, (count,)),) = release.query(f"select count(*) from t where {where}").rows
    expected = [
        pl.SQLContext(t=table, eager=True).execute(f"select count(*) from t where {where}").item()
        for table in release.complete(20)
    ]
    assert count.estimate == pytest.approx(sum(expected) / 20)
    assert (count.at_least, count.at_most) == (None, None)
    assert count.low is not None
    assert count.high is not None
    assert count.low <= count.estimate <= count.high


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("select count(*) from t limit 3", "LIMIT"),
        ("select min(age) from t", "MIN"),
        ("select max(age) from t", "MAX"),
        ("select count(distinct age) from t", "DISTINCT"),
        ("select * from t", "list of rows"),
        ("select gender from t group by gender", "lists rows"),
        ("select count(*) from t join u using (x)", "join"),
        ("select count(*) from t, t as u", "join"),
        ("select count(*) from t where age in (select 1)", "subquery"),
        ("select count(*) from (select 1)", "subquery"),
        ("select count(*) from t; select count(*) from t", "several statements"),
        ("select count(*) from t; drop table t", "other than SELECT"),
        ("pragma version", "PRAGMA"),
        ("attach 'x.db'", "ATTACH"),
        ("copy t to 'x.csv'", "COPY"),
        ("set enable_external_access = true", "SET"),
        ("select count(*) from read_csv('x.csv')", "in place of a table"),
        ("select count(*) from 'x.csv'", "file in place of a table"),
        ("select count(*), getenv('HOME') from t", "GETENV"),
        ("select count(*) from t order by 1", "ORDER BY"),
        ("select gender, count(*) from t group by gender having count(*) > 3", "HAVING"),
        ("select sum(age) / count(*) from t", "inside an expression"),
        ("select count(*) over () from t", "window"),
        ("with a as (select 1) select count(*) from a", "WITH"),
        ("select count(*) from t union all select 1", "UNION"),
        ("select count(*) from drawn.d1", "another place"),
        ("select count(*) filter (where age > 3) from t", "FILTER"),
        ("select count(*) from t group by cube (gender, age)", "GROUPING SETS"),
        ("select", "cannot be read"),
        ("", "no words"),
        ("select avg(cast(age as struct(x int))) from t", "the type STRUCT"),
        ("select count(*) from t where gg = 1 group by gg", "'gg'"),
    ],
)
def test_what_is_not_answered_is_refused_by_name(release: Release, query: str, named: str) -> None:
    with pytest.raises((SpecError, SchemaError)) as caught:
        release.query(query, draws=2)
    assert named in caught.value.message


def test_a_group_may_be_named_by_its_alias(release: Release) -> None:
    asked = "select case when age < 40 then 'young' else 'old' end as who, count(*) from t group by"
    assert release.query(f"{asked} who", draws=2).to_frame().equals(release.query(f"{asked} 1", draws=2).to_frame())


def test_certain_bounds_read_conditions_as_duckdb_does() -> None:
    """On a release whose cells are exact, every count is that of the table."""
    texts = ["a", "B", "it's", "x and y", "a or b", "10", "a)"]
    table = pl.DataFrame({"n": [k % 7 - 2 for k in range(70)], "s": texts * 10}).sort("n")
    data = vl.read(pl.concat([table] * 2), vl.Schema(quasi=["n"], sensitive=["s"]))
    exact = vl.publish(data, vl.KAnonymity(k=5), key=KEY)
    conditions = [
        "n = -2",
        "n >= 0 and n <= 3",
        "n between 3 and 1",
        "n in (1, 2.5)",
        "n < 2.5",
        "2 < n",
        "n = 1 and n = 2",
    ]
    conditions += ["s = 'it''s'", "s = 'x and y'", "S = 'a'", "s in ('a', 'B') and n > 0", "s not in ('a')", "s = 'a)'"]
    conditions += [
        "n > 1 -- and s = 'a'",
        "n > 1 /* or s = 'a' */",
        "n > 1 or s = 'a' and n = 0",
        "(n > 1) and not s = 'a'",
    ]
    context = pl.SQLContext(t=pl.concat([table] * 2), eager=True)
    for condition in conditions:
        ((_, (count,)),) = exact.query(f"select count(*) from t where {condition}", draws=2).rows
        plain = condition.split(" --")[0].split(" /*")[0].replace("S =", "s =")
        truth = context.execute(f"select count(*) from t where {plain}").item()
        assert count.estimate == truth, condition
        if count.at_least is not None and count.at_most is not None:
            assert count.at_least <= truth <= count.at_most, condition


def test_unknown_columns_and_values_are_errors(release: Release) -> None:
    with pytest.raises(SchemaError, match="agee"):
        release.query("select count(*) from t where agee > 3")
    with pytest.raises(SchemaError) as caught:
        release.query("select count(*) from t where gender = 'male'")
    assert "Did you mean 'Male'?" in caught.value.hint
    with pytest.raises(SpecError) as refused:
        release.query("select count(*) from t", draws=1)
    assert refused.value.code == "spec.draws"


def test_a_release_without_recoding_has_no_intervals() -> None:
    loose = vl.publish(vl.read(people(800), schema()), *EXAMPLES["full-domain"], key=KEY)
    answer = loose.query("select education, count(*), avg(age) from t group by education", draws=3)
    assert all(count.low is None for _, counts in answer.rows for count in counts if not count.is_exact)
    assert "No interval" in answer.notes[0]

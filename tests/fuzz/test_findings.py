"""Inputs that once ended in an unexpected error, a panic or a shown cell."""

from __future__ import annotations

import datetime
import io
import random
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz.calls import call
from fuzz.odd_inputs import CANARY, ROLES, honest_csv

import voile as vl
from voile.errors import DataError

CSV = honest_csv(random.Random(1))
K2 = ("--model", "k-anonymity:k=2")

CALLS = {
    "memory with 400 digits": (["--memory", "9" * 400], 2),
    "a path with a zero byte": (["--hierarchies", "a\0b"], 2),
    "a name of 300 characters": (["--hierarchies", "a" * 300], 3),
    "an encoding that is none": (["--encoding", "undefined"], 3),
    "an encoding for host names": (["--encoding", "punycode"], 3),
    "a number that would never end": (["--model", "t-closeness:t=1e99999999"], 2),
    "a whole number beyond 64 bits": (["--model", "k-anonymity:k=99999999999999999999"], 2),
    "a release at a URL": (["--out", "s3://ann:s3cret@bucket/out"], 2),
    "a release at a Spark server": (["--out", "sc://host/;token=s3cret"], 2),
    "a ledger at a URL": (["--ledger", "sc://ann:s3cret@host"], 3),
    "a domain without an end": (["--domain", "age=0..99999999999"], 2),
}


@pytest.mark.parametrize(("options", "code"), CALLS.values(), ids=CALLS)
def test_odd_flags(tmp_path: Path, options: list[str], code: int) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    outcome = call(["publish", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out"), *ROLES, *K2, *options])
    assert outcome.code == code, outcome.output
    assert CANARY not in outcome.output
    assert "s3cret" not in outcome.output


@pytest.mark.parametrize("verb", ["verify", "inspect", "audit"])
@pytest.mark.parametrize("url", ["sc://ann:s3cret@host", " sc://ann:s3cret@host", "sc://host/;token=s3cret"])
def test_a_url_in_place_of_a_path_shows_no_password(verb: str, url: str) -> None:
    outcome = call([verb, url])
    assert outcome.code in (2, 3)
    assert "s3cret" not in outcome.output


SPECS = {
    "lists in lists": 'schema = {quasi = [["age"]]}\npolicy = [{model = "k-anonymity", k = 2}]',
    "null values that are numbers": "read = {null_values = [1, [2]]}",
    "deep lists": "a = " + "[" * 3000 + "]" * 3000,
    "a number that would never end": '[[policy]]\nmodel = "t-closeness"\nt = "1e99999999"',
    "a tree of many levels": "[schema.hierarchies.age." + ".".join(["a"] * 900) + "]\nb = [1]\n",
    "a number with 400 digits": '[[policy]]\nmodel = "k-anonymity"\nk = ' + "9" * 400,
    "a number with 5000 digits": '[[policy]]\nmodel = "k-anonymity"\nk = ' + "9" * 5000,
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_odd_specs(tmp_path: Path, spec: str) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    (tmp_path / "spec.toml").write_text(spec)
    arguments = ["publish", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out"), *ROLES]
    assert call([*arguments, "--spec", str(tmp_path / "spec.toml")]).code == 2


def test_a_message_of_art_shows_no_value(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CSV)
    model = ["--model", "r-robustness:r=1000000"]
    outcome = call(["publish", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out"), *ROLES, *model])
    assert outcome.code == 4
    assert CANARY not in outcome.output


ODD_COLUMNS = {
    "a date in the year 200000": pa.array([72_000_000, 1], pa.int32()).view(pa.date32()),
    "a moment far away": pa.array([2**62, 1], pa.int64()).view(pa.timestamp("us")),
    "a time after midnight": pa.array([2**62, 1], pa.int64()).view(pa.time64("ns")),
    "lists": pa.array([[1], [2]]),
    "an unknown time zone": pa.array([1, 2], pa.int64()).view(pa.timestamp("us", "Nowhere/Land")),
    "run ends": pa.RunEndEncodedArray.from_arrays([2], pa.array(["a"])),
}


@pytest.mark.parametrize("column", ODD_COLUMNS.values(), ids=ODD_COLUMNS)
@pytest.mark.parametrize("role", ["identifier", "quasi"])
def test_odd_columns_are_refused_by_name(tmp_path: Path, column: pa.Array, role: str) -> None:
    table = pa.table({"odd": column, "age": [1, 2], "disease": ["a", "b"]})
    identifier, quasi = (["odd"], ["age"]) if role == "identifier" else ([], ["age", "odd"])
    schema = vl.Schema(identifier=identifier, quasi=quasi, sensitive=["disease"])
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    if pa.types.is_run_end_encoded(column.type) or role == "identifier":
        read_or_refuse(tmp_path / "t.arrow", schema)
        return
    with pytest.raises(DataError):
        vl.read(tmp_path / "t.arrow", schema)
    with pytest.raises(DataError):
        vl.read(table, schema)


def read_or_refuse(path: Path, schema: vl.Schema) -> None:
    try:
        vl.read(path, schema)
    except DataError:
        return


def test_a_parquet_file_with_wide_decimals(tmp_path: Path) -> None:
    table = pa.table({"age": pa.array([1, 2]).cast(pa.decimal256(76, 2)), "disease": ["a", "b"]})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    (tmp_path / "t.parquet").write_bytes(buffer.getvalue())
    read_or_refuse(tmp_path / "t.parquet", vl.Schema(quasi=["age"], sensitive=["disease"]))


def test_dates_of_the_calendar_are_read() -> None:
    frame = pl.DataFrame({"day": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)], "disease": ["a", "b"]})
    assert vl.read(frame, vl.Schema(quasi=["day"], sensitive=["disease"])).columns["day"].size == 2


@pytest.mark.parametrize("engine", [None, vl.Disk()])
def test_times_that_are_written_alike_are_one_value(tmp_path: Path, engine: vl.Disk | None) -> None:
    moments = pa.array([0, 1, 999, 1_000] * 3, pa.int64()).view(pa.time64("ns"))
    pq.write_table(pa.table({"time": moments, "disease": ["a", "b"] * 6}), tmp_path / "t.parquet")
    data = vl.read(tmp_path / "t.parquet", vl.Schema(quasi=["time"], sensitive=["disease"]), engine=engine)
    assert data.columns["time"].size == 2
    release = vl.publish(data, vl.KAnonymity(k=2))
    assert vl.verify(release.save(tmp_path / "out")).holds
    assert release.groups == 2


@pytest.mark.parametrize("engine", [None, vl.Disk()])
def test_columns_with_one_name_are_refused_by_name(tmp_path: Path, engine: vl.Disk | None) -> None:
    table = pa.table([[1, 2], ["a", "b"], ["c", "d"]], names=["age", "zip", "zip"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    for name in ("t.parquet", "t.arrow"):
        with pytest.raises(DataError, match="1 column names twice: 'zip'"):
            vl.read(tmp_path / name, vl.Schema(quasi=["age"], sensitive=["zip"]), engine=engine)


@pytest.mark.parametrize("name", ["*", "^d.*$", ""])
def test_a_name_that_libraries_take_for_a_pattern_is_refused(tmp_path: Path, name: str) -> None:
    """It would choose other columns than the one that bears it."""
    table = pl.DataFrame({name: [1, 2] * 4, "sex": ["m", "f"] * 4, "disease": ["flu", "ok"] * 4})
    table.write_csv(tmp_path / "t.csv")
    with pytest.raises(vl.errors.SchemaError, match="cannot be named") as caught:
        vl.Schema(quasi=[name, "sex"], sensitive=["disease"])
    assert caught.value.code == "schema.name"
    if name:  # the first column of a written index has no name; nobody has to publish it
        with pytest.raises(vl.errors.SchemaError, match="cannot be named"):
            vl.inspect(tmp_path / "t.csv")
    assert vl.read(tmp_path / "t.csv", vl.Schema(quasi=["sex"], sensitive=["disease"])).rows.total == 8


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("name", ['a"b', '"', 'a""b', "a,b", "a\nb", "count", "group_size", "sex_low", "low"])
def test_a_column_with_an_odd_name_is_published_and_verified(tmp_path: Path, name: str, form: str) -> None:
    table = pl.DataFrame({name: range(20, 40), "sex": [1, 2] * 10, "disease": ["flu", "ok"] * 10})
    data = vl.read(table, vl.Schema(quasi=[name, "sex"], sensitive=["disease"]))
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=4)), vl.Mondrian(), key=vl.Key(bytes(32)))
    release.save(tmp_path / "r", format=form)
    verdict = vl.verify(tmp_path / "r")
    assert verdict.holds, verdict
    assert vl.load(tmp_path / "r").tables["table"].columns == release.tables["table"].columns


def test_two_spellings_of_a_value_are_counted_not_shown(tmp_path: Path) -> None:
    rows = "".join(f"p{number},{number % 3},{CANARY if number % 4 else CANARY.upper()},x\n" for number in range(24))
    (tmp_path / "t.csv").write_text("name,age,city,disease\n" + rows, encoding="utf-8")
    roles = ["--identifier", "name", "--quasi", "age,city", "--sensitive", "disease"]
    for options in ([], ["--json"]):
        outcome = call(
            ["publish", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out"), "--force", *roles, *K2, *options]
        )
        assert outcome.code == 0
        assert "spellings" in outcome.output or '"variants"' in outcome.output
        assert CANARY.lower() not in outcome.output.lower()

"""Rounded dates: with what is recommended, no file of a release holds an exact date that others may know."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.engines import base
from voile.errors import SchemaError
from voile.flow.recommend.date_rounding import round_dates
from voile.flow.request.release_schema import register_schema

SCHEMA = vl.Schema(identifier=["name"], quasi=["birth", "sex", "admitted"], sensitive=["disease"])


def make_days(first: str, days: int, step: int) -> list[datetime.date]:
    start = datetime.date.fromisoformat(first)
    return [start + datetime.timedelta(days=7 * (step * turn % days)) for turn in range(60)]


def read_dates(name: str, days: list[datetime.date], **more: object) -> vl.Microdata:
    return vl.read(pl.DataFrame({name: days}), vl.Schema(quasi=[name], **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "days", "period"),
    [
        ("x", make_days("1930-03-02", 900, 17), "year"),
        ("x", make_days("2024-01-03", 50, 17), "month"),
        ("x", make_days("2024-01-03", 10, 3), None),
        ("Geburtsdatum", make_days("2024-01-03", 10, 3), "month"),
    ],
)
def test_the_period_follows_from_the_span(name: str, days: list[datetime.date], period: str | None) -> None:
    data = read_dates(name, days)
    (asked,) = round_dates(data)
    assert (asked.steer.round if asked.steer else None) == period
    found = vl.recommend(data)
    assert asked.reason in (found.reasons if period else found.not_covered)


@pytest.mark.parametrize("role", ["sensitive", "other"])
def test_births_are_rounded_whatever_their_role(role: str) -> None:
    table = vl.datasets.hospital()
    schema = vl.Schema(quasi=["sex", "zip"], **{role: ["birth", "admitted"]})  # type: ignore[arg-type]
    found = vl.recommend(vl.read(table, replace(schema, confirmed=schema.other)))
    assert found.steering == {"birth": vl.Steer(round="year")}
    again = vl.read(table, found.steer_schema(replace(schema, confirmed=schema.other)))
    assert again.columns["birth"].kind == "numeric"
    assert not vl.recommend(again).steering


def test_what_is_coarse_already_stays() -> None:
    days = make_days("1930-03-02", 900, 17)
    levels = {"hierarchies": {"x": vl.dates()}}
    assert not round_dates(read_dates("x", days, steering={"x": vl.Steer(round="month")}))
    assert not round_dates(read_dates("x", days, **levels, steering={"x": vl.Steer(finest=2)}))
    (asked,) = round_dates(read_dates("x", days, **levels, steering={"x": vl.Steer(weight=2)}))
    assert asked.steer == vl.Steer(weight=2, round="month"), "its hierarchy is one of dates"


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.Anatomy()], ids=lambda method: method.name)
def test_no_file_holds_an_exact_date(method: Any, tmp_path: Path) -> None:
    table = vl.datasets.hospital()
    found = vl.recommend(vl.read(table, SCHEMA))
    assert found.as_json()["steering"] == {"birth": {"round": "year"}, "admitted": {"round": "month"}}
    data = vl.read(table, found.steer_schema(SCHEMA))
    assert not vl.recommend(data).steering
    release = vl.publish(data, vl.LDiversity(l=3), method)
    release.save(tmp_path / "release", format="csv")
    vl.report(release).save(tmp_path / "report.html")
    assert vl.verify(tmp_path / "release").holds
    text = "".join(path.read_text() for path in sorted(tmp_path.rglob("*.*")))
    days = [day for name in ("birth", "admitted") for day in table[name] if day.day > 1]
    assert len(days) > 700
    assert not [day for day in days if day.isoformat() in text]


def test_a_register_with_exact_dates_is_rounded_too(tmp_path: Path) -> None:
    table = vl.datasets.hospital()
    data = vl.read(table, vl.recommend(vl.read(table, SCHEMA)).steer_schema(SCHEMA))
    release = vl.publish(data, vl.KAnonymity(k=5))
    table.select("birth", "sex", "admitted").write_csv(tmp_path / "register.csv")
    register = vl.read(tmp_path / "register.csv", register_schema(release))
    audit = vl.audit(release, data, [vl.attacks.Linking()], external=register)
    assert audit.findings[0].belief.worst <= 0.2


def test_every_engine_rounds_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "hospital.csv"
    vl.datasets.hospital().write_csv(table)
    schema = vl.recommend(vl.read(table, SCHEMA)).steer_schema(SCHEMA)
    here = vl.publish(vl.read(table, schema), vl.KAnonymity(k=5), key=vl.Key(bytes(32)))
    monkeypatch.setattr(base, "CHUNK_ROWS", 60)
    there = vl.publish(vl.read(table, schema, engine=vl.Disk()), vl.KAnonymity(k=5), key=vl.Key(bytes(32)))
    assert (there.digest, there.dictionary) == (here.digest, here.dictionary)


def test_only_dates_are_rounded_to_years() -> None:
    with pytest.raises(SchemaError, match="holds no dates that could be rounded to a year"):
        vl.read(pl.DataFrame({"age": [30, 31]}), vl.Schema(quasi=["age"], steering={"age": vl.Steer(round="year")}))

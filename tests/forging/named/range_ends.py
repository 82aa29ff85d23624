"""Forgeries of the columns of ends: numbers and dates that say something else than the labels beside them."""

from __future__ import annotations

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import BOX, BOX_CSV, DATES, GAPS, NUMBERED, SAMPLE, SAMPLE_CSV, changes_harmlessly, forges

BOXES = (BOX, BOX_CSV, SAMPLE, SAMPLE_CSV)
FIRST = pl.int_range(pl.len()) == 0


def _ends(f: Forgery) -> dict[str, str]:
    """The columns of ends of the first column that has some."""
    return dict(next(entry["ends"] for entry in f.dictionary["columns"] if "ends" in entry))


def _shift(f: Forgery, name: str, chosen: pl.Expr, step: int) -> None:
    column = pl.col(name).cast(pl.Int64) + step if f.is_csv else pl.col(name) + step
    column = column.cast(pl.String) if f.is_csv else column
    f.edit("table", lambda table: table.with_columns(pl.when(chosen).then(column).otherwise(pl.col(name)).alias(name)))


@forges(*BOXES, GAPS)
def a_low_end_of_one_person_alone(f: Forgery) -> None:
    """One row of a group states another end: its person can be told from the others."""
    _shift(f, _ends(f)["low"], FIRST, 1)


@forges(*BOXES, GAPS)
def a_high_end_of_one_person_alone(f: Forgery) -> None:
    _shift(f, _ends(f)["high"], FIRST, -1)


@forges(*BOXES)
def ends_that_are_all_wider(f: Forgery) -> None:
    _shift(f, _ends(f)["high"], pl.lit(True), 1)


@forges(*BOXES)
def ends_in_the_wrong_columns(f: Forgery) -> None:
    low, high = _ends(f)["low"], _ends(f)["high"]
    f.edit("table", lambda table: table.with_columns(pl.col(low).alias(high), pl.col(high).alias(low)))


@forges(*BOXES, DATES)
def an_end_that_is_empty(f: Forgery) -> None:
    low = _ends(f)["low"]
    f.edit("table", lambda table: table.with_columns(pl.when(~FIRST).then(pl.col(low)).alias(low)))


@forges(*BOXES)
def ends_of_another_type(f: Forgery) -> None:
    low = _ends(f)["low"]
    kind = pl.Float64 if f.is_csv else pl.Int32
    f.edit("table", lambda table: table.with_columns(pl.col(low).cast(kind)))


@forges(BOX_CSV)
def a_code_per_person_in_the_zeros_of_an_end(f: Forgery) -> None:
    low = _ends(f)["low"]
    f.edit("table", lambda t: t.with_columns(pl.when(FIRST).then("0" + pl.col(low)).otherwise(pl.col(low)).alias(low)))


@forges(*BOXES)
def ends_that_the_table_does_not_have(f: Forgery) -> None:
    f.edit("table", lambda table: table.drop(_ends(f)["low"]))


@forges(*BOXES)
def ends_that_nobody_describes(f: Forgery) -> None:
    for entry in f.dictionary["columns"]:
        entry.pop("ends", None)


@forges(*BOXES, NUMBERED)
def a_message_in_the_name_of_an_end(f: Forgery) -> None:
    entry = next(entry for entry in f.dictionary["columns"] if "ends" in entry)
    old = entry["ends"]["low"]
    entry["ends"]["low"] = "Bob_Smith_low"
    for name in f.table_names:
        f.edit(name, lambda table: table.rename({old: "Bob_Smith_low"}))


@forges(*BOXES)
def a_message_in_the_meaning_of_the_ends(f: Forgery) -> None:
    next(entry for entry in f.dictionary["columns"] if "ends" in entry)["ends"]["means"] = "row 1 is Bob Smith"


@forges(BOX)
def ends_of_a_column_of_categories(f: Forgery) -> None:
    f.entry("city")["ends"] = {**_ends(f), "low": "city_low", "high": "city_high"}


@changes_harmlessly(*BOXES)
def a_release_without_ends(f: Forgery) -> None:
    names = [name for entry in f.dictionary["columns"] for name in (entry.get("ends") or {}).values()]
    for entry in f.dictionary["columns"]:
        entry.pop("ends", None)
    f.edit("table", lambda table: table.drop(names, strict=False))

"""Forgeries of the tables: columns that nobody reads."""

from __future__ import annotations

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import (
    AGAIN,
    BOX,
    BOX_CSV,
    BUCKET,
    BUCKET_CSV,
    LISTS,
    LISTS_CSV,
    MASKED,
    SAMPLE,
    SAMPLE_CSV,
    changes_harmlessly,
    forges,
)

CODES = pl.int_range(pl.len()) + 1  # a number per row
BOXES, BUCKETS, LISTED, SAMPLES = (BOX, BOX_CSV), (BUCKET, BUCKET_CSV), (LISTS, LISTS_CSV), (SAMPLE, SAMPLE_CSV)


# columns that nobody reads --------------------------------------------------------------------------------------------
@forges(*BOXES)
def a_unique_count_in_a_generalized_table(f: Forgery) -> None:
    """A code per person: every row can be told from every other."""
    f.edit("table", lambda table: table.with_columns(count=CODES))


@forges(*BOXES)
def a_unique_group_in_a_generalized_table(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group=CODES))


@forges(*BOXES)
def a_unique_group_size_in_a_generalized_table(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group_size=CODES))


@forges(*BOXES, MASKED)
def an_undescribed_column_in_a_generalized_table(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(code=CODES))


@changes_harmlessly(BOX)
def a_described_unique_column_as_other(f: Forgery) -> None:
    """Described, but as a column that no claim is about: the rows can be told apart by it."""
    f.edit("table", lambda table: table.with_columns(code=pl.format("Bob {}", CODES)))
    codes = f.table("table")["code"].to_list()
    entry = {"name": "code", "role": "other", "kind": "categorical", "type": "String", "shown": "exact"}
    f.dictionary["columns"].append(entry | {"domain": {"values": sorted(codes), "missing": False}})


@forges(*BUCKETS, AGAIN)
def a_code_per_person_as_count_in_quasi(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(count=CODES))


@forges(*BUCKETS, *LISTED, AGAIN)
def a_code_per_person_as_group_size_in_quasi(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(group_size=CODES))


@forges(*LISTED)
def a_code_per_person_as_count_in_lists(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(count=CODES))


@forges(*LISTED)
def the_group_of_each_joint_row(f: Forgery) -> None:
    """The joint table says which row belongs to which group: belief is no longer spread."""
    f.edit("joint", lambda table: table.with_columns(group=CODES % 7 + 1))


@forges(*LISTED)
def a_count_in_the_joint_table(f: Forgery) -> None:
    f.edit("joint", lambda table: table.with_columns(count=CODES))


@forges(*LISTED)
def a_quasi_identifier_in_the_joint_table(f: Forgery) -> None:
    f.edit("joint", lambda table: table.with_columns(f.table("quasi")["age"]))


@forges(*LISTED)
def a_count_in_a_list(f: Forgery) -> None:
    f.edit("sensitive_disease", lambda table: table.with_columns(count=CODES))


@forges(*BUCKETS)
def a_group_size_in_the_sensitive_table(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(group_size=CODES))


@forges(*BUCKETS)
def a_quasi_identifier_in_the_sensitive_table(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(city=pl.lit("Bern")))


@forges(*BUCKETS)
def a_sensitive_column_in_quasi(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(disease=pl.lit("flu")))


@forges(*SAMPLES)
def a_group_in_a_sampled_table(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group=CODES))


@forges(*SAMPLES)
def a_count_in_a_sampled_table(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(count=CODES))


@forges(AGAIN)
def a_column_of_counterfeits_that_nobody_reads(f: Forgery) -> None:
    f.edit("counterfeits", lambda table: table.with_columns(group_size=pl.lit(7)))


@changes_harmlessly(BOX, BUCKET)
def columns_in_another_order(f: Forgery) -> None:
    """Harmless to a reader by name, but not what voile writes: an order can carry a message."""
    name = "table" if "table.parquet" in f.files else "quasi"
    f.edit(name, lambda table: table.select(reversed(table.columns)))

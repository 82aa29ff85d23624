"""Forgeries of the types of columns, and numbers that are out of range."""

from __future__ import annotations

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import (
    BOX,
    BUCKET,
    EXACT,
    SAMPLE,
    forges,
)

CODES = pl.int_range(pl.len()) + 1  # a number per row


# types ----------------------------------------------------------------------------------------------------------------
@forges(BUCKET)
def group_labels_that_floats_merge(f: Forgery) -> None:
    """2^60 + i are different groups, and the same float."""
    shift = pl.col("group").cast(pl.UInt64) + 2**60
    f.edit("quasi", lambda table: table.with_columns(group=shift))
    f.edit("sensitive", lambda table: table.with_columns(group=pl.col("group").cast(pl.Int64) + 2**60))


@forges(BUCKET)
def singletons_that_floats_merge(f: Forgery) -> None:
    """Each person is a group of their own with their own value; as floats, all are one group."""
    people = f.table("quasi").height
    diseases = ["flu", "HIV", "acne", "gout", "mumps", "polio"] * people
    labels = [2**60 + number for number in range(people)]
    f.edit("quasi", lambda table: table.with_columns(group=pl.Series(labels, dtype=pl.UInt64)))
    sensitive = {"group": pl.Series(labels, dtype=pl.Int64), "disease": diseases[:people], "count": [1] * people}
    f.set_table("sensitive", pl.DataFrame(sensitive))


@forges(BUCKET)
def counts_that_wrap(f: Forgery) -> None:
    """2^64 - 1 is read as -1 where counts are signed."""
    first = pl.int_range(pl.len()) == 0
    wrapped = pl.when(first).then(pl.lit(2**64 - 1, dtype=pl.UInt64)).otherwise(pl.col("count").cast(pl.UInt64))
    f.edit("sensitive", lambda table: table.with_columns(count=wrapped))


@forges(BUCKET)
def counts_that_wrap_to_the_right_sum(f: Forgery) -> None:
    """Modulo 2^64 the counts of each group sum to its size."""
    table = f.table("sensitive").with_columns(pl.col("count").cast(pl.UInt64))
    counts = table["count"].to_list()
    counts[0], counts[1] = 2**63 + counts[0], 2**63 + counts[1]
    f.set_table("sensitive", table.with_columns(count=pl.Series(counts, dtype=pl.UInt64)))


@forges(BUCKET)
def counts_with_fractions(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(pl.col("count").cast(pl.Float64)))


@forges(BUCKET)
def groups_with_fractions(f: Forgery) -> None:
    for name in ("quasi", "sensitive"):
        f.edit(name, lambda table: table.with_columns(pl.col("group").cast(pl.Float64)))


@forges(BUCKET)
def groups_in_text(f: Forgery) -> None:
    for name in ("quasi", "sensitive"):
        f.edit(name, lambda table: table.with_columns(pl.col("group").cast(pl.String)))


@forges(BUCKET)
def a_count_below_zero(f: Forgery) -> None:
    """A value with a negative count makes room for another that is too frequent."""
    table = f.table("sensitive")
    counts = table["count"].to_list()
    counts[0], counts[1] = counts[0] + counts[1] + 1, -1
    f.set_table("sensitive", table.with_columns(count=pl.Series(counts, dtype=table.schema["count"])))


@forges(BUCKET)
def a_group_that_is_missing(f: Forgery) -> None:
    for name in ("quasi", "sensitive"):
        f.edit(name, lambda table: table.with_columns(pl.when(pl.col("group") != 1).then(pl.col("group"))))


@forges(BUCKET)
def a_count_that_is_missing(f: Forgery) -> None:
    f.edit("sensitive", lambda table: table.with_columns(pl.when(CODES > 1).then(pl.col("count")).alias("count")))


@forges(SAMPLE)
def a_size_below_zero(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group_size=-pl.col("group_size")))


@forges(SAMPLE)
def sizes_that_wrap(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group_size=pl.lit(2**63, dtype=pl.UInt64)))


@forges(SAMPLE)
def sizes_that_sum_beyond_all_integers(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group_size=pl.lit(2**62, dtype=pl.Int64)))


@forges(SAMPLE)
def sizes_beyond_all_people(f: Forgery) -> None:
    """More people than the earth has: no reader takes it for a count."""
    f.edit("table", lambda table: table.with_columns(group_size=pl.col("group_size").cast(pl.Int64) + 2**53))


@forges(SAMPLE)
def sizes_with_fractions(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(group_size=pl.col("group_size") + 0.5))


@forges(EXACT)
def numbers_as_floats(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(pl.col("age").cast(pl.Float64)))


@forges(EXACT)
def numbers_as_narrow_integers(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(pl.col("age").cast(pl.Int8)))


@forges(EXACT)
def numbers_as_text(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(pl.col("age").cast(pl.String)))


@forges(EXACT)
def truth_values_as_text(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(pl.col("smoker").cast(pl.String)))


@forges(EXACT)
def truth_values_as_numbers(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(pl.col("smoker").cast(pl.Int64)))


@forges("anatomy, dates.parquet")
def dates_as_text(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(pl.col("birth").cast(pl.String)))


@forges("anatomy, dates.parquet")
def dates_as_moments(f: Forgery) -> None:
    """A moment shows the time of day, a date does not."""
    f.edit(
        "quasi", lambda table: table.with_columns(pl.col("birth").cast(pl.Datetime("us")) + pl.duration(seconds=CODES))
    )


@forges("anatomy, dates.parquet")
def dates_as_numbers(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(pl.col("birth").cast(pl.Int32)))


@forges(BUCKET)
def a_column_of_lists(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(pl.concat_list("city")))


@forges(BUCKET)
def a_column_of_bytes(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(pl.col("city").cast(pl.String).cast(pl.Binary)))


@forges(BUCKET)
def numbers_as_decimals(f: Forgery) -> None:
    f.edit(
        "quasi",
        lambda table: table.with_columns(
            pl.col("age").cast(pl.Decimal(20, 2)) + pl.lit("0.25").cast(pl.Decimal(20, 2))
        ),
    )


@forges(BUCKET)
def decimals_as_groups(f: Forgery) -> None:
    f.edit("quasi", lambda table: table.with_columns(pl.col("group").cast(pl.Decimal(20, 0))))


@forges("mondrian, weight.parquet", BOX)
def labels_as_numbers(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(age=pl.lit(30)))


@forges(BUCKET)
def floats_in_place_of_whole_numbers(f: Forgery) -> None:
    """Half years that the dictionary calls whole numbers."""
    f.edit("quasi", lambda table: table.with_columns(age=pl.col("age") + 0.5 * (CODES % 2)))

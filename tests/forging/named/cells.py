"""Forgeries of cells and rows: values that only look different, cells written in two ways, groups in one table only."""

from __future__ import annotations

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import (
    AGAIN,
    APART,
    BOX,
    BOX_CSV,
    BUCKET,
    GAPS,
    LISTS,
    SAMPLE,
    forges,
)

CODES = pl.int_range(pl.len()) + 1  # a number per row
BOXES = (BOX, BOX_CSV)


# cells ----------------------------------------------------------------------------------------------------------------
def _vary(text: str) -> pl.Expr:
    """Append a sign to the text as often as the number of the row says, so that neighbours differ."""
    signs = pl.lit(text).repeat_by(CODES % 7).list.join("")
    return pl.concat_str([pl.col("disease").cast(pl.String), signs]).alias("disease")


def _spread_values(f: Forgery, name: str, text: str) -> None:
    """Turn each sensitive value into two that look the same, and tell the dictionary."""
    f.edit(name, lambda table: table.with_columns(_vary(text)))
    values = f.table(name)["disease"].unique().sort().to_list()
    f.entry("disease")["domain"]["values"] = values


@forges(*BOXES)
def values_with_zero_width_spaces(f: Forgery) -> None:
    """All of a group have flu, once written with an invisible character: two values that no reader tells apart."""
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", "\u200b")


@forges(*BOXES)
def values_with_soft_hyphens(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", "\u00ad")


@forges(*BOXES)
def values_with_trailing_spaces(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", " ")


@forges(*BOXES)
def values_with_no_break_spaces(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", "\u00a0")


@forges(*BOXES)
def values_with_variation_selectors(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", "\ufe0f")


@forges(*BOXES)
def values_with_controls(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", "\x01")


@forges(*BOXES)
def values_with_direction_marks(f: Forgery) -> None:
    f.edit("table", lambda table: table.with_columns(disease=pl.lit("flu")))
    _spread_values(f, "table", "\u200e")


@forges(*BOXES)
def values_in_compatibility_characters(f: Forgery) -> None:
    """flu in full-width letters is flu under NFKC."""
    kinds = ["flu", "ｆｌｕ", "ﬂu", "𝐟𝐥𝐮", "ⓕⓛⓤ"]
    f.edit("table", lambda table: table.with_columns(disease=pl.Series([kinds[n % 5] for n in range(table.height)])))
    f.entry("disease")["domain"]["values"] = sorted(kinds)


@forges(*BOXES)
def values_in_composed_and_decomposed_letters(f: Forgery) -> None:
    kinds = ["\u00fc\u00fc", "u\u0308\u00fc", "\u00fcu\u0308", "u\u0308u\u0308"]
    f.edit("table", lambda table: table.with_columns(disease=pl.Series([kinds[n % 4] for n in range(table.height)])))
    f.entry("disease")["domain"]["values"] = sorted(kinds)


@forges(BUCKET)
def buckets_of_values_that_look_the_same(f: Forgery) -> None:
    table = f.table("sensitive")
    spaces = pl.int_range(pl.len()).over("group")
    texts = pl.concat_str([pl.lit("flu"), pl.lit("\u200b").repeat_by(spaces).list.join("")])
    f.set_table("sensitive", table.with_columns(disease=texts))
    f.entry("disease")["domain"]["values"] = f.table("sensitive")["disease"].unique().sort().to_list()


@forges(BOX, BOX_CSV)
def a_cell_with_an_invisible_character(f: Forgery) -> None:
    first = CODES == 1
    column = pl.col("age").cast(pl.String)
    f.edit(
        "table", lambda table: table.with_columns(pl.when(first).then(column + "\u200b").otherwise(column).alias("age"))
    )


@forges(BOX, BOX_CSV)
def a_range_that_is_written_in_two_ways(f: Forgery) -> None:
    """[21, 30] and [21,30] are two labels of one range; a reader sees two groups."""
    column = pl.col("age").cast(pl.String)
    other = pl.when(CODES % 2 == 0).then(column.str.replace(", ", ",")).otherwise(column)
    f.edit("table", lambda table: table.with_columns(other.alias("age")))


@forges(BOX, BOX_CSV)
def a_range_with_zeros_and_signs(f: Forgery) -> None:
    column = pl.col("age").cast(pl.String)
    other = pl.when(CODES % 2 == 0).then(column.str.replace("[", "[+0", literal=True)).otherwise(column)
    f.edit("table", lambda table: table.with_columns(other.alias("age")))


@forges(BOX, BOX_CSV)
def a_code_per_person_in_the_zeros_of_a_range(f: Forgery) -> None:
    """The number of zeros tells the rows apart, and the cells stand for the same values."""
    column = pl.col("age").cast(pl.String)
    zeros = pl.lit("0").repeat_by(CODES % 5).list.join("")
    f.edit(
        "table",
        lambda table: table.with_columns(
            column.str.replace("[", "", literal=True).pipe(lambda rest: pl.concat_str([pl.lit("["), zeros, rest]))
        ),
    )


@forges(GAPS, BOX)
def a_set_with_values_twice(f: Forgery) -> None:
    f.edit(
        "table",
        lambda table: table.with_columns(
            city=pl.when(CODES % 2 == 0).then(pl.lit("{Bern|Lyon}")).otherwise(pl.lit("{Lyon|Bern}"))
        ),
    )
    f.entry("city")["shown"] = "generalized"
    f.entry("city")["names"] = {}


@forges(SAMPLE)
def a_box_twice(f: Forgery) -> None:
    """One row per group: a box that occurs twice is one group with two rows."""
    f.edit("table", lambda table: pl.concat([table, table.head(1)]))


@forges(BOX, BUCKET, LISTS, SAMPLE)
def no_rows(f: Forgery) -> None:
    for name in [name.removesuffix(".parquet") for name in f.files]:
        f.edit(name, lambda table: table.head(0))


@forges(BUCKET)
def a_group_in_one_table_only(f: Forgery) -> None:
    f.edit("sensitive", lambda table: pl.concat([table, table.tail(1).with_columns(group=pl.col("group") + 99)]))


@forges(LISTS, APART)
def a_group_in_one_list_only(f: Forgery) -> None:
    f.edit("sensitive_ward", lambda table: pl.concat([table, table.tail(1).with_columns(group=pl.col("group") + 99)]))


@forges(AGAIN)
def counterfeits_of_a_group_that_does_not_exist(f: Forgery) -> None:
    f.set_table(
        "counterfeits",
        f.table("counterfeits").vstack(
            pl.DataFrame({"group": [999], "count": [1]}, schema=f.table("counterfeits").schema)
        ),
    )


@forges(BUCKET)
def a_value_twice_in_a_group(f: Forgery) -> None:
    """A value with two rows in one group is shown as two values of half the frequency."""
    table = f.table("sensitive")
    values = pl.when(pl.col("group") == 1).then(pl.lit("flu")).otherwise(pl.col("disease").cast(pl.String))
    f.set_table("sensitive", table.with_columns(disease=values))


@forges(BUCKET)
def a_value_twice_in_a_group_that_adds_up(f: Forgery) -> None:
    """Flu 2 is written as flu 1 and flu 1: the table shows one row per group and value, and readers who do not add
    are misled."""
    table = f.table("sensitive")
    again = table.filter(pl.col("group") == 1).head(1)
    f.set_table("sensitive", pl.concat([table, again]))
    quasi = f.table("quasi")
    f.set_table("quasi", pl.concat([quasi, quasi.filter(pl.col("group") == 1).head(1)]))

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
    DATES,
    GAPS,
    LISTS,
    NUMBERED,
    SAMPLE,
    SAMPLE_CSV,
    changes_harmlessly,
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


@forges(LISTS, APART)
def a_group_in_a_secondary_list_only(f: Forgery) -> None:
    """A group of nobody lists values: whatever its number and its values say, nobody reads it."""
    f.edit(
        "sensitive_disease",
        lambda table: table.with_columns(group=pl.col("group") + (pl.int_range(pl.len()) == 36) * 99),
    )


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


# the ends of ranges, as numbers and dates beside the labels -----------------------------------------------------------
RANGES = (*BOXES, SAMPLE, SAMPLE_CSV)
FIRST = pl.int_range(pl.len()) == 0


def _ends(f: Forgery) -> dict[str, str]:
    """The columns of ends of the first column that has some."""
    return dict(next(entry["ends"] for entry in f.dictionary["columns"] if "ends" in entry))


def _shift(f: Forgery, name: str, chosen: pl.Expr, step: int) -> None:
    column = pl.col(name).cast(pl.Int64) + step if f.is_csv else pl.col(name) + step
    column = column.cast(pl.String) if f.is_csv else column
    f.edit("table", lambda table: table.with_columns(pl.when(chosen).then(column).otherwise(pl.col(name)).alias(name)))


@forges(*RANGES, GAPS)
def a_low_end_of_one_person_alone(f: Forgery) -> None:
    """One row of a group states another end: its person can be told from the others."""
    _shift(f, _ends(f)["low"], FIRST, 1)


@forges(*RANGES, GAPS)
def a_high_end_of_one_person_alone(f: Forgery) -> None:
    _shift(f, _ends(f)["high"], FIRST, -1)


@forges(*RANGES)
def ends_that_are_all_wider(f: Forgery) -> None:
    _shift(f, _ends(f)["high"], pl.lit(True), 1)


@forges(*RANGES)
def ends_in_the_wrong_columns(f: Forgery) -> None:
    low, high = _ends(f)["low"], _ends(f)["high"]
    f.edit("table", lambda table: table.with_columns(pl.col(low).alias(high), pl.col(high).alias(low)))


@forges(*RANGES, DATES)
def an_end_that_is_empty(f: Forgery) -> None:
    low = _ends(f)["low"]
    f.edit("table", lambda table: table.with_columns(pl.when(~FIRST).then(pl.col(low)).alias(low)))


@forges(*RANGES)
def ends_of_another_type(f: Forgery) -> None:
    low = _ends(f)["low"]
    kind = pl.Float64 if f.is_csv else pl.Int32
    f.edit("table", lambda table: table.with_columns(pl.col(low).cast(kind)))


@forges(BOX_CSV)
def a_code_per_person_in_the_zeros_of_an_end(f: Forgery) -> None:
    low = _ends(f)["low"]
    f.edit("table", lambda t: t.with_columns(pl.when(FIRST).then("0" + pl.col(low)).otherwise(pl.col(low)).alias(low)))


@forges(*RANGES)
def ends_that_the_table_does_not_have(f: Forgery) -> None:
    f.edit("table", lambda table: table.drop(_ends(f)["low"]))


@forges(*RANGES)
def ends_that_nobody_describes(f: Forgery) -> None:
    for entry in f.dictionary["columns"]:
        entry.pop("ends", None)


@forges(*RANGES, NUMBERED)
def a_message_in_the_name_of_an_end(f: Forgery) -> None:
    entry = next(entry for entry in f.dictionary["columns"] if "ends" in entry)
    old = entry["ends"]["low"]
    entry["ends"]["low"] = "Bob_Smith_low"
    for name in f.table_names:
        f.edit(name, lambda table: table.rename({old: "Bob_Smith_low"}))


@forges(*RANGES)
def a_message_in_the_meaning_of_the_ends(f: Forgery) -> None:
    next(entry for entry in f.dictionary["columns"] if "ends" in entry)["ends"]["means"] = "row 1 is Bob Smith"


@forges(BOX)
def ends_of_a_column_of_categories(f: Forgery) -> None:
    f.entry("city")["ends"] = {**_ends(f), "low": "city_low", "high": "city_high"}


@changes_harmlessly(*RANGES)
def a_release_without_ends(f: Forgery) -> None:
    names = [name for entry in f.dictionary["columns"] for name in (entry.get("ends") or {}).values()]
    for entry in f.dictionary["columns"]:
        entry.pop("ends", None)
    f.edit("table", lambda table: table.drop(names, strict=False))

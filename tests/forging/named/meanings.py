"""Forgeries of what a cell stands for: names, hierarchies and domains in the dictionary."""

from __future__ import annotations

import re

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import (
    BOX,
    BOX_CSV,
    BUCKET,
    BUCKET_CSV,
    GAPS,
    MEANS,
    MEANS_CSV,
    SAMPLE,
    TAILS,
    TAILS_CSV,
    TREE,
    changes_harmlessly,
    forges,
)

BOXES = (BOX, BOX_CSV)


def _cells(f: Forgery, name: str) -> list[str]:
    return f.table("table")[name].cast(pl.String).unique().sort().to_list()


# names ----------------------------------------------------------------------------------------------------------------
@forges(*BOXES)
def a_name_that_widens_a_range(f: Forgery) -> None:
    """The cell says [21, 30], the dictionary says it stands for every age."""
    label = next(cell for cell in _cells(f, "age") if cell.startswith("["))
    f.entry("age")["names"] = {label: [21, 59]}


@forges(*BOXES)
def names_that_widen_every_range(f: Forgery) -> None:
    f.entry("age")["names"] = {label: ["21", "59"] for label in _cells(f, "age")}


@forges(*BOXES)
def a_name_that_no_cell_has(f: Forgery) -> None:
    f.entry("age")["names"] = {"Bob Smith": ["21", "59"]}


@forges(*BOXES)
def a_name_with_more_than_two_ends(f: Forgery) -> None:
    label = next(cell for cell in _cells(f, "age") if cell.startswith("["))
    f.entry("age")["names"] = {label: [*re.findall(r"\d+", label), "Bob Smith"]}


@forges(*BOXES)
def a_name_for_everything(f: Forgery) -> None:
    """* stands for any value; here for one."""
    f.edit("table", lambda table: table.with_columns(age=pl.lit("*")))
    f.entry("age")["names"] = {"*": ["21", "21"]}


@forges(BOX)
def a_name_for_an_exact_value(f: Forgery) -> None:
    """`Bern` is written, and the dictionary says that it means any city."""
    f.entry("city")["shown"] = "generalized"
    f.entry("city")["names"] = {"Bern": ["Bern", "Lyon", "Oslo"]}
    f.edit("table", lambda table: table.with_columns(pl.col("city").cast(pl.String)))


@forges("full-domain.parquet")
def a_name_of_a_hierarchy_with_other_values(f: Forgery) -> None:
    """The nineties are said to last for twenty years."""
    names = f.entry("birth")["names"]
    names[sorted(names)[0]] = ["1990-01-01", "2009-12-31"]


@forges(TREE)
def names_of_exact_columns(f: Forgery) -> None:
    f.entry("disease")["names"] = {"flu": ["HIV"]}


@forges(BUCKET)
def names_in_a_shape_of_exact_values(f: Forgery) -> None:
    f.entry("age")["names"] = {"34": ["20", "60"]}


@forges(TREE)
def a_hierarchy_that_merges_all_values(f: Forgery) -> None:
    """With all values under one node, hierarchical distances shrink to nothing."""
    entry = f.entry("disease")
    assert entry["hierarchy"]
    entry["hierarchy"] = [[row[0], *["all"] * (len(row) - 1)] for row in entry["hierarchy"]]


@forges(TREE)
def a_hierarchy_with_values_that_do_not_exist(f: Forgery) -> None:
    entry = f.entry("disease")
    entry["hierarchy"].append(["Bob Smith", *entry["hierarchy"][0][1:]])


@forges(TREE)
def a_hierarchy_with_a_value_twice(f: Forgery) -> None:
    entry = f.entry("disease")
    entry["hierarchy"].append([entry["hierarchy"][0][0], *entry["hierarchy"][-1][1:]])


@changes_harmlessly(TREE)
def a_hierarchy_of_many_levels(f: Forgery) -> None:
    """Levels without branches make every distance as small as one likes."""
    entry = f.entry("disease")
    entry["hierarchy"] = [[row[0], *[row[1]] * 50, *row[1:]] for row in entry["hierarchy"]]


@forges(BOX)
def a_hierarchy_of_a_column_without_one(f: Forgery) -> None:
    f.entry("age")["hierarchy"] = [["Bob Smith", "has HIV"]]


# domains --------------------------------------------------------------------------------------------------------------
@forges(*BOXES, BUCKET, BUCKET_CSV)
def a_domain_with_a_value_that_nobody_has(f: Forgery) -> None:
    """Nothing in the tables shows it: the list is a place for a message."""
    f.entry("city")["domain"]["values"].append("Bob Smith has HIV")


@forges(*BOXES)
def a_wider_domain_of_numbers(f: Forgery) -> None:
    """`*` and the loss of a cell are read against it."""
    f.entry("age")["domain"]["max"] = 5900


@forges(*BOXES)
def a_narrower_domain_of_numbers(f: Forgery) -> None:
    f.entry("age")["domain"]["max"] = 30


@forges(BUCKET, BUCKET_CSV)
def a_narrower_domain_of_exact_numbers(f: Forgery) -> None:
    f.entry("age")["domain"]["max"] = 30


@forges(*BOXES)
def a_domain_that_lacks_a_value(f: Forgery) -> None:
    f.entry("disease")["domain"]["values"].remove("flu")


@forges(*BOXES)
def a_domain_with_a_value_twice(f: Forgery) -> None:
    f.entry("disease")["domain"]["values"].append("flu")


@changes_harmlessly(*BOXES)
def a_domain_in_another_order(f: Forgery) -> None:
    """An order can carry a message, and for ordered columns it has a meaning."""
    f.entry("disease")["domain"]["values"].reverse()


@forges(*BOXES)
def a_domain_with_both_a_list_and_ends(f: Forgery) -> None:
    f.entry("disease")["domain"] |= {"min": "a", "max": "z"}


@forges(*BOXES)
def no_domain(f: Forgery) -> None:
    f.entry("disease")["domain"] = {"missing": False}


@forges(*BOXES)
def a_missing_value_that_nobody_lacks(f: Forgery) -> None:
    """`*` would stand for a missing value too."""
    f.entry("age")["domain"]["missing"] = True


@forges(GAPS)
def missing_values_that_the_dictionary_denies(f: Forgery) -> None:
    for name in ("age", "city"):
        f.entry(name)["domain"]["missing"] = False


@forges(SAMPLE)
def a_longer_list_of_a_perturbed_column(f: Forgery) -> None:
    """The bound of anti-corruption shrinks with every value that the list holds."""
    f.entry("disease")["domain"]["values"] += [f"zz{number}" for number in range(100)]


@forges(SAMPLE)
def another_probability_to_keep_a_value(f: Forgery) -> None:
    f.entry("disease")["keep"] = 0.01


@forges(SAMPLE)
def a_probability_as_text(f: Forgery) -> None:
    f.entry("disease")["keep"] = str(f.entry("disease")["keep"])


# tails ----------------------------------------------------------------------------------------------------------------
def _say_tails(f: Forgery, people: int) -> None:
    entry = f.entry("stay")
    entry["coded"] = entry["coded"].replace(f"at least {entry['steering']['tails']}", f"at least {people}")
    entry["steering"]["tails"] = people


@forges(TAILS, TAILS_CSV)
def more_people_in_the_tails_than_there_are(f: Forgery) -> None:
    """All words agree, and fewer people share the ends."""
    _say_tails(f, 20)


@forges(TAILS, TAILS_CSV)
def tails_of_two_people(f: Forgery) -> None:
    """Each of the two would know the other's value; no publisher may ask for it."""
    _say_tails(f, 2)


@forges(TAILS, TAILS_CSV)
def tails_in_the_words_only(f: Forgery) -> None:
    del f.entry("stay")["steering"]["tails"]


@forges(TAILS, TAILS_CSV)
def tails_of_a_column_that_is_not_sensitive(f: Forgery) -> None:
    entry = f.entry("age")
    entry["steering"] = {"tails": 3}
    entry["coded"] = "at least 3 people share the least value, and as many the greatest"


@forges(TAILS)
def a_value_beyond_the_tails(f: Forgery) -> None:
    """One person has a greatest value alone, and the stated top is moved so that it fits."""
    entry, stays = f.entry("stay"), f.table("table")["stay"]
    value = int(stays.max()) + 1  # type: ignore[arg-type]
    first = pl.int_range(pl.len()) == int(stays.arg_max() or 0)
    f.edit("table", lambda t: t.with_columns(stay=pl.when(first).then(value).otherwise("stay").cast(t["stay"].dtype)))
    if "top" in entry["steering"]:
        old, entry["steering"]["top"] = entry["steering"]["top"], value
        entry["coded"] = entry["coded"].replace(
            f"{old} stands for {old} or more", f"{value} stands for {value} or more"
        )
    entry["domain"] |= {"max": value}


# means ----------------------------------------------------------------------------------------------------------------
def _change(f: Forgery, mean: pl.Expr) -> None:
    f.edit("table", lambda table: table.with_columns(mean.alias("age_mean")))


@forges(MEANS)
def a_mean_beyond_its_cell(f: Forgery) -> None:
    _change(f, pl.col("age_high") + 0.5)


@forges(MEANS)
def a_mean_that_both_ends_rule_out(f: Forgery) -> None:
    """Somebody has the greatest value of a cell, so the mean is not the least."""
    _change(f, pl.col("age_low").cast(pl.Float64))


@forges(MEANS)
def a_mean_of_one_person(f: Forgery) -> None:
    """One row of a group states another mean: whose value is it?"""
    other = pl.when(pl.int_range(pl.len()) == 0).then(pl.col("age_mean") + 0.5).otherwise("age_mean")
    _change(f, other)


@forges(MEANS)
def a_mean_that_is_not_round(f: Forgery) -> None:
    """Digits that rounding should have removed can name people."""
    _change(f, pl.col("age_mean") + 0.0001)


@forges(MEANS)
def means_that_are_missing(f: Forgery) -> None:
    _change(f, pl.lit(None, dtype=pl.Float64))


@forges(MEANS)
def means_of_another_type(f: Forgery) -> None:
    _change(f, pl.col("age_mean").cast(pl.Float32))


@forges(MEANS, MEANS_CSV)
def means_in_the_words_only(f: Forgery) -> None:
    f.edit("table", lambda table: table.drop("age_mean"))


@forges(MEANS, MEANS_CSV)
def means_without_words(f: Forgery) -> None:
    del f.entry("age")["mean"]


@forges(MEANS, MEANS_CSV)
def means_rounded_as_nobody_says(f: Forgery) -> None:
    f.entry("age")["steering"]["mean"] = 2


@forges(MEANS, MEANS_CSV)
def means_that_promise_more(f: Forgery) -> None:
    f.entry("age")["mean"]["means"] = "the mean of the group, from which nobody can work out anything"


@forges(MEANS, MEANS_CSV)
def means_beside_people_who_are_withheld(f: Forgery) -> None:
    f.dictionary["withheld"] = 1


@forges(BOX)
def means_of_small_groups(f: Forgery) -> None:
    """All words agree, and groups have three people."""
    entry = f.entry("age")
    entry["steering"] = {"mean": 1}
    entry["mean"] = {
        "name": "age_mean",
        "means": "the mean of the people who share the cells of all quasi-identifier columns, rounded to multiples of "
        "1 and kept inside the cell, as the publisher states it; empty where the cell is * or may be (missing). "
        "Whoever knows the values of all these people but one can work out the last one's",
    }
    _change(f, ((pl.col("age_low") + pl.col("age_high")) / 2).floor())

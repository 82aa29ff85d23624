"""Forgeries of the dictionary: types, kinds, ways to show a cell, roles, weights and units."""

from __future__ import annotations

import polars as pl

from forging.forgery import Forgery
from forging.named.registry import (
    BOX,
    BOX_CSV,
    BUCKET,
    BUCKET_CSV,
    DATES,
    EXACT,
    INDICATOR,
    LISTS,
    PEOPLE,
    ROBUST,
    SAMPLE,
    WEIGHT,
    changes_harmlessly,
    forges,
)

BOXES = (BOX, BOX_CSV)


# types ----------------------------------------------------------------------------------------------------------------
def _call_names_dates(f: Forgery) -> None:
    rows = f.table("table").height
    f.edit("table", lambda table: table.with_columns(city=pl.Series([f"person {number}" for number in range(rows)])))
    f.entry("city").update(type="Date", shown="exact")
    f.entry("city").pop("names", None)


@forges(*BOXES, DATES)
def names_that_are_called_dates(f: Forgery) -> None:
    """Every row has a name of its own; what is not a date was read as missing, so that all are one group."""
    _call_names_dates(f)
    f.entry("city").update(kind="date", domain={"missing": True})


@forges(*BOXES)
def names_that_are_called_dates_of_a_category(f: Forgery) -> None:
    _call_names_dates(f)
    f.entry("city").update(kind="categorical", domain={"values": ["2000-01-01"], "missing": True})


@forges(*BOXES)
def names_that_are_called_times(f: Forgery) -> None:
    _call_names_dates(f)
    f.entry("city").update(type="Time", kind="categorical", domain={"values": ["10:00:00"], "missing": True})


@forges(*BOXES)
def names_that_are_called_moments(f: Forgery) -> None:
    _call_names_dates(f)
    f.entry("city").update(type="Datetime(time_unit='us', time_zone=None)", kind="date", domain={"missing": True})


@forges(*BOXES)
def names_that_are_called_truth_values(f: Forgery) -> None:
    _call_names_dates(f)
    f.entry("city").update(type="Boolean", kind="categorical", domain={"values": [False, True], "missing": True})


@forges(*BOXES)
def names_that_are_called_numbers(f: Forgery) -> None:
    _call_names_dates(f)
    f.entry("city").update(type="Int64", kind="numeric", domain={"min": 1, "max": 5, "missing": True})


@forges(*BOXES)
def sensitive_values_that_are_called_dates(f: Forgery) -> None:
    f.entry("disease").update(type="Date", kind="date", domain={"missing": True})


@forges(BUCKET_CSV, BUCKET)
def cities_that_are_called_dates_in_quasi(f: Forgery) -> None:
    f.entry("city").update(type="Date", kind="date", domain={"missing": True})


@forges(*BOXES)
def a_type_that_does_not_exist(f: Forgery) -> None:
    f.entry("city")["type"] = "Text"


@forges(*BOXES)
def a_type_that_does_not_exist_for_labels(f: Forgery) -> None:
    f.entry("age")["type"] = "Int65"


@forges(*BOXES)
def ranges_of_texts(f: Forgery) -> None:
    f.entry("age")["type"] = "String"


@forges(*BOXES)
def ranges_of_narrow_numbers(f: Forgery) -> None:
    f.entry("age")["type"] = "Float32"


@forges(DATES)
def dates_of_another_precision(f: Forgery) -> None:
    f.entry("birth")["type"] = "Datetime(time_unit='us', time_zone=None)"


@forges(DATES)
def a_moment_in_a_time_zone_that_does_not_exist(f: Forgery) -> None:
    f.entry("birth")["type"] = "Datetime(time_unit='us', time_zone='Mars/Olympus')"


@forges(*BOXES)
def categories_that_are_called_numbers(f: Forgery) -> None:
    f.entry("city")["kind"] = "numeric"


@forges(*BOXES)
def numbers_that_are_called_categories(f: Forgery) -> None:
    f.entry("age")["kind"] = "categorical"


@forges(*BOXES)
def categories_that_are_called_ordered(f: Forgery) -> None:
    """Order has a meaning for distances; the dictionary alone decides it."""
    f.entry("city")["kind"] = "date"


# ways to show a cell --------------------------------------------------------------------------------------------------
@forges(*BOXES)
def ranges_that_are_called_exact(f: Forgery) -> None:
    f.entry("age")["shown"] = "exact"


@forges(EXACT)
def exact_values_that_are_called_generalized(f: Forgery) -> None:
    f.entry("age")["shown"] = "generalized"


@forges(*BOXES)
def a_sensitive_column_that_is_called_perturbed(f: Forgery) -> None:
    f.entry("disease")["shown"] = "perturbed"


@forges(*BOXES)
def an_unknown_way_to_show_a_cell(f: Forgery) -> None:
    f.entry("age")["shown"] = "encrypted"


@forges(*BOXES)
def a_sensitive_column_that_is_called_generalized(f: Forgery) -> None:
    """A sensitive column shown as labels: what the labels stand for is not what was counted."""
    f.entry("disease")["shown"] = "generalized"
    f.entry("disease")["names"] = {"flu": ["flu", "HIV"]}


@forges(SAMPLE)
def a_perturbed_column_that_is_called_exact(f: Forgery) -> None:
    f.entry("disease")["shown"] = "exact"


@forges(ROBUST)
def values_that_are_called_an_indicator(f: Forgery) -> None:
    f.entry("disease")["indicator"] = True


@forges(INDICATOR)
def an_indicator_that_is_called_values(f: Forgery) -> None:
    """The cells say in or out of the protected set; without the flag they seem to be a disease."""
    f.entry("disease").pop("indicator", None)


# roles ----------------------------------------------------------------------------------------------------------------
@changes_harmlessly(BOX, BOX_CSV)
def a_quasi_identifier_that_is_called_other(f: Forgery) -> None:
    """k is then counted over fewer columns than a reader can link by; the claims name fewer columns, too."""
    f.edit("table", lambda table: table.with_columns(city=pl.Series([f"c{n}" for n in range(table.height)])))
    f.entry("city")["role"] = "other"
    f.entry("city")["domain"]["values"] = sorted(f.table("table")["city"].to_list())
    for claim in f.claims:
        claim["quasi"] = ["age"]


@forges(BOX)
def a_quasi_identifier_that_is_called_other_in_the_dictionary(f: Forgery) -> None:
    f.entry("city")["role"] = "other"


@forges(BOX)
def a_quasi_identifier_that_is_called_sensitive(f: Forgery) -> None:
    f.entry("city")["role"] = "sensitive"


@forges(BOX)
def a_sensitive_column_that_is_called_other(f: Forgery) -> None:
    f.entry("disease")["role"] = "other"


@forges(BUCKET)
def a_sensitive_column_that_is_called_other_in_buckets(f: Forgery) -> None:
    f.entry("disease")["role"] = "other"


@changes_harmlessly(BUCKET)
def a_quasi_identifier_that_is_called_other_in_buckets(f: Forgery) -> None:
    f.entry("city")["role"] = "other"
    for claim in f.claims:
        claim["quasi"] = ["age"]


@forges(BOX)
def an_identifier(f: Forgery) -> None:
    f.entry("city")["role"] = "identifier"


@changes_harmlessly(DATES)
def a_second_sensitive_column_without_a_claim(f: Forgery) -> None:
    """The claims about ward are dropped and ward is called other: its values are shown with no promise."""
    f.entry("ward")["role"] = "other"
    f.certificate["claims"] = [claim for claim in f.claims if claim["column"] != "ward"]
    f.edit("table", lambda table: table.with_columns(ward=pl.format("Bob {}", pl.int_range(pl.len()))))
    f.entry("ward")["domain"]["values"] = sorted(f.table("table")["ward"].to_list())


@forges(BOX)
def a_column_described_twice(f: Forgery) -> None:
    f.dictionary["columns"].append(dict(f.entry("city")))


@forges(BOX)
def a_described_column_that_is_not_published(f: Forgery) -> None:
    f.dictionary["columns"].append({**f.entry("city"), "name": "town"})


@forges(LISTS)
def another_primary_column(f: Forgery) -> None:
    f.dictionary["primary"] = "disease"


@forges(LISTS)
def a_primary_column_that_does_not_exist(f: Forgery) -> None:
    f.dictionary["primary"] = "town"


@forges(BOX, WEIGHT)
def a_weight_that_is_none(f: Forgery) -> None:
    """Estimates then count every row as many people as it is old."""
    f.entry("age")["weight"] = True


@forges(WEIGHT)
def a_weight_that_is_denied(f: Forgery) -> None:
    f.entry("share").pop("weight")


@forges(BOX)
def a_weight_that_is_false(f: Forgery) -> None:
    f.entry("age")["weight"] = False


@forges(PEOPLE)
def rows_that_are_called_people(f: Forgery) -> None:
    """Two rows per person become one: k people are then k/2 people. Only the publisher's table could tell, but the
    words of the promise are those of a release of people, and all must agree."""
    f.dictionary["unit"] = {"of": "person", "rows": 1, "basis": "assumed"}


@forges(PEOPLE)
def claims_of_more_people_than_rows_allow(f: Forgery) -> None:
    for place in (*f.claims, f.dictionary):
        place["unit"]["rows"] = 1

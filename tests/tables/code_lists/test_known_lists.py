"""Public code lists as hierarchies: recognised by their codes, of a stated edition, and refused by count."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError
from voile.tables.code_lists.countries import COUNTRIES
from voile.tables.code_lists.icd10 import ICD10
from voile.tables.code_lists.known_lists import CODE_LISTS, recognize_list
from voile.tables.domain import build_domain
from voile.tables.hierarchy import Hierarchy, HierarchyRecipe

DIAGNOSES = ["A09.9", "C50.4", "E11.1", "E11.9", "E14.1", "I10", "I21.0", "O80", "Z38.0"]


def fit(recipe: HierarchyRecipe, values: list[str]) -> Hierarchy:
    domain = build_domain("x", pl.Series(values), "categorical", None)
    return recipe.fit("x", domain, np.ones(domain.size, dtype=np.int64))


@pytest.mark.parametrize(
    ("codes", "name"),
    [
        (DIAGNOSES, "icd10"),
        (["AT", "DE", "FR", "JP"], "countries"),
        (["AUT", "DEU", "FRA", "JPN"], "countries"),
        (["United-States", "Holand-Netherlands", "Puerto-Rico", "Yugoslavia", "Hong"], "countries"),
        (["10th", "Bachelors", "Doctorate", "HS-grad"], "education"),
        (["red", "green", "blue", "black"], None),
        (["DE", "FR", "AT", "XX"], None),  # a quarter is not in the list
        ([*DIAGNOSES, "U50.0"], "icd10"),  # a code of ICD-10-GM that WHO does not have
        ([code.lower() for code in DIAGNOSES], "icd10"),
        (["E11.9+", "G63.2*", "H36.0*", "I10", "U07.1!"], "icd10"),
        (["I10.00G", "E11.90G", "J44.19V", "C50.9Z"], "icd10"),
        (["S72.001A", "C50.911", "I10", "M54.50"], "icd10"),  # ICD-10-CM
        (["P12345", "P12346", "P12347", "P99999"], None),  # numbers of people
        (["DE", "XK", "UK", "EL", "FR"], "countries"),
        (["germany", "france", "SPAIN", "Kosovo"], "countries"),
        (["de", "fr", "it", "es"], None),  # may be languages
        (["AL", "CA", "GA", "PA", "MA", "DE", "CO", "IN", "MD", "TX"], None),  # states
        (["BW", "BY", "BE", "BB", "SN", "SH", "ST", "TH", "MV", "HH"], None),
        (["Managers", "Professionals", "Elementary occupations", "Technicians and associate professionals"], "isco08"),
        (["2211", "2221", "5120", "9112"], None),
        (["DE", "FR"], None),  # too few to tell
    ],
)
def test_lists_are_recognised_by_their_codes(codes: list[str], name: str | None) -> None:
    found = recognize_list(codes)
    assert (found.name if found else None) == name
    if name is not None:
        assert fit(HierarchyRecipe("auto"), codes).source == CODE_LISTS[name].title


def test_icd10_has_categories_blocks_and_chapters() -> None:
    rows = {row[0]: row[1:] for row in fit(vl.code_list("icd10"), DIAGNOSES).rows()}
    assert rows["E11.9"] == ["E11", "E10-E14", "E00-E90 Endocrine, nutritional and metabolic diseases", "*"]
    assert rows["O80"][1:3] == ["O80-O84", "O00-O99 Pregnancy, childbirth and the puerperium"]


def test_blocks_of_icd10_do_not_overlap_and_lie_in_their_chapter() -> None:
    paths = [ICD10.place(f"{letter}{number:02}") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for number in range(100)]
    found = [path for path in paths if path is not None]
    assert 1_900 < len(found) < 2_300
    for category, block, chapter in found:
        first, last = chapter.split()[0].split("-")
        assert block[:3] <= category <= block[4:]
        assert first <= category <= last


def test_the_countries_are_complete() -> None:
    listed = COUNTRIES.list_codes(["AT"])
    regions = {"Africa", "Americas", "Asia", "Europe", "Oceania", "Antarctica"}
    assert regions <= set(listed)
    assert sum(len(listed[region]) for region in regions) == 249 + 1  # Kosovo
    assert COUNTRIES.place("DE") == ("Western Europe", "Europe")


@pytest.mark.parametrize(
    ("name", "codes", "unknown", "other"),
    [
        ("icd10", ["250.00", "401.9", "V30.00", "E11.9"], 2, "ICD-9"),
        ("icd10", ["E11.90", "U60.1", "U69.00", "I10"], 2, "a national edition of ICD-10"),
        ("icd10", ["flu", "HIV", "I10"], 2, ""),
        ("countries", ["AT", "Atlantis"], 1, ""),
        ("isco08", ["2111", "9999"], 1, "ISCO-88 or a national list"),
    ],
)
def test_codes_of_another_edition_are_counted_and_named(name: str, codes: list[str], unknown: int, other: str) -> None:
    with pytest.raises(SchemaError, match=f"{unknown} of {len(codes)} codes of 'x' are not in") as error:
        fit(vl.code_list(name), codes)
    assert error.value.code == "schema.hierarchy-edition"
    assert other in str(error.value)
    assert not any(code in str(error.value) for code in codes if len(code) > 3)


def test_another_edition_is_not_taken_for_the_one_there_is() -> None:
    with pytest.raises(SchemaError, match="an edition of icd10 that voile does not have"):
        fit(HierarchyRecipe("icd10", (2024,)), DIAGNOSES)


def test_what_is_declared_below_a_label_does_not_depend_on_the_values_of_the_table() -> None:
    """A release explains a label by its public codes, so that a withheld value is not told by its absence."""
    one = fit(vl.code_list("icd10"), ["E11.9", "I10.0"]).declared
    other = fit(vl.code_list("icd10"), ["E14.1", "I15.2"]).declared
    assert one["E10-E14"] == other["E10-E14"]
    assert {"E11.9", "E10.0"} <= set(one["E10-E14"])


def test_a_release_shows_blocks_and_verifies() -> None:
    people = [(30 + n % 4, DIAGNOSES[n % 9], ["flu", "HIV", "cold"][n % 3]) for n in range(108)]
    frame = pl.DataFrame(people, schema=["age", "code", "test"], orient="row")
    schema = vl.Schema(quasi=["age", "code"], sensitive=["test"], hierarchies={"code": "icd10", "age": "ages"})
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=13), vl.FullDomain())
    assert vl.verify(release).holds
    cells = set(release.tables["table"]["code"].cast(pl.String))
    assert cells <= {"*", *DIAGNOSES} | {label for code in DIAGNOSES for label in ICD10.place(code) or ()}

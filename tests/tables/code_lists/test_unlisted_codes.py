"""Codes that a list lacks: they are counted, stay as they are, and change nothing about the others."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError
from voile.tables.code_lists.icd10 import ICD10
from voile.tables.code_lists.known_lists import CODE_LISTS, measure_fit, recognize_list
from voile.tables.domain import build_domain
from voile.tables.hierarchy import Hierarchy, HierarchyRecipe

DIAGNOSES = ["C50.4", "E11.1", "E11.9", "E14.1", "I10", "I21.0", "O80", "Z38.0"]
ODD = ["U50.0", "U99"]


def fit(values: list[str], recipe: str = "auto", column: str = "x") -> Hierarchy:
    domain = build_domain(column, pl.Series(values), "categorical", None)
    return HierarchyRecipe(recipe).fit(column, domain, np.ones(domain.size, dtype=np.int64))


def make_people(codes: list[str], rows: int = 200) -> pl.DataFrame:
    people = [(30 + n % 4, codes[n * n % len(codes)], ["flu", "HIV", "cold"][n % 3]) for n in range(rows)]
    return pl.DataFrame(people, schema=["age", "code", "test"], orient="row")


@pytest.mark.parametrize("recipe", ["auto", "icd10"])
def test_a_code_that_is_not_listed_stays_as_it_is_and_is_counted(recipe: str) -> None:
    tree = fit([*DIAGNOSES, *ODD], recipe)
    assert tree.source == "ICD-10 (WHO, 2019)"
    assert tree.unlisted == 2
    rows = {row[0]: row[1:] for row in tree.rows()}
    assert rows["U99"] == ["U99", "U99", "not in ICD-10 (WHO, 2019)", "*"]
    without = {row[0]: row[1:] for row in fit(DIAGNOSES).rows()}
    assert {code: rows[code] for code in DIAGNOSES} == without


def test_what_a_label_means_does_not_depend_on_codes_that_are_not_listed() -> None:
    assert fit(DIAGNOSES).declared == fit([*DIAGNOSES, *ODD]).declared


@pytest.mark.parametrize(
    "codes",
    [
        DIAGNOSES,
        [code.lower() for code in DIAGNOSES],
        ["E11.9+", "G63.2*", "i10", "U07.1!", "E11.-", "E119", "e11.9g"],
        ["I10.00G", "E11.90V", "C50.9Z", "I64"],
        ["S72.001A", "C50.911", "I10", "M54.50"],
    ],
)
def test_every_code_is_listed_below_its_labels_or_none_is(codes: list[str]) -> None:
    listed = ICD10.list_codes(codes)
    for code in codes:
        path = ICD10.place(code)
        assert path is not None
        assert not listed or all(code in listed[label] for label in path)


@pytest.mark.parametrize("name", ["countries", "education", "isco08"])
def test_every_way_of_writing_is_listed(name: str) -> None:
    known = CODE_LISTS[name]
    for codes in (
        ["germany", "FRANCE", "Kosovo"],
        ["XK", "EL", "DEU"],
        ["Bachelors", "bachelors"],
        ["managers", "2211"],
    ):
        placed = {code: path for code in codes if (path := known.place(code))}
        listed = known.list_codes(codes)
        assert all(code in listed[label] for code, path in placed.items() for label in path)


@pytest.mark.parametrize("method", [vl.FullDomain(), vl.Mondrian(recoding="hierarchy")])
def test_a_release_names_the_values_that_are_not_listed(method: vl.Method, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    make_people([*DIAGNOSES, *DIAGNOSES, *ODD]).write_csv(path)
    schema = vl.Schema(quasi=["age", "code"], sensitive=["test"], hierarchies={"code": "auto", "age": "ages"})
    tables = []
    for engine in (None, vl.Disk()):
        release = vl.publish(vl.read(path, schema, engine=engine), vl.KAnonymity(k=20), method)
        assert vl.verify(release).holds
        tables.append(release.tables["table"]["code"].cast(pl.String))
    assert tables[0].equals(tables[1])
    labels = {label for code in DIAGNOSES for label in ICD10.place(code) or ()}
    assert set(tables[0]) <= {"*", "{U50.0|U99}", *DIAGNOSES, *ODD, *labels}


@pytest.mark.parametrize(
    ("codes", "odd"),
    [
        ([*DIAGNOSES, "E10.1", "E15.0"], ["E10-E14", "E00-E90 Endocrine, nutritional and metabolic diseases"]),
        (["DE", "FR", "AT", "BE", "PL", "CZ", "IT", "ES", "US", "JP", "BR", "CA"], ["Western Europe"]),
        (["90210", "90211", "90220", "95000", "60601-1234"], ["902**"]),
    ],
)
def test_a_value_that_is_called_like_a_group_is_not_in_it(codes: list[str], odd: list[str]) -> None:
    tree = fit([*codes, *odd])
    assert tree.unlisted == len(odd)
    for finer, coarser in itertools.pairwise(tree.maps):
        assert len({*zip(finer.tolist(), coarser.tolist(), strict=True)}) == len(set(finer.tolist()))
    values = [code for code in tree.labels[0] for _ in range(20)]
    frame = pl.DataFrame({"x": values, "ill": ["flu", "gout"] * (len(values) // 2)})
    data = vl.read(frame, vl.Schema(quasi=["x"], sensitive=["ill"], hierarchies={"x": "auto"}))
    for k in (5, 30, 50):
        assert vl.verify(vl.publish(data, vl.KAnonymity(k=k), vl.FullDomain())).holds


def test_rows_count_as_much_as_values() -> None:
    codes = [*DIAGNOSES, "U50.0"]
    assert recognize_list(codes, [10] * 9) is not None
    assert recognize_list(codes, [10] * 8 + [900]) is None


def test_too_many_unlisted_codes_are_told_by_their_number() -> None:
    codes = [*DIAGNOSES, "flu", "cold", "gout", "cough"]
    found = measure_fit(codes, [1] * len(codes))
    assert found is not None
    assert not found.holds
    assert "4 of 12 values are not in ICD-10 (WHO, 2019)" in found.describe("x")
    assert not any(code in found.describe("x") for code in codes)


def test_a_column_that_is_named_after_isco_is_grouped_by_it() -> None:
    codes = ["0110", "1111", "2211", "2221", "5120"]
    assert all(fit(codes, column=name).source.startswith("ISCO-08") for name in ("isco", "isco_code", "ISCO08"))
    assert not any(fit(codes, column=name).source for name in ("isco88", "isco_88", "x"))
    titles = fit(["Managers", "Professionals", "Service and sales workers", "Craft and related trades workers"])
    assert titles.rows()[1][1:] == [
        "Managers, professionals, technicians and associate professionals",
        "Non manual workers",
        "*",
    ]


@pytest.mark.parametrize(("name", "near"), [("isco", "isco08"), ("icd", "icd10"), ("country", "countries")])
def test_a_name_that_is_nearly_a_recipe_is_no_file(name: str, near: str) -> None:
    with pytest.raises(SchemaError, match=f"no hierarchy recipe '{name}'") as error:
        vl.read(make_people(DIAGNOSES), vl.Schema(quasi=["code"], hierarchies={"code": name}))
    assert near in error.value.hint

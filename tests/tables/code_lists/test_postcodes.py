"""Postcodes: cut where each country cuts them, by labels that state their own meaning."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError
from voile.tables.domain import build_domain
from voile.tables.hierarchy import Hierarchy, HierarchyRecipe


def fit(values: list[str], recipe: str = "auto") -> Hierarchy:
    domain = build_domain("x", pl.Series(values), "categorical", None)
    return HierarchyRecipe(recipe).fit("x", domain, np.ones(domain.size, dtype=np.int64))


@pytest.mark.parametrize(
    ("codes", "row"),
    [
        (["EC1A 1BB", "EC1A 2BB", "EC2A 9AA", "M1 1AE"], ["EC1A ***", "EC******", "*"]),
        (["1012 AB", "1012 AC", "1013 ZZ", "1100 AA", "2000 AB"], ["1012***", "10*****", "1******", "*"]),
        (["K1A 0B1", "K1A 0B2", "K2B 1A1", "V5K 0A1"], ["K1A****", "K******", "*"]),
        (["90210", "90211", "90220", "95000", "60601-1234", "60601-1235"], ["9021*", "902**", "9****", "*"]),
    ],
)
def test_postcodes_are_cut_where_their_country_cuts_them(codes: list[str], row: list[str]) -> None:
    tree = fit(codes)
    first = tree.rows()[sorted(codes).index(codes[0])]
    assert [label for label in first[1:] if label != codes[0]] == row
    assert fit(codes, "postcodes").rows() == tree.rows()


def test_nine_digits_are_cut_to_five_first() -> None:
    rows = {row[0]: row for row in fit(["90210", "90211", "90220", "60601-1234", "60601-1235"]).rows()}
    assert rows["60601-1234"][1] == rows["60601-1235"][1] == "60601*****"


def test_what_is_no_postcode_stays_as_it_is_and_is_counted() -> None:
    tree = fit(["EC1A 1BB", "EC1A 2BB", "EC2A 9AA", "M1 1AE", "abroad"])
    assert tree.unlisted == 1
    assert tree.rows()[-1] == ["abroad", "abroad", "abroad", "*"]
    with pytest.raises(SchemaError, match="does not hold British postcodes"):
        fit(["red", "green", "blue"], "postcodes")


@pytest.mark.parametrize("method", [vl.FullDomain(), vl.Mondrian(recoding="hierarchy")])
def test_a_release_shows_areas_and_verifies(method: vl.Method) -> None:
    rows = [(f"{'EC' if n % 2 else 'M'}{n % 7 + 1} {n % 9}AB", ["flu", "cold"][n % 2], n % 5) for n in range(240)]
    frame = pl.DataFrame(rows, schema=["postcode", "ill", "age"], orient="row")
    schema = vl.Schema(quasi=["postcode", "age"], sensitive=["ill"], hierarchies={"postcode": "auto"})
    release = vl.publish(vl.read(frame, schema), vl.KAnonymity(k=12), method)
    assert vl.verify(release).holds
    assert any(label.endswith("***") for label in release.tables["table"]["postcode"].cast(pl.String))

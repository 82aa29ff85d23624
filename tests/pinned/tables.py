"""The tables that cases publish, each read once."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl

import voile as vl

ROLES = {"identifier": ["name"], "quasi": ["birth", "sex", "zip"], "sensitive": ["disease"]}
TREES = {"birth": vl.dates(), "zip": vl.prefixes(5, 3, 1)}
CENSUS = ["age", "gender", "education", "marital-status"]


@cache
def hospital_frame() -> pl.DataFrame:
    return vl.datasets.hospital()


@cache
def census_frame(rows: int = 1_500) -> pl.DataFrame:
    return vl.datasets.census(rows).with_columns(pl.col(pl.Enum).cast(pl.String))


@cache
def hospital() -> Any:
    """400 patients with dates, categories and codes."""
    return vl.read(hospital_frame(), vl.Schema(**ROLES))


@cache
def hospital_with_trees() -> Any:
    """The same with hierarchies."""
    return vl.read(hospital_frame(), vl.Schema(**ROLES, hierarchies=TREES))


@cache
def two_sensitive() -> Any:
    """Disease and ward are both sensitive, and the cost is published as it is."""
    roles = {**ROLES, "sensitive": ["disease", "ward"]}
    return vl.read(hospital_frame(), vl.Schema(**roles, other=["admitted"], hierarchies=TREES))


@cache
def three_sensitive() -> Any:
    """Disease, ward and a band of the cost."""
    frame = hospital_frame().with_columns(band=pl.col("cost") // 2_000)
    roles = {"quasi": ["sex", "zip"], "sensitive": ["disease", "ward", "band"]}
    return vl.read(frame, vl.Schema(**roles, kinds={"band": "categorical"}))


@cache
def costs() -> Any:
    """A number is sensitive."""
    frame = hospital_frame().with_columns(band=pl.col("cost") // 1_000)
    return vl.read(frame, vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["band"], hierarchies=TREES))


@cache
def sick_tree() -> Any:
    """The sensitive column has a hierarchy."""
    listed = sorted(hospital_frame()["disease"].unique().to_list())
    nested = {"first": {"a": listed[:3], "b": listed[3:6]}, "second": {"c": listed[6:9], "d": listed[9:]}}
    return vl.read(hospital_frame(), vl.Schema(**ROLES, hierarchies={**TREES, "disease": vl.tree(nested)}))


@cache
def census() -> Any:
    """1,500 people, 50 occupations."""
    return vl.read(census_frame(), vl.Schema(quasi=CENSUS, sensitive=["occupation"]))


@cache
def incomes() -> Any:
    """Income bands with a declared domain, and hierarchies of three kinds."""
    trees = {"age": vl.intervals(5, 10, 20, 40), "education": vl.by_frequency(3), "marital-status": "auto"}
    domains = {"income": list(range(50))}
    return vl.read(census_frame(), vl.Schema(quasi=CENSUS, sensitive=["income"], hierarchies=trees, domains=domains))


@cache
def rates() -> Any:
    """A rare disease that is likelier for some; 300 people in few cells."""
    rows = [
        {"sex": "mf"[n % 2], "age": 20 + n * 7 % 6, "disease": "HIV" if n % (8 if n % 2 else 17) == 3 else "flu"}
        for n in range(300)
    ]
    frame = pl.DataFrame(rows).with_row_index()
    cold = (pl.col("disease") == "flu") & (pl.col("index") % 3 != 0)
    frame = frame.with_columns(disease=pl.when(cold).then(pl.lit("cold")).otherwise(pl.col("disease")))
    return vl.read(frame, vl.Schema(quasi=["sex", "age"], sensitive=["disease"]))


@cache
def tiny_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [21, 22, 23, 24, 31, 32, 33, 34, 41, 42, 43, 44],
            "city": ["a", "a", "b", "b", "a", "b", "a", "b", "c", "c", "c", "a"],
            "disease": ["flu", "HIV", "flu", "cold", "cold", "flu", "HIV", "flu", "cold", "flu", "gout", "gout"],
        }
    )


@cache
def tiny() -> Any:
    """Twelve people."""
    return vl.read(tiny_frame(), vl.Schema(quasi=["age", "city"], sensitive=["disease"]))


@cache
def alone() -> Any:
    """One person."""
    return vl.read(tiny_frame().head(1), vl.Schema(quasi=["age", "city"], sensitive=["disease"]))


@cache
def alike() -> Any:
    """Twelve people with one quasi-identifier and one disease."""
    frame = tiny_frame().with_columns(age=20, city=pl.lit("a"), disease=pl.lit("flu"))
    return vl.read(frame, vl.Schema(quasi=["age", "city"], sensitive=["disease"]))


def followed(ids: range) -> pl.DataFrame:
    """Patients who keep age, city and disease from table to table."""
    sick = ["acne", "flu", "gout", "HIV", "mumps", "polio"]
    rows = [
        {"patient": f"p{n}", "age": 20 + n * 13 % 40, "city": "ab"[n * 7 % 5 % 2], "disease": sick[n * 5 % 7 % 6]}
        for n in ids
    ]
    return pl.DataFrame(rows)

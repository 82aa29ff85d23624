"""What a schema asks for: missing cells, hierarchies, kinds, domains, other columns, persons; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
from pinned import tables
from pinned.observe import KEY, Fields, documents_of, losses_of, refusals, tables_of, verdict_of

import voile as vl

QUASI = {"quasi": ["birth", "sex", "zip"], "sensitive": ["disease"]}
MEASURES = (vl.measures.Certainty(), vl.measures.Distortion())


def _read(frame: Callable[[], Any], method: Any = None, policy: Any = None, **schema: Any) -> Callable[[], Fields]:
    """A case: a frame read under a schema and published."""

    def work() -> Fields:
        data = vl.read(frame(), vl.Schema(**{**QUASI, **schema}))
        release = vl.publish(data, policy or vl.KAnonymity(k=5), method, key=KEY)
        fields = {"dropped": data.dropped, **tables_of(release), **documents_of(release)}
        fields["verify"] = verdict_of(vl.verify(release))
        return fields | refusals(lambda: losses_of(vl.measure(data, release, MEASURES)))

    return lambda: refusals(work)


def _holes() -> pl.DataFrame:
    """Some cells are missing."""
    frame = tables.hospital_frame().with_row_index()
    return frame.with_columns(
        zip=pl.when(pl.col("index") % 37 == 0).then(None).otherwise(pl.col("zip")),
        birth=pl.when(pl.col("index") % 41 == 0).then(None).otherwise(pl.col("birth")),
        disease=pl.when(pl.col("index") % 53 == 0).then(None).otherwise(pl.col("disease")),
        ward=pl.when(pl.col("index") % 29 == 0).then(None).otherwise(pl.col("ward")),
    )


def _numbers() -> pl.DataFrame:
    """Columns of many types."""
    frame = tables.hospital_frame()
    return frame.with_columns(
        cost=pl.col("cost") / 8,
        admitted=pl.col("admitted").cast(pl.Datetime),
        sex=pl.col("sex") == "Male",
        ward=pl.col("ward").cast(pl.Categorical),
    )


def _missing() -> dict[str, Any]:
    found = {}
    for method, name in ((None, "mondrian"), (vl.FullDomain(suppression=0.1), "full-domain")):
        for missing in ("error", "drop", "value", "guess"):
            found[f"missing {missing}, {name}"] = _read(_holes, method, missing=missing, other=["ward"])
    found["missing value, anatomy"] = _read(_holes, vl.Anatomy(), vl.LDiversity(l=3), missing="value")
    found["missing everywhere"] = _read(
        lambda: _holes().with_columns(zip=pl.lit(None, dtype=pl.String)), missing="drop"
    )
    return found


def _hierarchies() -> dict[str, Any]:
    zips = sorted(tables.hospital_frame()["zip"].unique().to_list())
    nested = {"north": {"n1": zips[:6], "n2": zips[6:12]}, "south": {"s1": zips[12:18], "s2": zips[18:]}}
    made: dict[str, dict[str, Any]] = {
        "dates": {"birth": vl.dates()},
        "prefixes": {"zip": vl.prefixes(5, 3, 1)},
        "prefixes, few": {"zip": vl.prefixes(2)},
        "tree": {"zip": vl.tree(nested)},
        "nested": {"zip": nested},
        "frequency": {"zip": vl.by_frequency()},
        "frequency 2": {"zip": vl.by_frequency(2)},
        "auto": {"zip": "auto", "birth": "auto", "sex": "auto"},
        "as text": {"zip": "prefixes:4,2", "birth": "dates"},
        "incomplete tree": {"zip": {"north": zips[:6]}},
        "dates of codes": {"zip": vl.dates()},
        "intervals of codes": {"zip": vl.intervals(5)},
        "no such recipe": {"zip": "alphabet"},
        "no such file": {"zip": "none.csv"},
        "no such column": {"town": vl.prefixes(1)},
    }
    found = {}
    for name, trees in made.items():
        for method in (vl.FullDomain(suppression=0.1), vl.Mondrian(recoding="hierarchy")):
            found[f"hierarchy {name}, {method.name}"] = _read(tables.hospital_frame, method, hierarchies=trees)
    costs = {"quasi": ["sex", "cost"]}
    for name, tree in {"": vl.intervals(), " widths": vl.intervals(500, 2_000, 8_000), " auto": "auto"}.items():
        found[f"intervals{name}"] = _read(tables.hospital_frame, vl.FullDomain(), hierarchies={"cost": tree}, **costs)
    return found


def _columns() -> dict[str, Any]:
    frame, two = tables.hospital_frame, ["disease", "ward"]
    wide = {"quasi": ["birth", "sex", "zip", "admitted", "cost"]}
    return {
        "other columns": _read(frame, other=["ward", "cost", "admitted"]),
        "several sensitive": _read(frame, None, vl.LDiversity(l=2), sensitive=two),
        "several sensitive, other": _read(frame, vl.FullDomain(suppression=0.2), sensitive=two, other=["cost"]),
        "no sensitive": _read(frame, sensitive=[]),
        "no sensitive, l-diversity": _read(frame, None, vl.LDiversity(l=2), sensitive=[]),
        "wide": _read(frame, **wide),
        "many types": _read(_numbers, **wide, other=["ward"]),
        "kinds": _read(frame, quasi=["cost", "zip"], kinds={"cost": "categorical", "zip": "ordered"}),
        "kind ordered, declared": _read(
            frame, quasi=["ward", "sex"], kinds={"ward": "ordered"}, domains={"ward": _wards()[::-1]}
        ),
        "kind numeric of texts": _read(frame, kinds={"zip": "numeric"}),
        "kind date of texts": _read(frame, kinds={"zip": "date"}),
        "kind unknown": _read(frame, kinds={"zip": "colour"}),
        "domain": _read(frame, domains={"sex": ["Male", "Female", "Other"]}),
        "domain of numbers": _read(frame, quasi=["cost", "sex"], domains={"cost": list(range(0, 60_000, 10))}),
        "domain too small": _read(frame, domains={"sex": ["Male"]}),
        "domain no list": _read(frame, domains={"sex": "Male"}),
        "person": _read(frame, person="name"),
        "person is an identifier": _read(frame, person="name", identifier=["name"]),
        "person twice": _read(lambda: pl.concat([frame(), frame().head(1)]), person="name"),
        "person is quasi": _read(frame, person="zip"),
        "identifier": _read(frame, identifier=["name", "admitted"]),
        "role twice": _read(frame, other=["zip", "birth"]),
        "no quasi": _read(frame, quasi=[]),
        "unknown columns": _read(frame, quasi=["birt", "zip"], other=["warp"]),
        "roles of the wrong type": _read(frame, quasi=3),
        "no rows": _read(lambda: frame().head(0)),
        "lists in cells": _read(lambda: frame().with_columns(zip=pl.concat_list("zip"))),
        "not a table": _read(lambda: 5),
        "pandas": _read(lambda: frame().with_columns(pl.col("birth", "admitted").cast(pl.String)).to_pandas()),
        "arrow": _read(lambda: frame().to_arrow()),
    }


def _wards() -> list[str]:
    return sorted(tables.hospital_frame()["ward"].unique().to_list())


def cases() -> dict[str, Any]:
    return _missing() | _hierarchies() | _columns()

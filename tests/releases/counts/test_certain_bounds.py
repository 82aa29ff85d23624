"""Certain bounds hold the truth, always: tiny tables, every method, conditions on one to three columns."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import SchemaError, VoileError
from voile.releases.certificate import Certificate
from voile.releases.queries.query import parse_query
from voile.releases.shapes.generalized import Generalized
from voile.releases.shapes.republished import Republished

KEY = vl.Key(bytes(range(32)))
PROTECTED = ("a", "b")
METHODS: dict[str, tuple[Any, Any]] = {
    "mondrian": (vl.KAnonymity(k=2), vl.Mondrian()),
    "mondrian, hierarchy": (vl.KAnonymity(k=3), vl.Mondrian(recoding="hierarchy")),
    "mondrian, l": (vl.LDiversity(l=2), vl.Mondrian()),
    "accounted-cuts": (vl.LDiversity(l=2), vl.AccountedCuts()),
    "append": (vl.KAnonymity(k=2), vl.Append()),
    "cluster": (vl.KAnonymity(k=2), vl.Cluster()),
    "full-domain": (vl.KAnonymity(k=2), vl.FullDomain(suppression=0.3)),
    "local-recoding": (vl.LDiversity(l=2), vl.LocalRecoding()),
    "anatomy": (vl.LDiversity(l=2), vl.Anatomy()),
    "injector": (vl.LDiversity(l=2), vl.Injector()),
    "art": (vl.RRobustness(r=2, protect=PROTECTED, protect_as="set", max_columns=2), vl.Art()),
    "mask": (vl.MConfidentiality(m=2, protect=PROTECTED), vl.Mask()),
    "decompose": (vl.MultiDiversity({"disease": 2}), vl.Decompose()),
    "perturbed": (vl.AntiCorruption(rho1=0.4, rho2=0.8, skew=0.4), vl.PerturbedGeneralization()),
    "republish": (vl.MInvariance(m=2), vl.Republish()),
}
ASKED: dict[str, list[Any]] = {
    "age": [(20, 24), [21, 23], (25, None), 22],
    "sex": ["m", ["m", "f"]],
    "school": ["lo", ["mid", "hi"]],
    "income": [(3.0, 6.0), (None, 5.0)],
    "town": ["s", ["s", "w"]],
    "disease": ["a", ["a", "b", "c"]],
}


def draw_table(seed: int) -> tuple[pl.DataFrame, vl.Schema]:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(14, 30))
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 30, rows),
            "sex": rng.choice(["m", "f"], rows),
            "school": rng.choice(["lo", "mid", "hi"], rows),
            "income": rng.normal(5, 2, rows).round(1),
            "town": rng.choice(["s", "w", "z"], rows),
            "disease": rng.choice(list("abcdef"), rows),
        }
    )
    if seed % 2:
        absent = {name: pl.Series(rng.random(rows) < 0.15) for name in ("age", "school")}
        frame = frame.with_columns(
            pl.when(hole).then(None).otherwise(pl.col(name)).alias(name) for name, hole in absent.items()
        )
    schema = vl.Schema(
        quasi=["age", "sex", "school", "income", "town"],
        sensitive=["disease"],
        missing="value",
        kinds={"school": "ordered"} if seed % 3 else {},
        hierarchies={"town": {"alone": ["s", "w", "q"], "other": ["z"]}, "age": "auto"} if seed % 4 else {},
        domains={"sex": ["m", "f", "x"]} if seed % 5 == 0 else {},
    )
    return frame, schema


def count_truth(frame: pl.DataFrame, query: dict[str, Any]) -> int:
    """Count by hand."""
    count = 0
    for row in frame.iter_rows(named=True):
        fits = True
        for name, wanted in query.items():
            value = row[name]
            if value is None:
                fits = False
            elif isinstance(wanted, tuple):
                low, high = wanted
                fits &= (low is None or value >= low) and (high is None or value <= high)
            else:
                fits &= value in (wanted if isinstance(wanted, list) else [wanted])
        count += fits
    return count


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_truth_lies_within_the_bounds(name: str) -> None:
    policy, method = METHODS[name]
    counted = 0
    for seed in range(4):
        frame, schema = draw_table(seed)
        try:
            release = vl.publish(vl.read(frame, schema), policy, method, key=KEY)
        except VoileError:
            continue  # some tables are too small for some promises
        rng = np.random.default_rng(seed)
        for names in (names for size in (1, 2, 3) for names in itertools.combinations(ASKED, size)):
            query = {column: ASKED[column][int(rng.integers(0, len(ASKED[column])))] for column in names}
            try:
                conditions = parse_query(query, {}).conditions
                release.counting.check_conditions(conditions)
                at_least, at_most = release.counting.bound(conditions)
            except SchemaError:
                continue  # the release shows no such value
            truth = count_truth(frame, query)
            assert at_least <= truth <= at_most, query
            counted += 1
    assert counted > 30


def test_bounds_say_what_tight_cells_say() -> None:
    """A box of four people with ages 20 to 23: both ends occur, nothing else is known. Two boxes show all."""
    shown = {"age": ["[20, 23]"] * 4 + ["40"] * 4 + ["60"] * 4, "sex": ["*"] * 4 + ["m"] * 4 + ["f"] * 4}
    entries = [
        {"name": "age", "role": "quasi", "kind": "numeric", "type": "Int64", "shown": "generalized",
         "domain": {"min": 20, "max": 60, "missing": False}, "cell": ""},
        {"name": "sex", "role": "quasi", "kind": "categorical", "type": "String", "shown": "generalized",
         "domain": {"values": ["f", "m"], "missing": False}, "cell": ""},
        {"name": "disease", "role": "sensitive", "kind": "categorical", "type": "String", "shown": "exact",
         "domain": {"values": list("abcde"), "missing": False}, "cell": ""},
    ]  # fmt: skip
    table = pl.DataFrame({**shown, "disease": list("aabcddddeeee")})
    certificate = Certificate("generalized", {"name": "mondrian", "recoding": "tight"}, (), "")
    release = Generalized({"table": table}, {"columns": entries}, certificate)
    assert bounds(release.count(age=20)) == (1, 3)
    assert bounds(release.count(age=21)) == (0, 2)
    assert bounds(release.count(age=(20, 22))) == (1, 3)
    assert bounds(release.count(sex="f")) == (5, 7)
    assert bounds(release.count(sex="f", disease="a")) == (0, 2)
    assert bounds(release.count(disease=["a", "b", "c"], sex=["f"])) == (1, 3)
    assert bounds(release.count(age=40, sex="m")) == (4, 4)
    assert bounds(release.count(age=24)) == (0, 0)
    assert bounds(release.count()) == (12, 12)
    loose = release.with_certificate(Certificate("generalized", {"name": "full-domain"}, (), ""))
    assert bounds(Generalized(loose.tables, loose.dictionary, loose.certificate).count(age=20)) == (0, 4)


def bounds(count: Any) -> tuple[float, float]:
    return count.at_least, count.at_most


def test_values_that_nobody_has() -> None:
    frame, _ = draw_table(0)
    schema = vl.Schema(quasi=["age", "sex"], sensitive=["disease"], domains={"sex": ["m", "f", "x"]})
    release = vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), vl.Anatomy(), key=KEY)
    withheld = release.dictionary["withheld"]
    assert bounds(release.count(sex="x")) == (0, withheld)
    for query, message in (
        ({"sex": "M"}, "Did you mean 'm'"),
        ({"sexx": "m"}, "Did you mean 'sex'"),
        ({"disease": "qq"}, "values"),
    ):
        with pytest.raises(SchemaError) as caught:
            release.count(query)
        assert message in caught.value.hint
    assert bounds(release.count(sex=[])) == (0, 0)


def test_seats_of_nobody_lower_the_bounds() -> None:
    """Of three values one belongs to nobody: of two people at least one has flu, if two of the values are flu."""
    quasi = pl.DataFrame({"group": [1, 1], "age": [30, 31]})
    sensitive = pl.DataFrame({"group": [1, 1], "disease": ["cold", "flu"], "count": [1, 2]})
    counterfeits = pl.DataFrame({"group": [1], "count": [1]})
    entries = [
        {"name": "age", "role": "quasi", "kind": "numeric", "type": "Int64", "shown": "exact",
         "domain": {"min": 30, "max": 31, "missing": False}, "cell": ""},
        {"name": "disease", "role": "sensitive", "kind": "categorical", "type": "String", "shown": "exact",
         "domain": {"values": ["cold", "flu"], "missing": False}, "cell": ""},
    ]  # fmt: skip
    tables = {"quasi": quasi, "sensitive": sensitive, "counterfeits": counterfeits}
    release = Republished(tables, {"columns": entries}, Certificate("republished", {"name": "republish"}, (), ""))
    assert bounds(release.count(disease="flu")) == (1, 2)
    assert bounds(release.count(disease="cold")) == (0, 1)
    assert bounds(release.count(disease="flu", age=30)) == (0, 1)
    assert all(table.height == 2 for table in release.complete(5))


@pytest.mark.parametrize("joint", [True, False])
def test_a_joint_table_tells_how_sensitive_values_go_together(joint: bool) -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 60),
            "disease": rng.choice(list("abcdef"), 60),
            "work": rng.choice(list("uvwxyz"), 60),
        }
    )
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease", "work"]))
    policy = vl.MultiDiversity({"disease": 3, "work": 2})
    release = vl.publish(data, policy, vl.Decompose(publish_joint=joint), key=KEY)
    for disease, work in itertools.product("abcdef", "uvwxyz"):
        pair = {"disease": disease, "work": work}
        count = release.count(pair)
        truth = count_truth(frame, pair)
        assert count.at_least <= truth <= count.at_most
        assert count.is_exact or not joint
        older = release.count({**pair, "age": (40, None)})
        assert older.at_least <= count_truth(frame, {**pair, "age": (40, None)}) <= older.at_most

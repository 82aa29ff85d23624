"""Perturbed generalization: blind boxes, keyed random draws, the largest p, and clear errors."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import voile as vl
from voile.errors import DataError, PolicyError, Unsatisfiable, VoileError
from voile.models.anti_corruption.privacy_arithmetic import Terms

KEY = vl.Key(bytes(32))
VALUES = [f"v{number}" for number in range(10)]
QUASI = ["age", "sex", "zip"]


def make_people(rows: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["F", "M"], rows),
            "zip": rng.choice(["8001", "8002", "8003", "9000"], rows),
            "value": rng.choice(VALUES[:8], rows),
        }
    )


def make_schema(**changes: Any) -> vl.Schema:
    return vl.Schema(**{"quasi": QUASI, "sensitive": ["value"], "domains": {"value": VALUES}, **changes})


def publish(frame: pl.DataFrame, **knobs: Any) -> Any:
    policy = knobs.pop("policy", vl.AntiCorruption(rho1=0.2, rho2=0.5, skew=0.2))
    key = knobs.pop("key", KEY)
    return vl.publish(vl.read(frame, make_schema()), policy, vl.PerturbedGeneralization(**knobs), key=key)


def test_p_is_the_largest_that_meets_every_target() -> None:
    frame = make_people(300)
    policy = vl.Policy(vl.AntiCorruption(rho1=0.2, rho2=0.5, skew=0.2), vl.AntiCorruption(growth=0.1, skew=0.3))
    release = publish(frame, s=0.2, policy=policy)
    p_for_belief, p_for_growth = Terms(5, 10, 0.2).largest_p(0.2, 0.5), Terms(5, 10, 0.3).largest_p(growth=0.1)
    assert release.certificate.method["p"] == float(min(p_for_belief, p_for_growth))
    assert release.sizes.min() >= 5
    assert release.tables["table"].height <= 300 * 0.2


def test_p_is_part_of_the_certificate_and_the_key_is_not() -> None:
    release = publish(make_people(100), p=0.05)
    assert release.certificate.method["p"] == 0.05
    assert release.dictionary["columns"][-1]["keep"] == 0.05
    assert "key" not in str(release.certificate.as_json()).replace("keys", "")


@pytest.mark.parametrize("splitter", ["mondrian", "specialization"])
def test_the_same_people_and_key_give_the_same_release(splitter: str) -> None:
    frame = make_people(200)
    first = publish(frame, splitter=splitter).tables["table"]
    assert publish(frame.sample(fraction=1, shuffle=True, seed=3), splitter=splitter).tables["table"].equals(first)
    assert not publish(frame, splitter=splitter, key=vl.Key(bytes([7] * 32))).tables["table"].equals(first)


def test_boxes_are_blind_to_the_sensitive_column() -> None:
    frame = make_people(200)
    shuffled_frame = frame.with_columns(
        value=pl.Series(np.random.default_rng(9).permutation(frame["value"].to_numpy()))
    )
    blind_boxes = [publish(table).tables["table"].drop("value") for table in (frame, shuffled_frame)]
    assert blind_boxes[0].equals(blind_boxes[1])
    aware_boxes = [
        publish(table, splitter="specialization").tables["table"].drop("value") for table in (frame, shuffled_frame)
    ]
    assert not aware_boxes[0].equals(aware_boxes[1])


def test_value_aware_boxes_need_a_smaller_p() -> None:
    blind, aware = (publish(make_people(200), splitter=splitter) for splitter in ("mondrian", "specialization"))
    assert aware.certificate.method["p"] < blind.certificate.method["p"] / 2
    assert aware.certificate.method["p"] == float(Terms(5, 10, 0.2, blind=False).largest_p(0.2, 0.5))


def test_value_aware_boxes_look_only_at_perturbed_values() -> None:
    """With p = 0 the values that the splitter sees, and so the boxes, do not depend on the true ones."""
    frame = make_people(120)
    constant_frame = frame.with_columns(value=pl.lit("v0"))
    first, second = (
        publish(table, splitter="specialization", p=0.0).tables["table"] for table in (frame, constant_frame)
    )
    assert first.equals(second)


def test_the_published_person_of_a_group_is_drawn_uniformly() -> None:
    """In boxes of three people with different, rarely perturbed values, each value is published a third of the time."""
    groups = 3000
    frame = pl.DataFrame({"age": np.repeat(np.arange(groups), 3), "value": ["v0", "v1", "v2"] * groups})
    data = vl.read(frame, make_schema(quasi=["age"]))
    method = vl.PerturbedGeneralization(s=1 / 3, p=0.9)
    published_values = (
        vl.publish(data, vl.AntiCorruption(growth=0.99, skew=1), method, key=KEY).tables["table"]["value"].to_list()
    )
    counts = [published_values.count(value) for value in VALUES]
    expected = np.array([(0.9 / 3 if index < 3 else 0) + 0.1 / 10 for index in range(10)]) * groups
    assert chisquare(counts, expected).pvalue > 1e-3


def test_verify_repeats_the_draws_with_the_table_and_the_key() -> None:
    frame = make_people(150)
    data = vl.read(frame, make_schema())
    release = publish(frame)
    assert vl.verify(release, data=data, key=KEY).holds
    assert "another release" in str(vl.verify(release, data=data, key=vl.Key(bytes([1] * 32))))
    changed_frame = frame.with_columns(value=pl.lit("v3"))
    assert vl.verify(release, data=vl.read(changed_frame, make_schema()), key=KEY).broken
    verdict = vl.verify(release, data=vl.read(frame.head(140), make_schema()), key=KEY)
    assert "150 people, but the table has 140" in str(verdict)
    assert not vl.verify(release, key=KEY).holds
    assert not vl.verify(release, data=data).broken


def test_data_and_key_expose_a_publisher_who_perturbs_less_than_stated() -> None:
    frame = make_people(150)
    data = vl.read(frame, make_schema())
    release = publish(frame, p=0.05)
    other_release = publish(frame, p=0.2)
    forged_release = dataclasses.replace(
        release, tables={"table": release.tables["table"].with_columns(other_release.tables["table"]["value"])}
    )
    assert not vl.verify(forged_release).broken  # random draws cannot be seen
    assert vl.verify(forged_release, data=data, key=KEY).broken


@pytest.mark.parametrize(
    ("knobs", "error", "message"),
    [
        ({"p": 1.5}, PolicyError, "p = 1.5 must be at most 1"),
        ({"p": -0.5}, PolicyError, "at least 0"),
        ({"s": 0.0}, PolicyError, "above 0"),
        ({"s": 2.0}, PolicyError, "at most 1"),
        ({"splitter": "random"}, PolicyError, "one of mondrian, specialization"),
        ({"p": 0.9}, Unsatisfiable, "p = 0.9 does not meet"),
        ({"policy": vl.AntiCorruption(growth=1e-12, skew=0.2)}, Unsatisfiable, "No p above 0"),
        ({"s": 0.001}, Unsatisfiable, "needs groups of 1000"),
    ],
)
def test_parameters_that_cannot_be_met_are_refused(
    knobs: dict[str, Any], error: type[VoileError], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        publish(make_people(60), **knobs)
    if error is Unsatisfiable:
        assert raised.value.best  # type: ignore[attr-defined]


def test_columns_that_cannot_be_published_are_refused() -> None:
    frame = make_people(60)
    with pytest.raises(DataError, match="outside its declared domain"):
        vl.read(frame, make_schema(domains={"value": ["v0", "v1"]}))
    model, method = vl.AntiCorruption(skew=0.5), vl.PerturbedGeneralization()
    two_sensitive = vl.read(frame, make_schema(quasi=["age"], sensitive=["value", "zip"]))
    with pytest.raises(PolicyError, match="publishes one sensitive column"):
        vl.publish(two_sensitive, model, method)
    with_other_column = vl.read(frame, make_schema(quasi=["age"], other=["zip"]))
    with pytest.raises(PolicyError, match="publishes no other columns; the schema has 'zip'"):
        vl.publish(with_other_column, model, method)
    reserved_name = vl.read(frame.rename({"zip": "group_size"}), make_schema(quasi=["age", "group_size"]))
    with pytest.raises(PolicyError, match="'group_size'"):
        vl.publish(reserved_name, model, method)
    real_numbers = vl.read(frame.with_columns(value=pl.col("age") / 7), make_schema(domains={}))
    with pytest.raises(PolicyError, match="real numbers"):
        vl.publish(real_numbers, model, method)
    frame_with_gaps = frame.with_columns(value=pl.when(pl.col("age") > 30).then("value"))
    with pytest.raises(PolicyError, match="cannot be drawn as a value"):
        vl.publish(vl.read(frame_with_gaps, make_schema(missing="value")), model, method)


def test_the_model_chooses_the_method() -> None:
    assert vl.publish(vl.read(make_people(60), make_schema()), vl.AntiCorruption(skew=0.5)).shape == "sampled"


@given(rows=st.integers(5, 60), k=st.integers(1, 5), seed=st.integers(0, 50))
def test_group_sizes_add_up_to_everybody(rows: int, k: int, seed: int) -> None:
    release = publish(make_people(rows, seed), s=1 / k, key=vl.Key(bytes([seed] * 32)))
    assert release.people == rows
    assert release.sizes.min() >= k
    assert release.tables["table"].height <= rows / k
    assert set(release.tables["table"]["value"]) <= set(VALUES)


def test_people_with_equal_rows_are_perturbed_independently() -> None:
    """A thousand equal rows are one row with a weight; each person still gets random numbers of their own."""
    frame = pl.DataFrame({"age": [40] * 1000, "value": ["v0"] * 1000})
    data = vl.read(frame, make_schema(quasi=["age"]))
    method = vl.PerturbedGeneralization(s=1.0, p=0.5)
    _, rows = method.transform(data.columns, data.rows.with_key(KEY), vl.Policy(vl.AntiCorruption(skew=0.5)))
    counts = np.bincount(np.repeat(rows.codes[:, 1], rows.weights), minlength=10)  # type: ignore[attr-defined]
    assert counts.sum() == 1000
    assert chisquare(counts, np.array([550, *[50] * 9])).pvalue > 1e-3

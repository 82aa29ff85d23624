"""Advice on columns: counted again by publishing, and blind to values."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, Unsatisfiable

QUASI = ["birth", "sex", "zip"]


def read(frame: pl.DataFrame, **more: object) -> Any:
    return vl.read(frame, vl.Schema(quasi=QUASI, sensitive=["disease"], **more))  # type: ignore[arg-type]


def test_advice_is_what_publishing_would_give() -> None:
    frame = vl.datasets.hospital()
    advice = vl.advise(read(frame), vl.KAnonymity(k=5))
    for cost in advice.columns:
        others = [name for name in QUASI if name != cost.column]
        data = vl.read(frame, vl.Schema(quasi=others, sensitive=["disease"]))
        published = vl.measure(data, vl.publish(data, vl.KAnonymity(k=5)), [vl.measures.Certainty()]).items[0]
        assert cost.without == pytest.approx(published.value)
    whole = vl.measure(read(frame), vl.publish(read(frame), vl.KAnonymity(k=5)), [vl.measures.Certainty()]).items[0]
    assert advice.loss == pytest.approx(whole.value)
    assert {cost.column: cost.loss for cost in advice.columns} == pytest.approx(dict(whole.parts))
    gains = [cost.gain for cost in advice.columns]
    assert gains == sorted(gains, reverse=True)
    assert advice.as_json()["columns"][0]["gain"] == gains[0]


def test_advice_does_not_depend_on_values() -> None:
    frame = vl.datasets.hospital()
    policy = vl.Policy(vl.KAnonymity(k=4), vl.LDiversity(l=3))
    dealt = frame.with_columns(pl.col("disease").reverse())
    assert vl.advise(read(frame), policy) == vl.advise(read(dealt), policy)


def test_wishes_limit_what_is_tried() -> None:
    steering = {"sex": {"coarsest": 0}, "zip": {"finest": 1, "coarsest": 1}}
    data = read(vl.datasets.hospital(), steering=steering, hierarchies={"zip": vl.prefixes(5, 3, 1)})
    with pytest.raises(Unsatisfiable, match="2 of 400 people"):
        vl.advise(data, vl.KAnonymity(k=2))
    data = read(vl.datasets.hospital(), steering={"sex": {"coarsest": 0}, "birth": {"finest": 1}})
    levels = {cost.column: cost.level for cost in vl.advise(data, vl.KAnonymity(k=2)).columns}
    assert levels == {"sex": None, "birth": 2, "zip": 1}


def test_one_column_has_no_others() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["zip"], sensitive=["disease"]))
    (cost,) = vl.advise(data, vl.KAnonymity(k=5)).columns
    assert (cost.without, cost.gain) == (None, 0.0)


def test_full_domain_names_the_columns_to_fix() -> None:
    names = [f"c{number}" for number in range(12)]
    frame = pl.DataFrame({name: [n * 7 % 50 + number for n in range(40)] for number, name in enumerate(names)})
    data = vl.read(frame, vl.Schema(quasi=names))
    with pytest.raises(PolicyError) as caught:
        vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain())
    assert caught.value.code == "policy.lattice"
    fixed = [name for name in names if repr(name) in caught.value.hint]
    assert 0 < len(fixed) < 12
    steered = vl.Schema(quasi=names, steering={name: {"finest": 1, "coarsest": 1} for name in fixed})
    vl.FullDomain().check(
        vl.FullDomain().complete_hierarchies(vl.read(frame, steered).columns, vl.read(frame, steered).rows),
        vl.Policy(vl.KAnonymity(k=2)),
    )

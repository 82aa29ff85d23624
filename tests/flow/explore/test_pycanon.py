"""The numbers of pyCANON 1.3.6 on five made tables and on UCI Adult. pyCANON takes numbers as ordered, and gives the
whole part of the l of entropy."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl

NUMBERS = json.loads((Path(__file__).parent / "pycanon.json").read_text(encoding="utf-8"))
MEASURES = ("l", "entropy_l", "alpha", "t", "beta", "enhanced_beta", "delta")


def make_table(seed: int, rows: int) -> pl.DataFrame:
    draw = random.Random(seed).random

    def pick(values: list[Any]) -> Any:
        return values[int(len(values) * draw() ** 2)]

    table = [
        (
            pick(["F", "M"]),
            pick(["10*", "20*", "80*"]),
            pick([30, 40, 50]),
            pick(["flu", "asthma", "angina", "HIV"]),
            int(12 * draw() ** 2),
        )
        for _ in range(rows)
    ]
    return pl.DataFrame(table, schema=["sex", "zip", "age", "disease", "days"], orient="row")


@pytest.mark.parametrize("expected", NUMBERS, ids=lambda item: f"{item['rows'] or 'Adult'} {item['sensitive']}")
def test_the_numbers_agree(expected: dict[str, Any], request: pytest.FixtureRequest) -> None:
    is_made = bool(expected["rows"])
    table = make_table(expected["seed"], expected["rows"]) if is_made else request.getfixturevalue("adult")
    name = expected["sensitive"]
    found = vl.inspect(table, vl.Schema(quasi=expected["quasi"], sensitive=[name])).anonymity
    assert found is not None
    item = found[name]
    nearest = item.t_ordered if item.kind == "numeric" else item.t_equal
    numbers = (item.distinct, int(item.entropy + 1e-9), item.alpha, nearest, item.beta, item.enhanced_beta, item.delta)
    assert found.k == expected["k"]
    for measure, number in zip(MEASURES, numbers, strict=True):
        assert number == pytest.approx(expected[measure], rel=1e-12), measure

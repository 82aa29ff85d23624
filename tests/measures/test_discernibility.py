"""Discernibility, person by person."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 6), st.sampled_from([vl.Mondrian(), vl.FullDomain(suppression=0.3)]))
def test_everybody_pays_for_those_they_cannot_be_told_from(seed: int, k: int, method: Any) -> None:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": rng.integers(20, 40, 30), "city": rng.choice(list("abc"), 30)})
    data = vl.read(frame, vl.Schema(quasi=["age", "city"]))
    release = vl.publish(data, vl.KAnonymity(k=k), method)
    sizes = Counter(release.tables["table"].select(pl.all().cast(pl.String)).iter_rows())
    withheld = int(release.dictionary["withheld"])
    expected = oracle.discernibility([*sizes.values()], withheld)
    loss = vl.measures.Discernibility()(data, release)
    assert loss.parts["DM"] == expected
    assert loss.value == pytest.approx(expected / 30**2)


def test_by_hand() -> None:
    """Oslo three times, Bern once and withheld: 3 * 3 + 1 * 4 of 16."""
    data = vl.read(pl.DataFrame({"city": ["Oslo", "Oslo", "Oslo", "Bern"]}), vl.Schema(quasi=["city"]))
    release = vl.publish(data, vl.KAnonymity(k=2), vl.FullDomain(suppression=0.25))
    assert vl.measures.Discernibility()(data, release).value == pytest.approx(13 / 16)

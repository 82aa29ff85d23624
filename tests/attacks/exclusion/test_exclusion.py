"""Exclusion: ruling out values of another column, against all sets of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.attacks.base import RawTable

SCHEMA = vl.Schema(quasi=["area"], sensitive=["occ", "salary"])


def table(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    occ, salary = (rng.permutation(np.resize(values, 16)) for values in (list("pqrs"), [1, 2, 3]))
    return pl.DataFrame({"area": rng.choice(["a", "b"], 16), "occ": occ, "salary": salary})


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_the_most_telling_values_are_struck(seed: int, number: int) -> None:
    frame = table(seed)
    data = vl.read(frame, SCHEMA)
    release: Any = vl.publish(data, vl.KAnonymity(k=3))
    for target, shown in ((release, release.tables["table"]), (RawTable(data), frame)):
        for guess in vl.attacks.Exclusion(values=number).guesses(target, None):
            other = str(guess.belief.column)
            one = "occ" if other == "salary" else "salary"
            risks = []
            for _, people in shown.group_by("area"):
                codes = {value: code for code, value in enumerate(frame[one].unique().to_list())}
                pairs = Counter((codes[a], b) for a, b in people.select(one, other).iter_rows())
                worst = oracle.after_exclusion({pair: Fraction(n) for pair, n in pairs.items()}, number)
                risks += [float(worst)] * people.height
            assert guess.belief.rows == pytest.approx(sorted(risks, reverse=True))


def test_the_poster() -> None:
    """No nurse: policeman or lawyer, so 8 or 9."""
    frame = pl.DataFrame({"area": ["x"] * 4, "occ": ["nurse", "nurse", "police", "lawyer"], "salary": [4, 6, 8, 9]})
    release = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=4))
    one = next(g for g in vl.attacks.Exclusion(column="occ").guesses(release, None) if g.belief.column == "salary")
    assert one.belief.worst == 0.5
    assert one.adversary.excludes == 1
    two = vl.attacks.Exclusion(values=2, column="occ").guesses(release, None)[0]
    assert two.belief.worst == 1.0


def test_lists_resist_what_boxes_do_not() -> None:
    frame = table(4)
    data = vl.read(frame, SCHEMA)
    lists = vl.publish(data, vl.MultiDiversity({"occ": 4, "salary": 2}), key=vl.Key(bytes(32)))
    guess = vl.attacks.Exclusion(column="occ").guesses(lists, None)[0]
    raw = vl.attacks.Exclusion(column="occ").guesses(RawTable(data), None)[0]
    assert guess.belief.mean < raw.belief.mean
    assert 0 < guess.belief.baseline <= 1

"""Exclusion: ruling out values of another column, compared with trying all sets of them."""

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


def random_table(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    occ, salary = (rng.permutation(np.resize(values, 16)) for values in (list("pqrs"), [1, 2, 3]))
    return pl.DataFrame({"area": rng.choice(["a", "b"], 16), "occ": occ, "salary": salary})


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_the_most_telling_values_are_ruled_out(seed: int, excluded_count: int) -> None:
    frame = random_table(seed)
    data = vl.read(frame, SCHEMA)
    release: Any = vl.publish(data, vl.KAnonymity(k=3))
    for target, published_rows in ((release, release.tables["table"]), (RawTable(data), frame)):
        for guess in vl.attacks.Exclusion(values=excluded_count).guesses(target, None):
            guessed_column = str(guess.belief.column)
            excluded_column = "occ" if guessed_column == "salary" else "salary"
            risks = []
            for _, people in published_rows.group_by("area"):
                codes = {value: code for code, value in enumerate(frame[excluded_column].unique().to_list())}
                pairs = Counter((codes[a], b) for a, b in people.select(excluded_column, guessed_column).iter_rows())
                belief = oracle.after_exclusion({pair: Fraction(n) for pair, n in pairs.items()}, excluded_count)
                risks += [float(belief)] * people.height
            assert guess.belief.rows == pytest.approx(sorted(risks, reverse=True))


def test_the_poster_example_ruling_out_occupations() -> None:
    """If Carl is not a nurse, he is a policeman or a lawyer and earns 8 or 9."""
    frame = pl.DataFrame({"area": ["x"] * 4, "occ": ["nurse", "nurse", "police", "lawyer"], "salary": [4, 6, 8, 9]})
    release = vl.publish(vl.read(frame, SCHEMA), vl.KAnonymity(k=4))
    one_excluded = next(
        guess for guess in vl.attacks.Exclusion(column="occ").guesses(release, None) if guess.belief.column == "salary"
    )
    assert one_excluded.belief.worst == 0.5
    assert one_excluded.adversary.excludes == 1
    two_excluded = vl.attacks.Exclusion(values=2, column="occ").guesses(release, None)[0]
    assert two_excluded.belief.worst == 1.0


def test_lists_reveal_less_than_rows() -> None:
    frame = random_table(4)
    data = vl.read(frame, SCHEMA)
    lists = vl.publish(data, vl.MultiDiversity({"occ": 4, "salary": 2}), key=vl.Key(bytes(32)))
    guess = vl.attacks.Exclusion(column="occ").guesses(lists, None)[0]
    raw_guess = vl.attacks.Exclusion(column="occ").guesses(RawTable(data), None)[0]
    assert guess.belief.mean < raw_guess.belief.mean
    assert 0 < guess.belief.baseline <= 1

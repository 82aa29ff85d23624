"""Decompose: surplus rows of a too frequent value, and rows of a group that are alike."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.errors import Unsatisfiable
from voile.methods.decompose.row_choice import order_along_curve, sort_seats, withhold_surplus

KEY = vl.Key(bytes(32))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_what_remains_leaves_no_value_too_frequent(rows: Any, first: int, second: int) -> None:
    cells = sorted(set(rows))
    counts = np.array([rows.count(cell) for cell in cells])
    codes = [np.array([cell[column] for cell in cells]) for column in range(2)]
    remaining, withheld = withhold_surplus(codes, counts, [first, second], KEY)
    assert (remaining >= 0).all()
    assert (remaining <= counts).all()
    assert withheld == counts.sum() - remaining.sum()
    for column, level in enumerate((first, second)):
        people = np.bincount(codes[column], weights=remaining)
        assert people.max(initial=0) * level <= remaining.sum()


def test_no_more_rows_are_withheld_than_needed() -> None:
    """Of 5, 2 and 1 rows with l = 2, the largest bucket loses two: three of six remain."""
    remaining, withheld = withhold_surplus([np.array([0, 1, 2])], np.array([5, 2, 1]), [2], KEY)
    assert (remaining.tolist(), withheld) == ([3, 2, 1], 2)


def frequent_table() -> pl.DataFrame:
    return pl.DataFrame({"q": range(24), "job": ["a"] * 14 + list("bcdbc") * 2, "class": ["x", "y", "z"] * 8})


def test_surplus_rows_are_withheld_where_the_request_says_so() -> None:
    data = vl.read(frequent_table(), vl.Schema(quasi=["q"], sensitive=["job", "class"]))
    model = vl.MultiDiversity({"job": 2, "class": 2})
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(data, model, key=KEY)
    assert "suppress" in str(caught.value.hint)
    release: Any = vl.publish(data, model, vl.Decompose(frequent="suppress"), key=KEY)
    assert release.dictionary["withheld"] == 4
    assert release.people == 20
    missing = set(range(24)) - set(release.tables["quasi"]["q"].to_list())
    assert {frequent_table()["job"][row] for row in missing} == {"a"}
    verdict = vl.verify(release)
    assert verdict.holds
    assert all("missing from the release" in claim["promise"] for claim in release.certificate.claims)
    again: Any = vl.publish(data, model, vl.Decompose(frequent="suppress"), key=KEY)
    assert again.digest == release.digest


def test_nothing_is_said_of_missing_people_where_nobody_is() -> None:
    data = vl.read(frequent_table(), vl.Schema(quasi=["q"], sensitive=["class", "job"]))
    release = vl.publish(data, vl.MultiDiversity({"class": 3, "job": 1}), vl.Decompose(frequent="suppress"), key=KEY)
    assert not any("missing from the release" in claim["promise"] for claim in release.certificate.claims)


def test_nothing_remains_of_a_constant_column() -> None:
    frame = pl.DataFrame({"q": range(6), "job": ["a"] * 6, "class": ["x", "y"] * 3})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["job", "class"]))
    with pytest.raises(Unsatisfiable, match="No row is left"):
        vl.publish(data, vl.MultiDiversity({"job": 2}), vl.Decompose(frequent="suppress"), key=KEY)


def test_rows_that_are_alike_go_together() -> None:
    """The ages of a group are closer to each other than by chance, and everything else stays as it was."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.permutation(600) // 6,
            "job": rng.choice(list("abcdef"), 600),
            "class": rng.choice(list("xyz"), 600),
        }
    )
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["job", "class"]))
    model = vl.MultiDiversity({"job": 4, "class": 2})
    spread = {}
    for draw in ("random", "nearest"):
        release: Any = vl.publish(data, model, vl.Decompose(primary="job", draw=draw), key=KEY)
        assert vl.verify(release).holds
        ages = release.tables["quasi"].group_by("group").agg(pl.col("age").max() - pl.col("age").min())
        spread[draw] = (release.groups, ages["age"].mean())
        assert Counter(release.tables["joint"].select("job", "class").iter_rows()) == Counter(
            frame.select("job", "class").iter_rows()
        )
    assert spread["random"][0] == spread["nearest"][0]
    assert spread["nearest"][1] < spread["random"][1] / 2


def test_the_curve_visits_every_cell_once_and_jumps_little() -> None:
    codes = np.array([[a, b] for a in range(16) for b in range(16)])
    order = order_along_curve(codes)
    assert sorted(order.tolist()) == list(range(256))
    steps = np.abs(np.diff(codes[order], axis=0)).sum(axis=1)
    assert steps.mean() < 3


def test_seats_are_sorted_within_their_bucket() -> None:
    starts, group, label = np.array([0, 3, 5]), np.array([2, 0, 1, 1, 2]), np.array([5, 3, 4])
    assert sort_seats(starts, group, label).tolist() == [1, 2, 0, 1, 2]

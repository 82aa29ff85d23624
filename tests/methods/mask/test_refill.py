"""Values for freed rows: drawn at the declared rates, or from an urn with the values of the whole table."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt

import numpy as np
import polars as pl
from oracle.mask.channels import urn_draws

import voile as vl
from voile.methods.mask.refill import draw_at_rates, draw_from_urn


def test_declared_rates_are_kept() -> None:
    frame = pl.DataFrame({"q": ["x"] * 4, "s": ["a", "b", "c", "HIV"]})
    column = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["s"])).columns["s"]
    rates = {"a": Fraction("0.3"), "c": Fraction("0.15"), "b": Fraction(1, 10**20)}
    labels = [column.domain.labels[code] for code in draw_at_rates(column, rates, 30_000, vl.Key(bytes(32)), "x")]
    counts = Counter(labels)
    assert set(counts) == {"a", "c"}
    assert abs(counts["a"] - 20_000) < 5 * sqrt(30_000 * 2 / 9)


def test_the_urn_is_drawn_as_enumerated() -> None:
    """Three draws from an urn with one protected value: over many keys, the counts follow the enumeration."""
    counts, is_protected = np.array([2, 7, 0]), np.array([False, True, False])
    keys, drawn = 4000, Counter[int]()
    for number in range(keys):
        values = draw_from_urn(counts, is_protected, 3, vl.Key(number.to_bytes(32, "big")), "x")
        assert 1 not in values
        drawn[int((values == 0).sum())] += 1
    expected = dict(urn_draws((3, 1), 3))
    surprise = sum((drawn[first] - keys * p) ** 2 / (keys * p) for first, p in expected.items())
    assert surprise < 3 + 5 * sqrt(6)


def test_an_urn_without_unprotected_rows_holds_every_value_once() -> None:
    values = draw_from_urn(np.array([0, 9, 0]), np.array([False, True, False]), 500, vl.Key(bytes(32)), "x")
    assert set(values.tolist()) <= {0, 2}

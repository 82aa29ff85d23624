"""Two releases that are equal by chance: people who look alike may have been seated anew."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.errors import BrokenPromise


def test_an_equal_release_is_no_copy() -> None:
    """Two people of 21 with a: one sits with c, the other with b, b and a. Whoever takes every way to seat them in both
    releases as possible believes in a with 3/5. It was accepted if the random numbers of the groups were equal."""
    frame = pl.DataFrame(
        {
            "who": list("pqrstu"),
            "age": [22, 21, 22, 23, 21, 22],
            "value": ["b", "a", "a", "c", "a", "b"],
        }
    )
    data = vl.read(frame, vl.Schema(person="who", quasi=["age"], sensitive=["value"]))
    for seed in range(40):
        ledger, key = vl.Ledger(), vl.Key(bytes([seed] * 32))
        first = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=key, ledger=ledger)
        seats = first.tables["quasi"].group_by("group").agg(pl.col("age").sort()).sort("group")["age"].to_list()
        if [21, 23] in seats or [21, 22, 22, 22] in seats:
            with pytest.raises(BrokenPromise):
                vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=key, after=[first], ledger=ledger)
            return
    raise AssertionError("no key seats the two people of 21 apart")

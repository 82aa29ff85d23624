"""Sequences of releases against the enumeration of all worlds; bench/sequences.py has the long form."""

from __future__ import annotations

from release_sequences.joint_sequences import run_sequences


def test_nobody_is_above_the_bound_where_publish_accepts_and_safe_offers_are_accepted() -> None:
    seen = run_sequences(90, 3)
    assert seen["offers"] > 150
    assert seen["safe"] < seen["offers"]  # there is something to refuse
    assert seen["unsafe and accepted"] == 0
    assert seen["safe and accepted"] >= 0.97 * seen["safe"]

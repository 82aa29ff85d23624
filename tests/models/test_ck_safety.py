"""(c, k)-safety, compared with trying every set of rules in every world."""

from __future__ import annotations

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.models.ck_safety import disclosure, least_chances, partitions
from voile.models.evidence import NOTHING
from voile.results import Answer
from voile.tables.group_counts import Counts

VALUES = st.lists(st.integers(0, 3), min_size=2, max_size=5)


def count_groups(groups: list[list[int]]) -> Counts:
    values, counts, starts = [], [], [0]
    for group in groups:
        for value in sorted(set(group)):
            values.append(value)
            counts.append(group.count(value))
        starts.append(len(values))
    totals = np.bincount(values, weights=counts).astype(np.int64)
    sizes = np.array([len(group) for group in groups])
    return Counts(sizes, np.array(starts), np.array(values), np.array(counts), totals)


@settings(max_examples=30)
@given(st.lists(VALUES, min_size=1, max_size=2), st.integers(0, 2))
def test_disclosure_equals_that_of_the_worst_rules(groups: list[list[int]], k: int) -> None:
    assert disclosure(count_groups(groups), k) == pytest.approx(float(oracle.worst_rules(groups, k)), abs=1e-12)


def test_rules_about_other_groups_can_be_worse_than_those_about_ones_own() -> None:
    """A premise about a group with a frequent value rules out more worlds than one about a mixed group."""
    mixed_group, skewed_group = [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 1, 2]
    belief_in_one_group, belief_in_two_groups = (
        disclosure(count_groups([mixed_group]), 1),
        disclosure(count_groups([mixed_group, skewed_group]), 1),
    )
    assert belief_in_two_groups > belief_in_one_group


def test_partitions_are_falling_sums() -> None:
    assert [len(list(partitions(total))) for total in range(8)] == [1, 1, 2, 3, 5, 7, 11, 15]
    assert len(least_chances(count_groups([[0, 1]]), 2)) == 3


def test_verify_looks_at_all_groups_together() -> None:
    """Groups that hold by themselves may fail together, and the joint verdict counts."""
    rows = [("a", value) for value in "uvwxyz"] + [("b", value) for value in "uuuvwx"]
    data = vl.read(pl.DataFrame(rows, schema=["q", "s"], orient="row"), vl.Schema(quasi=["q"], sensitive=["s"]))
    release = vl.publish(data, vl.KAnonymity(k=6))
    counts = release.tallies["s"]
    assert release.groups == 2
    for c in np.linspace(0.2, 0.99, 80):
        model = vl.CKSafety(c=float(c), k=1)
        answer = model.verify(release, counts, NOTHING).answer
        assert (answer is Answer.HOLDS) == (disclosure(counts, 1) < c - 1e-9)
        if answer is Answer.HOLDS:
            assert model.holds(counts).all()


def test_a_published_release_keeps_the_promise() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    release = vl.publish(data, vl.CKSafety(c=0.8, k=1))
    assert vl.verify(release).holds
    audit = vl.audit(release, attacks=[vl.attacks.Elimination(values=1)])
    assert audit.findings[0].inside
    assert audit.passed


def test_three_different_values_are_the_least_that_hold() -> None:
    assert vl.CKSafety(c=0.8, k=1).distinct_values_needed() == 3
    assert vl.CKSafety(c=1e-5, k=1).distinct_values_needed() is None
    assert "larger c" in vl.CKSafety(c=0.1, k=1).best(count_groups([[0, 1]]))

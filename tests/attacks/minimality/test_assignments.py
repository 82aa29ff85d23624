"""Assignments of values to people: none is missing, none is counted twice."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from voile.attacks.minimality.assignments import PublishedGroup, bound_fillings, list_fillings, list_placements


@pytest.mark.parametrize(("sizes", "values"), [([2, 3], "aabbc"), ([1, 1, 1], "abc"), ([4], "aabb"), ([0, 2], "ab")])
def test_fillings_stand_for_all_assignments(sizes: list[int], values: str) -> None:
    fillings = list(list_fillings(sizes, Counter(values)))
    assert sum(weight for weight, _ in fillings) == len(set(itertools.permutations(values)))
    group = PublishedGroup(dict(enumerate(sizes)), values)
    assert len(fillings) <= bound_fillings(group)


def test_placements_choose_people_for_every_group() -> None:
    """Three people of kind a and one of kind b fill two groups of two; b fits the first group only."""
    placements = list(list_placements(["g", "h"], {"a": 3, "b": 1}, {"g": ["a", "b"], "h": ["a"]}, {"g": 2, "h": 2}))
    assert placements == [(3, {"g": {"a": 1, "b": 1}, "h": {"a": 2}})]

"""Releases written out by hand: requirements on them, and the closed form for global recoding."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import voile as vl
from voile.errors import PolicyError
from voile.papers.minimality.written_releases import (
    attack_local,
    credibility_global,
    require_model,
    require_of_join,
)


@pytest.mark.parametrize(
    ("sizes", "sensitive", "l"),
    [([2, 4], 2, 2), ([2, 2, 4], 3, 2), ([5, 6], 4, 3), ([2, 3, 5], 4, 2), ([4, 4], 2, 2), ([1, 3], 2, 2), ([3], 2, 2)],
)
def test_the_closed_form_counts_the_same_worlds(sizes: list[int], sensitive: int, l: int) -> None:  # noqa: E741
    people = sum(sizes)
    remaining, hits = 0, [0] * len(sizes)
    for places in itertools.combinations(range(people), sensitive):
        inside = np.split(np.isin(np.arange(people), places), np.cumsum(sizes)[:-1])
        if any(int(part.sum()) * l > len(part) for part in inside):
            remaining += 1
            hits = [hit + int(part.sum()) for hit, part in zip(hits, inside, strict=True)]
    expected = [Fraction(hit, remaining * size) for hit, size in zip(hits, sizes, strict=True)] if remaining else None
    assert credibility_global(sizes, sensitive, l) == expected


def test_a_release_must_satisfy_its_own_requirement() -> None:
    with pytest.raises(PolicyError, match="does not satisfy the requirement") as error:
        attack_local({"a": 2}, [{"inside": {"a": 2}, "values": ["x", "x"]}], vl.LDiversity(l=2))
    assert error.value.code == "policy.requirement"


def test_the_join_with_an_earlier_release_must_satisfy_it_too() -> None:
    """By itself the table may be shown; joined with the earlier release it may not."""
    earlier = [{"inside": {"q1": 2, "q2": 2}, "values": ["x", "y", "y", "z"]}]
    alone = require_model(vl.LDiversity(l=2), ["x", "x", "y", "z"])
    joined = require_of_join(earlier, alone)
    assert alone({"q1": ["x", "y"], "q2": ["x", "z"]})
    assert not joined({"q1": ["x", "y"], "q2": ["x", "z"]})  # y and y join twice, x once: 2/3
    assert joined({"q1": ["x", "z"], "q2": ["x", "z"]})

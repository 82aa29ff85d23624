"""Belief about small releases, compared with assigning the values person by person."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest

import voile as vl
from voile.attacks.minimality.assignments import PublishedGroup
from voile.attacks.minimality.exact_worlds import compute_credibility, compute_overlapping
from voile.errors import DataError, PolicyError
from voile.papers.minimality.written_releases import require_model

REQUIREMENTS = [
    vl.LDiversity(l=2),
    vl.LDiversity(l=2, form="distinct"),
    vl.LDiversity(l=2, form="recursive", c=1.5),
    vl.AlphaK(alpha=0.5, k=2, protect=("0",)),
    vl.TCloseness(t=0.3),
    vl.KE(k=2, e=1),
    vl.CKSafety(c=0.9, k=1),
    vl.Personalized(p=0.5, nodes=("0", "1")),
]


def random_release(seed: int) -> tuple[dict[str, int], list[PublishedGroup]]:
    """One or two groups of at most six people of up to three kinds, which may be in both groups; three values."""
    rng = np.random.default_rng(seed)
    groups, people = [], Counter[str]()
    for _ in range(rng.integers(1, 3)):
        size = int(rng.integers(2, 6 if seed % 2 else 5))
        kinds = Counter(f"q{rng.integers(0, 3)}" for _ in range(size))
        people.update(kinds)
        groups.append(PublishedGroup(dict(kinds), rng.integers(0, 3, size).tolist()))
    return dict(people), groups


def half_may_be_yes(table: Mapping[Any, Sequence[Any]]) -> bool:
    return all(2 * list(values).count("Y") <= len(values) for values in table.values())


@pytest.mark.parametrize("seed", range(200))
def test_belief_equals_that_of_labelled_people(seed: int) -> None:
    """200 random tables, every requirement in turn: the fractions are equal, not just close."""
    external, published = random_release(seed)
    model = REQUIREMENTS[seed % len(REQUIREMENTS)]
    values = [value for group in published for value in group.values]
    try:
        requirement = require_model(model, values)
    except PolicyError:  # a guarded value that does not occur
        requirement = require_model(vl.LDiversity(l=2), values)
    credibility = compute_credibility(external, published, requirement)
    labelled_groups = [
        ([kind for kind, count in group.inside.items() for _ in range(count)], group.values) for group in published
    ]
    assert credibility.belief == oracle.minimality(labelled_groups, requirement)
    assert credibility.naive == oracle.minimality(labelled_groups, lambda table: False)
    assert credibility.total == math.prod(len(set(itertools.permutations(group.values))) for group in published)
    for kind in external:
        for table in (credibility.naive, credibility.belief or credibility.naive):
            assert sum(table[kind, value] for value in set(values)) == 1


def test_no_remaining_table_means_no_belief() -> None:
    credibility = compute_credibility({"a": 2}, [PublishedGroup({"a": 2}, "xy")], lambda table: True)
    assert credibility.belief is None
    assert credibility.kept == 0


def test_counts_alone_may_place_everybody() -> None:
    """The example of the slides, if nobody says who is in which group."""
    fitting = {"Q": ["q1", "q2"], "q2": ["q2"]}
    credibility = compute_overlapping({"q1": 2, "q2": 4}, fitting, {"Q": "YYNN", "q2": "NN"}, half_may_be_yes, 10_000)
    assert credibility is not None
    assert credibility.belief is not None
    assert (credibility.naive["q1", "Y"], credibility.belief["q1", "Y"]) == (Fraction(1, 2), 1)


def test_too_many_worlds_are_not_listed() -> None:
    assert compute_overlapping({"a": 9}, {"g": ["a"]}, {"g": range(9)}, lambda table: False, 0) is None


def test_an_external_table_that_does_not_cover_the_release_is_refused() -> None:
    with pytest.raises(DataError, match="disagree on the number of people of 1 kinds") as error:
        compute_credibility({"a": 1}, [PublishedGroup({"a": 2}, "xy")], lambda table: False)
    assert error.value.code == "data.external-cover"
    with pytest.raises(DataError, match="shows 3 values for 2 people"):
        compute_credibility({"a": 2}, [PublishedGroup({"a": 2}, "xyz")], lambda table: False)

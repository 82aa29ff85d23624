"""Worlds of small releases, against handing out the values person by person."""

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
from voile.attacks.minimality import exact_worlds
from voile.attacks.minimality.exact_worlds import Shown, credibility, credibility_global, fillings, overlapping
from voile.attacks.minimality.minimality import attack_local, fraction, joined_with, judged_by
from voile.errors import DataError, PolicyError

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


def random_release(seed: int) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """One or two groups of at most six people of up to three kinds, which may be in both groups; three values."""
    rng = np.random.default_rng(seed)
    groups, people = [], Counter[str]()
    for _ in range(rng.integers(1, 3)):
        size = int(rng.integers(2, 6 if seed % 2 else 5))
        kinds = Counter(f"q{rng.integers(0, 3)}" for _ in range(size))
        people.update(kinds)
        groups.append({"inside": dict(kinds), "values": rng.integers(0, 3, size).tolist()})
    return dict(people), groups


@pytest.mark.parametrize("seed", range(200))
def test_belief_is_that_of_labelled_people(seed: int) -> None:
    """200 random tables, every requirement in turn: equal fractions, not close numbers."""
    external, published = random_release(seed)
    model = REQUIREMENTS[seed % len(REQUIREMENTS)]
    values = [value for group in published for value in group["values"]]
    try:
        test = judged_by(model, values)
    except PolicyError:  # a guarded value that does not occur
        test = judged_by(vl.LDiversity(l=2), values)
    shown = [Shown(group["inside"], group["values"]) for group in published]
    found = credibility(external, shown, test)
    labelled = [
        ([kind for kind, number in group["inside"].items() for _ in range(number)], group["values"])
        for group in published
    ]
    assert found.belief == oracle.minimality(labelled, test)
    assert found.naive == oracle.minimality(labelled, lambda table: False)
    assert found.total == math.prod(_orders(group["values"]) for group in published)
    for kind in external:
        for table in (found.naive, found.belief or found.naive):
            assert sum(table[kind, value] for value in set(values)) == 1


def _orders(values: Sequence[Any]) -> int:
    return len(set(itertools.permutations(values)))


@pytest.mark.parametrize(
    ("sizes", "sensitive", "l"),
    [([2, 4], 2, 2), ([2, 2, 4], 3, 2), ([5, 6], 4, 3), ([2, 3, 5], 4, 2), ([4, 4], 2, 2), ([1, 3], 2, 2), ([3], 2, 2)],
)
def test_the_closed_form_counts_the_same_worlds(sizes: list[int], sensitive: int, l: int) -> None:  # noqa: E741
    values = ["s"] * sensitive + ["-"] * (sum(sizes) - sensitive)
    kept, hits = 0, [0] * len(sizes)
    for places in itertools.combinations(range(len(values)), sensitive):
        inside = np.split(np.isin(np.arange(len(values)), places), np.cumsum(sizes)[:-1])
        if any(int(part.sum()) * l > len(part) for part in inside):
            kept += 1
            hits = [hit + int(part.sum()) for hit, part in zip(hits, inside, strict=True)]
    expected = [Fraction(hit, kept * size) for hit, size in zip(hits, sizes, strict=True)] if kept else None
    assert credibility_global(sizes, sensitive, l) == expected


def test_the_slides_naive_belief_depends_on_what_is_equally_likely() -> None:
    shown = [Shown({"q1": 2, "q2": 2}, "YYNN"), Shown({"q2": 2}, "NN")]

    def fine(table: Mapping[Any, Sequence[Any]]) -> bool:
        return all(2 * list(values).count("Y") <= len(values) for values in table.values())

    slots = credibility({"q1": 2, "q2": 4}, shown, fine)
    tables = credibility({"q1": 2, "q2": 4}, shown, fine, weighting="tables")
    assert (slots.naive["q1", "Y"], tables.naive["q1", "Y"]) == (Fraction(1, 2), Fraction(1, 3))
    assert slots.belief is not None
    assert tables.belief is not None
    assert slots.belief["q1", "Y"] == tables.belief["q1", "Y"] == 1


def test_where_nothing_is_left_there_is_no_belief() -> None:
    found = credibility({"a": 2}, [Shown({"a": 2}, "xy")], lambda table: True)
    assert found.belief is None
    assert found.kept == 0
    assert fraction(found, "a", "x") is None


def test_a_release_too_large_to_list_is_estimated_and_says_so() -> None:
    external, published = {"q1": 4, "q2": 8}, [Shown({"q1": 4, "q2": 8}, "YYYYNNNNNNNN")]

    def fine(table: Mapping[Any, Sequence[Any]]) -> bool:
        return all(2 * list(values).count("Y") <= len(values) for values in table.values())

    exact, drawn = credibility(external, published, fine), credibility(external, published, fine, worlds=3)
    assert not exact.estimate
    assert drawn.estimate
    assert drawn.error > 0
    assert exact.belief is not None
    assert drawn.belief is not None
    for place, share in exact.belief.items():
        assert abs(float(share - drawn.belief[place])) < 3 * drawn.error
    assert drawn.naive == exact.naive
    assert credibility(external, published, fine, worlds=3) == drawn  # the same twice


def test_where_it_is_only_known_who_fits() -> None:
    """The slides' example without being told who is in which group: the numbers alone place everybody."""
    found = overlapping(
        {"q1": 2, "q2": 4},
        {"Q": ["q1", "q2"], "q2": ["q2"]},
        {"Q": "YYNN", "q2": "NN"},
        lambda table: all(2 * list(values).count("Y") <= len(values) for values in table.values()),
        10_000,
    )
    assert found is not None
    assert found.belief is not None
    assert (found.naive["q1", "Y"], found.belief["q1", "Y"]) == (Fraction(1, 2), 1)
    assert overlapping({"a": 9}, {"g": ["a"]}, {"g": range(9)}, lambda table: False, 0) is None


def test_fillings_stand_for_all_assignments() -> None:
    for sizes, values in (([2, 3], "aabbc"), ([1, 1, 1], "abc"), ([4], "aabb"), ([0, 2], "ab")):
        assert sum(weight for weight, _ in fillings(sizes, Counter(values))) == _orders(values)
    assert list(exact_worlds._parts(1, [("a", 1)])) == [[("a", 1)]]


def test_an_external_table_that_does_not_cover_the_release() -> None:
    shown = [Shown({"a": 2}, "xy")]
    with pytest.raises(DataError, match="disagree on the number of people of 1 kinds") as error:
        credibility({"a": 1}, shown, lambda table: False)
    assert error.value.code == "data.external-cover"
    with pytest.raises(DataError, match="shows 3 values for 2 people"):
        credibility({"a": 2}, [Shown({"a": 2}, "xyz")], lambda table: False)


def test_a_requirement_that_the_release_does_not_satisfy() -> None:
    with pytest.raises(PolicyError, match="does not satisfy the requirement itself") as error:
        attack_local({"a": 2}, [{"inside": {"a": 2}, "values": ["x", "x"]}], vl.LDiversity(l=2))
    assert error.value.code == "policy.requirement"


def test_steps_strike_out_more_than_the_original_table() -> None:
    """Two levels: a table that fails as it is may still be shown at the level between."""
    external = {"a1": 1, "a2": 1, "b1": 1, "b2": 1}
    shown = [{"inside": external, "values": ["x", "x", "y", "y"]}]
    plain = attack_local(external, shown, vl.LDiversity(l=2))
    step = attack_local(external, shown, vl.LDiversity(l=2), steps=[lambda kind: kind[0]])
    assert plain.kept == plain.total  # one person alone is never diverse
    assert step.kept == 2  # both x in a, or both in b
    assert fraction(step, "a1", "x") == Fraction(1, 2)
    with pytest.raises(DataError, match="does not show the value"):
        fraction(step, "a1", "z")


def test_the_join_with_an_earlier_release_is_a_requirement() -> None:
    """Alone the table may be shown; together with what was shown before it may not."""
    before = [{"inside": {"q1": 2, "q2": 2}, "values": ["x", "y", "y", "z"]}]
    plain = judged_by(vl.LDiversity(l=2), ["x", "x", "y", "z"])
    both = joined_with(before, plain)
    assert plain({"q1": ["x", "y"], "q2": ["x", "z"]})
    assert not both({"q1": ["x", "y"], "q2": ["x", "z"]})  # y and y join twice, x once: 2/3
    assert both({"q1": ["x", "z"], "q2": ["x", "z"]})

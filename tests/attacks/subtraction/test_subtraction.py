"""Subtraction: what somebody who keeps every release believes, against the enumeration of all worlds."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from release_sequences.joint_sequences import Sequence, _worlds, change_people, draw_offer, draw_sequence

import voile as vl
from voile.attacks import Subtraction
from voile.errors import DataError, PolicyError

SCHEMA = vl.Schema(person="who", quasi=["age", "ward"], sensitive=["disease"])


def table(ages: list[int], values: str, ward: str = "e") -> Any:
    frame = pl.DataFrame(
        {"who": [f"p{age}" for age in ages], "age": ages, "ward": [ward] * len(ages), "disease": list(values)}
    )
    return vl.read(frame, SCHEMA)


def publish_carelessly(*tables: Any, method: Any = None) -> tuple[list[Any], vl.Ledger]:
    """Publish tables one by one, as if there were no earlier ones, and write down who sits where."""
    releases, ledger = [], vl.Ledger()
    for data in tables:
        own = vl.Ledger()
        own.salt = ledger.salt
        releases.append(vl.publish(data, vl.LDiversity(l=2), method, ledger=own))
        ledger.record(releases[-1].digest, own.seating(0))
    return releases, ledger


def find(audit: Any) -> Any:
    return next(finding for finding in audit.findings if finding.attack == "subtraction")


def test_the_newcomer_is_certain() -> None:
    (first, second), ledger = publish_carelessly(table([30, 31], "xy"), table([30, 31, 32], "xyz"))
    finding = find(vl.audit(second, after=[first], ledger=ledger, adversary="archivist"))
    assert finding.by == ("archivist",)
    assert sorted(finding.belief.rows.tolist()) == [0.5, 0.5, 1.0]
    assert finding.belief.details["certain"] == 1
    assert finding.belief.details["not computed"] == 0
    assert finding.belief.details["above 1/2, the bound of this release by itself"] == 1


def test_without_a_ledger_the_people_of_the_table_tell_who_certainly_sits_where() -> None:
    now = table([30, 31, 32], "xyz")
    (first, second), _ = publish_carelessly(table([30, 31], "xy"), now, method=vl.Anatomy())
    finding = find(vl.audit(second, now, after=[first]))
    assert finding.belief.worst == 1.0


def test_what_it_cannot_do_without() -> None:
    (first, second), ledger = publish_carelessly(table([30, 31], "xy"), table([30, 31, 32], "xyz"))
    assert not [finding for finding in vl.audit(second).findings if finding.attack == "subtraction"]
    with pytest.raises(PolicyError, match="needs the earlier releases"):
        vl.audit(second, attacks=[Subtraction()])
    with pytest.raises(PolicyError, match="needs the ledger, or the original table"):
        vl.audit(second, attacks=[Subtraction()], after=[first])
    with pytest.raises(DataError, match="oldest first"):
        vl.audit(first, attacks=[Subtraction()], after=[second], ledger=ledger)


def test_over_the_budget_bounds_take_the_place_of_beliefs() -> None:
    sequence = Sequence({0: 20, 1: 21, 2: 22, 3: 23}, {0: "a", 1: "b", 2: "a", 3: "b"}, 2)
    assert sequence.publish([frozenset({0, 1}), frozenset({2, 3})], boxes=False)
    assert sequence.publish([frozenset({0, 3}), frozenset({1, 2})], boxes=False)
    first, second = sequence.releases
    exact = find(vl.audit(second, after=[first], ledger=sequence.ledger)).belief
    assert (exact.worst, exact.details["not computed"]) == (0.5, 0)
    short = find(vl.audit(second, attacks=[Subtraction(budget=1)], after=[first], ledger=sequence.ledger)).belief
    assert (short.worst, short.details["not computed"]) == (0.0, 4)


@pytest.mark.parametrize("seed", range(12))
def test_beliefs_are_those_of_all_worlds(seed: int) -> None:
    rng = random.Random(seed)
    sequence, inside, mode = draw_sequence(rng)
    while len(sequence.releases) < 2:
        offer = draw_offer(rng, sequence, inside)
        if offer is None or not inside or not sequence.publish(*offer):
            sequence, inside, mode = draw_sequence(rng)
        else:
            inside = change_people(rng, sequence, inside, mode)
    *earlier, last = sequence.releases
    finding = find(vl.audit(last, after=earlier, ledger=sequence.ledger))
    tally: Counter[tuple[int, str]] = Counter()
    worlds = 0
    for world in _worlds([group for release in sequence.groups for group in release]):
        worlds += 1
        tally.update(world.items())
    people = {person for person, _ in tally}
    truth = sorted(float(max(Fraction(tally[person, value], worlds) for value in "abcd")) for person in people)
    assert sorted(finding.belief.rows.tolist()) == pytest.approx(truth)
    assert finding.passed

"""Adversaries: who is within whom."""

from __future__ import annotations

import itertools

from voile import Adversary, Knowledge
from voile.adversaries.adversary import join_phrases

NEIGHBOUR = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)


def test_within_is_an_order() -> None:
    some = [
        NEIGHBOUR,
        Adversary.who("nobody"),
        Adversary.who("insider", *Knowledge),
        Adversary.who("informed", *Knowledge, excludes=2),
        Adversary.who("stranger", Knowledge.POPULATION),
    ]
    for one in some:
        assert one.within(one)
    for a, b, c in itertools.product(some, repeat=3):
        if a.within(b) and b.within(c):
            assert a.within(c)
    assert NEIGHBOUR.within(some[2])
    assert not some[2].within(NEIGHBOUR)
    assert some[2].within(some[3])
    assert not some[3].within(some[2])
    assert not some[4].within(NEIGHBOUR)


def test_the_name_is_only_a_name() -> None:
    other = Adversary.who("prosecutor", Knowledge.QUASI, Knowledge.MEMBERSHIP)
    assert other.within(NEIGHBOUR)
    assert NEIGHBOUR.within(other)


def test_in_words_and_as_json() -> None:
    assert NEIGHBOUR.describe().startswith("a neighbour who knows that the person is in the table, and")
    assert NEIGHBOUR.as_json() == {"name": "neighbour", "knows": ["membership", "quasi"], "excludes": 0}
    everything = Adversary.who("insider", *reversed(Knowledge)).as_json()["knows"]
    assert everything == [item.name.lower() for item in Knowledge]
    assert (join_phrases(["a"]), join_phrases(["a", "b"]), join_phrases(["a", "b", "c"])) == (
        "a",
        "a, and b",
        "a, b, and c",
    )
    assert len({item.value for item in Knowledge}) == len(Knowledge)


def test_an_adversary_who_knows_nothing_can_be_described() -> None:
    assert Adversary.who("nobody").describe()

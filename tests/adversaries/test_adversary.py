"""Adversaries: one is within another who knows at least as much."""

from __future__ import annotations

import itertools

from voile import Adversary, Knowledge
from voile.adversaries.adversary import join_phrases

NEIGHBOUR = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)


def test_within_is_an_order() -> None:
    adversaries = [
        NEIGHBOUR,
        Adversary.who("nobody"),
        Adversary.who("insider", *Knowledge),
        Adversary.who("informed", *Knowledge, excludes=2),
        Adversary.who("stranger", Knowledge.POPULATION),
    ]
    for adversary in adversaries:
        assert adversary.within(adversary)
    for a, b, c in itertools.product(adversaries, repeat=3):
        if a.within(b) and b.within(c):
            assert a.within(c)
    assert NEIGHBOUR.within(adversaries[2])
    assert not adversaries[2].within(NEIGHBOUR)
    assert adversaries[2].within(adversaries[3])
    assert not adversaries[3].within(adversaries[2])
    assert not adversaries[4].within(NEIGHBOUR)


def test_the_name_does_not_decide_who_is_within_whom() -> None:
    prosecutor = Adversary.who("prosecutor", Knowledge.QUASI, Knowledge.MEMBERSHIP)
    assert prosecutor.within(NEIGHBOUR)
    assert NEIGHBOUR.within(prosecutor)


def test_an_adversary_is_described_in_words_and_as_json() -> None:
    assert NEIGHBOUR.describe().startswith("a neighbour who knows that the person is in the table and")
    assert NEIGHBOUR.as_json() == {"name": "neighbour", "knows": ["membership", "quasi"], "excludes": 0}
    knowledge_names = Adversary.who("insider", *reversed(Knowledge)).as_json()["knows"]
    assert knowledge_names == [item.name.lower() for item in Knowledge]
    assert (join_phrases(["a"]), join_phrases(["a", "b"]), join_phrases(["a", "b", "c"])) == (
        "a",
        "a and b",
        "a, b, and c",
    )
    assert len({item.value for item in Knowledge}) == len(Knowledge)


def test_an_adversary_who_knows_nothing_can_be_described() -> None:
    assert Adversary.who("nobody").describe()

"""Tiny tables of events: every way in which the rows may belong to the people is enumerated, in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from event_recount import recount
from event_tables import PERSON, random_request
from oracle import people

BLOCK = 250


@pytest.mark.parametrize("block", range(6))
def test_no_belief_exceeds_the_promise(block: int) -> None:
    """At least 1,000 tables are published in all blocks together."""
    published = sum(recount(random_request(seed, True), True) for seed in range(block * BLOCK, (block + 1) * BLOCK))
    assert published >= 0.68 * BLOCK


def test_tiny_tables_are_tiny() -> None:
    requests = [random_request(seed, True) for seed in range(300)]
    assert max(request.frame.height for request in requests) == 6
    assert max(request.frame[PERSON].n_unique() for request in requests) == 4
    assert {request.rows_per_person for request in requests} == {1, 2, 3}


def test_the_enumeration_of_a_group_by_hand() -> None:
    """Ann has two of four rows, of which two are flu: five of the six ways to choose hers contain one of them."""
    group = [{"who": who, "what": what} for who, what in zip("AABC", ["flu", "flu", "gout", "mumps"], strict=True)]
    identity, beliefs = people.enumerate_beliefs({("*",): group}, "who", "what")
    assert identity == Fraction(1, 2)
    assert beliefs["A", "flu"] == Fraction(5, 6)
    assert beliefs["B", "gout"] == Fraction(1, 4)


def test_beliefs_add_up_over_groups() -> None:
    """Ann has a row in each of two groups of two with flu once in each: she escapes it in one of four worlds."""
    groups = {
        (box,): [{"who": "A", "what": "flu"}, {"who": other, "what": "gout"}] for box, other in (("1", "B"), ("2", "C"))
    }
    _, beliefs = people.enumerate_beliefs(groups, "who", "what")
    assert beliefs["A", "flu"] == Fraction(3, 4)
    assert beliefs["B", "flu"] == Fraction(1, 2)

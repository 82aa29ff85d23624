"""The parts of the exhaustive checker: runs that are those of `publish`, coins, and what a sample of keys proves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import voile as vl
from voile.errors import Unsatisfiable
from voile.models.policy import Policy
from voile.releases.release import Release
from voile.testing import TinyTable, random_prior, random_tiny_table
from voile.testing.belief_questions import weigh_worlds
from voile.testing.enumerated_coins import CannotEnumerate, EnumeratedKey, Outcomes
from voile.testing.key_sampling import lower_limit
from voile.testing.tiny_publishing import TinyPublisher, describe_release

TABLE = TinyTable((("x", "p"), ("x", "q"), ("y", "p"), ("y", "q")), ("none", "hiv", "flu"))
WORLD = (0, 1, 2, 1)
REQUESTS: list[tuple[Any, Any]] = [
    (vl.Mondrian(), vl.KAnonymity(k=2)),
    (vl.FullDomain(suppression=0.5), vl.KAnonymity(k=2)),
    (vl.Anatomy(), vl.LDiversity(l=2)),
    (vl.Decompose(), vl.MultiDiversity(otherwise=2)),
    (vl.PerturbedGeneralization(s=0.5), vl.AntiCorruption(skew=0.5)),
    (vl.Mondrian(), vl.LDiversity(l=4)),
]


@pytest.mark.parametrize(("method", "model"), REQUESTS, ids=repr)
def test_a_run_is_a_publication(method: Any, model: Any) -> None:
    key = vl.Key(bytes(range(32)))
    output = TinyPublisher(TABLE, Policy(model), method).run(WORLD, key)
    try:
        release: Release | str = vl.publish(TABLE.in_world(WORLD), model, method, key=key)
    except Unsatisfiable as error:
        release = str(error)
    assert isinstance(output.content, tuple)
    if isinstance(release, str):
        assert output.refusal
        assert output.content[2] == release
    else:
        assert not output.refusal
        assert output.content[:2] == describe_release(release)


def test_labels_of_groups_carry_nothing_and_groups_do() -> None:
    publisher = TinyPublisher(TABLE, Policy(vl.LDiversity(l=2)), vl.Anatomy())
    outputs = {publisher.run(WORLD, vl.Key(bytes([seed]) * 32)).content for seed in range(60)}
    # two cases of hiv never share a group, so each goes with one of the other two people: two groupings
    assert len(outputs) == 2


def test_the_rows_that_may_be_a_persons_are_counted() -> None:
    publisher = TinyPublisher(TABLE, Policy(vl.KAnonymity(k=2)), vl.Mondrian())
    output = publisher.run(WORLD, vl.Key(bytes(32)))
    codes = {text: code for code, text in enumerate(TABLE.target.domain.labels)}
    assert [sum(row) for row in output.alike] == [2, 2, 2, 2]
    for person, code in enumerate(WORLD):
        assert output.alike[person][code] >= 1, codes


def test_outcomes_are_all_and_have_their_chances() -> None:
    found: dict[tuple[Any, ...], float] = {}
    for outcomes in Outcomes(1000):
        key = EnumeratedKey(bytes(32), outcomes)
        order = tuple(key.shuffle("order", 3).tolist())
        drawn = tuple(key.draw_below("draw", 2, 2).tolist())
        kept = tuple(key.draw_true("keep", 2**62, 1).tolist()) if drawn == (0, 0) else ()
        assert tuple(key.shuffle("order", 3).tolist()) == order
        found[order, drawn, kept] = outcomes.chance
    assert len(found) == 6 * (3 + 2)
    assert sum(found.values()) == pytest.approx(1)
    assert found[(0, 1, 2), (0, 0), (True,)] == pytest.approx(1 / 6 / 4 / 4)


def test_coins_that_cannot_be_enumerated_say_so() -> None:
    key = EnumeratedKey(bytes(32), Outcomes(10))
    for toss in (
        lambda: key.stream("numbers", 1),
        lambda: key.shuffle("order", 4),
        lambda: key.draw_below("draw", 11, 1),
        lambda: key.derive_part_key(0),
    ):
        with pytest.raises(CannotEnumerate):
            toss()
    assert key.shuffle("group numbers", 9).tolist() == list(range(9))
    key.draw_below("twice", 2, 1)
    with pytest.raises(CannotEnumerate):
        key.draw_below("twice", 2, 2)
    with pytest.raises(CannotEnumerate):
        _ = [EnumeratedKey(bytes(32), outcomes).shuffle("order", 2).sum() for outcomes in Outcomes(1)]


def belief_limits(chances: list[float], samples: int) -> list[float]:
    """Limits from samples of four worlds that give the output with these chances; of the first two it is true."""
    rng, runs = np.random.default_rng(5), np.full(4, 60)
    weights = np.array([[0.2, 0.3, 0, 0], [0.2, 0.3, 0.1, 0.4]])
    return [lower_limit(rng.binomial(60, chances), runs, np.zeros(4), weights, 1) for _ in range(samples)]


def test_a_limit_is_exceeded_by_the_belief_nearly_always() -> None:
    chances = [0.5, 0.1, 0.3, 0.25]
    belief = (0.2 * 0.5 + 0.3 * 0.1) / (0.2 * 0.5 + 0.3 * 0.1 + 0.1 * 0.3 + 0.4 * 0.25)
    limits = belief_limits(chances, 1000)
    assert sum(limit > belief for limit in limits) <= 5  # one in a thousand is allowed
    assert 0.1 < np.mean(limits) < belief


def test_a_limit_comes_near_a_belief_that_is_certain() -> None:
    assert np.mean(belief_limits([0.6, 0.5, 0.0, 0.0], 20)) > 0.75


def test_what_is_known_exactly_counts_as_such() -> None:
    weights = np.array([[0.5, 0.0], [0.5, 0.5]])
    exact = lower_limit(np.zeros(2), np.zeros(2), np.array([0.9, 0.1]), weights, 20)
    assert exact == pytest.approx(0.9, abs=1e-6)
    partly = lower_limit(np.array([0, 1]), np.array([0, 50]), np.array([0.9, 0.0]), weights, 20)
    assert 0.7 < partly < 0.9 / 0.92  # at most one in five of 50 runs would have shown itself


def test_random_tables_and_priors_are_what_they_should_be() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        table = random_tiny_table(rng, (4, 7))
        prior = random_prior(rng, table)
        assert 4 <= table.people <= 7
        assert 1 <= len(prior.sets) <= 3
        prior.check(table.data.columns)
        for statistics in prior.sets:
            assert statistics.rows.sum(axis=1) == pytest.approx(1)
        rates = np.full((table.people, len(table.values)), 1 / len(table.values))
        assert weigh_worlds(np.array(list(table.worlds())), rates).sum() == pytest.approx(1)

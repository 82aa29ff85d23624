"""The exhaustive checker: it finds the holes that are known, agrees with an enumeration of its own, and passes what
is sound."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import Prior, Statistics
from voile.errors import PolicyError, Unsatisfiable
from voile.plugins import registry
from voile.releases.linked_tables import show_buckets
from voile.testing import TinyTable, exhaust, random_tiny_table

FOUR = (("x",), ("x",), ("y",), ("y",))


def given_rates(rates: Sequence[float]) -> tuple[list[list[str]], Prior]:
    """People who all differ, and statistics that give each of them a rate of hiv."""
    people = [[f"p{number}"] for number in range(len(rates))]
    table = np.array([[1 - rate, rate] for rate in rates])
    statistics = Statistics(("a",), tuple(map(tuple, people)), table)
    return people, Prior("s", ("none", "hiv"), (statistics,), np.array([0.7, 0.3]))


def enumerated_belief(
    method: vl.extend.Method, policy: Any, table: TinyTable, rates: Sequence[float], *, refusals: bool
) -> float:
    """The worst belief in a value by an enumeration of its own: tables are read and published as a user does it, and
    compared as sorted lists of rows. For methods that toss no coin."""
    worlds = defaultdict(list)
    output: tuple[object, int]
    for values in itertools.product(range(len(table.values)), repeat=table.people):
        columns = {name: [row[j] for row in table.quasi] for j, name in enumerate(table.names)}
        frame = pl.DataFrame({**columns, "s": [table.values[value] for value in values]})
        schema = vl.Schema(quasi=list(table.names), sensitive=["s"], domains={"s": list(table.values)})
        try:
            release = vl.publish(vl.read(frame, schema), policy, method)
            output = (sorted(map(str, release.tables["table"].rows())), release.dictionary["withheld"])
        except Unsatisfiable as error:
            if not refusals:
                continue
            output = (str(error), -1)
        worlds[str(output)].append((values, float(np.prod([rates[value] for value in values]))))
    worst = 0.0
    for possible in worlds.values():
        total = sum(weight for _, weight in possible)
        for person, value in itertools.product(range(table.people), range(len(table.values))):
            worst = max(worst, sum(weight for values, weight in possible if values[person] == value) / total)
    return worst


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain()], ids=lambda method: method.name)
def test_it_agrees_with_an_enumeration_of_its_own(method: vl.extend.Method, seed: int) -> None:
    table = random_tiny_table(np.random.default_rng(seed), (3, 4), 2)
    rates = [0.6, 0.4]
    found = exhaust(method, vl.LDiversity(l=2), table=table, rates=rates)
    assert found.keys == 0
    # a refusal is compared with what was believed before: here it is the worst of both that counts
    with_refusals = enumerated_belief(method, vl.LDiversity(l=2), table, rates, refusals=True)
    without = enumerated_belief(method, vl.LDiversity(l=2), table, rates, refusals=False)
    assert found.belief == pytest.approx(with_refusals) or found.belief == pytest.approx(without)
    assert found.excess == pytest.approx(max(with_refusals - 0.6, without - 0.5))


@pytest.mark.parametrize("method", [vl.Mondrian(), vl.FullDomain()], ids=lambda method: method.name)
def test_boxes_give_themselves_away_under_diversity(method: vl.extend.Method) -> None:
    """Two people x and four people y in one box with two cases: had one case been among the y, the box would have been
    cut; so both are the x."""
    quasi = [("x",), ("x",), ("y",), ("y",), ("y",), ("y",)]
    model = vl.AlphaK(alpha=0.5, k=2, protect=("hiv",))
    found = exhaust(method, model, quasi=quasi, rates=[0.9, 0.1], refusals=False)
    assert not found.holds
    assert "refused" not in found.output
    assert found.belief == pytest.approx(1.0)
    assert found.bound == 0.5


def test_greedy_art_reveals_around_whom_a_group_was_formed() -> None:
    people, prior = given_rates([0.3, 0.3, 0.2])
    model = vl.RRobustness(r=2, protect=("hiv",), prior=prior)
    found = exhaust(vl.Art(grouping="greedy"), model, quasi=people, keys=200)
    assert not found.holds
    assert found.belief == pytest.approx(1.0)
    assert found.limit > 0.6


def test_somebody_missing_from_a_block_release_is_suspected() -> None:
    people, prior = given_rates([0.4, 0.1, 0.1, 0.1])
    model = vl.RRobustness(r=2, lift=1, protect=("hiv",), prior=prior)
    found = exhaust(vl.Art(grouping="block"), model, quasi=people, keys=200)
    assert not found.holds
    assert 0.75 < found.belief < 0.95  # 0.857 by enumeration


def test_sizes_alone_give_nothing_away() -> None:
    quasi = [("x", "p"), ("x", "q"), ("y", "p"), ("y", "q"), ("z", "q")]
    for method in (vl.Mondrian(), vl.Mondrian(recoding="hierarchy"), vl.FullDomain(suppression=0.4)):
        found = exhaust(method, vl.KAnonymity(k=2), quasi=quasi)
        assert found.holds
        assert found.belief == pytest.approx(0.5)
    assert not exhaust(vl.Mondrian(), vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2)), quasi=FOUR).holds


def test_perturbed_values_reach_their_bound_and_no_more() -> None:
    model = vl.AntiCorruption(skew=0.5, rho1=0.5, rho2=0.7)
    found = exhaust(vl.PerturbedGeneralization(s=0.5), model, quasi=[("x",), ("y",)])
    assert found.holds
    assert found.keys == 0
    assert found.belief == pytest.approx(0.7)


@dataclass(frozen=True)
class Sieve(vl.Anatomy):
    """Groups of two people, drawn blindly or by their values.

    Claim: none. Against: nobody. Needs: nothing. Why: it is a test. Source: none.
    """

    name: ClassVar[str] = "sieve"

    honest: bool = True

    def check(self, columns: Any, policy: Any) -> None:
        pass

    def group(self, columns: Any, rows: Any, policy: Any) -> Any:
        table = rows.histogram([column.name for column in columns])
        people = np.repeat(np.arange(len(table.counts)), table.counts)
        order = rows.key.shuffle("sieve", len(people))
        if not self.honest:
            order = order[np.argsort(table.column("s")[people[order]], kind="stable")]
        group = np.empty(len(people), dtype=np.int64)
        group[order] = np.arange(len(people)) // 2
        return rows.deal(table, people, group, np.ones(len(people), dtype=np.int64))

    def show(self, columns: Any, rows: Any) -> Any:
        return show_buckets(columns, rows)


@dataclass(frozen=True)
class Anything(vl.extend.Model):
    """Belief at most 3/4, whatever the groups are."""

    name: ClassVar[str] = "anything"
    method: ClassVar[str] = "sieve"

    def holds(self, counts: Any) -> np.ndarray:
        return np.ones(counts.groups, dtype=bool)

    def bound(self) -> Fraction:
        return Fraction(3, 4)

    def adversary(self) -> vl.Adversary:
        return vl.Adversary.who("anybody", vl.Knowledge.MEMBERSHIP)

    def promise(self, column: str) -> str:
        return "Anything."

    def distinct_values_needed(self) -> int:
        return 1


def forget_test_classes() -> None:
    """Other tests try every method and model that is registered."""
    registry._registry["methods"].pop("sieve", None)
    registry._registry["models"].pop("anything", None)


forget_test_classes()


@pytest.fixture(autouse=True)
def _forget() -> Any:
    yield
    forget_test_classes()


def test_coins_that_are_permutations_are_enumerated() -> None:
    """Dealing two and two blindly: a group that shows two equal values gives them away, and nothing else does."""
    registry._registry["methods"]["sieve"], registry._registry["models"]["anything"] = Sieve, Anything
    quasi = [("w",), ("x",), ("y",), ("z",)]
    found = exhaust(Sieve(), Anything(), quasi=quasi)
    assert found.keys == 0
    assert found.refusals == 0
    # a grouping of 4 people in pairs, of 3, and the values of each pair, of 3
    assert found.outputs == 27
    assert found.belief == pytest.approx(1.0)  # {hiv, hiv}


def test_the_same_method_with_sampled_keys_gives_nearly_the_same() -> None:
    registry._registry["methods"]["sieve"], registry._registry["models"]["anything"] = Sieve, Anything
    table = TinyTable((("w",), ("x",), ("y",)))
    exact = exhaust(Sieve(honest=False), Anything(), table=table)
    sampled = exhaust(Sieve(honest=False), Anything(), table=table, keys=80, most_outcomes=1)
    assert exact.keys == 0
    assert sampled.keys > 0
    assert sampled.limit <= exact.belief + 1e-9
    assert sampled.outputs == exact.outputs


@dataclass(frozen=True)
class Rare(vl.AlphaK):
    """(alpha, k)-anonymity for adversaries who take hiv to be rare, with more room for people of a higher rate."""

    name: ClassVar[str] = "rare"

    def named_rates(self, column: Any) -> np.ndarray:
        return np.array([[0.1 if text == "hiv" else 0.9 for text in column.domain.labels]])

    def belief_bound(self, rates: np.ndarray) -> np.ndarray:
        return np.asarray(np.maximum(0.2, 6 * rates))


def test_a_model_may_name_its_rates_and_bound_people_by_them() -> None:
    registry._registry["models"]["rare"] = Rare
    try:
        found = exhaust(vl.Mondrian(), Rare(alpha=0.5, k=2, protect=("hiv",)), quasi=FOUR, refusals=False)
    finally:
        del registry._registry["models"]["rare"]
    plain = exhaust(
        vl.Mondrian(), vl.AlphaK(alpha=0.5, k=2, protect=("hiv",)), quasi=FOUR, rates=[0.9, 0.1], refusals=False
    )
    assert found.belief == pytest.approx(plain.belief)
    assert found.bound == pytest.approx(0.6)


def test_bad_requests_are_errors_and_no_outputs() -> None:
    with pytest.raises(PolicyError):
        exhaust(vl.Mondrian(), vl.MConfidentiality(m=2))
    with pytest.raises(PolicyError, match="do not occur"):
        exhaust(vl.Mask(), vl.MConfidentiality(m=2, protect=("cancer",)))
    with pytest.raises(ValueError, match="bounds a belief"):
        exhaust(vl.Mondrian(), vl.TCloseness(t=0.3))
    with pytest.raises(ValueError, match="rates"):
        exhaust(vl.Mondrian(), vl.LDiversity(l=2), rates=[0.5, 0.6])
    with pytest.raises(ValueError, match="same number"):
        TinyTable((("x",), ("x", "y")))
    with pytest.raises(ValueError, match="two or more"):
        TinyTable((("x",),), ("none",))

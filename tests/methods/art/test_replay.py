"""The replay attack against all worlds: publish every one under every outcome of the coins, keep the runs that look
like the release, and weigh them."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import VoileError

HEAD = ["columns", "signature", "value", "probability"]
Person = tuple[str, ...]


class ChosenKey(vl.Key):
    """A key whose draws for one purpose are chosen: the order in which rows are dealt."""

    purpose: str = ""
    order: tuple[int, ...] = ()

    def choose(self, purpose: str, order: tuple[int, ...]) -> ChosenKey:
        object.__setattr__(self, "purpose", purpose)
        object.__setattr__(self, "order", order)
        return self

    def shuffle(self, purpose: str, size: int) -> np.ndarray:
        if purpose == self.purpose:  # fewer rows may be dealt: then several orders are the same
            return np.array([row for row in self.order if row < size], dtype=np.int64)
        return super().shuffle(purpose, size)

    def stream(self, purpose: str, size: int) -> np.ndarray:
        if purpose == self.purpose:
            return np.argsort(np.array(self.order)).astype(np.uint64)[:size]
        return super().stream(purpose, size)


def all_orders(purpose: str, people: int) -> list[ChosenKey]:
    return [ChosenKey(bytes(32)).choose(purpose, order) for order in itertools.permutations(range(people))]


def read(people: Sequence[Person], values: Sequence[str], domain: Sequence[str]) -> Any:
    rows = [(*person, value) for person, value in zip(people, values, strict=True)]
    frame = pl.DataFrame(rows, ["a", "b", "s"], orient="row")
    return vl.read(frame, vl.Schema(quasi=["a", "b"], sensitive=["s"], domains={"s": list(domain)}))


class Rates:
    """Rates of the values for each signature of some sets of columns, gentle enough that people can hide."""

    def __init__(
        self,
        seed: int,
        people: Sequence[Person],
        domain: Sequence[str],
        sets: Sequence[Any],
        known: dict[str, float] | None = None,
    ) -> None:
        rng, self.sets, self.chances = np.random.default_rng(seed), sets, {}
        rows = [("", "", value, 1 / len(domain)) for value in domain]
        for subset in sets:
            for signature in sorted({tuple(person[j] for j in subset) for person in people}):
                first = known[signature[0]] if known else rng.uniform(0.12, 0.32)
                others = rng.uniform(0.5, 1, len(domain) - 1)
                chances = [first, *(others / others.sum() * (1 - first))]
                self.chances[subset, signature] = dict(zip(domain, chances, strict=True))
                names, text = "|".join("ab"[j] for j in subset), "|".join(signature)
                rows += [(names, text, value, float(p)) for value, p in zip(domain, chances, strict=True)]
        self.prior = vl.read_prior(pl.DataFrame(rows, HEAD, orient="row"), "s")

    def weigh(self, people: Sequence[Person], world: Sequence[str], subset: Any) -> float:
        signatures = (tuple(person[j] for j in subset) for person in people)
        return math.prod(self.chances[subset, s][value] for s, value in zip(signatures, world, strict=True))


def publication(release: Any) -> Any:
    """What a reader sees, whatever the numbers of the groups: people and values of each, and how many are missing."""
    groups: dict[int, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for group, *person in release.tables["quasi"].iter_rows():
        groups[group][0].append(tuple(map(str, person)))
    for group, value, count in release.tables["sensitive"].iter_rows():
        groups[group][1].append((str(value), count))
    shown = sorted((tuple(sorted(people)), tuple(sorted(values))) for people, values in groups.values())
    return tuple(shown), release.dictionary["withheld"]


def compare_with_all_worlds(
    people: Sequence[Person], domain: Sequence[str], rates: Rates, method: Any, keys: Any
) -> float:
    """Assert that the attack equals Bayes over all worlds and keys, for every publication; return the worst belief."""
    model = vl.RRobustness(r=2, protect=(domain[0],), protect_as="set", prior=rates.prior)
    likelihood: dict[Any, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
    releases = {}
    for world in itertools.product(domain, repeat=len(people)):
        data = read(people, world, domain)
        for key in keys:
            try:
                release = vl.publish(data, model, method, key=key)
            except VoileError:
                continue
            likelihood[publication(release)][world] += 1
            releases[publication(release)] = release, data
    worst = 0.0
    for shown, (release, data) in releases.items():
        worlds = likelihood[shown]
        expected = dict.fromkeys(people, 0.0)
        for subset in rates.sets:
            weights = {world: rates.weigh(people, world, subset) * count for world, count in worlds.items()}
            for position, person in enumerate(people):
                cases = sum(weight for world, weight in weights.items() if world[position] == domain[0])
                expected[person] = max(expected[person], cases / sum(weights.values()))
        (finding,) = vl.audit(release, data, [vl.attacks.Replay(prior=rates.prior)]).findings
        assert finding.belief.details["people with an upper bound only"] == 0
        columns, members = release.members.columns, release.members
        texts = [tuple(c.domain.labels[int(k)] for c, k in zip(columns, row, strict=True)) for row in members.codes]
        assert finding.belief.risk == pytest.approx([expected[texts[row]] for row in members.rows], abs=1e-9)
        worst = max(worst, finding.belief.worst)
    assert releases
    return worst


GREEDY = [
    {"mode": "exact"},
    {"mode": "swap"},
    {"mode": "paper", "candidates": "closest"},
    {"mode": "exact", "leftover": "absorb"},
    {"mode": "exact", "leftover": "error"},
    {"mode": "exact", "publish": "indicator"},
]


@pytest.mark.parametrize("knobs", GREEDY, ids=lambda knobs: "-".join(knobs.values()))
def test_small_greedy_releases_are_answered_exactly(knobs: dict[str, str]) -> None:
    """Everybody has a profile of their own, so that nothing is drawn."""
    people = [("1", "x"), ("2", "x"), ("3", "y"), ("4", "y")]
    rates = Rates(3, people, ["hiv", "flu"], [(0,), (1,), (0, 1)])
    compare_with_all_worlds(people, ["hiv", "flu"], rates, vl.Art(grouping="greedy", **knobs), [vl.Key(bytes(32))])


@pytest.mark.parametrize("mode", ["exact", "swap", "paper"])
def test_greedy_grouping_can_give_somebody_away_for_certain(mode: str) -> None:
    """Two people with a rate of 0.3 hide each other; all three share a group only if it is the third who has it."""
    people = [("1", "x"), ("2", "x"), ("3", "y")]
    rates = Rates(0, people, ["hiv", "flu"], [(1,)], {"x": 0.3, "y": 0.2})
    keys = all_orders("art deal", 3)
    assert compare_with_all_worlds(people, ["hiv", "flu"], rates, vl.Art(grouping="greedy", mode=mode), keys) == 1


def test_people_who_look_alike_are_dealt_at_random() -> None:
    """The statistics are about one column, so that people with different quasi-identifiers share a bucket."""
    people = [("1", "x"), ("2", "x"), ("3", "x"), ("4", "y")]
    rates = Rates(1, people, ["hiv", "flu"], [(1,)])
    method = vl.Art(grouping="greedy")
    compare_with_all_worlds(people, ["hiv", "flu"], rates, method, all_orders("art deal", 4))


DEALT = [{"grouping": "auto"}, {"grouping": "block"}, {"grouping": "block", "leftover": "merge"}]


@pytest.mark.parametrize("knobs", DEALT, ids=lambda knobs: "-".join(knobs.values()))
def test_all_deals_of_a_block(knobs: dict[str, str]) -> None:
    people = [("1", "x"), ("2", "x"), ("3", "y"), ("4", "y")]
    rates = Rates(3, people, ["hiv", "flu"], [(0,), (1,)])
    method = vl.Art(**knobs)
    compare_with_all_worlds(people, ["hiv", "flu"], rates, method, all_orders("art block 0", 4))


def test_a_large_greedy_release_is_answered_by_a_bound() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "a": rng.integers(0, 90, 400),
            "b": rng.integers(0, 5, 400),
            "s": rng.choice(["hiv", "flu"], 400, p=[0.1, 0.9]),
        }
    )
    data = vl.read(frame, vl.Schema(quasi=["a", "b"], sensitive=["s"]))
    model = vl.RRobustness(r=3, protect=("hiv",), min_support=20)
    release = vl.publish(data, model, vl.Art(grouping="greedy"), key=vl.Key(bytes(32)))
    (finding,) = vl.audit(release, data, [vl.attacks.Replay()]).findings
    details, belief = finding.belief.details, finding.belief
    assert details["people whose belief is exact"] + details["people with an upper bound only"] == release.people
    assert 0 < details["people with an upper bound only"] < release.people
    assert set(belief.risk) == {0.0, 1.0}
    assert "people whom the search of their own group singles out" in details

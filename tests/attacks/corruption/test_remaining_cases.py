"""Corruption where a release shows only whether values are protected, compared with all ways to place the cases."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import CAPPED
from voile.adversaries.prior_posterior import make_indicator
from voile.attacks.corruption.remaining_cases import believe_in_cases
from voile.attacks.indicator_counts import estimate_share
from voile.errors import InconsistentKnowledge
from voile.tables.group_counts import tally

SCHEMA = vl.Schema(quasi=["a"], sensitive=["s"])
KEY = vl.Key(bytes(32))


def believe(size: int, cases: int, is_bound: bool, known: dict[int, bool], share: float) -> dict[int, float]:
    """Go through all ways to make people of a group cases; return how likely everybody who is not known is one."""
    weights, sums = 0.0, dict.fromkeys(set(range(size)) - known.keys(), 0.0)
    for world in product([False, True], repeat=size):
        number = sum(world)
        agrees = number >= cases if is_bound else number == cases
        if agrees and all(world[person] == value for person, value in known.items()):
            weight = share**number * (1 - share) ** (size - number)
            weights += weight
            for person in sums:
                sums[person] += weight * world[person]
    return {person: own / weights for person, own in sums.items()}


def count_groups(shown: list[tuple[int, int, bool]]) -> Any:
    """Counts of groups with so many people and cases, or at least so many."""
    column = vl.read(pl.DataFrame({"a": ["x", "y"], "s": ["hiv", "none"]}), SCHEMA).columns["s"]
    rows = [(0, cases, size - cases) if is_bound else (size - cases, cases, 0) for size, cases, is_bound in shown]
    entries = [(group, value, count) for group, row in enumerate(rows) for value, count in enumerate(row) if count]
    group, value, count = (np.array(part) for part in zip(*entries, strict=True))
    return tally(make_indicator(column, CAPPED), group, value, count, len(shown))


def test_beliefs_equal_those_over_all_worlds() -> None:
    rng = np.random.default_rng(5)
    certain = 0
    for _ in range(150):
        size = int(rng.integers(1, 7))
        cases, is_bound = int(rng.integers(0, size + 1)), bool(rng.integers(0, 2))
        known_cases, known_others = int(rng.integers(0, cases + 1)), int(rng.integers(0, size - cases + 1))
        counts = count_groups([(size, cases, is_bound and cases < size), (9, 2, False)])
        share = estimate_share(counts)
        known = dict.fromkeys(range(known_cases), True)
        known |= {known_cases + person: False for person in range(known_others)}
        risk, people, baseline = believe_in_cases(counts, np.array([known_cases, 0]), np.array([known_others, 0]))
        assert baseline == share
        expected = list(believe(size, cases, is_bound, known, share).values())
        for person, value in known.items():  # asked last: everybody else who is known is struck
            others = {other: own for other, own in known.items() if other != person}
            expected.append(believe(size, cases, is_bound, others, share)[person])
            assert value or expected[-1] < 1, "nobody without a protected value is believed to have one for certain"
        expected += [2 / 9] * 9
        assert sorted(np.repeat(risk, people)) == pytest.approx(sorted(expected), abs=1e-9)
        certain += max(expected) == 1
    assert certain > 20


def test_known_people_are_counted_as_cases_or_not() -> None:
    """Five people share one group with two cases, one of them known: of the other four one is left."""
    frame = pl.DataFrame({"a": list("vwxyz"), "s": ["hiv", "flu", "cold", "hep", "flu"]})
    rates = pl.DataFrame(
        [("", "", value, rate) for value, rate in {"hiv": 0.1, "hep": 0.1, "flu": 0.4, "cold": 0.4}.items()],
        ["columns", "signature", "value", "probability"],
        orient="row",
    )
    model = vl.RRobustness(r=2, protect=("hiv", "hep"), protect_as="set", prior=vl.read_prior(rates, "s"))
    method = vl.Art(grouping="block", leftover="merge", publish="indicator")
    release = vl.publish(vl.read(frame, SCHEMA), model, method, key=KEY)

    def attack(people: dict[str, str]) -> Any:
        known = vl.read(pl.DataFrame({"a": list(people), "s": list(people.values())}), SCHEMA)
        return vl.audit(release, attacks=[vl.attacks.Corruption(known=known)]).findings[0]

    assert attack({"v": "hiv"}).belief.risk.tolist() == [1 / 4, 2 / 5]
    assert attack({"w": "flu", "x": "cold"}).belief.risk.tolist() == [2 / 3, 2 / 4]
    finding = attack({"w": "flu", "x": "cold", "z": "flu"})
    assert (finding.belief.worst, finding.title) == (1, "Corruption attack on protected values of 's'")
    with pytest.raises(InconsistentKnowledge, match="without a protected value"):
        attack({"w": "flu", "x": "cold", "z": "flu", "v": "flu"})
    with pytest.raises(InconsistentKnowledge, match="with a protected value"):
        attack({"w": "hiv", "x": "hep", "z": "hiv"})


def test_what_is_not_shown_is_nothing_to_be_certain_of() -> None:
    """A group that shows no case and a bound of none tells nothing, whoever is known."""
    counts = count_groups([(4, 0, True), (4, 0, False)])
    risk, people, share = believe_in_cases(counts, np.array([0, 0]), np.array([3, 3]))
    assert np.repeat(risk, people).max() == pytest.approx(share)

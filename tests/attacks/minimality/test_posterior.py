"""Beliefs about the people behind real releases: methods refuse what they say, and worlds are counted exactly."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.attacks.minimality.assignments import PublishedGroup
from voile.attacks.minimality.candidates import find_candidates
from voile.attacks.minimality.exact_worlds import compute_credibility
from voile.attacks.minimality.posterior import compute_beliefs
from voile.errors import Unsatisfiable
from voile.tables.group_counts import tally

SCHEMA = vl.Schema(quasi=["age", "city", "sex"], sensitive=["disease"])
METHODS = [vl.Mondrian(), vl.FullDomain(), vl.Mondrian(recoding="hierarchy")]
TREES = {"age": vl.intervals(2), "city": {"west": ["a", "b"], "east": ["c"]}}
MODELS = [
    vl.LDiversity(l=2),
    vl.AlphaK(alpha=0.5, k=2, protect=("x",)),
    vl.TCloseness(t=0.4),
    vl.LDiversity(l=2, form="distinct"),
    vl.LDiversity(l=2, form="recursive", c=1.5),
]


def people(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(8, 26))
    return pl.DataFrame(
        {
            "age": rng.integers(20, 24, rows),
            "city": rng.choice(["a", "b", "c"], rows),
            "sex": rng.choice(["m", "f"], rows),
            "disease": rng.choice(["x", "y", "z"], rows, p=[0.4, 0.35, 0.25]),
        }
    )


class Example:
    """A release, its candidates, and everybody's true value."""

    def __init__(self, seed: int) -> None:
        self.model = MODELS[seed % 5]
        trees = TREES if seed % 3 == 2 else {}
        schema = vl.Schema(quasi=SCHEMA.quasi, sensitive=SCHEMA.sensitive, hierarchies=trees)
        for other in range(seed, seed + 6000, 60):  # the first table that can be published
            self.data = vl.read(people(other), schema)
            with contextlib.suppress(Unsatisfiable):
                self.release = vl.publish(self.data, self.model, METHODS[seed % 3])
                break
        self.candidates = find_candidates(self.release, self.data, vl.Policy(self.model), False)
        table, full = (self.data.rows.histogram(names) for names in (SCHEMA.quasi, SCHEMA.names()))
        true: dict[tuple[int, ...], list[int]] = {}
        for row, count in zip(full.codes.tolist(), full.counts.tolist(), strict=True):
            true.setdefault(tuple(row[:3]), []).extend([row[3]] * count)
        self.values = [true[tuple(table.codes[kind].tolist())] for kind in self.candidates.kind]

    def may_show(self, values: list[int]) -> bool:
        counts = self.release.tallies["disease"]
        assert counts.column is not None
        ones = np.ones(len(values), dtype=np.int64)
        group = tally(counts.column, 0 * ones, np.array(values), ones, 1, counts.totals)
        return bool(self.model.holds(group)[0])

    def merged(self, step: int, given: Any) -> dict[tuple[int, int], list[int]]:
        """The values of each part of each group after a step."""
        found: dict[tuple[int, int], list[int]] = {}
        for entry, values in given:
            part = int(self.candidates.steps.parts[entry, step])  # type: ignore[union-attr]
            found.setdefault((int(self.candidates.group[entry]), part), []).extend(values)
        return found


@pytest.mark.parametrize("seed", range(60))
def test_what_a_method_refused_does_fail(seed: int) -> None:
    """The true table must never be eliminated: every step that a method says it refused fails in it."""
    case = Example(seed)
    steps = case.candidates.steps
    if steps is None:  # the method does not say; then the original table could not be shown
        coarse = case.release.groups < len(np.unique(case.candidates.kind))
        assert not coarse or not all(case.may_show(values) for values in case.values)
        return
    for step in range(steps.parts.shape[1]):
        parts = case.merged(step, enumerate(case.values))
        groups = {group for group, part in parts if part >= 0}
        failing = {place[0] for place, values in parts.items() if place[1] >= 0 and not case.may_show(values)}
        if steps.whole:
            assert failing
        else:
            several = {group for group in groups if sum(place[0] == group for place in parts) > 1}
            assert several <= failing


@pytest.mark.parametrize("seed", [seed for seed in range(60) if seed % 3 != 2])  # methods that say what they refuse
def test_belief_is_counted_world_by_world(seed: int) -> None:
    case = Example(seed)
    steps = case.candidates.steps
    assert steps is not None
    found = compute_beliefs(case.candidates, vl.Policy(case.model), "disease", 10**6)
    assert found.unexplained == found.estimated == found.unanswered == 0
    assert found.belief.sum(axis=1) == pytest.approx(np.ones(len(found.belief)))
    everybody = range(case.release.groups)
    together = [list(everybody)] if steps.whole else [[group] for group in everybody]
    for groups in together:
        entries = np.flatnonzero(np.isin(case.candidates.group, groups))
        size = sum(len(case.values[entry]) for entry in entries)
        if size > (11 if steps.whole else 12):
            continue

        def could_show(table: Any, entries: np.ndarray = entries) -> bool:
            for step in range(steps.parts.shape[1]):
                part = steps.parts[entries, step]
                if not steps.whole and (part[0] < 0 or len(set(part.tolist())) == 1):
                    continue
                if all(case.may_show(values) for values in case.merged(step, table.items()).values()):
                    return True
            return False

        shown = []
        for group in groups:
            mine = [int(entry) for entry in entries if case.candidates.group[entry] == group]
            inside = {entry: int(case.candidates.count[entry]) for entry in mine}
            shown.append(PublishedGroup(inside, [value for entry in mine for value in case.values[entry]]))
        exact = compute_credibility({int(e): int(case.candidates.count[e]) for e in entries}, shown, could_show)
        assert exact.belief is not None
        for (entry, value), share in exact.belief.items():
            assert found.belief[entry, value] == pytest.approx(float(share), abs=1e-9)
            assert found.naive[entry, value] == pytest.approx(float(exact.naive[entry, value]), abs=1e-9)


def test_estimates_agree_with_what_is_listed() -> None:
    data = vl.read(people(7).vstack(people(8)).vstack(people(9)), SCHEMA)
    release = vl.publish(data, vl.LDiversity(l=2))
    policy = vl.Policy(vl.LDiversity(l=2))
    who = find_candidates(release, data, policy, False)
    exact, drawn = compute_beliefs(who, policy, "disease", 10**6), compute_beliefs(who, policy, "disease", 1)
    assert exact.estimated == 0
    assert drawn.estimated > 0
    assert 0 < drawn.error < 0.1
    assert np.abs(exact.belief - drawn.belief).max() < 3 * drawn.error


def test_a_register_with_more_people_than_the_release() -> None:
    """Strangers make the adversary less sure, and only the people of the release are counted."""
    frame = people(3)
    strangers = people(4).with_columns(pl.col("age") + 0)
    data, model = vl.read(frame, SCHEMA), vl.LDiversity(l=2, form="distinct")
    release = vl.publish(data, model)
    wide = vl.read(pl.concat([frame, strangers]), vl.Schema(quasi=SCHEMA.quasi))
    found = compute_beliefs(find_candidates(release, wide, vl.Policy(model), False), vl.Policy(model), "disease", 10**5)
    assert int(found.people.sum()) == release.people
    assert (found.belief >= -1e-12).all()
    assert (found.belief <= 1 + 1e-12).all()
    assert found.belief[found.people > 0].sum(axis=1) == pytest.approx(np.ones(int((found.people > 0).sum())))

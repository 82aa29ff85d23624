"""Beliefs about the people behind real releases: methods refuse the steps that they report, and worlds are counted
exactly."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.attacks.minimality.assignments import PublishedGroup
from voile.attacks.minimality.candidates import find_candidates
from voile.attacks.minimality.exact_worlds import compute_credibility
from voile.attacks.minimality.posterior import ESTIMATED, EXACT, UNEXPLAINED, compute_beliefs
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


def make_people(seed: int) -> pl.DataFrame:
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
        for table_seed in range(seed, seed + 6000, 60):  # the first table that can be published
            self.data = vl.read(make_people(table_seed), schema)
            with contextlib.suppress(Unsatisfiable):
                self.release = vl.publish(self.data, self.model, METHODS[seed % 3])
                break
        self.candidates = find_candidates(self.release, self.data, vl.Policy(self.model), False)
        table, full_table = (self.data.rows.histogram(names) for names in (SCHEMA.quasi, SCHEMA.names()))
        values_by_kind: dict[tuple[int, ...], list[int]] = {}
        for row, count in zip(full_table.codes.tolist(), full_table.counts.tolist(), strict=True):
            values_by_kind.setdefault(tuple(row[:3]), []).extend([row[3]] * count)
        self.values = [values_by_kind[tuple(table.codes[kind].tolist())] for kind in self.candidates.kind]

    def may_show(self, values: list[int]) -> bool:
        counts = self.release.tallies["disease"]
        assert counts.column is not None
        ones = np.ones(len(values), dtype=np.int64)
        group = tally(counts.column, 0 * ones, np.array(values), ones, 1, counts.totals)
        return bool(self.model.holds(group)[0])

    def merge_parts(self, step: int, entries: Any) -> dict[tuple[int, int], list[int]]:
        """Return the values of each part of each group after a step."""
        values_by_part: dict[tuple[int, int], list[int]] = {}
        for entry, values in entries:
            part = int(self.candidates.steps.parts[entry, step])  # type: ignore[union-attr]
            values_by_part.setdefault((int(self.candidates.group[entry]), part), []).extend(values)
        return values_by_part


@pytest.mark.parametrize("seed", range(60))
def test_every_step_that_a_method_refused_fails_in_the_true_table(seed: int) -> None:
    """The true table must never be eliminated: every step that a method says it refused fails in it."""
    case = Example(seed)
    steps = case.candidates.steps
    if steps is None:  # the method reports no steps, so the original table could not be shown
        is_coarse = case.release.groups < len(np.unique(case.candidates.kind))
        assert not is_coarse or not all(case.may_show(values) for values in case.values)
        return
    for step in range(steps.parts.shape[1]):
        parts = case.merge_parts(step, enumerate(case.values))
        groups = {group for group, part in parts if part >= 0}
        failing_groups = {
            group_and_part[0]
            for group_and_part, values in parts.items()
            if group_and_part[1] >= 0 and not case.may_show(values)
        }
        if steps.whole:
            assert failing_groups
        else:
            divided_groups = {
                group for group in groups if sum(group_and_part[0] == group for group_and_part in parts) > 1
            }
            assert divided_groups <= failing_groups
    for spanning in steps.spanning:
        values_by_part: dict[int, list[int]] = {}
        for entry, part in zip(spanning.cells.tolist(), spanning.parts.tolist(), strict=True):
            values_by_part.setdefault(part, []).extend(case.values[entry])
        assert not all(case.may_show(values) for values in values_by_part.values())


@pytest.mark.parametrize(
    "seed", [seed for seed in range(60) if seed % 3 != 2]
)  # methods that report the steps they refuse
def test_belief_is_counted_world_by_world(seed: int) -> None:
    """Group by group, from the steps that concern one group or all: without those that link some of them."""
    case = Example(seed)
    assert case.candidates.steps is not None
    steps = replace(case.candidates.steps, spanning=())
    candidates = replace(case.candidates, steps=steps)
    beliefs = compute_beliefs(candidates, vl.Policy(case.model), "disease", 10**6)
    assert beliefs.count(UNEXPLAINED) == beliefs.count(ESTIMATED) == 0
    assert beliefs.belief.sum(axis=1) == pytest.approx(np.ones(len(beliefs.belief)))
    all_groups = range(case.release.groups)
    independent_groups = [list(all_groups)] if steps.whole else [[group] for group in all_groups]
    for groups in independent_groups:
        entries = np.flatnonzero(np.isin(case.candidates.group, groups))
        size = sum(len(case.values[entry]) for entry in entries)
        if size > (11 if steps.whole else 12):
            continue

        def could_show(table: Any, entries: np.ndarray = entries) -> bool:
            for step in range(steps.parts.shape[1]):
                part = steps.parts[entries, step]
                if not steps.whole and (part[0] < 0 or len(set(part.tolist())) == 1):
                    continue
                if all(case.may_show(values) for values in case.merge_parts(step, table.items()).values()):
                    return True
            return False

        published_groups = []
        for group in groups:
            own_entries = [int(entry) for entry in entries if case.candidates.group[entry] == group]
            counts_by_entry = {entry: int(case.candidates.count[entry]) for entry in own_entries}
            published_groups.append(
                PublishedGroup(counts_by_entry, [value for entry in own_entries for value in case.values[entry]])
            )
        credibility = compute_credibility(
            {int(e): int(case.candidates.count[e]) for e in entries}, published_groups, could_show
        )
        assert credibility.belief is not None
        for (entry, value), share in credibility.belief.items():
            assert beliefs.belief[entry, value] == pytest.approx(float(share), abs=1e-9)
            assert beliefs.naive[entry, value] == pytest.approx(float(credibility.naive[entry, value]), abs=1e-9)


def test_sampled_beliefs_agree_with_enumerated_ones() -> None:
    data = vl.read(make_people(7).vstack(make_people(8)).vstack(make_people(9)), SCHEMA)
    release = vl.publish(data, vl.LDiversity(l=2))
    policy = vl.Policy(vl.LDiversity(l=2))
    candidates = find_candidates(release, data, policy, False)
    enumerated, estimated = (
        compute_beliefs(candidates, policy, "disease", 10**6),
        compute_beliefs(candidates, policy, "disease", 1),
    )
    assert enumerated.count(EXACT) == release.people
    assert estimated.count(ESTIMATED) > 0
    assert 0 < estimated.error.max() < 0.1
    assert np.abs(enumerated.belief - estimated.belief).max() < 3 * estimated.error.max()


def test_strangers_in_the_register_are_not_counted_as_published() -> None:
    """Strangers make the adversary less sure, and only the people of the release are counted."""
    frame = make_people(3)
    strangers = make_people(4).with_columns(pl.col("age") + 0)
    data, model = vl.read(frame, SCHEMA), vl.LDiversity(l=2, form="distinct")
    release = vl.publish(data, model)
    register = vl.read(pl.concat([frame, strangers]), vl.Schema(quasi=SCHEMA.quasi))
    beliefs = compute_beliefs(
        find_candidates(release, register, vl.Policy(model), False), vl.Policy(model), "disease", 10**5
    )
    assert int(beliefs.people.sum()) == release.people
    assert (beliefs.belief >= -1e-12).all()
    assert (beliefs.belief <= 1 + 1e-12).all()
    assert beliefs.belief[beliefs.people > 0].sum(axis=1) == pytest.approx(np.ones(int((beliefs.people > 0).sum())))

"""What somebody believes who publishes every possible table again: the truth that the minimality attack must find.

It shares nothing with the attack: every assignment of values to people goes through the steps of `publish`, those with
the same published table are kept, and belief is counted person by person.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import voile as vl
from voile.attacks.minimality.candidates import find_candidates
from voile.attacks.minimality.posterior import EXACT, CandidateBeliefs, compute_beliefs
from voile.engines.memory_rows import build_rows
from voile.errors import VoileError
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.plan import make_plan
from voile.testing.tiny_publishing import make_release

VALUES = ("10", "20", "30")
TREES = {
    "a": {"low": ["0", "1"], "high": ["2", "3"]},  # two levels above the values, with the root
    "b": {"x": {"x1": ["0", "1"], "x2": ["2"]}, "y": {"y1": ["3"]}},  # three
}
METHODS = (
    vl.Mondrian(),
    vl.FullDomain(),
    vl.Mondrian(recoding="hierarchy"),
    vl.FullDomain(suppression=0.4),
)
MODELS: tuple[Any, ...] = (
    vl.LDiversity(l=2),
    vl.AlphaK(alpha=0.5, k=2, protect=("10",)),
    vl.LDiversity(l=2, form="recursive", c=1.5),
    vl.TCloseness(t=0.3),
    vl.CKSafety(c=0.8, k=1),
    vl.Personalized(p=0.5, nodes=("10", "20")),
    vl.LDiversity(l=2, form="distinct"),
    vl.KE(k=2, e=10),
    vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2)),
    vl.Sequential(vl.LDiversity(l=2)),
    vl.LDiversity(l=2, form="entropy"),
    vl.TCloseness(t=0.4, distance="ordered"),
    vl.CKSafety(c=0.9, k=2),
)


@dataclass(frozen=True)
class SmallRelease:
    """A release of a few people, and everybody's quasi-identifier."""

    release: Any
    policy: vl.Policy
    method: Any
    quasi: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]

    @property
    def register(self) -> Any:
        return read_table(self.quasi, None, self.values)


def read_table(quasi: tuple[tuple[str, ...], ...], values: tuple[str, ...] | None, domain: tuple[str, ...]) -> Any:
    """Read a table of people with these quasi-identifiers; without values it is a register."""
    names = ["a", "b"][: len(quasi[0])]
    frame = pl.DataFrame({name: [row[j] for row in quasi] for j, name in enumerate(names)})
    trees = {name: TREES[name] for name in names}
    if values is None:
        return vl.read(frame, vl.Schema(quasi=names, hierarchies=trees))
    numbers = [int(value) for value in values]
    schema = vl.Schema(quasi=names, sensitive=["s"], hierarchies=trees, domains={"s": [int(v) for v in domain]})
    return vl.read(frame.with_columns(s=pl.Series(numbers)), schema)


def random_release(seed: int) -> SmallRelease | None:
    """Publish a random table of five or six people; None if it is refused."""
    rng = np.random.default_rng(seed)
    method, model = METHODS[seed % len(METHODS)], MODELS[seed // len(METHODS) % len(MODELS)]
    policy = model if isinstance(model, vl.Policy) else vl.Policy(model)
    domain = VALUES[: int(rng.integers(2, 4))]
    people = int(rng.integers(5, 7))
    if method == METHODS[3]:  # withheld people may have any value, so there are more worlds
        people = 5 if len(domain) == 2 else 4
    columns = int(rng.integers(1, 3))
    quasi = tuple(tuple(str(code) for code in rng.integers(0, 4, columns)) for _ in range(people))
    values = tuple(str(value) for value in rng.choice(domain, people))
    if len(set(quasi)) < 2:
        return None
    with contextlib.suppress(VoileError):
        return SmallRelease(
            vl.publish(read_table(quasi, values, domain), policy, method), policy, method, quasi, domain
        )
    return None


def show_rows(release: Any) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(str, row)) for row in release.tables["table"].rows())


def list_worlds(case: SmallRelease) -> list[tuple[str, ...]]:
    """List the assignments that may have been published; without withheld rows, the published values in any order."""
    shown = sorted(str(value) for value in case.release.tables["table"]["s"].to_list())
    if len(shown) < len(case.quasi):
        return list(itertools.product(case.values, repeat=len(case.quasi)))
    return sorted(set(itertools.permutations(shown)))


def publish_world(case: SmallRelease, data: Any, world: tuple[str, ...]) -> Counter[tuple[str, ...]] | None:
    """Return what is published if everybody has these values; None if it is refused."""
    columns = data.columns
    codes = [
        np.array([column.domain.labels.index(row[j]) for row in case.quasi]) for j, column in enumerate(columns.quasi)
    ]
    labels = list(columns["s"].domain.labels)
    codes.append(np.array([labels.index(value) for value in world]))
    rows = build_rows([column.name for column in columns], codes, [column.size for column in columns])
    with contextlib.suppress(VoileError):
        plan = make_plan(data.with_rows(rows), case.policy, case.method, None, EarlierReleases())
        return show_rows(make_release(plan)[0])
    return None


def exhaust_beliefs(case: SmallRelease) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the belief in each value for each quasi-identifier, by publishing every world again."""
    data = read_table(case.quasi, (case.values[0],) * len(case.quasi), case.values)
    published = show_rows(case.release)
    remaining = [world for world in list_worlds(case) if publish_world(case, data, world) == published]
    beliefs: dict[tuple[str, ...], dict[str, float]] = {}
    for kind in set(case.quasi):
        members = [i for i, row in enumerate(case.quasi) if row == kind]
        counts = Counter(world[i] for world in remaining for i in members)
        beliefs[kind] = {value: counts[value] / (len(remaining) * len(members)) for value in case.values}
    return beliefs


def attack(case: SmallRelease, replays: int) -> tuple[CandidateBeliefs, dict[tuple[str, ...], dict[str, float]]]:
    """Return what the attack finds, as it is and by quasi-identifier and value."""
    register = case.register
    candidates = find_candidates(case.release, register, case.policy, False)
    minimality = vl.attacks.Minimality(replays=replays)
    replayed = minimality._replay(candidates, register, case.policy, list(case.policy))
    beliefs = compute_beliefs(candidates, case.policy, "s", minimality.worlds, replayed)
    table = register.rows.histogram([column.name for column in register.columns.quasi])
    column = case.release.tallies["s"].column
    found = {}
    for entry, kind in enumerate(candidates.kind):
        texts = tuple(column.domain.labels[table.codes[kind, j]] for j, column in enumerate(register.columns.quasi))
        found[texts] = {
            str(label): float(beliefs.belief[entry, code]) for code, label in enumerate(column.domain.labels)
        }
    return beliefs, found


def largest_difference(case: SmallRelease, truth: dict[tuple[str, ...], dict[str, float]], replays: int) -> float:
    """Return how far the attack is from the truth about anybody in the release; infinite if it is not exact."""
    beliefs, found = attack(case, replays)
    if beliefs.count(EXACT) < case.release.people:
        return math.inf
    return max(abs(truth[kind][value] - found[kind].get(value, 0.0)) for kind in found for value in case.values)

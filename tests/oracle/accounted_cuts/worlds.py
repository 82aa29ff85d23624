"""Tiny tables under accounted cuts: every assignment of values, every outcome of the coins, and what is believed.

Written apart from the product: coins are scripted here, what is published is read off as people and counts per group,
and beliefs are sums over all worlds. Refusals are outputs.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import factorial, prod

import numpy as np
import polars as pl

import voile as vl
from voile.engines.memory_rows import build_rows
from voile.errors import VoileError
from voile.tables.row_protocol import Rows

World = tuple[int, ...]
Shown = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # per group: its people, and their values, sorted
CellPeople = dict[tuple[int, ...], list[int]]  # who has these quasi-identifiers


@dataclass(frozen=True)
class ScriptedKey(vl.Key):
    """A key whose coins fall as a script says; past its end they fall false. It notes the chance of every coin."""

    script: tuple[bool, ...] = ()
    chances: list[float] = field(default_factory=list, compare=False)

    def draw_true(self, purpose: str, threshold: int, size: int) -> np.ndarray:
        falls = []
        for _ in range(size):
            place = len(self.chances)
            self.chances.append(threshold / 2**64)
            falls.append(self.script[place] if place < len(self.script) else False)
        return np.array(falls, dtype=bool)

    def stream(self, purpose: str, size: int) -> np.ndarray:
        raise AssertionError("groups must not depend on other random numbers")


@dataclass(frozen=True)
class AccountedTable:
    """A few people, how many of them have each value, and what is asked."""

    rows: tuple[tuple[str, ...], ...]
    totals: tuple[int, ...]
    l: int  # noqa: E741 - the letter of the literature
    k: int | None
    method: vl.AccountedCuts

    @cached_property
    def policy(self) -> vl.Policy:
        sizes = (vl.KAnonymity(k=self.k),) if self.k else ()
        return vl.Policy(vl.LDiversity(l=self.l), *sizes)

    def list_worlds(self) -> Iterator[World]:
        """List every way to deal the values to the people."""
        return deal_values(self.totals, len(self.rows))


def deal_values(totals: tuple[int, ...], people: int) -> Iterator[World]:
    """List every sequence of values in which each occurs as often as `totals` says."""
    if not people:
        yield ()
        return
    for value, number in enumerate(totals):
        if number:
            rest = (*totals[:value], number - 1, *totals[value + 1 :])
            yield from ((value, *world) for world in deal_values(rest, people - 1))


def draw_table(rng: np.random.Generator) -> AccountedTable:
    """Draw up to 10 people, one or two columns whose values repeat, how often each value occurs, and a request; with at
    most 1,300 worlds."""
    while True:
        values, people, columns = int(rng.integers(2, 6)), int(rng.integers(4, 11)), int(rng.integers(1, 3))
        level = int(rng.choice([2, 2, 3]))
        totals = tuple(np.bincount(rng.integers(0, values, people), minlength=values).tolist())
        worlds = factorial(people) // prod(map(factorial, totals))
        if worlds <= 1300 and (max(totals) * level <= people or rng.random() < 0.1):
            break
    spans = rng.integers(2, 7, columns)
    rows = tuple(tuple(f"{'ab'[j]}{rng.integers(0, spans[j])}" for j in range(columns)) for _ in range(people))
    grouping = "mondrian" if rng.random() < 0.6 else "full-domain"
    last = ("a",) if rng.random() < 0.3 else ()
    k = int(rng.integers(2, 4)) if rng.random() < 0.4 else None
    return AccountedTable(rows, totals, level, k, vl.AccountedCuts(grouping=grouping, last=last))


def list_runs(table: AccountedTable) -> Iterator[tuple[World, float, Shown | str]]:
    """Publish every world under every outcome of the coins; yield the world, the chance of the outcome, and what is
    shown, or the words of a refusal."""
    names = ["a", "b"][: len(table.rows[0])]
    texts = [f"v{code}" for code in range(len(table.totals))]
    frame = pl.DataFrame({name: [row[j] for row in table.rows] for j, name in enumerate(names)})
    schema = vl.Schema(quasi=names, sensitive=["s"], domains={"s": texts})
    data = vl.read(frame.with_columns(pl.Series("s", [texts[0]] * len(table.rows))), schema)
    columns = table.method.complete_hierarchies(data.columns, data.rows)
    codes = [
        np.array([columns[name].domain.labels.index(row[j]) for row in table.rows]) for j, name in enumerate(names)
    ]
    sizes = [column.size for column in data.columns]
    cell_people: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for person, cell in enumerate(zip(*codes, strict=True)):
        cell_people[tuple(map(int, cell))].append(person)
    for world in table.list_worlds():
        rows = build_rows([*names, "s"], [*codes, np.array(world)], sizes)
        scripts: list[tuple[bool, ...]] = [()]
        while scripts:
            key = ScriptedKey(bytes(32), scripts.pop())
            try:
                grouped = table.method.group(columns, rows.with_key(key), table.policy)
                shown: Shown | str = _read_groups(grouped, names, cell_people, world)
            except VoileError as error:
                shown = str(error)
            script = key.script + (False,) * (len(key.chances) - len(key.script))
            chance = float(np.prod([p if falls else 1 - p for p, falls in zip(key.chances, script, strict=True)]))
            scripts += [(*script[:place], True) for place in range(len(key.script), len(script))]
            yield world, chance, shown


def _read_groups(grouped: Rows, names: list[str], cell_people: CellPeople, world: World) -> Shown:
    """Return the people of every group, found by their quasi-identifier, and their values as the group shows them."""
    group, table = grouped.count_by_group(names)
    members: dict[int, list[int]] = defaultdict(list)
    for number, cell in zip(group.tolist(), table.codes.tolist(), strict=True):
        members[number] += cell_people[tuple(cell)]
    assert sorted(itertools.chain(*members.values())) == list(range(len(world)))  # nobody is withheld
    return tuple(sorted((tuple(sorted(p)), tuple(sorted(world[i] for i in p))) for p in members.values()))


@dataclass(frozen=True)
class WorldCheck:
    """By how much the largest belief exceeds its bound, what was published, and how often a coin hid something."""

    excess: float
    outputs: int
    refused: bool
    coins: bool  # whether a coin of more than one in a million was tossed


def check_worlds(table: AccountedTable) -> WorldCheck:
    """Compare the beliefs after every output with their bounds. The adversary knows how often each value occurs, and
    takes all ways to deal the values as equally likely: anybody who takes people as alike does so, having seen a
    release. After a refusal belief is what it was before."""
    weighed: dict[Shown | str, list[tuple[World, float]]] = defaultdict(list)
    coins = False
    for world, chance, shown in list_runs(table):
        weighed[shown].append((world, chance))
        coins |= 1e-6 < chance < 1 - 1e-6
    excess = max(_find_excess(table, shown, runs) for shown, runs in weighed.items())
    return WorldCheck(excess, len(weighed), any(isinstance(shown, str) for shown in weighed), coins)


def _find_excess(table: AccountedTable, shown: Shown | str, runs: list[tuple[World, float]]) -> float:
    people, values = len(table.rows), len(table.totals)
    beliefs, total = np.zeros((people, values)), 0.0
    for world, weight in runs:
        beliefs[np.arange(people), list(world)] += weight
        total += weight
    beliefs /= total
    shares = np.array(table.totals) / people
    if isinstance(shown, str):
        return float(np.abs(beliefs - shares).max())
    excess = float((beliefs - 1 / table.l).max())
    if table.k:
        for members, shown_values in shown:
            rows = np.bincount(shown_values, minlength=values)
            for person, value in itertools.product(members, np.flatnonzero(rows)):
                excess = max(excess, float(beliefs[person, value] / rows[value] - 1 / table.k))
    return excess

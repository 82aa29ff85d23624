"""Run the method again on every world of a small release, and keep the worlds that give the same release.

A world gives everybody in the register a value: the people of a group share out its values, in every way, and withheld
people may have any published value. All assignments are equally likely beforehand. What remains is the exact posterior
of an adversary who knows the people, the method and the requirement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import cast

import numpy as np

from voile.attacks.minimality.assignments import Kind, PublishedGroup, Table, count_orders, list_placements, list_tables
from voile.attacks.minimality.candidates import Candidates
from voile.engines.memory_rows import build_rows
from voile.errors import VoileError
from voile.methods.base import CompletesHierarchies, Method
from voile.models.policy import Policy
from voile.releases.release import Release
from voile.tables.domain_trimming import trim_unused_values
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import WITHHELD, Histogram
from voile.tables.schema import Column, Columns

PEOPLE = 64  # more people than this have more worlds than anybody runs again

Values = tuple[int, ...]  # a person's codes, one per sensitive column
Content = Counter[tuple[str, ...]]  # what a table shows: its rows as text


@dataclass(frozen=True)
class ReplayedWorlds:
    """The tables that give the published release, each with the number of assignments that lead to it."""

    names: tuple[str, ...]
    tables: Sequence[tuple[int, Table]]

    def average_counts(self, name: str, size: int) -> np.ndarray:
        """Return the expected number of people of each kind who have each value of a column."""
        position, sums = self.names.index(name), np.zeros((len(self.tables[0][1]), size))
        total = sum(weight for weight, _ in self.tables)
        for weight, table in self.tables:
            for kind, people in table.items():
                for values, count in Counter(people).items():
                    sums[kind, values[position]] += weight / total * count
        return sums


def replay_worlds(
    candidates: Candidates, external: Microdata, policy: Policy, method: Method, max_worlds: int
) -> ReplayedWorlds | None:
    """Run the method on every world; None if there are more than `max_worlds`, if the register does not tell who is in
    the release, or if no world gives the release: then it was not made in this way, or with other hierarchies."""
    release, register = candidates.release, external.rows.histogram(_quasi_names(candidates.release))
    if register.total > PEOPLE:
        return None
    worlds = _list_worlds(candidates, register, max_worlds)
    if worlds is None:
        return None
    publisher = _Publisher(release, external, policy, method, register)
    content = _describe(release, publisher.names)
    remaining = [(weight, table) for weight, table in worlds if publisher.publish(table) == content]
    return ReplayedWorlds(tuple(release.tallies), remaining) if remaining else None


def _quasi_names(release: Release) -> list[str]:
    return [str(entry["name"]) for entry in release.described("quasi")]


def _list_worlds(candidates: Candidates, register: Histogram, max_worlds: int) -> list[tuple[int, Table]] | None:
    """List the worlds: every way to place the people or withhold them, to share out the values of each group, and to
    give a value to those who are withheld. None if there are too many, or if the register lists somebody else."""
    release, people = candidates.release, dict(enumerate(register.counts.tolist()))
    values = _values_by_group(release)
    sizes = {group: len(group_values) for group, group_values in values.items()}
    fitting = {group: [int(kind) for kind in candidates.kind[candidates.group == group]] for group in values}
    sizes[WITHHELD], fitting[WITHHELD] = int(release.dictionary["withheld"]), list(people)
    if sum(sizes.values()) != register.total:
        return None
    anything = list(product(*(range(cast(Column, counts.column).size) for counts in release.tallies.values())))
    tables = set[tuple[tuple[Kind, tuple[Values, ...]], ...]]()
    steps = 0
    for _, placement in list_placements(list(sizes), people, fitting, sizes):
        groups = [PublishedGroup(placement[group], values[group]) for group in values]
        for _, table in list_tables(groups):
            for withheld in _list_anything(list(placement[WITHHELD].items()), anything):
                steps += 1
                if steps > max_worlds:
                    return None
                everybody = ((kind, (*table.get(kind, ()), *withheld.get(kind, ()))) for kind in people)
                tables.add(tuple((kind, tuple(sorted(values))) for kind, values in everybody))
    return [(math.prod(count_orders(Counter(values)) for _, values in table), dict(table)) for table in tables]


def _values_by_group(release: Release) -> dict[int, list[Values]]:
    """Return the rows of sensitive codes of every group."""
    columns = [release.value_rows(name) for name in release.tallies]
    values: dict[int, list[Values]] = {group: [] for group in range(release.groups)}
    for group, *codes in zip(columns[0][0].tolist(), *(code.tolist() for _, code, _ in columns), strict=True):
        values[group].append(tuple(codes))
    return values


def _list_anything(people: Sequence[tuple[Kind, int]], values: Sequence[Values]) -> Iterator[Table]:
    """Yield every way to give these people any of the values."""
    if not people:
        yield {}
        return
    (kind, count), others = people[0], people[1:]
    for chosen in combinations_with_replacement(values, count):
        for table in _list_anything(others, values):
            yield {kind: chosen, **table}


class _Publisher:
    """Publishes the table of any world as the method of the release would."""

    def __init__(
        self, release: Release, external: Microdata, policy: Policy, method: Method, register: Histogram
    ) -> None:
        self.policy, self.method, self.register = policy, method, register
        quasi = tuple(external.columns[name] for name in register.names)
        sensitive = tuple(cast(Column, counts.column) for counts in release.tallies.values())
        self.columns = Columns(quasi, sensitive, ())
        if isinstance(method, CompletesHierarchies):
            self.columns = method.complete_hierarchies(self.columns, external.rows)
        self.names = [column.name for column in self.columns]

    def publish(self, table: Mapping[Kind, Sequence[Values]]) -> Content | None:
        """Return what the release of a table shows; None if the method refuses to publish it."""
        kind = np.repeat(list(table), [len(values) for values in table.values()])
        values = np.array([row for people in table.values() for row in people], dtype=np.int64)
        codes = [*self.register.codes[kind].T.astype(np.int64), *values.T]
        rows = build_rows(self.names, codes, [column.size for column in self.columns])
        try:
            grouped = self.method.group(self.columns, rows, self.policy)
        except VoileError:
            return None
        columns, shown = self.columns, grouped
        if grouped.total < rows.total:
            columns, shown = trim_unused_values(columns, grouped)
        return _describe(self.method.show(columns, shown), self.names)


def _describe(release: Release, names: Sequence[str]) -> Content:
    """Return the rows of a table of boxes as text, whatever their order."""
    return Counter(tuple(map(str, row)) for row in release.tables["table"].select(names).rows())

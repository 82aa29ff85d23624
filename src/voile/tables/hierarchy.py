"""Taxonomies: how a value is shown more coarsely, level by level, up to `*`.

A hierarchy is fitted to a domain: for each level an array that takes a leaf's code to a node. A recipe is the request
for one (`prefixes(5, 3, 1)`, a nested dict, the rows of a file), fitted once the domain is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile.errors import SchemaError
from voile.tables import hierarchy_builders
from voile.tables.domain import Domain
from voile.tables.value_text import MISSING

TOP = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Levels 0 (leaves) to `height` (one root): `maps[h][code]` is a leaf's node at level h, `labels[h]` its name."""

    maps: tuple[np.ndarray, ...]
    labels: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"Hierarchy(height {self.height}, {len(self.labels[0])} leaves)"

    @property
    def height(self) -> int:
        return len(self.maps) - 1

    def leaves(self, level: int, node: int) -> np.ndarray:
        """Codes of the leaves below a node."""
        return np.flatnonzero(self.maps[level] == node)

    def rows(self) -> list[list[str]]:
        """Return one row per leaf, leaf first, as a file holds it."""
        return [
            [self.labels[h][self.maps[h][code]] for h in range(self.height + 1)] for code in range(len(self.maps[0]))
        ]


def hierarchy_from_rows(domain: Domain, rows: Sequence[Sequence[str]]) -> Hierarchy:
    """Build a hierarchy from rows as `Hierarchy.rows` writes them, with every level. KeyError if a leaf has no row."""
    by_leaf = {row[0]: row for row in rows}
    table = [by_leaf[leaf] for leaf in domain.labels]
    maps, labels = [], []
    for level in zip(*table, strict=True):
        where = {name: number for number, name in enumerate(dict.fromkeys(level))}
        maps.append(np.array([where[name] for name in level], dtype=np.int64))
        labels.append(tuple(where))
    return Hierarchy(tuple(maps), tuple(labels))


@dataclass(frozen=True)
class HierarchyRecipe:
    """The request for a hierarchy. `text()` is its form in spec.toml.

    >>> prefixes(5, 3, 1).text()
    'prefixes:5,3,1'
    """

    name: str
    arguments: tuple[float, ...] = ()
    content: Any = field(default=None, repr=False, hash=False)
    source: str = ""

    def text(self) -> str:
        if self.name in ("rows", "tree"):
            return self.source or self.name
        numbers = [str(int(value) if float(value).is_integer() else value) for value in self.arguments]
        return self.name + (":" + ",".join(numbers) if numbers else "")

    def fit(self, column: str, domain: Domain, counts: np.ndarray) -> Hierarchy:
        """Fit the hierarchy to a domain; `counts` says how often each leaf occurs."""
        makers = {
            "rows": lambda: hierarchy_builders.from_rows(column, domain, counts, self.content),
            "tree": lambda: hierarchy_builders.from_rows(
                column, domain, counts, hierarchy_builders.tree_rows(column, self.content)
            ),
            "intervals": lambda: hierarchy_builders.by_intervals(column, domain, self.arguments),
            "prefixes": lambda: hierarchy_builders.by_prefix(column, domain, self.arguments),
            "dates": lambda: hierarchy_builders.by_date(column, domain),
            "frequency": lambda: hierarchy_builders.by_frequency(column, domain, counts, *(self.arguments or (3,))[:1]),
            "auto": lambda: hierarchy_builders.automatic(column, domain, counts),
        }
        if self.name not in makers:
            raise SchemaError(
                f"Column {column!r}: there is no hierarchy recipe {self.name!r}.",
                code="schema.hierarchy",
                hint="Use intervals, prefixes, dates, frequency, auto, or name a CSV file.",
            )
        return _stack_levels(domain, makers[self.name]())


def intervals(*widths: float) -> HierarchyRecipe:
    """Intervals of the given widths, narrow to wide, for numbers; without widths they are chosen from the range."""
    return HierarchyRecipe("intervals", tuple(widths))


def prefixes(*lengths: int) -> HierarchyRecipe:
    """Codes cut to their first characters, long to short: `prefixes(5, 3, 1)` shows 12345, 123**, 1****, *."""
    return HierarchyRecipe("prefixes", tuple(lengths))


def dates() -> HierarchyRecipe:
    """Day, month, year, decade."""
    return HierarchyRecipe("dates")


def by_frequency(fanout: int = 3) -> HierarchyRecipe:
    """Plain categories merged in groups of about equal frequency, `fanout` at a time."""
    return HierarchyRecipe("frequency", (fanout,))


def tree(nested: Mapping[str, Any]) -> HierarchyRecipe:
    """A hierarchy from nested dicts whose innermost values are lists of leaves.

    >>> tree({"Europe": ["FR", "IT"], "Asia": ["JP"]}).name
    'tree'
    """
    return HierarchyRecipe("tree", content=nested)


def _stack_levels(domain: Domain, levels: hierarchy_builders.Levels) -> Hierarchy:
    """Turn levels of labels (one label per leaf) into arrays; the root is added, repeated levels are dropped."""
    leaves = domain.labels
    if domain.missing:
        levels = [[*level, MISSING] for level in levels]
    kept = [leaves]
    for level in levels:
        if len(set(level)) > 1 and _partition(level) != _partition(kept[-1]):
            kept.append(level)
    kept.append([TOP] * len(leaves))
    maps, labels = [], []
    for level in kept:
        names = list(dict.fromkeys(level))
        where = {name: number for number, name in enumerate(names)}
        maps.append(np.array([where[name] for name in level], dtype=np.int64))
        labels.append(tuple(names))
    return Hierarchy(tuple(maps), tuple(labels))


def _partition(level: list[str]) -> list[int]:
    first: dict[str, int] = {}
    return [first.setdefault(name, number) for number, name in enumerate(level)]

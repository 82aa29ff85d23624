"""Hierarchies (taxonomies): how a value is shown more coarsely, level by level, up to `*`.

A hierarchy is fitted to a domain: each level has an array that maps the code of a leaf to a node. A recipe is the
request for a hierarchy (`prefixes(5, 3, 1)`, a nested dict, the rows of a file); it is fitted once the domain is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from voile.errors import SchemaError
from voile.tables import hierarchy_builders
from voile.tables.code_lists.known_lists import CODE_LISTS, place_codes
from voile.tables.code_lists.postcodes import cut_postcodes
from voile.tables.domain import Domain
from voile.tables.value_text import MISSING, TOP


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Levels 0 (leaves) to `height` (one root): `maps[h][code]` is a leaf's node at level h, `labels[h]` its name.

    A label may be published without the values below it where its meaning does not depend on the table: `declared`
    lists the leaves that the user's file or tree puts below each label, whether they occur or not; with `by_prefix`,
    labels are the beginnings of codes. With `named_by_values`, a label names the values of the table below it.
    """

    maps: tuple[np.ndarray, ...]
    labels: tuple[tuple[str, ...], ...]
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_prefix: bool = False
    named_by_values: bool = False
    source: str = ""  # the public list and its edition, or how the table itself decided
    unlisted: int = 0  # values that the source does not have, and that stay as they are

    def __repr__(self) -> str:
        return f"Hierarchy(height {self.height}, {len(self.labels[0])} leaves)"

    @property
    def height(self) -> int:
        return len(self.maps) - 1

    def leaves(self, level: int, node: int) -> np.ndarray:
        """Return the codes of the leaves below a node."""
        return np.flatnonzero(self.maps[level] == node)

    def trim(self, domain: Domain, used: np.ndarray) -> Hierarchy:
        """Return the hierarchy over fewer leaves of its domain. Every level stays, because distances are measured in
        levels; labels that name values name those that are left."""
        maps, labels = [], []
        for level in range(self.height + 1):
            nodes, inverse = np.unique(self.maps[level][used], return_inverse=True)
            names = [self.labels[level][node] for node in nodes]
            if self.named_by_values and 0 < level < self.height:
                names = [
                    hierarchy_builders.name_by_values(name, [domain.labels[code] for code in used[inverse == node]])
                    for node, name in enumerate(names)
                ]
            maps.append(inverse)
            labels.append(tuple(names))
        return replace(self, maps=tuple(maps), labels=tuple(labels))

    def rows(self) -> list[list[str]]:
        """Return the rows of a hierarchy file: one per leaf, with the leaf first."""
        return [
            [self.labels[h][self.maps[h][code]] for h in range(self.height + 1)] for code in range(len(self.maps[0]))
        ]


def hierarchy_from_rows(domain: Domain, rows: Sequence[Sequence[str]]) -> Hierarchy:
    """Build a hierarchy from the rows that `Hierarchy.rows` returns. KeyError if a leaf has no row."""
    by_leaf = {row[0]: row for row in rows}
    table = [by_leaf[leaf] for leaf in domain.labels]
    maps, labels = [], []
    for level in zip(*table, strict=True):
        nodes = {label: node for node, label in enumerate(dict.fromkeys(level))}
        maps.append(np.array([nodes[label] for label in level], dtype=np.int64))
        labels.append(tuple(nodes))
    return Hierarchy(tuple(maps), tuple(labels))


GROUPED = "categories whose rows are alike in the other columns"
AGES = (5, 10, 20, 40)  # years per group, level by level
RECIPES = ("auto", "intervals", "ages", "prefixes", "postcodes", "dates", "alike", "frequency", *CODE_LISTS)


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
        name, arguments = self.name, self.arguments
        if name == "auto":
            name, arguments = hierarchy_builders.choose_recipe(column, domain, counts), ()
        declared: dict[str, tuple[str, ...]] = {}
        texts, rows_of_each = domain.labels[: len(domain.values)], counts[: len(domain.values)].tolist()
        source, unlisted = "", 0
        if name in ("rows", "tree"):
            rows = self.content if name == "rows" else hierarchy_builders.flatten_tree(column, self.content)
            levels = hierarchy_builders.build_from_rows(column, domain, counts, rows)
            declared = hierarchy_builders.list_leaves(rows)
        elif name == "intervals":
            levels = hierarchy_builders.build_intervals(column, domain, arguments)
        elif name == "prefixes":
            levels = hierarchy_builders.build_prefixes(column, domain, arguments)
        elif name == "dates":
            levels = hierarchy_builders.build_dates(column, domain)
        elif name in CODE_LISTS:
            levels, unlisted = place_codes(column, CODE_LISTS[name], texts, arguments, rows_of_each)
            source = CODE_LISTS[name].title
            labels = {label for level in levels for label in level}
            listed = CODE_LISTS[name].list_codes(texts)
            declared = {label: codes for label, codes in listed.items() if label in labels}
        elif name == "ages":
            levels = hierarchy_builders.build_intervals(column, domain, arguments or AGES)
        elif name == "postcodes":
            levels, kind = cut_postcodes(column, texts, rows_of_each)
            source, unlisted = kind.name, sum(not kind.matches(text) for text in texts)
        elif name == "alike" and self.content is not None:
            levels = hierarchy_builders.name_groups(domain, self.content)
            source = GROUPED
        elif name in ("frequency", "alike"):
            levels = hierarchy_builders.build_by_frequency(column, domain, counts, *(arguments or (3,))[:1])
        else:
            raise SchemaError(
                f"Column {column!r}: there is no hierarchy recipe {name!r}.",
                code="schema.hierarchy",
                hint=f"Use {', '.join(RECIPES)}, or name a CSV file.",
            )
        whole = domain.values.dtype.is_integer() and all(float(width).is_integer() for width in arguments)
        named_by_values = name in ("frequency", "alike") or (name in ("intervals", "ages") and not whole)
        return replace(
            _stack_levels(domain, levels),
            declared=declared,
            by_prefix=name in ("prefixes", "postcodes"),
            named_by_values=named_by_values,
            source=source,
            unlisted=unlisted,
        )


def intervals(*widths: float) -> HierarchyRecipe:
    """Group numbers into intervals of these widths, narrow to wide; without widths, choose them from the range."""
    return HierarchyRecipe("intervals", tuple(widths))


def prefixes(*lengths: int) -> HierarchyRecipe:
    """Cut codes to their first characters, long to short: `prefixes(5, 3, 1)` shows `12345`, `123**`, `1****`, `*`."""
    return HierarchyRecipe("prefixes", tuple(lengths))


def dates() -> HierarchyRecipe:
    """Show dates by day, month, year and decade."""
    return HierarchyRecipe("dates")


def ages() -> HierarchyRecipe:
    """Group ages by 5, 10, 20 and 40 years."""
    return HierarchyRecipe("ages")


def alike() -> HierarchyRecipe:
    """Group categories by how alike their rows are in the other quasi-identifier columns."""
    return HierarchyRecipe("alike")


def code_list(name: str) -> HierarchyRecipe:
    """Group the codes of a public list: `icd10`, `countries`, `isco08` or `education`, in the edition that voile has.

    >>> code_list("icd10").text()
    'icd10:2019'
    """
    if name not in CODE_LISTS:
        raise SchemaError(
            f"There is no code list {name!r}.", code="schema.hierarchy", hint=f"There are {', '.join(CODE_LISTS)}."
        )
    return HierarchyRecipe(name, (CODE_LISTS[name].edition,))


def by_frequency(fanout: int = 3) -> HierarchyRecipe:
    """Merge categories into groups of about equal frequency, `fanout` at a time."""
    return HierarchyRecipe("frequency", (fanout,))


def tree(nested: Mapping[str, Any]) -> HierarchyRecipe:
    """Take the hierarchy from nested dicts whose innermost values are lists of leaves.

    >>> tree({"Europe": ["FR", "IT"], "Asia": ["JP"]}).name
    'tree'
    """
    return HierarchyRecipe("tree", content=nested)


def _stack_levels(domain: Domain, levels: hierarchy_builders.Levels) -> Hierarchy:
    """Turn levels of labels (one label per leaf) into arrays; add the root, drop levels that repeat the one below."""
    leaves = domain.labels
    if domain.missing:
        levels = [[*level, MISSING] for level in levels]
    stacked = [leaves]
    for level in levels:
        if len(set(level)) > 1 and _number_nodes(level) != _number_nodes(stacked[-1]):
            stacked.append(level)
    stacked.append([TOP] * len(leaves))
    maps, labels = [], []
    for level in stacked:
        nodes = {label: node for node, label in enumerate(dict.fromkeys(level))}
        maps.append(np.array([nodes[label] for label in level], dtype=np.int64))
        labels.append(tuple(nodes))
    return Hierarchy(tuple(maps), tuple(labels))


def _number_nodes(level: list[str]) -> list[int]:
    """Number each leaf's node by the first leaf below it, so that levels with the same nodes compare equal."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(label, leaf) for leaf, label in enumerate(level)]

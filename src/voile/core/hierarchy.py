"""Taxonomies: how a value is shown more coarsely, level by level, up to `*`.

A hierarchy is fitted to a domain: for each level an array that takes a leaf's code to a node. A recipe is the request
for one (`prefixes(5, 3, 1)`, a nested dict, the rows of a file), fitted once the domain is known.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile.core.domain import MISSING, Domain, text
from voile.errors import SchemaError

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
        """One row a leaf, leaf first, as a file holds it."""
        return [
            [self.labels[h][self.maps[h][code]] for h in range(self.height + 1)] for code in range(len(self.labels[0]))
        ]


@dataclass(frozen=True)
class Recipe:
    """How a hierarchy is to be made. `text()` is its form in spec.toml.

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
        return self.name + (":" + ",".join(f"{value:g}" for value in self.arguments) if self.arguments else "")

    def fit(self, column: str, domain: Domain, counts: np.ndarray) -> Hierarchy:
        """The hierarchy over this domain; `counts` says how often each leaf occurs."""
        if self.name == "rows":
            return _from_rows(column, domain, counts, self.content)
        if self.name == "tree":
            return _from_rows(column, domain, counts, _tree_rows(column, self.content))
        makers = {
            "intervals": lambda: _intervals(column, domain, self.arguments),
            "prefixes": lambda: _prefixes(column, domain, [int(value) for value in self.arguments]),
            "dates": lambda: _dates(column, domain),
            "frequency": lambda: _frequency(domain, counts, int(self.arguments[0]) if self.arguments else 3),
            "auto": lambda: _auto(column, domain, counts),
        }
        if self.name not in makers:
            raise SchemaError(
                f"Column {column!r}: there is no hierarchy recipe {self.name!r}.",
                code="schema.hierarchy",
                hint="Use intervals, prefixes, dates, frequency, auto, or name a CSV file.",
            )
        return makers[self.name]()


def intervals(*widths: float) -> Recipe:
    """Intervals of the given widths, narrow to wide, for numbers; without widths they are chosen from the range."""
    return Recipe("intervals", tuple(widths))


def prefixes(*lengths: int) -> Recipe:
    """Codes cut to their first characters, long to short: `prefixes(5, 3, 1)` shows 12345, 123**, 1****, *."""
    return Recipe("prefixes", tuple(lengths))


def dates() -> Recipe:
    """Day, month, year, decade."""
    return Recipe("dates")


def by_frequency(fanout: int = 3) -> Recipe:
    """Plain categories merged in groups of about equal frequency, `fanout` at a time."""
    return Recipe("frequency", (fanout,))


def tree(nested: Mapping[str, Any]) -> Recipe:
    """A hierarchy from nested dicts whose innermost values are lists of leaves.

    >>> tree({"Europe": ["FR", "IT"], "Asia": ["JP"]}).name
    'tree'
    """
    return Recipe("tree", content=nested)


def automatic() -> Recipe:
    """Intervals for numbers, day to decade for dates, prefixes for codes, groups by frequency for plain categories."""
    return Recipe("auto")


def _finish(domain: Domain, levels: list[list[str]]) -> Hierarchy:
    """Levels of labels (one label a leaf) to arrays; the root is added, repeated levels are dropped."""
    leaves = domain.texts
    if domain.missing:
        levels = [[*level, MISSING] for level in levels]
    kept = [leaves]
    for level in [*levels, [TOP] * len(leaves)]:
        if _partition(level) != _partition(kept[-1]):
            kept.append(level)
    if len(kept) == 1:
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


def _from_rows(column: str, domain: Domain, counts: np.ndarray, rows: Sequence[Sequence[str]]) -> Hierarchy:
    widths = {len(row) for row in rows}
    if not rows or len(widths) != 1:
        raise SchemaError(
            f"The hierarchy of {column!r} has rows of {len(widths)} different lengths.",
            code="schema.hierarchy",
            hint="Give every leaf the same number of levels, leaf first.",
        )
    by_leaf: dict[str, Sequence[str]] = {}
    for row in rows:
        if row[0] in by_leaf and list(by_leaf[row[0]]) != list(row):
            raise SchemaError(f"The hierarchy of {column!r} lists a leaf twice.", code="schema.hierarchy")
        by_leaf[row[0]] = row
    texts = domain.texts[: len(domain.values)]
    lost = [code for code, leaf in enumerate(texts) if leaf not in by_leaf]
    if lost:
        people = int(counts[lost].sum())
        raise SchemaError(
            f"The hierarchy of {column!r} lacks {len(lost)} of {len(texts)} values ({people} rows).",
            code="schema.hierarchy-leaf",
            hint=f"Add them to the file; `voile hierarchies` writes a complete one for {column!r}.",
        )
    height = widths.pop()
    levels = [[by_leaf[leaf][h] for leaf in texts] for h in range(1, height)]
    for finer, coarser in itertools.pairwise(levels):
        if len({*zip(finer, coarser, strict=True)}) != len(set(finer)):
            raise SchemaError(
                f"The hierarchy of {column!r} is not a tree: a label has two parents.",
                code="schema.hierarchy",
                hint="Give the two nodes different names.",
            )
    return _finish(domain, levels)


def _tree_rows(column: str, nested: Any) -> list[list[str]]:
    rows: list[list[str]] = []

    def walk(node: Any, path: list[str]) -> None:
        if isinstance(node, Mapping):
            for name, child in node.items():
                walk(child, [str(name), *path])
        elif isinstance(node, (list, tuple, set, frozenset)):
            rows.extend([text(leaf), *path] for leaf in node)
        else:
            raise SchemaError(
                f"The hierarchy of {column!r} must be dicts whose innermost values are lists of leaves.",
                code="schema.hierarchy",
            )

    walk(nested, [])
    deepest = max((len(row) for row in rows), default=0)
    # a short branch repeats its top, so that every leaf has the same number of levels
    return [row + [row[-1]] * (deepest - len(row)) for row in rows]


def _intervals(column: str, domain: Domain, widths: Sequence[float]) -> Hierarchy:
    if domain.kind != "numeric":
        raise SchemaError(
            f"Column {column!r} is {domain.kind}; intervals are for numbers.",
            code="schema.hierarchy",
            hint="Use dates() for dates and prefixes(...) or by_frequency() for categories.",
        )
    if any(width <= 0 for width in widths) or list(widths) != sorted(widths):
        raise SchemaError(f"The interval widths of {column!r} must be positive and rising.", code="schema.hierarchy")
    points = domain.points.astype(float)
    whole = domain.values.dtype.is_integer() and all(float(width).is_integer() for width in widths)
    if not len(points):
        return _finish(domain, [])
    chosen = list(widths) or _round_widths(float(points[-1] - points[0]), whole)
    levels = []
    for width in chosen:
        bins = np.floor(points / width + 1e-12).astype(np.int64)
        levels.append(_bin_labels(points, bins, width, whole))
    return _finish(domain, levels)


def _round_widths(spread: float, whole: bool) -> list[float]:
    """About spread/16 rounded to 1, 2 or 5, then doubling: four levels below the root."""
    if spread <= 0:
        return []
    raw = spread / 16
    scale = 10.0 ** np.floor(np.log10(raw))
    width = next(float(step * scale) for step in (1, 2, 5, 10) if step * scale >= raw)
    if whole:
        width = max(2.0, float(round(width)))
    return [width * 2**step for step in range(4) if width * 2**step < 2 * spread]


def _bin_labels(points: np.ndarray, bins: np.ndarray, width: float, whole: bool) -> list[str]:
    """Whole numbers show the bin's ends, others the least and greatest value inside (ends would be shared)."""
    distinct, first, inverse = np.unique(bins, return_index=True, return_inverse=True)
    last = np.append(first[1:], len(points)) - 1
    names = [
        f"[{int(one * width)}, {int((one + 1) * width) - 1}]" if whole else f"[{points[a]:g}, {points[b]:g}]"
        for one, a, b in zip(distinct, first, last, strict=True)
    ]
    return [names[number] for number in inverse]


def _prefixes(column: str, domain: Domain, lengths: Sequence[int]) -> Hierarchy:
    if any(length < 1 for length in lengths) or list(lengths) != sorted(lengths, reverse=True):
        raise SchemaError(f"The prefix lengths of {column!r} must be positive and falling.", code="schema.hierarchy")
    texts = domain.texts[: len(domain.values)]
    longest = max((len(leaf) for leaf in texts), default=0)
    chosen = list(lengths) or list(range(longest - 1, 0, -1))
    levels = [[leaf[:length] + "*" * (len(leaf) - length) for leaf in texts] for length in chosen]
    return _finish(domain, levels)


def _dates(column: str, domain: Domain) -> Hierarchy:
    if domain.kind != "date":
        raise SchemaError(
            f"Column {column!r} is {domain.kind}; dates() is for dates.",
            code="schema.hierarchy",
            hint="Mark the column as a date, or choose intervals(...).",
        )
    days = [value.date() if isinstance(value, datetime.datetime) else value for value in domain.values]
    levels = [
        [day.isoformat() for day in days],
        [f"{day:%Y-%m}" for day in days],
        [f"{day:%Y}" for day in days],
        [f"{day.year // 10 * 10}s" for day in days],
    ]
    return _finish(domain, levels)


def _frequency(domain: Domain, counts: np.ndarray, fanout: int) -> Hierarchy:
    """Level by level, every `fanout` lightest groups become one, as even in weight as a greedy can make them."""
    if fanout < 2:
        raise SchemaError("by_frequency needs a fan-out of at least 2.", code="schema.hierarchy")
    texts = domain.texts[: len(domain.values)]
    groups = [([code], int(counts[code])) for code in range(len(texts))]
    levels: list[list[str]] = []
    while len(groups) > fanout:
        wanted = -(-len(groups) // fanout)
        merged: list[tuple[list[int], int]] = [([], 0) for _ in range(wanted)]
        for members, weight in sorted(groups, key=lambda group: (-group[1], group[0][0])):
            open_ones = [number for number in range(wanted) if len(merged[number][0]) == 0] or range(wanted)
            lightest = min(open_ones, key=lambda number: (merged[number][1], number))
            merged[lightest] = (merged[lightest][0] + members, merged[lightest][1] + weight)
        groups = [(sorted(members), weight) for members, weight in merged if members]
        level = [""] * len(texts)
        for members, _ in groups:
            name = texts[members[0]] if len(members) == 1 else set_label([texts[code] for code in members])
            for code in members:
                level[code] = name
        levels.append(level)
    return _finish(domain, levels)


def _auto(column: str, domain: Domain, counts: np.ndarray) -> Hierarchy:
    if domain.kind == "numeric":
        return _intervals(column, domain, ())
    if domain.kind == "date":
        return _dates(column, domain)
    texts = domain.texts[: len(domain.values)]
    lengths = {len(leaf) for leaf in texts}
    coded = len(lengths) == 1 and len(texts) > 3 and all(any(letter.isdigit() for letter in leaf) for leaf in texts)
    if coded and 2 <= lengths.pop() <= 12:
        return _prefixes(column, domain, ())
    return _frequency(domain, counts, 3)


def escaped(value: str) -> str:
    """A value inside a set, so that the set can be read back."""
    for sign in "\\|{}":
        value = value.replace(sign, "\\" + sign)
    return value


def set_label(values: Sequence[str]) -> str:
    """How a set of categories is written.

    >>> set_label(["A", "B"])
    '{A|B}'
    """
    return "{" + "|".join(escaped(value) for value in values) + "}"

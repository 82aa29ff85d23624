"""Published cells and what they stand for: a value, a range of numbers or dates, or a set of categories.

In the table a generalized column holds labels: `[lo, hi]` for a range, `{A|B}` or a hierarchy's label for a set, `*`
for any value whatever. The labels alone, with the dictionary, say what each cell stands for: cell_parsing.py reads them
back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from voile.kernels import lazy_module
from voile.releases.cells.label_ends import code_ranges, hold_exactly, label_ends, range_ends
from voile.releases.cells.label_meanings import is_prefix, match_prefix
from voile.tables.domain import Domain
from voile.tables.hierarchy import Hierarchy
from voile.tables.value_text import MISSING, TOP, escape, format_set, parse_values, shield_label

sparse = lazy_module("scipy.sparse")

FEW = 200  # members of sets up to which labels are written one by one, which is faster than all at once


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct cells of one published column. Cell i stands for the codes `low[i]..high[i]` of a ranged domain
    (`low > high` where it holds no number), else for `members[starts[i]:starts[i+1]]`; `missing[i]` adds the absent
    value. The cell `*` stands for every code, and in any other domain for all of its codes. `prefixes` are the labels
    that stand for all texts that begin alike, with a star for each further character.
    """

    domain: Domain
    labels: pl.Series
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    missing: np.ndarray | None = None
    starts: np.ndarray | None = None
    members: np.ndarray | None = None
    prefixes: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"Cells({len(self)} of {self.domain!r})"

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def lists(self) -> tuple[np.ndarray, np.ndarray]:
        """The codes that the cells may stand for, cell after cell: where each cell's codes start, and the codes."""
        if self.starts is not None and self.members is not None:
            return self.starts, self.members
        assert self.low is not None and self.missing is not None
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        members = np.arange(starts[-1]) - np.repeat(starts[:-1] - self.low, self.sizes)
        members[(starts[1:] - 1)[self.missing]] = self.domain.size - 1
        return starts, members

    @cached_property
    def matrix(self) -> Any:
        """Cells x values, 1 where the cell may stand for the value (scipy CSR)."""
        starts, members = self.lists
        return sparse.csr_matrix((np.ones(len(members)), members, starts), shape=(len(self), self.domain.size))

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of values that each cell may stand for."""
        if self.starts is not None:
            return np.diff(self.starts)
        assert self.low is not None and self.high is not None and self.missing is not None
        return np.asarray(np.maximum(self.high - self.low + 1, 0) + self.missing)

    @property
    def exact(self) -> bool:
        """Whether every cell stands for one value."""
        return bool((self.sizes == 1).all())

    def shares(self, chosen: np.ndarray) -> np.ndarray:
        """Return the share of each cell's values that is chosen: cells for one mask, cells x masks for several."""
        inside = self.matrix @ chosen.astype(np.float64).T
        return inside / self.sizes.reshape(-1, *([1] * (chosen.ndim - 1)))  # type: ignore[no-any-return]

    @cached_property
    def whole(self) -> np.ndarray:
        """Which cells are `*`: any value, also one that no cell names."""
        return (self.labels == TOP).to_numpy()

    def recode(self, domain: Domain) -> Cells:
        """Return the same cells in the codes of another domain, which may hold more values or fewer."""
        if domain is self.domain:
            return self
        if self.domain.uses_intervals:
            return self._recode_ranges(domain)
        position = {leaf: code for code, leaf in enumerate(domain.labels)}
        lookup = np.array([position.get(leaf, -1) for leaf in self.domain.labels], dtype=np.int64)
        assert self.members is not None and self.starts is not None
        owner, codes = np.repeat(np.arange(len(self)), np.diff(self.starts)), lookup[self.members]
        for number in np.flatnonzero(self.whole).tolist():
            owner, codes = _replace_codes(owner, codes, number, np.arange(domain.size))
        for number, label in enumerate(self.labels if self.prefixes else ()):
            if label in self.prefixes:
                owner, codes = _replace_codes(owner, codes, number, np.array(match_prefix(label, domain.labels)))
        owner, codes = owner[codes >= 0], codes[codes >= 0]
        order = np.lexsort((codes, owner))
        starts = np.searchsorted(owner[order], np.arange(len(self) + 1))
        return Cells(domain, self.labels, starts=starts, members=codes[order], prefixes=self.prefixes)

    def _recode_ranges(self, domain: Domain) -> Cells:
        assert self.low is not None and self.high is not None and self.missing is not None
        none, low, high = self.high < self.low, self.low, self.high
        if len(self.domain.values):
            points = self.domain.numeric_values
            low = np.searchsorted(domain.numeric_values, points[np.clip(self.low, 0, len(points) - 1)], side="left")
            high = np.searchsorted(domain.numeric_values, points[self.high], side="right") - 1
        low = np.where(none | self.whole, 0, low)
        high = np.where(self.whole, len(domain.values) - 1, np.where(none, -1, high))
        return Cells(domain, self.labels, low, high, np.where(self.whole, domain.missing, self.missing))

    def loss(self, spread: np.ndarray | None = None) -> np.ndarray:
        """Return the certainty penalty of each cell, 0 for a value and 1 for `*`: its share of the range or categories.

        `spread` marks the values that count as the domain, by default all.
        """
        seen = np.ones(self.domain.size, dtype=bool) if spread is None else spread
        if self.domain.uses_intervals:
            points, present = self.domain.numeric_values, np.flatnonzero(seen[: len(self.domain.values)])
            assert self.low is not None and self.high is not None and self.missing is not None
            if len(present) < 2:
                return np.where(self.missing & (self.high >= self.low), 1.0, 0.0)
            low, high = np.clip(self.low, present[0], present[-1]), np.clip(self.high, present[0], present[-1])
            width = float(points[present[-1]]) - float(points[present[0]])
            span = np.maximum(points[high].astype(float) - points[low].astype(float), 0.0) / width
            span = np.where(self.high < self.low, 0.0, span)
            return np.where(self.missing & (self.high >= self.low), 1.0, span)
        values = int(seen.sum())
        inside = self.matrix @ seen.astype(np.float64)
        return np.maximum(inside - 1, 0) / max(values - 1, 1)  # type: ignore[no-any-return]


def _replace_codes(
    owner: np.ndarray, codes: np.ndarray, cell: int, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give one cell other codes."""
    others = owner != cell
    more = np.full(len(wanted), cell, dtype=np.int64), wanted.astype(np.int64)
    return np.concatenate([owner[others], more[0]]), np.concatenate([codes[others], more[1]])


def ranges(domain: Domain, low: np.ndarray, high: np.ndarray, missing: np.ndarray) -> Cells:
    """Return cells of a domain of intervals, with their labels."""
    values = domain.values
    whole = (low <= 0) & (high >= len(values) - 1) & (missing | ~np.full(len(low), domain.missing))
    texts = pl.Series(domain.labels[: len(values)] or [""])
    left, right = texts.gather(np.clip(low, 0, None)), texts.gather(np.clip(high, 0, None))
    frame = pl.DataFrame(
        {"left": left, "right": right, "point": low == high, "none": low > high, "missing": missing, "whole": whole}
    )
    span = pl.when("point").then("left").otherwise(pl.format("[{}, {}]", "left", "right"))
    label = (
        pl.when(pl.col("whole") & ~(pl.col("point") & ~pl.col("missing")))
        .then(pl.lit(TOP))
        .when("none")
        .then(pl.lit(MISSING))
        .when("missing")
        .then(pl.concat_str([pl.lit("{"), span, pl.lit("|" + MISSING + "}")]))
        .otherwise(span)
    )
    return Cells(domain, frame.select(label.alias("label"))["label"], low, high, missing)


def sets(domain: Domain, starts: np.ndarray, members: np.ndarray, hierarchy: Hierarchy | None = None) -> Cells:
    """Return sets of categories as cells (members rising), with their labels: a hierarchy's name where one fits."""
    sizes = np.diff(starts)
    plain = [leaf if code == len(domain.values) else shield_label(leaf) for code, leaf in enumerate(domain.labels)]
    inner = [escape(leaf) for leaf in domain.labels]
    if len(members) <= FEW:
        spans = [members[low:high] for low, high in pairwise(starts.tolist())]
        texts = [_set_label([inner[code] for code in span], plain[span[0]], domain.size) for span in spans]
        label = pl.Series("label", texts, dtype=pl.String)
    else:
        singles = pl.Series(plain).gather(members[starts[:-1]])
        label = _set_labels(pl.Series(inner).gather(members), sizes, singles, domain.size)
    if hierarchy is not None:
        names = node_names(domain, hierarchy)
        known = {format_set([domain.labels[code] for code in codes]): name for name, codes in names.items()}
        label = label.replace(list(known), list(known.values())) if known else label
    return Cells(domain, label, starts=starts, members=members)


def _set_label(inner: Sequence[str], single: str, size: int) -> str:
    return single if len(inner) == 1 else TOP if len(inner) == size else "{" + "|".join(inner) + "}"


def _set_labels(inner: pl.Series, sizes: np.ndarray, singles: pl.Series, size: int) -> pl.Series:
    """Label many sets at once, as `_set_label` labels one."""
    frame = pl.DataFrame({"cell": np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes), "text": inner})
    joined = frame.group_by("cell", maintain_order=True).agg(pl.col("text").str.join("|"))["text"]
    return pl.select(
        pl.when(pl.Series(sizes == 1))
        .then(singles)
        .when(pl.Series(sizes == size))
        .then(pl.lit(TOP))
        .otherwise(pl.concat_str([pl.lit("{"), joined, pl.lit("}")]))
        .alias("label")
    )["label"]


def node_names(domain: Domain, hierarchy: Hierarchy) -> dict[str, np.ndarray]:
    """Return the labels of inner nodes that name one set of leaves and no value, do not look like a set, and need no
    value of the table to explain them."""
    found: dict[str, np.ndarray] = {}
    unclear = {shield_label(leaf) for leaf in domain.labels} | {TOP, MISSING}
    for level in range(1, hierarchy.height + 1):
        for node, name in enumerate(hierarchy.labels[level]):
            codes = hierarchy.leaves(level, node)
            if name in found and not np.array_equal(found[name], codes):
                unclear.add(name)
            found[name] = codes
    return {
        name: codes
        for name, codes in found.items()
        if name not in unclear
        and 1 < len(codes) < domain.size
        and not name.startswith(("{", "\\"))
        and (name in hierarchy.declared or (hierarchy.by_prefix and _is_clear_prefix(name, domain, codes)))
    }


def _is_clear_prefix(name: str, domain: Domain, codes: np.ndarray) -> bool:
    """Whether the stars at the end of a name are those of hidden characters, and not some of the codes' own."""
    first = len(name.rstrip("*"))
    return is_prefix(name) and any(domain.labels[code][first] != "*" for code in codes)


def node_cells(domain: Domain, hierarchy: Hierarchy, level: int) -> Cells:
    """Return the cells of one level of a hierarchy."""
    order = np.argsort(hierarchy.maps[level], kind="stable")
    starts = np.concatenate(
        [[0], np.cumsum(np.bincount(hierarchy.maps[level], minlength=len(hierarchy.labels[level])))]
    )
    if domain.uses_intervals:
        low, high, missing = code_ranges(domain, starts, order)
        cells = ranges(domain, low, high, missing)
        names = range_names(domain, hierarchy) if 0 < level < hierarchy.height else {}
        ends = zip(low.tolist(), high.tolist(), missing.tolist(), strict=True)
        labels = [
            name if names.get(name) == end else shown
            for name, shown, end in zip(hierarchy.labels[level], cells.labels, ends, strict=True)
        ]
        return Cells(domain, pl.Series(labels, dtype=pl.String), low, high, missing)
    return sets(domain, starts, order, hierarchy)


def range_names(domain: Domain, hierarchy: Hierarchy) -> dict[str, tuple[int, int, bool]]:
    """Return the labels of inner nodes that name one interval, read as nothing else, and need no value of the table to
    explain their ends."""
    found: dict[str, tuple[int, int, bool]] = {}
    unclear = {TOP, MISSING, *domain.labels}
    for level in range(1, hierarchy.height):
        order = np.argsort(hierarchy.maps[level], kind="stable")
        sizes = np.bincount(hierarchy.maps[level], minlength=len(hierarchy.labels[level]))
        low, high, missing = code_ranges(domain, np.concatenate([[0], np.cumsum(sizes)]), order)
        names = hierarchy.labels[level]
        plain = ranges(domain, low, high, missing).labels
        unclear |= _find_misleading(domain, names, low, high, hierarchy.declared)
        ends = zip(low.tolist(), high.tolist(), missing.tolist(), strict=True)
        for name, shown, end in zip(names, plain, ends, strict=True):
            if found.setdefault(name, end) != end:
                unclear.add(name)
            if shown != name:
                unclear.add(shown)  # how this node would be written without its name
    return {name: end for name, end in found.items() if name not in unclear and not name.startswith("{")}


def _find_misleading(
    domain: Domain, names: Sequence[str], low: np.ndarray, high: np.ndarray, declared: Mapping[str, Sequence[str]]
) -> set[str]:
    """Return the names that read as a value, or as a range other than that of the values below them; and those that
    neither state their ends nor are declared."""
    dtype = domain.values.dtype
    reads_as_value = parse_values(pl.Series(names, dtype=pl.String), dtype).is_not_null()
    stated = [range_ends(name) or label_ends(name, dtype) for name in names]
    exact = hold_exactly(stated, domain.values, low, high)
    misleading = set[str]()
    for name, is_value, ends, is_exact in zip(names, reads_as_value, stated, exact, strict=True):
        unexplained = name.startswith("[") or name not in declared
        if is_value or (unexplained if ends is None else not is_exact):
            misleading.add(name)
    return misleading

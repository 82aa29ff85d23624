"""Query error: how wrong COUNT queries on the release are.

A query asks how many people have one of b values in each of some quasi-identifier columns and in the sensitive
columns; b is chosen so that a query of independent columns would select about the share `selectivity` of the table.
The estimate spreads each cell evenly (section 6 of the specification). The error is |actual - estimate| / actual;
queries that nobody satisfies are drawn anew. Queries are drawn from a public seed: they are a benchmark, not coins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from voile import kernels
from voile.core.measure import Measure, View
from voile.core.microdata import Microdata
from voile.core.plugin import knob
from voile.core.release import Release
from voile.core.results import Loss
from voile.core.shapes.decomposed import Decomposed
from voile.errors import PolicyError

CHUNK = 500
SHARES = 20_000_000  # of a decomposed release, computed at once
GIVE_UP = 20


@dataclass(frozen=True)
class QueryError(Measure):
    """Mean relative error of random COUNT queries, with a 95 % interval over repetitions.

    `dimensions` is the number of quasi-identifier columns in a query and `sensitive` that of sensitive ones (all by
    default); `contiguous` asks for a range of
    neighbouring values in numeric, date and ordered columns instead of scattered ones.
    """

    name: ClassVar[str] = "query-error"
    across: ClassVar[bool] = True

    queries: int = knob(1000, low=1)
    dimensions: int | None = knob(None, low=1)
    sensitive: int | None = knob(None, low=0)
    selectivity: float = knob(0.05, above=0, high=1)
    repetitions: int = knob(5, low=1)
    contiguous: bool = False
    seed: int = 0

    def __call__(self, data: Microdata, release: Release) -> Loss:
        view = View(data, release)
        dimensions = self.dimensions or len(view.names)
        if dimensions > len(view.names):
            raise PolicyError(
                f"query-error: dimensions = {dimensions}, but there are {len(view.names)} quasi-identifier columns.",
                code="policy.parameter",
            )
        sensitive = len(data.columns.sensitive)
        if self.sensitive is not None and self.sensitive > sensitive:
            raise PolicyError(
                f"query-error: sensitive = {self.sensitive}, but there are {sensitive} sensitive columns.",
                code="policy.parameter",
            )
        ask = _Questions(view, dimensions, self.selectivity, self.contiguous, self.sensitive)
        means: list[float] = []
        every, redrawn = [], 0
        for repetition in range(self.repetitions):
            errors, discarded = ask.errors(self.queries, np.random.default_rng([self.seed, repetition]))
            redrawn += discarded
            every.append(errors)
            means += [float(errors.mean())] if len(errors) else []
        pooled = np.concatenate(every)
        if not len(pooled):
            raise PolicyError(
                f"query-error: nobody satisfies any of {redrawn} random queries.",
                code="policy.parameter",
                hint="Raise selectivity, or ask about fewer columns with dimensions.",
            )
        mean = float(np.mean(means))
        spread = 1.96 * float(np.std(means, ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else 0.0
        parts = {
            "median": float(np.median(pooled)),
            "low": mean - spread,
            "high": mean + spread,
            "redrawn": float(redrawn),
        }
        note = f"{len(pooled)} queries on {dimensions} columns, selectivity {self.selectivity:g}; "
        note += f"95 % over {self.repetitions} runs"
        return Loss(self.name, "Relative error of COUNT queries", mean, parts, note)


class _Questions:
    """The columns as the kernels want them, and both answers to a batch of queries."""

    def __init__(
        self, view: View, dimensions: int, selectivity: float, contiguous: bool, sensitive: int | None = None
    ) -> None:
        self.view, self.dimensions, self.contiguous = view, dimensions, contiguous
        self.sensitive = len(view.data.columns.sensitive) if sensitive is None else sensitive
        columns = view.data.columns
        self.columns = [*columns.quasi, *columns.sensitive]
        self.offset = np.concatenate([[0], np.cumsum([column.size for column in self.columns])]).astype(np.int64)
        asked = dimensions + self.sensitive
        self.widths = [predicate_width(column.size, selectivity, asked - 1) for column in self.columns]
        self.codes = np.ascontiguousarray(view.original.codes).astype(np.int64)
        if isinstance(view.release, Decomposed):
            return
        owner, codes, people = view.sensitive
        order = np.argsort(owner, kind="stable")
        self.entries = np.searchsorted(owner[order], np.arange(view.release.groups + 1))
        self.values, self.people = codes[order].astype(np.int64), people[order]
        if self.people.dtype.kind != "f":  # counterfeits make people of values fractions
            self.people = self.people.astype(np.int64)

    def errors(self, queries: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
        """Relative errors of that many queries that somebody satisfies, and how many were redrawn."""
        found: list[np.ndarray] = []
        got, discarded, tries = 0, 0, 0
        while got < queries and tries < GIVE_UP * math.ceil(queries / CHUNK):
            tries += 1
            wanted = min(CHUNK, queries - got)
            chosen = self._draw(wanted, rng)
            actual = kernels.query.count(self.codes, self.view.original.counts, self.offset, chosen)
            asked = actual > 0
            discarded += int((~asked).sum())
            got += int(asked.sum())
            if asked.any():
                estimate = self.estimate(chosen[asked])
                found.append(np.abs(actual[asked] - estimate) / actual[asked])
        return np.concatenate(found) if found else np.zeros(0), discarded

    def estimate(self, chosen: np.ndarray) -> np.ndarray:
        """What the release answers."""
        view = self.view
        quasi = len(view.names)
        if isinstance(view.release, Decomposed):
            return self._from_lists(view.release, chosen)
        if not view.cells:
            values = self.values[:, 0]
            answer = kernels.query.buckets(
                *self._people, self.entries, values, self.people, self.offset, np.ascontiguousarray(chosen)
            )
            return np.asarray(answer)
        shares, place, base = [], [], 0
        for number, name in enumerate(view.names):
            cells, cell = view.cells[name]
            mask = chosen[:, self.offset[number] : self.offset[number + 1]]
            shares.append(cells.shares(mask).T)
            place.append(cell.astype(np.int64) + base)
            base += len(cells)
        boxes = np.ascontiguousarray(np.concatenate(shares, axis=1)), np.ascontiguousarray(np.stack(place, axis=1))
        offset, published = self.offset[quasi:], (self.entries, self.values, self.people)
        answer = np.asarray(kernels.query.boxes(*boxes, *published, offset, chosen))
        if view.release.channel is None:
            return answer
        # values were disturbed: put back by how many of them a query admits
        everybody = np.asarray(kernels.query.boxes(*boxes, *published, offset, np.ones_like(chosen)))
        share = chosen[:, offset[0] :].mean(axis=1)
        both = np.stack([answer, everybody - answer], axis=1)
        return view.release.channel.undo(both, np.stack([share, 1 - share], axis=1))[:, 0]

    def _from_lists(self, release: Decomposed, chosen: np.ndarray) -> np.ndarray:
        """Decomposed: a few queries at once, because each kind of slot has its own share."""
        quasi, names = len(self.view.names), [column.name for column in self.columns]
        cuts, kinds = release.listings[release.names[0]].starts, int(release.units.max(initial=0)) + 1
        found, step = [], max(1, SHARES // kinds)
        for low in range(0, len(chosen), step):
            part = np.ascontiguousarray(chosen[low : low + step])
            wanted = {
                names[j]: part[:, self.offset[j] : self.offset[j + 1]][:, self.view.recoded(names[j])]
                for j in range(quasi, len(names))
            }
            shares = np.ascontiguousarray(release.shares(wanted))
            found.append(kernels.query.lists(*self._people, cuts, release.units, shares, self.offset, part))
        return np.concatenate(found) if found else np.zeros(0)

    @cached_property
    def _people(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where each group's people start, which distinct quasi-identifier each has, and those."""
        group, codes = self.view.quasi
        order = np.argsort(group, kind="stable")
        sizes = [column.size for column in self.view.data.columns.quasi]
        cell, first = kernels.distinct.ranked(list(codes.T), sizes)
        rows = np.searchsorted(group[order], np.arange(self.view.release.groups + 1))
        return rows, cell[order], np.ascontiguousarray(codes[first])

    def _draw(self, queries: int, rng: np.random.Generator) -> np.ndarray:
        """Random predicates: in the asked columns b distinct random values, elsewhere everything."""
        chosen = np.ones((queries, int(self.offset[-1])), dtype=np.uint8)
        quasi = len(self.view.names)
        ranked = np.argsort(rng.random((queries, quasi)), axis=1)
        others = len(self.columns) - quasi
        some = np.argsort(rng.random((queries, others)), axis=1) if self.sensitive < others else None
        for number, column in enumerate(self.columns):
            size, width = column.size, self.widths[number]
            if number < quasi:
                asked = ranked[:, number] < self.dimensions
            else:
                asked = some[:, number - quasi] < self.sensitive if some is not None else np.ones(queries, dtype=bool)
            mask = np.zeros((queries, size), dtype=np.uint8)
            if self.contiguous and column.kind != "categorical":
                first = rng.integers(0, size - width + 1, queries)
                mask[(np.arange(size) >= first[:, None]) & (np.arange(size) < first[:, None] + width)] = 1
            else:
                picks = np.argpartition(rng.random((queries, size)), width - 1, axis=1)[:, :width]
                np.put_along_axis(mask, picks, 1, axis=1)
            part = chosen[:, self.offset[number] : self.offset[number + 1]]
            part[asked] = mask[asked]
        return chosen


def predicate_width(domain_size: int, s: float, qd: int) -> int:
    """How many values a predicate admits: ceil(|A| s^(1/(qd+1))), between 1 and |A|.

    >>> predicate_width(75, 0.05, 5)
    46
    """
    width = math.ceil(domain_size * float(s ** (1 / (qd + 1))) - 1e-9)
    return max(1, min(domain_size, width))


def relative_error(actual: float, estimate: float) -> float:
    """|actual - estimate| / actual."""
    return abs(actual - estimate) / actual


def average_relative_error(pairs: Sequence[tuple[float, float]]) -> float:
    """The mean over pairs (actual, estimate); pairs with actual 0 are left out."""
    return float(np.mean([relative_error(actual, estimate) for actual, estimate in pairs if actual]))

"""Query error: how wrong COUNT queries on the release are.

A query asks how many people have one of b values in each of some quasi-identifier columns and in the sensitive
columns; b is chosen so that a query of independent columns would select about the share `selectivity` of the table.
The estimate spreads each cell evenly (section 6 of the specification). The error is |actual - estimate| / actual;
queries that nobody satisfies are redrawn. In a table with a survey weight, people of the population are counted: the
truth adds up the weights, and a row of the release counts the mean of the ends of its weight's cell; if the release
withholds the weight, every row counts the mean weight. No query asks about the weight itself. Queries are drawn from a
public seed: they are a benchmark, not a secret.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from voile.errors import PolicyError
from voile.measures.base import ByGroup, Outline, View, outline_table
from voile.plugins.registry import knob
from voile.releases.queries.query_estimates import combine_sums, query_columns
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.microdata import Microdata, WeightedRows
from voile.tables.part_protocol import Over
from voile.tables.row_protocol import Table
from voile.tables.schema import Columns

CHUNK = 500
GIVE_UP = 20


@dataclass(frozen=True)
class QueryError(ByGroup):
    """Mean relative error of random COUNT queries, with a 95 % interval over repetitions.

    `dimensions` is the number of quasi-identifier columns in a query and `sensitive` that of sensitive ones (all by
    default); `contiguous` asks for a range of neighbouring values in numeric, date and ordered columns instead of
    scattered ones.
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

    def measure_pieces(self, data: Microdata, release: Release, over: Over) -> Loss:
        """Draw the queries and count them in the table; then ask every piece all of them."""
        questions = self._questions(data.columns)
        runs = [_Run(questions, self.queries, np.random.default_rng([self.seed, n])) for n in range(self.repetitions)]
        weighted = data.weighted_rows
        _fill(runs, data.rows, weighted)
        chosen, actual = (np.concatenate([one for run in runs for one in getattr(run, what)]) for what in _Run.FOUND)
        redrawn = sum(run.discarded for run in runs)
        if not len(actual):
            raise PolicyError(
                f"query-error: nobody satisfies any of {redrawn} random queries.",
                code="policy.parameter",
                hint="Raise selectivity, or ask about fewer columns with dimensions.",
            )
        sums = over(sum_piece, outline_table(data), chosen)
        estimate = combine_sums(sums, chosen, int(questions.offset[questions.quasi]), release.channel)
        withheld = weighted is not None and release.shown_weight is None
        if weighted is not None and withheld:
            estimate = estimate * (weighted.total / data.rows.total)
        errors = np.abs(actual - estimate) / actual
        loss = self._loss(questions, np.split(errors, np.cumsum([run.got for run in runs])[:-1]), redrawn)
        return loss if weighted is None else _note_weights(loss, withheld)

    def _questions(self, columns: Columns) -> Questions:
        """Return the source of random queries. PolicyError if they would ask about more columns than there are."""
        quasi, sensitive = len(columns.quasi), len(columns.sensitive)
        quasi -= columns.weight is not None  # nobody asks for people of a certain weight
        dimensions = self.dimensions or quasi
        if dimensions > quasi:
            raise PolicyError(
                f"query-error: dimensions = {dimensions}, but there are {quasi} quasi-identifier columns.",
                code="policy.parameter",
            )
        if self.sensitive is not None and self.sensitive > sensitive:
            raise PolicyError(
                f"query-error: sensitive = {self.sensitive}, but there are {sensitive} sensitive columns.",
                code="policy.parameter",
            )
        return Questions(columns, dimensions, self.selectivity, self.contiguous, self.sensitive)

    def _loss(self, questions: Questions, errors: Sequence[np.ndarray], redrawn: int) -> Loss:
        """Return the loss from the errors of each repetition."""
        pooled, means = np.concatenate(errors), [float(some.mean()) for some in errors if len(some)]
        mean = float(np.mean(means))
        spread = 1.96 * float(np.std(means, ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else 0.0
        parts = {
            "median": float(np.median(pooled)),
            "low": mean - spread,
            "high": mean + spread,
            "redrawn": float(redrawn),
        }
        note = f"{len(pooled)} queries on {questions.dimensions} columns, selectivity {self.selectivity:g}; "
        note += f"95 % over {self.repetitions} runs"
        return Loss(self.name, "Relative error of COUNT queries", mean, parts, note)


def _note_weights(loss: Loss, withheld: bool) -> Loss:
    """Say that people of the population were counted, and how, if the release does not show the weight."""
    note = "; rows count their survey weight" + (", in the release the mean weight of all rows" if withheld else "")
    return replace(loss, title=loss.title + ", weighted", note=loss.note + note)


def sum_piece(piece: Release, table: Outline, chosen: np.ndarray) -> np.ndarray:
    """Return the sums of one piece for every query, a batch at a time."""
    estimates = View(table, piece).estimates
    batches = [chosen[low : low + CHUNK] for low in range(0, len(chosen), CHUNK)]
    return np.concatenate([estimates.sums(batch) for batch in batches], axis=1)


class _Run:
    """One repetition: the queries that somebody satisfies, and by how many people."""

    FOUND = ("chosen", "actual")

    def __init__(self, questions: Questions, queries: int, rng: np.random.Generator) -> None:
        self.questions, self.queries, self.rng = questions, queries, rng
        self.chosen = [np.zeros((0, int(questions.offset[-1])), dtype=np.uint8)]
        self.actual = [np.zeros(0, dtype=np.int64)]
        self.got, self.discarded, self.tries = 0, 0, 0

    @property
    def open(self) -> bool:
        return self.got < self.queries and self.tries < GIVE_UP * math.ceil(self.queries / CHUNK)

    def draw(self) -> np.ndarray:
        self.tries += 1
        return self.questions.draw(min(CHUNK, self.queries - self.got), self.rng)

    def take(self, chosen: np.ndarray, actual: np.ndarray) -> None:
        asked = actual > 0
        self.chosen.append(chosen[asked])
        self.actual.append(actual[asked])
        self.got += int(asked.sum())
        self.discarded += int((~asked).sum())


def _fill(runs: Sequence[_Run], rows: Table, weighted: WeightedRows | None) -> None:
    """Draw until every repetition has its queries; all queries of a round are counted in one pass over the table."""
    weights = None if weighted is None else (weighted.name, weighted.weights)
    rows = rows if weighted is None else weighted.rows
    while waiting := [run for run in runs if run.open]:
        drawn = [run.draw() for run in waiting]
        questions = waiting[0].questions
        names = [column.name for column in questions.columns]
        actual = rows.count_matches(names, questions.offset, np.concatenate(drawn), weights)
        ends = np.cumsum([len(some) for some in drawn])[:-1]
        for run, chosen, people in zip(waiting, drawn, np.split(actual, ends), strict=True):
            run.take(chosen, people)


class Questions:
    """A source of random queries: the columns of a table, and how many values each predicate admits."""

    def __init__(
        self, columns: Columns, dimensions: int, selectivity: float, contiguous: bool, sensitive: int | None = None
    ) -> None:
        self.dimensions, self.contiguous, self.quasi = dimensions, contiguous, len(columns.quasi)
        self.sensitive = len(columns.sensitive) if sensitive is None else sensitive
        self.columns, self.offset = query_columns(columns)
        asked = dimensions + self.sensitive
        self.widths = [predicate_width(column.size, selectivity, asked - 1) for column in self.columns]

    def draw(self, queries: int, rng: np.random.Generator) -> np.ndarray:
        """Draw random predicates: b distinct random values in the columns asked about, everything elsewhere."""
        chosen = np.ones((queries, int(self.offset[-1])), dtype=np.uint8)
        quasi = self.quasi
        known = [number for number, column in enumerate(self.columns[:quasi]) if not column.weight]
        ranked = np.full((queries, quasi), quasi)
        ranked[:, known] = np.argsort(rng.random((queries, len(known))), axis=1)
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
    """Return how many values a predicate admits: ceil(|A| s^(1/(qd+1))), between 1 and |A|.

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

"""Classification: how often a decision tree learned from the release is wrong about the people of the table.

Two other trees serve as yardsticks. Both are learned from a random part of the table as large as the release, with
exact quasi-identifiers: the optimistic one with true classes, the pessimistic one with random classes. Each tree
classifies the rows of the table; the loss is the share that it gets wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from voile.errors import PolicyError
from voile.measures.base import Measure, View
from voile.mining.training import Classes, Training, make_classes, training
from voile.mining.tree import grow
from voile.plugins.registry import knob
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class Classification(Measure):
    """The error of a decision tree, with an optimistic and a pessimistic one beside it.

    `starts` are the values of the (first) sensitive column at which a new class begins: 25|37 makes three classes. By
    default every value is a class, or there are two halves where there are more than ten.
    """

    name: ClassVar[str] = "classification"

    starts: tuple[str, ...] = ()
    max_depth: int = knob(8, low=1)
    min_weight: float | None = knob(None, above=0)
    seed: int = 0

    def __call__(self, data: Microdata, release: Release) -> Loss:
        view = View(data, release)
        if not data.columns.sensitive:
            raise PolicyError("classification needs a sensitive column.", code="policy.no-sensitive")
        given = training(release, self.starts, self.seed)
        ask = _Questions(view, make_classes(data.columns.sensitive[0].domain, self.starts), self)
        rng = np.random.default_rng(self.seed)
        true = ask.part(given.X.height, rng)
        drawn = rng.integers(0, len(ask.classes.of_code), len(true.y))
        blind = Training(true.X, ask.classes.of_code[drawn], true.weight, true.classes, true.channel)
        people = np.bincount(ask.truth, weights=view.original.counts)
        parts = {
            "optimistic": ask.error(true),
            "pessimistic": ask.error(blind),
            "most common class": 1 - float(people.max() / people.sum()),
        }
        note = f"share of rows in the wrong one of {len(ask.classes.names)} classes"
        return Loss(self.name, "Error of a decision tree", ask.error(given), parts, note)


class _Questions:
    """The people of the table, to be classified."""

    def __init__(self, view: View, classes: Classes, knobs: Classification) -> None:
        self.view, self.classes, self.knobs = view, classes, knobs
        columns, table = view.data.columns, view.original
        self.people = pl.DataFrame({n: columns[n].domain.decode(table.column(n)) for n in view.names})
        self.truth = classes.of_code[table.column(columns.sensitive[0].name)]

    def error(self, given: Training) -> float:
        """Return the share of people whom a tree learned from these rows puts into a wrong class."""
        tree = grow(given, self.knobs.max_depth, self.knobs.min_weight)
        # classes are compared by name: a release may list fewer values than the table has
        theirs = {name: number for number, name in enumerate(self.classes.names)}
        moved = np.array([theirs.get(name, -1) for name in given.classes.names])
        wrong = moved[tree.decide(self.people)] != self.truth
        return float(self.view.original.counts[wrong].sum() / self.view.total)

    def part(self, rows: int, rng: np.random.Generator) -> Training:
        """Draw that many people of the table at random, unchanged."""
        upto = np.cumsum(self.view.original.counts)
        chosen = np.sort(rng.choice(int(upto[-1]), min(rows, int(upto[-1])), replace=False))
        place = np.searchsorted(upto, chosen, side="right")
        exact = Channel(1.0, len(self.classes.of_code))
        return Training(self.people[place], self.truth[place], np.ones(len(place)), self.classes, exact)

"""A paper, recomputed: its tables and figures as items that anyone can run again.

Each folder of papers/ defines a `PAPER`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import polars as pl

from voile.errors import SpecError, option
from voile.flow.report.figures import Figure
from voile.papers.claim import Claim
from voile.papers.points import Points

__all__ = ["Claim", "Figure", "Item", "Paper", "Run", "papers"]


@dataclass(frozen=True, eq=False)
class Run:
    """How items are to be computed: from which table of the user, and in minutes (`quick`) or hours.

    `step(done, of, what)` moves the progress bar. `points` keeps the points of an item.
    """

    data: Path | None = None
    quick: bool = False
    step: Callable[[int, int, str], None] = lambda done, of, what: None
    points: Points | None = None

    def point(self, key: Mapping[str, int | float | str], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return one point of an item, which JSON can hold: from the folder of points if it is there, otherwise
        computed and kept. The key has to name everything that distinguishes the points of one item; paper, item,
        edition, form and table are added to it."""
        return compute() if self.points is None else self.points.compute(key, compute)

    def source(self, what: str) -> Path:
        """Return the user's table, or raise an error that says which one is needed."""
        if self.data is None:
            raise SpecError(
                f"This item needs {what}.",
                code="spec.paper-data",
                hint=f"Name the file ({option('data')}).",
            )
        return self.data


@dataclass(frozen=True, eq=False)
class Item:
    """A table or figure of a paper. `compute` returns its numbers, `claims` are what the paper prints about them, and
    `note` says how they are computed.

    `table` says from which table of the user they are computed, if from any: the Adult table, which the item needs, or
    a census table, which stands in for generated people. Columns in `times` depend on the
    machine: they and the figures drawn from them go into files of their own. Raise `edition` when the computation
    changes: points of an older edition are computed anew. `seed` says what fixes the random numbers, e.g. "seed 1".
    """

    name: str
    title: str
    compute: Callable[[Run], pl.DataFrame]
    figures: Sequence[Figure] = ()
    note: str = ""
    table: Literal["", "adult", "census"] = ""
    claims: Sequence[Claim] = ()
    times: Sequence[str] = ()
    edition: int = 1
    seed: str = ""


@dataclass(frozen=True, eq=False)
class Paper:
    """A source paper and its items."""

    name: str
    title: str
    items: Sequence[Item] = field(default_factory=tuple)


def papers() -> dict[str, Paper]:
    """Return all papers, by name: every folder of papers/ that defines PAPER."""
    package = importlib.import_module("voile.papers")
    folders = [module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg]
    known = [importlib.import_module(f"voile.papers.{name}").PAPER for name in folders]
    return {paper.name: paper for paper in known}

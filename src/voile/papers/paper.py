"""A paper, recomputed: its tables and figures as items that anyone can run again.

Each folder of papers/ defines a `PAPER`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from voile.errors import SpecError, option
from voile.flow.report.figures import Figure


@dataclass(frozen=True, eq=False)
class Run:
    """How items are to be computed: from which table of the user, and in minutes (`quick`) or hours.

    `step(done, of, what)` moves the progress bar.
    """

    data: Path | None = None
    quick: bool = False
    step: Callable[[int, int, str], None] = lambda done, of, what: None

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
    """A table or figure of a paper. `compute` returns its numbers, `note` says where ours differ from the print, and
    `takes_table` says whether they are computed from a table of the user."""

    name: str
    title: str
    compute: Callable[[Run], pl.DataFrame]
    figures: Sequence[Figure] = ()
    note: str = ""
    takes_table: bool = False


@dataclass(frozen=True, eq=False)
class Paper:
    """A source paper and its items."""

    name: str
    title: str
    items: Sequence[Item] = field(default_factory=tuple)


def papers() -> dict[str, Paper]:
    """Return all papers, by name: every folder of papers/ that defines PAPER."""
    package = importlib.import_module("voile.papers")
    modules = [
        importlib.import_module(f"voile.papers.{found.name}") for found in pkgutil.iter_modules(package.__path__)
    ]
    found = [module.PAPER for module in modules if hasattr(module, "PAPER")]
    return {paper.name: paper for paper in found}

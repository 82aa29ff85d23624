"""A paper recomputed: its tables and figures as items that anyone can run again.

A file in papers/ defines `PAPER`. Papers stand below the flow, so the verbs come to them with the run.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import SpecError, option
from voile.flow.report.figures import Figure


@dataclass(frozen=True, eq=False)
class Run:
    """What an item may use: the verbs of flow, the user's table, and whether minutes or hours are at hand.

    `step(done, of, what)` moves the progress bar.
    """

    read: Callable[..., Any]
    publish: Callable[..., Any]
    audit: Callable[..., Any]
    measure: Callable[..., Any]
    data: Path | None = None
    quick: bool = False
    step: Callable[[int, int, str], None] = lambda done, of, what: None

    def source(self, what: str) -> Path:
        """The user's table, or an error that says which one is needed."""
        if self.data is None:
            raise SpecError(
                f"This item needs {what}.",
                code="spec.paper-data",
                hint=f"Name the file ({option('data')}).",
            )
        return self.data


@dataclass(frozen=True, eq=False)
class Item:
    """One table or figure of a paper. `compute` gives its numbers; `note` says where ours differ from the print."""

    name: str
    title: str
    compute: Callable[[Run], pl.DataFrame]
    figures: Sequence[Figure] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Paper:
    """A source paper and its items."""

    name: str
    title: str
    items: Sequence[Item] = field(default_factory=tuple)


def papers() -> dict[str, Paper]:
    """All papers, by name: every file of papers/ that defines PAPER."""
    package = importlib.import_module("voile.papers")
    modules = [
        importlib.import_module(f"voile.papers.{found.name}") for found in pkgutil.iter_modules(package.__path__)
    ]
    found = [module.PAPER for module in modules if hasattr(module, "PAPER")]
    return {paper.name: paper for paper in found}

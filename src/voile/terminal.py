"""What the command line shows: tables and a progress bar on a terminal, or JSON."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import polars as pl

    from voile.core.results import Audit, Losses, Verdict


def say_json(body: dict[str, Any]) -> None:
    typer.echo(json.dumps(body, indent=1, ensure_ascii=False))


def _show(title: str, heads: list[str], rows: list[list[str]], right: int) -> None:
    """A table on the terminal; the last `right` columns are numbers."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number >= len(heads) - right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(file=sys.stdout, markup=False, width=None if sys.stdout.isatty() else 120)
    console.print(table)


def show_verdict(verdict: Verdict, title: str = "Verified from the published files alone") -> None:
    rows = [[check.answer.name, check.what, check.detail] for check in verdict.checks]
    _show(title, ["", "what", "detail"], rows, 0)
    for note in verdict.notes:
        typer.echo(note)


def show_audit(found: Audit) -> None:
    for inside, title in ((True, "Attacks inside the promise (must pass)"), (False, "Shown, outside the promise")):
        rows = [
            [
                ("passed" if item.passed else "BROKEN") if inside else "",
                item.title,
                item.adversary.name,
                str(item.bound) if item.bound is not None else "none",
                f"{item.belief.worst:.4f}",
                f"{item.belief.mean:.4f}",
                f"{item.before.worst:.4f}" if item.before else "",
                f"{item.belief.baseline:.4f}",
            ]
            for item in found.findings
            if item.inside is inside
        ]
        if rows:
            _show(title, ["", "attack", "adversary", "bound", "worst", "mean", "worst before", "guessing"], rows, 5)
    levels = [(item.title, level) for item in found.findings for level in item.belief.levels(10)]
    if levels:
        rows = [[title, f"{risk:.4f}", str(people)] for title, (risk, people) in levels]
        _show("At risk, the worst first", ["attack", "belief", "people"], rows, 2)


def show_losses(losses: Losses) -> None:
    rows = [[item.title, f"{item.value:.4f}", item.note] for item in losses.items]
    _show("What analysts lose", ["measure", "loss", "note"], rows, 0)


def show_frame(title: str, frame: pl.DataFrame) -> None:
    """A small table of numbers."""
    rows = [[f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row] for row in frame.rows()]
    numbers = sum(dtype.is_numeric() for dtype in frame.dtypes)
    _show(title, frame.columns, rows, numbers)


def show_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """Rows of numbers as they are given."""
    heads = list(rows[0])
    _show(title, heads, [[str(row[head]) for head in heads] for row in rows], len(heads))


def show_bars(title: str, rows: list[tuple[str, float]], width: int = 50) -> None:
    """Numbers between 0 and 1 as bars, a line each."""
    typer.echo(title)
    for label, value in rows:
        typer.echo(f"{label:>6} {'█' * round(width * value):<{width}} {value:.4f}")


@contextlib.contextmanager
def progress() -> Iterator[Any]:
    """A bar that counts, on a terminal's standard error; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, of, what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("start", total=None)
        yield lambda done, of, what: bar.update(task, description=what, completed=done, total=of, refresh=True)


@contextlib.contextmanager
def steps(*names: str) -> Iterator[Steps]:
    """A progress bar on a terminal's standard error; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield Steps(lambda name, done: None, names)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    shown = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("start", total=len(names))
        yield Steps(lambda name, done: progress.update(task, description=name, completed=done, refresh=True), names)


class Steps:
    """Tells which step the work is at, and of a table in parts which part."""

    def __init__(self, tell: Callable[[str, float], None], names: tuple[str, ...]) -> None:
        self._tell, self._names, self._now = tell, names, names[0]

    def __call__(self, name: str) -> None:
        self._now = name
        self._tell(name, self._names.index(name))

    def part(self, what: str, done: int, parts: int) -> None:
        """So many parts are done of what a step does."""
        start = self._names.index(self._now)
        self._tell(f"{self._now}: {what}, {done} of {parts} parts", start + done / max(parts, 1))

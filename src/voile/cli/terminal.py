"""The output of the command line: tables and a progress bar on a terminal, or JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from voile.io.safe_writing.interruptions import raise_if_interrupted

if TYPE_CHECKING:
    import polars as pl

    from voile.releases.counts.count_answer import Count
    from voile.releases.sql.pooled_answer import QueryAnswer
    from voile.results import Audit, Belief, Losses, Verdict
    from voile.tables.unit import Unit


def print_json(body: dict[str, Any]) -> None:
    """Print an answer as JSON on standard output, unless the command was interrupted: then its error is the answer."""
    raise_if_interrupted()
    print_error(body)


def print_error(body: dict[str, Any]) -> None:
    """Print the JSON of an error on standard output."""
    typer.echo(json.dumps(body, indent=1, ensure_ascii=False))


def print_table(title: str, heads: list[str], rows: list[list[str]], numeric: int) -> None:
    """Print a table; its last `numeric` columns are numbers."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE)
    for position, head in enumerate(heads):
        side: Any = "right" if position >= len(heads) - numeric else "left"
        table.add_column(head, justify=side, overflow="fold")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else 120
    console = Console(file=sys.stdout, markup=False, width=width, color_system=_choose_colours())
    console.print(table)


def _choose_colours() -> Any:
    """Return which colours and styles rich may use: with NO_COLOR it would still print titles in italics."""
    return None if os.environ.get("NO_COLOR") else "auto"


def show_verdict(verdict: Verdict, title: str = "Verified from the published files alone") -> None:
    """Print every check of a verdict with its answer."""
    rows = [[check.answer.name, check.what, check.detail] for check in verdict.checks]
    print_table(title, ["", "what", "detail"], rows, 0)
    for note in verdict.notes:
        typer.echo(note)
    if verdict.signature is not None:
        typer.echo(f"Signature: {verdict.signature}.")


def show_audit(audit: Audit, unit: Unit) -> None:
    """Print the attacks inside the promise, those outside, and the beliefs about the people most at risk. `unit` is
    that of the release: it says whether people were counted, or rows."""
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
            for item in audit.findings
            if item.inside is inside
        ]
        if rows:
            print_table(
                title, ["", "attack", "adversary", "bound", "worst", "mean", "worst before", "guessing"], rows, 5
            )
    for note in audit.notes:
        typer.echo(note)
    for line in dict.fromkeys(_describe_people(item.belief) for item in audit.findings if not item.belief.exact):
        typer.echo(line)
    levels = [(item.title, level) for item in audit.findings for level in item.belief.levels(10)]
    if levels:
        rows = [[title, f"{risk:.4f}", str(people)] for title, (risk, people) in levels]
        counted = "people, at least" if unit.rows > 1 else unit.noun
        print_table("At risk, the worst first", ["attack", "belief", counted], rows, 2)


def _describe_people(belief: Belief) -> str:
    return f"Beliefs are about {belief.describe_people()}, who may have up to {belief.rows_per_person} rows each."


def show_losses(losses: Losses) -> None:
    """Print what analysts lose, one line per measure."""
    rows = [[item.title, f"{item.value:.4f}", item.note] for item in losses.items]
    print_table("What analysts lose", ["measure", "loss", "note"], rows, 0)


def show_answer(answer: QueryAnswer) -> None:
    """Print the answer to a SQL query: one line per group and value."""
    rows = [
        [*("" if key is None else str(key) for key in keys), name, *(_write_count(part) for part in _parts(count))]
        for keys, counts in answer.rows
        for name, count in zip(answer.values, counts, strict=True)
    ]
    heads = [*answer.keys, "", "estimate", "low (95 %)", "high (95 %)", "at least", "at most"]
    print_table("Estimated from completions of the release", heads, rows, 5)
    for note in answer.notes:
        typer.echo(note)


def _parts(count: Count) -> tuple[float | None, ...]:
    return count.estimate, count.low, count.high, count.at_least, count.at_most


def _write_count(number: float | None) -> str:
    if number is None or number != number:
        return "–"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:,.5g}"


def show_frame(title: str, frame: pl.DataFrame) -> None:
    """Print a small table of numbers."""
    rows = [[f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row] for row in frame.rows()]
    numbers = sum(dtype.is_numeric() for dtype in frame.dtypes)
    print_table(title, frame.columns, rows, numbers)


def show_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows of numbers unchanged."""
    heads = list(rows[0])
    print_table(title, heads, [[str(row[head]) for head in heads] for row in rows], len(heads))


def show_bars(title: str, rows: list[tuple[str, float]], width: int = 50) -> None:
    """Print numbers between 0 and 1 as bars, one per line."""
    typer.echo(title)
    for label, value in rows:
        typer.echo(f"{label:>6} {'█' * round(width * value):<{width}} {value:.4f}")


@contextlib.contextmanager
def progress_bar() -> Iterator[Any]:
    """Show a bar that counts on standard error if it is a terminal; otherwise show nothing. Its `note` writes a line
    above the bar."""
    if not sys.stderr.isatty():
        yield Bar(lambda done, of, what: None, lambda line: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=Console(stderr=True, markup=False, color_system=_choose_colours()), transient=True
    ) as bar:
        task = bar.add_task("start", total=None)
        yield Bar(
            lambda done, of, what: bar.update(task, description=what, completed=done, total=of, refresh=True),
            bar.console.print,
        )


class Bar:
    """Reports how much is done, and writes lines above the bar."""

    def __init__(self, update: Callable[[int, int | None, str], None], note: Callable[[str], None]) -> None:
        self._update, self.note = update, note

    def __call__(self, done: int, total: int | None, what: str) -> None:
        raise_if_interrupted()
        self._update(done, total, what)


@contextlib.contextmanager
def step_bar(*names: str) -> Iterator[Steps]:
    """Show a bar of named steps on standard error if it is a terminal; otherwise show nothing."""
    if not sys.stderr.isatty():
        yield Steps(lambda name, done: None, names)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True, color_system=_choose_colours()), transient=True) as progress:
        task = progress.add_task("start", total=len(names))
        yield Steps(lambda name, done: progress.update(task, description=name, completed=done, refresh=True), names)


class Steps:
    """Reports the current step and, for a table in parts, the number of finished parts."""

    def __init__(self, update: Callable[[str, float], None], names: tuple[str, ...]) -> None:
        self._update, self._names, self._current = update, names, names[0]

    def __call__(self, name: str) -> None:
        raise_if_interrupted()
        self._current = name
        self._update(name, self._names.index(name))

    def part(self, what: str, done: int, parts: int) -> None:
        """Report how many parts of the current step are done."""
        raise_if_interrupted()
        start = self._names.index(self._current)
        self._update(f"{self._current}: {what}, {done} of {parts} parts", start + done / max(parts, 1))

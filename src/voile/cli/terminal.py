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

    from voile.flow.compare.comparison import Comparison
    from voile.flow.compare.trial import AttackResult
    from voile.results import Audit, Losses, Verdict


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
    for note in found.notes:
        typer.echo(note)
    levels = [(item.title, level) for item in found.findings for level in item.belief.levels(10)]
    if levels:
        rows = [[title, f"{risk:.4f}", str(people)] for title, (risk, people) in levels]
        _show("At risk, the worst first", ["attack", "belief", "people"], rows, 2)


def show_losses(losses: Losses) -> None:
    rows = [[item.title, f"{item.value:.4f}", item.note] for item in losses.items]
    _show("What analysts lose", ["measure", "loss", "note"], rows, 0)


def show_comparison(found: Comparison) -> None:
    """The trials with a number each, then what every attack reaches in each of them, then the best."""
    several = len(found.promises) > 1
    rows = [
        [
            str(number),
            row.title,
            *([row.promise] if several else []),
            row.fault.message if row.fault else "kept" if row.kept else "BROKEN" if row.verified != "needs" else "open",
            "" if row.fault else f"{row.people} in {row.groups}",
            "" if row.fault else str(row.withheld),
            _number(row.loss(found.by)),
            f"{row.seconds:.1f}",
        ]
        for number, row in enumerate(found.rows, 1)
    ]
    heads = ["", "method", *(["promise"] if several else []), "promise kept", "people", "withheld", found.by, "seconds"]
    _show("Methods" if several else f"Methods for {found.promises[0]}", heads, rows, 4)
    numbered = list(enumerate(found.rows, 1))
    for block in (numbered[start : start + 8] for start in range(0, len(numbered), 8)):
        reached = [{item.title: item for item in row.reached} for _, row in block]
        titles = dict.fromkeys(title for own in reached for title in own)
        cells = [[title, *(_cell(own.get(title)) for own in reached)] for title in titles]
        if cells:
            heads = ["attack", *(str(number) for number, _ in block)]
            _show("Worst belief (* inside the promise, ! above the bound)", heads, cells, len(reached))
    for promise in found.promises:
        best = found.best_for(promise)
        # what can be reached is in the hints of the trials
        reach = [row.fault.hint for row in found.rows if row.promise == promise and row.fault and row.fault.hint]
        said = f"none. {reach[0] if reach else ''}".strip()
        if best:
            said = f"{best.title}, with a loss of {_number(best.loss(found.by))} by {found.by}."
        typer.echo(f"Keeps {promise} at the least loss: {said}")


def _cell(item: AttackResult | None) -> str:
    if item is None or item.worst is None:
        return "error" if item and item.fault else "–"
    return f"{item.worst:.3f}" + ("!" if not item.passed else "*" if item.inside else " ")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


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

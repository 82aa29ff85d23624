"""The output of the command line: tables and a progress bar on a terminal, or JSON."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from voile.errors import FIXED_BEFOREHAND, RECOGNISABLE

if TYPE_CHECKING:
    import polars as pl

    from voile.flow.compare.comparison import Comparison
    from voile.flow.compare.trial import AttackResult, Trial
    from voile.releases.counts.count_answer import Count
    from voile.releases.sql.pooled_answer import QueryAnswer
    from voile.results import Audit, Belief, Losses, Verdict
    from voile.tables.unit import Unit


def print_json(body: dict[str, Any]) -> None:
    """Print an answer as JSON on standard output."""
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
    console = Console(file=sys.stdout, markup=False, width=None if sys.stdout.isatty() else 120)
    console.print(table)


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


def show_comparison(comparison: Comparison) -> None:
    """Print the numbered trials, then the worst belief of every attack in each trial, then the best method."""
    several = len(comparison.promises) > 1
    rows = [
        [
            str(number),
            trial.title,
            *([trial.promise] if several else []),
            _describe_outcome(trial),
            "" if trial.fault else f"{trial.people} in {trial.groups}",
            "" if trial.fault else str(trial.withheld),
            _write_decimals(trial.loss(comparison.by)),
            *_describe_columns(trial, comparison.by),
            f"{trial.seconds:.1f}",
        ]
        for number, trial in enumerate(comparison.rows, 1)
    ]
    promise_head = ["promise"] if several else []
    heads = ["", "method", *promise_head, "promise kept", comparison.unit.noun, "withheld", comparison.by]
    heads += ["median column", "worst column", "seconds"]
    print_table("Methods" if several else f"Methods for {comparison.promises[0]}", heads, rows, 4)
    numbered = list(enumerate(comparison.rows, 1))
    for block in (numbered[start : start + 8] for start in range(0, len(numbered), 8)):
        by_title = [{item.title: item for item in trial.reached} for _, trial in block]
        titles = dict.fromkeys(title for own in by_title for title in own)
        cells = [[title, *(_write_belief(own.get(title)) for own in by_title)] for title in titles]
        if cells:
            heads = ["attack", *(str(number) for number, _ in block)]
            print_table("Worst belief (* inside the promise, ! above the bound)", heads, cells, len(by_title))
    for item in comparison.yardsticks:
        shown = f"{item.title} (epsilon {item.epsilon:g}, as stated): {_write_decimals(item.loss)} by marginals"
        typer.echo(f"Beside the methods, a synthetic table made elsewhere. {shown}.")
    for promise in comparison.promises:
        typer.echo(f"Keeps {promise} at the least loss: {_describe_best(comparison, promise)}")
    typer.echo(FIXED_BEFOREHAND)


def _describe_outcome(trial: Trial) -> str:
    if trial.fault:
        return trial.fault.message
    return "kept" if trial.kept else "BROKEN" if trial.verified != "needs" else "open"


def _describe_columns(trial: Trial, by: str) -> list[str]:
    """Write the loss of the median column, and of the worst one with its name; and which columns are lost."""
    median, worst, most = trial.column_losses(by)
    shown = f"{worst} {_write_decimals(most)}" if worst else ""
    return [_write_decimals(median), shown + (f" (lost: {', '.join(trial.lost)})" if trial.lost else "")]


def _describe_best(comparison: Comparison, promise: str) -> str:
    """Name the best method for a promise; if there is none, give the first hint about what can be reached."""
    best = comparison.best_for(promise)
    if best:
        loss = _write_decimals(best.loss(comparison.by))
        return f"{best.title}, with a loss of {loss} by {comparison.by}." + (
            f" {RECOGNISABLE}" if best.recognisable else ""
        )
    if comparison.only_lost(promise):
        return "none. Every release that keeps it has lost a column to 90 % or more; --allow-lost lets one win."
    hints = [trial.fault.hint for trial in comparison.rows if trial.promise == promise and trial.fault]
    return f"none. {next(filter(None, hints), '')}".strip()


def _write_belief(item: AttackResult | None) -> str:
    if item is None or item.worst is None:
        return "error" if item and item.fault else "–"
    return f"{item.worst:.3f}" + ("!" if not item.passed else "*" if item.inside else " ")


def _write_decimals(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


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
    """Show a bar that counts on standard error if it is a terminal; otherwise show nothing."""
    if not sys.stderr.isatty():
        yield lambda done, of, what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("start", total=None)
        yield lambda done, of, what: bar.update(task, description=what, completed=done, total=of, refresh=True)


@contextlib.contextmanager
def step_bar(*names: str) -> Iterator[Steps]:
    """Show a bar of named steps on standard error if it is a terminal; otherwise show nothing."""
    if not sys.stderr.isatty():
        yield Steps(lambda name, done: None, names)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("start", total=len(names))
        yield Steps(lambda name, done: progress.update(task, description=name, completed=done, refresh=True), names)


class Steps:
    """Reports the current step and, for a table in parts, the number of finished parts."""

    def __init__(self, update: Callable[[str, float], None], names: tuple[str, ...]) -> None:
        self._update, self._names, self._current = update, names, names[0]

    def __call__(self, name: str) -> None:
        self._current = name
        self._update(name, self._names.index(name))

    def part(self, what: str, done: int, parts: int) -> None:
        """Report how many parts of the current step are done."""
        start = self._names.index(self._current)
        self._update(f"{self._current}: {what}, {done} of {parts} parts", start + done / max(parts, 1))

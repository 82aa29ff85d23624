"""A comparison as text: the trials, what attacks reach and mean, the price of further steps, and the best method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from voile.cli.terminal import print_table
from voile.errors import FIXED_BEFOREHAND, RECOGNISABLE

if TYPE_CHECKING:
    from voile.flow.compare.comparison import Comparison
    from voile.flow.compare.trial import AttackResult, Trial


def show_comparison(comparison: Comparison) -> None:
    """Print the numbered trials, the worst belief of every attack in each, those inside the promise first and each with
    what it means, the price of further steps, and the best method."""
    several = len(comparison.promises) > 1
    rows = [
        [
            str(number),
            _describe_method(trial),
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
    _show_requested_losses(comparison)
    typer.echo("What attacks believe about the person most at risk: * inside the promise, ! above its bound.")
    for inside, title in ((True, "Inside the promise"), (False, "Outside it")):
        _show_attacks(comparison, inside, title)
    if comparison.prices:
        prices = [[price.step, f"{price.before:.3f}", f"{price.after:.3f}"] for price in comparison.prices]
        heads = ["step", "loss of a cell before", "after"]
        print_table("What a step costs, by the sizes of groups alone", heads, prices, 2)
    for item in comparison.yardsticks:
        shown = f"{item.title} (epsilon {item.epsilon:g}, as stated): {_write_decimals(item.loss)} by marginals"
        typer.echo(f"Beside the methods, a synthetic table made elsewhere. {shown}.")
    for promise in comparison.promises:
        typer.echo(f"Keeps {promise} at the least loss: {_describe_best(comparison, promise)}")
    typer.echo(FIXED_BEFOREHAND)


def _show_requested_losses(comparison: Comparison) -> None:
    """Print the losses of measures that are taken on request only, trial by trial."""
    from voile.plugins.registry import registered_classes

    on_request = {name for name, measure in registered_classes("measures").items() if getattr(measure, "on_request", 0)}
    rows = [
        [str(number), item.title, item.fault.message if item.fault else item.note, _write_decimals(item.value)]
        for number, trial in enumerate(comparison.rows, 1)
        for item in trial.losses
        if item.measure in on_request and item.measure != comparison.by
    ]
    if rows:
        print_table("Losses that were asked for", ["", "measure", "note", "loss"], rows, 1)


def _show_attacks(comparison: Comparison, inside: bool, title: str) -> None:
    """Print the attacks on one side of the promise, eight trials side by side, and below them what each means."""
    from voile.flow.compare.attack_meanings import explain_attacks

    meanings = [item for item in explain_attacks(comparison.rows) if item.inside is inside]
    numbered = list(enumerate(comparison.rows, 1))
    for block in (numbered[start : start + 8] for start in range(0, len(numbered), 8)):
        by_title = [{item.title: item for item in trial.reached} for _, trial in block]
        cells = [[item.title, *(_write_belief(own.get(item.title)) for own in by_title)] for item in meanings]
        if cells:
            print_table(title, ["attack", *(str(number) for number, _ in block)], cells, len(by_title))
    for item in meanings:
        typer.echo(f"{item.title}: {item.sentence}")


def _describe_method(trial: Trial) -> str:
    """Name the method, those that gave the same release, and whether people in it are recognisable."""
    same = f" (the same release: {', '.join(trial.also)})" if trial.also else ""
    return f"{trial.title}{same}" + (" – everyone in it is recognisable" if trial.recognisable else "")


def announce_trial(comparison: Comparison) -> str:
    """Say in a line what is known of the last trial: its loss first, and later whether it keeps the promise."""
    trial = comparison.rows[-1]
    loss = f", {comparison.by} {_write_decimals(trial.loss(comparison.by))}" if trial.fault is None else ""
    return f"{trial.title}: {_describe_outcome(trial)}{loss}"


def _describe_outcome(trial: Trial) -> str:
    if trial.fault:
        return trial.fault.message
    if not trial.complete:
        return "being attacked"
    return "kept" if trial.kept else "BROKEN" if trial.verified != "needs" else "open"


def _describe_columns(trial: Trial, by: str) -> list[str]:
    """Write the loss of the median column, and of the worst one with its name; which columns are lost, and in which of
    them `*` hides how many cells."""
    median, worst, most = trial.column_losses(by)
    shown = f"{worst} {_write_decimals(most)}" if worst else ""
    stars = ", ".join(f"{name} {100 * share:.0f} %" for name, share in trial.stars.items() if share >= 0.005)
    shown += f" (lost: {', '.join(trial.lost)})" if trial.lost else ""
    return [_write_decimals(median), shown + (f" (*: {stars})" if stars else "")]


def _describe_best(comparison: Comparison, promise: str) -> str:
    """Name the best method for a promise; if there is none, give the first hint about what can be reached."""
    best = comparison.best_for(promise)
    if best:
        words = f"{best.title}, with a loss of {_write_decimals(best.loss(comparison.by))} by {comparison.by}."
        if not best.recognisable:
            return words
        hiding = comparison.best_for(promise, hiding=True)
        other = (
            f"{hiding.title}, with a loss of {_write_decimals(hiding.loss(comparison.by))}"
            if hiding
            else "none of them"
        )
        return f"{words} {RECOGNISABLE} Least loss among those that hide who is who: {other}."
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

"""`voile guarantees`: the promises of perturbed generalization for chosen parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json, drop_unset, parse_numbers
from voile.cli.terminal import print_json, show_bars, show_rows


def guarantees(
    domain: Annotated[int, typer.Option(help="How many values the sensitive column may have.")],
    p: Annotated[str, typer.Option(metavar="a,b,c", help="Probabilities of keeping a value.")] = "0.3",
    k: Annotated[str, typer.Option(metavar="a,b,c", help="Smallest group sizes.")] = "6",
    skew: Annotated[
        float, typer.Option(help="The highest probability that an adversary gives any value beforehand.")
    ] = 0.1,
    rho1: Annotated[
        float, typer.Option(help="The highest probability that an adversary gives a set of values beforehand.")
    ] = 0.2,
    rho2: Annotated[float | None, typer.Option(help="A target: find the largest p that meets it.")] = None,
    growth: Annotated[float | None, typer.Option(help="A target: find the largest p that meets it.")] = None,
    out: Annotated[Path | None, typer.Option(help="Draw the trade-off to this file (.svg).")] = None,
    as_json: Json = False,
) -> None:
    """Show the promises that perturbed generalization would make, before anything is published."""
    from voile.flow.explore.privacy_budget import privacy_budget, round_up

    targets = drop_unset(rho2=rho2, growth=growth)
    probabilities, sizes = parse_numbers("p", p, float), parse_numbers("k", k, int)
    budget = privacy_budget(probabilities, sizes, domain=domain, skew=skew, rho1=rho1, **targets)
    plot = budget.save(out, "growth" if rho2 is None and growth is not None else "rho2") if out else None
    if as_json:
        print_json({**budget.as_json(), **drop_unset(plot=str(plot) if plot else None)})
        return
    title = f"Promises for {domain} values, skew {skew:g}, rho1 {rho1:g} (rounded up)"
    show_rows(
        title, [{name: _write_promise(name, value) for name, value in row.items()} for row in budget.table.to_dicts()]
    )
    if budget.largest.height:
        show_rows("The largest p that meets the targets", budget.largest.to_dicts())
    for size in sizes:
        rows = [(row["p"], row["rho2"]) for row in budget.curve.to_dicts() if row["k"] == size]
        show_bars(
            f"rho2 against p, k = {size}", [(f"{probability:g}", round_up(belief, 4)) for probability, belief in rows]
        )
    if plot:
        typer.echo(f"Plot: {plot}")


def _write_promise(name: str, value: float) -> str:
    """Write a promise with four decimals, never rounded down; write p and k as they are."""
    from voile.flow.explore.privacy_budget import round_up

    return f"{value:g}" if name in ("p", "k") else f"{round_up(value, 4):.4f}"

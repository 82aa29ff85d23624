"""Budget: the promises that perturbed generalization would make, before anything is published."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import PolicyError, SpecError, raise_together
from voile.flow.report.figures import Figure, draw_figure
from voile.io.text_files import write_texts
from voile.models.anti_corruption.privacy_arithmetic import Terms
from voile.releases.randomized_response import exact_fraction
from voile.result_tables import ResultTable

GRID = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True, eq=False, repr=False)
class Budget(ResultTable):
    """The trade-off between p, k and the promises. `table` has a row for each requested p and k, `curve` the whole
    range of p for each k, and `largest` the largest p for each k if there are targets. Promises are rounded up, p is
    rounded down."""

    table: pl.DataFrame
    curve: pl.DataFrame
    largest: pl.DataFrame
    given: dict[str, Any]

    def __repr__(self) -> str:
        return f"Budget({self.table.height} rows; {', '.join(f'{k}={v}' for k, v in self.given.items())})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return self.table.to_dicts()

    def as_json(self) -> dict[str, Any]:
        parts = {"guarantees": self.table, "trade_off": self.curve, "largest_p": self.largest}
        return {**self.given, **{name: frame.to_dicts() for name, frame in parts.items()}}

    def svg(self, what: str = "rho2") -> str:
        """Draw the trade-off: rho2 or growth against p, one line per k."""
        title = {"rho2": f"Belief after the release, from at most {self.given['rho1']}", "growth": "Rise of belief"}
        figure = Figure("p", what, "k", "p, the probability of keeping a value", f"certified {what}")
        return draw_figure(self.curve.with_columns(pl.col("k").cast(pl.String)), title[what], figure)

    def save(self, path: str | Path, what: str = "rho2") -> Path:
        """Write the drawing to an SVG file."""
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise SpecError(
                f"A plot is an SVG file; {path.name!r} is not.", code="spec.out", hint="Use a name that ends in .svg."
            )
        write_texts({path: self.svg(what)}, "plot")
        return path


def privacy_budget(
    p: float | Sequence[float] = 0.3,
    k: int | Sequence[int] = 6,
    *,
    domain: int,
    skew: float = 0.1,
    rho1: float = 0.2,
    rho2: float | None = None,
    growth: float | None = None,
) -> Budget:
    """Return the promises of perturbed generalization for some p and k, with `domain` sensitive values; for a target
    (`rho2` or `growth`) also the largest p. The columns are the paper's bounds, the tight bounds for the same
    adversary, and the bounds of a grouping that looks at the perturbed values.

    >>> privacy_budget(p=0.3, k=6, domain=50).table.row(0, named=True)["rho2"]
    0.450356
    """
    probabilities = [float(value) for value in ((p,) if isinstance(p, (int, float)) else p)]
    sizes = [int(value) for value in ((k,) if isinstance(k, (int, float)) else k)]
    _check_parameters(probabilities, sizes, domain, skew, rho1, rho2, growth)
    curve = [
        _compute_row(value, size, domain, skew, rho1) for size in sizes for value in sorted({*GRID, *probabilities})
    ]
    table = [row for row in curve if row["p"] in probabilities]
    largest = []
    if rho2 is not None or growth is not None:
        for size in sizes:
            targets = {"rho1": rho1 if rho2 is not None else None, "rho2": rho2, "growth": growth}
            plain = Terms(size, domain, exact_fraction(skew)).largest_p(**targets)
            tight = Terms(size, domain, exact_fraction(skew), tight=True).largest_p(**targets)
            aware = Terms(size, domain, exact_fraction(skew), blind=False).largest_p(**targets)
            largest.append({"k": size, "p": float(plain), "p_tight": float(tight), "p_value_aware": float(aware)})
    parameters = {"domain": domain, "skew": skew, "rho1": rho1, "rho2": rho2, "growth": growth}
    given = {name: value for name, value in parameters.items() if value is not None}
    return Budget(pl.DataFrame(table), pl.DataFrame(curve), pl.DataFrame(largest), given)


def _compute_row(p: float, k: int, domain: int, skew: float, rho1: float) -> dict[str, Any]:
    plain = Terms(k, domain, exact_fraction(skew))
    tight = Terms(k, domain, exact_fraction(skew), tight=True)
    aware = Terms(k, domain, exact_fraction(skew), blind=False)
    return {
        "p": p,
        "k": k,
        "h": round_up(plain.ownership(p)),
        "rho2": float(plain.belief(p, rho1)),
        "growth": float(plain.growth(p)),
        "rho2_tight": float(tight.belief(p, rho1)),
        "growth_tight": float(tight.growth(p)),
        "rho2_value_aware": float(aware.belief(p, rho1)),
        "growth_value_aware": float(aware.growth(p)),
    }


def round_up(value: Fraction | float, digits: int = 6) -> float:
    """Round a certified number up, never down.

    >>> round_up(0.36788, 2)
    0.37
    """
    return float(Fraction(math.ceil(exact_fraction(value) * 10**digits), 10**digits))


def _check_parameters(
    probabilities: Sequence[float],
    sizes: Sequence[int],
    domain: int,
    skew: float,
    rho1: float,
    rho2: float | None,
    growth: float | None,
) -> None:
    rules = [
        (any(not 0 <= value <= 1 for value in probabilities), "p must be a probability", "Choose p between 0 and 1."),
        (any(size < 1 for size in sizes), "k must be at least 1", "k is the least number of people in a group."),
        (domain < 2, f"domain = {domain} leaves nothing to hide a value among", "Give the number of sensitive values."),
        (not 0 <= rho1 < 1, "rho1 must be a probability below 1", "E.g. rho1 = 0.2."),
        (rho2 is not None and not rho1 < rho2 < 1, f"rho2 = {rho2} must lie between rho1 = {rho1} and 1", ""),
        (growth is not None and not 0 < growth < 1, f"growth = {growth} must lie between 0 and 1", ""),
        (
            domain >= 2 and not 1 <= exact_fraction(skew) * domain <= domain,
            f"skew = {skew:g} must lie between 1/{domain} and 1",
            "No belief gives every value less than an even share.",
        ),
    ]
    raise_together(
        PolicyError(f"{what}.", code="policy.parameter", hint=hint) for broken, what, hint in rules if broken
    )

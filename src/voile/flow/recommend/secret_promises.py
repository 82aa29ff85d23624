"""A promise for each secret column: the one that fits how its values are spread.

This step looks at the values: at how common the most frequent value of each column is.
"""

from __future__ import annotations

from dataclasses import dataclass

from voile.models.alpha_k import AlphaK
from voile.models.base import Model
from voile.models.l_diversity import LDiversity
from voile.models.nearby_promises import room_above
from voile.tables.microdata import Microdata

ROOM = 0.8  # of a bound that the most frequent value may fill, so that groups may differ from the whole table


@dataclass(frozen=True)
class SecretPromise:
    """What is promised about one secret column, and why; without a `model` nothing can be promised."""

    column: str
    share: float
    model: Model | None
    reason: str


def promise_secret(data: Microdata, column: str, odds: int, k: int) -> SecretPromise:
    """Choose a promise for a secret column: l-diversity with the wanted odds, with lower ones if a value is too
    frequent for that, else (alpha, k)-anonymity."""
    totals = data.rows.tally_values(data.columns)[column].totals
    share = int(totals.max(initial=0)) / max(data.rows.total, 1)
    rows = data.unit.rows
    most, several = f"The most frequent value of {column!r} covers {_percent(share)} of rows", ""
    if rows > 1:
        several = f", and a person may have {rows} of them"
    fitting = next((size for size in range(odds, 1, -1) if size * share * rows <= ROOM), None)
    if fitting is not None:
        lower = f", so 1/{odds} is out of reach without merging most groups" if fitting < odds else ""
        reason = f"{most}{several}{lower}: nobody is linked to a value with probability above 1/{fitting}."
        return SecretPromise(column, share, LDiversity(l=fitting, column=column), reason)
    alpha = room_above(share * rows)
    if alpha < 1:
        reason = f"{most}{several}, so no l is in reach: belief in a value stays at most {alpha:g} in every group."
        return SecretPromise(column, share, AlphaK(alpha=alpha, k=k, column=column), reason)
    advice = "Publish one row per person to promise something." if rows > 1 else "Everybody knows it anyway."
    return SecretPromise(column, share, None, f"{most}{several}: nothing can be promised about it. {advice}")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if 0.01 <= share <= 0.99 else f"{100 * share:.1f} %"

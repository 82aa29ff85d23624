"""Who decided on a release, when, and why: what a report says beside the numbers. Nothing of it is guessed."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voile.errors import SpecError, option


@dataclass(frozen=True)
class Decision:
    """Who decided (`by`), when (`on`, a date such as 2026-03-31), and the `reasons` for the choice. What is not given
    is left blank on the report, for a pen."""

    by: str = ""
    on: str = ""
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            if self.on:
                datetime.date.fromisoformat(self.on)
        except ValueError:
            raise SpecError(
                f"{self.on!r} is not a date.",
                code="spec.date",
                hint=f"Write it as year, month and day ({option('decided_on', '2026-03-31')}).",
            ) from None

    def as_json(self) -> dict[str, Any]:
        return {"by": self.by, "on": self.on, "reasons": list(self.reasons)}


UNDECIDED = Decision()


def read_decision(by: str | None, on: str | None, reasons: Sequence[str] | None) -> Decision:
    """Read a decision from flags or a form: blanks are nothing."""
    return Decision(
        (by or "").strip(), (on or "").strip(), tuple(text.strip() for text in reasons or () if text.strip())
    )

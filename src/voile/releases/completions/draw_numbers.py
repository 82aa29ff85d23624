"""How many completions are drawn."""

from __future__ import annotations

from voile.errors import SpecError

DRAWS = 20


def check_draws(m: int) -> None:
    """Raise SpecError unless there are at least two draws."""
    if isinstance(m, bool) or not isinstance(m, int) or m < 2:
        raise SpecError(
            f"At least 2 draws are needed, not {m}: what differs between draws tells how sure an answer is.",
            code="spec.draws",
            hint=f"Ask for {DRAWS}.",
        )

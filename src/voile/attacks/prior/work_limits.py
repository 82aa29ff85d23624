"""How much work learned statistics may make, and what is left out because of it."""

from __future__ import annotations

from math import comb

from voile.adversaries.adversary import join_phrases
from voile.adversaries.belief import Belief

WORK = 8_000_000  # people times column sets; beyond it fewer columns are combined
LEAST_STEPS = 300_000_000  # of walks through groups; what takes longer is left out
STEPS_PER_PERSON = 3_000  # which a larger table may take

# details of a belief
SETS = "column sets"
SETS_LEFT_OUT = "column sets left out"
WALKS = "column sets in single groups"
WALKS_LEFT_OUT = "column sets in single groups left out"


def count_sets(columns: int, max_columns: int) -> int:
    """Return how many sets there are of one to `max_columns` columns."""
    return sum(comb(columns, size) for size in range(1, max_columns + 1))


def limit_columns(people: int, columns: int, wanted: int | None) -> int:
    """Return how many columns are combined: as many as wanted (by default all), or as many as can be afforded."""
    limit = min(wanted or columns, columns)
    while limit > 1 and people * count_sets(columns, limit) > WORK:
        limit -= 1
    return limit


def limit_steps(people: int) -> int:
    """Return how many steps all walks through the groups of so many people may take."""
    return max(LEAST_STEPS, STEPS_PER_PERSON * people)


def describe_gaps(name: str, belief: Belief) -> str:
    """Say what an attack left out, by the details of its belief; empty if nothing."""
    details = belief.details
    sets, walks, gaps = details.get(SETS_LEFT_OUT, 0), details.get(WALKS_LEFT_OUT, 0), []
    if sets:
        gaps.append(f"{sets:,.0f} of {sets + details.get(SETS, 0):,.0f} column sets")
    if walks:
        rest = "others" if sets else "column sets"
        gaps.append(f"{walks / details[WALKS]:.1%} of the {rest} in single groups, those that take the most steps")
    if not gaps:
        return ""
    return (
        f"The attack {name} on {belief.column!r} leaves out {join_phrases(gaps)}. An adversary who weighs them too may "
        "believe more. Statistics that are named are weighed fully."
    )

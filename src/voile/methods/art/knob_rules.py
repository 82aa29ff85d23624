"""Which knobs of ART go together: a knob that would change nothing beside another one is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from voile.errors import PolicyError, SpecError, parameter
from voile.models.r_robustness import RRobustness

LOSS = 0.1  # the share of protected rows that blocks may withhold before greedy grouping is tried instead
CANDIDATES = "min_size"


class Knobs(Protocol):
    """The knobs that depend on each other."""

    @property
    def mode(self) -> str: ...
    @property
    def candidates(self) -> str: ...
    @property
    def grouping(self) -> str: ...
    @property
    def publish(self) -> str: ...
    @property
    def max_group(self) -> int | None: ...
    @property
    def leftover(self) -> str: ...
    @property
    def frequent(self) -> str: ...
    @property
    def loss(self) -> float: ...


def find_conflicts(art: Knobs, model: RRobustness) -> Iterator[SpecError]:
    """Yield an error for every knob that does not go with the others, or with the promise."""
    is_set = bool(model.protected_values) and model.protect_as == "set"
    if art.publish == "indicator" and not is_set:
        yield PolicyError(
            'art: publish = "indicator" shows whether a value is in the protected set, and there is no set.',
            code="policy.indicator",
            hint='Name the values and use protect_as = "set".',
        )
    if art.frequent == "unprotect" and is_set:
        yield _conflict(
            f"{parameter('frequent', 'unprotect')} stops protecting single values that are too frequent, and a set is "
            "protected as a whole",
            f"Use {parameter('frequent', 'suppress')}, or {parameter('protect_as', 'values')} in the promise.",
        )
    if art.leftover == "merge":
        yield from _find_merging_conflicts(art)
    elif art.leftover == "absorb" and art.grouping == "block":
        yield _conflict(
            f"{parameter('leftover', 'absorb')} adds rows to groups that were formed greedily around protected rows, "
            f"and {parameter('grouping', 'block')} forms no such groups",
            f"Use {parameter('grouping', 'greedy')}, or {parameter('leftover', 'merge')} with blocks.",
        )
    blocks = parameter("grouping", "block") if art.grouping == "block" else parameter("loss", art.loss)
    if art.grouping == "block" or (art.grouping == "auto" and art.loss >= 1):
        for name, default in (("candidates", CANDIDATES), ("max_group", None)):
            if getattr(art, name) != default:
                yield _conflict(
                    f"{parameter(name, getattr(art, name))} steers the greedy search, and with {blocks} there is none",
                    f"Leave it out, or use {parameter('grouping', 'greedy')}.",
                )
    if art.loss != LOSS and (art.grouping != "auto" or art.leftover != "suppress"):
        yield _conflict(
            f"{parameter('loss', art.loss)} says how many protected rows blocks may withhold before greedy grouping is "
            f"tried, so it goes with {parameter('grouping', 'auto')} and {parameter('leftover', 'suppress')}",
            "Leave it out, or leave the other two out.",
        )


def _find_merging_conflicts(art: Knobs) -> Iterator[SpecError]:
    """Uniting groups has groups and a test of its own."""
    fitting = {"grouping": ("block",), "mode": ("exact",), "frequent": ("error", "unprotect")}
    for name, values in fitting.items():
        if getattr(art, name) not in values:
            yield PolicyError(
                f'art: leftover = "merge" withholds nobody and unites groups of blocks until their exact beliefs '
                f"pass; {parameter(name, getattr(art, name))} asks for something else.",
                code="policy.art-merge",
                hint=f"Use {parameter(name, values[0])}, or choose another leftover.",
            )


def _conflict(reason: str, hint: str) -> PolicyError:
    return PolicyError(f"art: {reason}.", code="policy.art-knobs", hint=hint)

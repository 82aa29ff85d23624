"""The audiences of a release: who will read it, and what a careful colleague would promise the people in it."""

from __future__ import annotations

from dataclasses import dataclass

from voile.errors import SpecError
from voile.tables.schema import suggest_name


@dataclass(frozen=True)
class Audience:
    """Who reads a release. `k` is the size of the crowd that each person hides in, `odds` the l in "nobody is linked to
    a secret with probability above 1/l"; `reasons` say why these numbers, and `not_covered` what they leave open."""

    name: str
    title: str
    story: str
    k: int
    odds: int
    reasons: tuple[str, ...]
    not_covered: tuple[str, ...]


AUDIENCES = {
    audience.name: audience
    for audience in (
        Audience(
            "inside",
            "Inside the organisation",
            "Colleagues who are bound by the same rules as you, for work that needs no names.",
            3,
            2,
            (
                "Readers are few, known, and bound by your rules: groups of 3 keep anyone from being found by chance, "
                "at a small loss.",
            ),
            (
                "a colleague who can look people up in the original table",
                "the release leaving the organisation: promise more before it does",
            ),
        ),
        Audience(
            "partner",
            "A research partner under contract",
            "A few named people who signed that they will not look for anybody, and whom you can hold to it.",
            5,
            3,
            (
                "A contract forbids looking for people, and the table guards against someone who does it all the same: "
                "1 in 5 is the usual limit for data under contract.",
            ),
            (
                "a partner who links the release with a file of their own that has further columns about the same "
                "people",
                "the partner passing the release on: the contract must forbid it",
            ),
        ),
        Audience(
            "public",
            "The public",
            "Anyone, for ever, with whatever they know now or find out later.",
            10,
            5,
            (
                "Nobody can be held to anything, and a release cannot be called back: a person hides among at least "
                "10, and 20 where that costs little.",
            ),
            ("facts about people that become known later, in columns that count as secret or harmless today",),
        ),
    )
}


def find_audience(name: str) -> Audience:
    """Return an audience by name; SpecError, with the nearest name, if there is none."""
    if name not in AUDIENCES:
        raise SpecError(
            f"There is no audience {name!r}.", code="spec.audience", hint=suggest_name(name, list(AUDIENCES))
        )
    return AUDIENCES[name]

"""Adversaries by name. People cannot guess what an attacker knows; a preset tells a story and names its attacks.

Making a preset registers it, as defining a class registers a plug-in: a third party's module with one in it is enough.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voile.errors import PolicyError, SpecError

_presets: dict[str, Preset] = {}


@dataclass(frozen=True)
class Preset:
    """A named adversary: who it is, what they know and want, and the attacks that they run (in the command line's
    form, `corruption:corrupted=0.5`).

    >>> Preset.find("neighbour").title
    'a neighbour with the voter list'
    """

    name: str
    title: str
    story: str
    attacks: tuple[str, ...]

    def __post_init__(self) -> None:
        known = _presets.setdefault(self.name, self)
        if known != self:
            raise SpecError(
                f"Two adversaries are named {self.name!r}.", code="spec.plugin-name", hint="Rename one of them."
            )

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "title": self.title, "story": self.story, "attacks": list(self.attacks)}

    @staticmethod
    def find(name: str) -> Preset:
        """The preset of that name, or an error that proposes the nearest one."""
        known = presets()
        if name in known:
            return known[name]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "Known: " + ", ".join(known) + "."
        raise PolicyError(f"There is no adversary named {name!r}.", code="policy.unknown-adversary", hint=hint)


def presets() -> dict[str, Preset]:
    """All presets by name, in the order of their telling.

    >>> "insurer" in presets()
    True
    """
    return dict(_presets)


def understood(wanted: str | Preset | Sequence[str | Preset] | None) -> tuple[Preset, ...]:
    """What a user may write for adversaries: nothing, one, or several."""
    listed = [] if wanted is None else [wanted] if isinstance(wanted, (str, Preset)) else list(wanted)
    return tuple(one if isinstance(one, Preset) else Preset.find(one) for one in listed)


# The adversaries that voile knows by name, from the one who knows least. Attacks that need a register of the population
# take the one that is given, or the table itself: the worst register there can be.
Preset(
    "neighbour",
    "a neighbour with the voter list",
    "Lives next door and knows that you are in the table. Takes your age, sex and address from the voter list, "
    "looks for the rows that fit, and reads off what they have in common.",
    ("linking", "homogeneity"),
)
Preset(
    "friend",
    "a friend who can rule things out",
    "Knows you well enough to know what you do not have: two diagnoses, or an occupation, that cannot be yours. "
    "Strikes those, and sees what is left in your group.",
    ("homogeneity", "elimination:values=2", "exclusion"),
)
Preset(
    "employer",
    "an employer who knows one of your secrets",
    "Has one sensitive fact about you on file, such as your occupation or your salary, and looks for another, "
    "such as your diagnosis. Only a table with several sensitive columns has this to offer.",
    ("chain", "exclusion"),
)
Preset(
    "insurer",
    "an insurer with published health statistics",
    "Knows how common every disease is in the whole table and for people like you, by age, sex and district. "
    "Weighs the values of your group by those rates, and raises your premium if the answer is likely enough.",
    ("homogeneity", "skewness", "prior"),
)
Preset(
    "statistician",
    "a statistician who knows the algorithm",
    "Has read the papers. Knows which method made the release and with which parameters, has a register of the "
    "people in it, and asks why the method grouped them so and not more finely; or runs it again.",
    ("prior", "minimality", "replay"),
)
Preset(
    "colleague",
    "a colleague who knows half of the ward",
    "Works where the data come from and knows the true values of every second person in the table. Strikes them "
    "from your group: what is left is more likely yours.",
    ("homogeneity", "corruption:corrupted=0.5"),
)
Preset(
    "thief",
    "a thief with everybody’s file but yours",
    "Has the true value of everybody else in the table, from a leak. Where true values are published, yours is "
    "what is left over; only a release of disturbed values has an answer to this one.",
    ("corruption:corrupted=1",),
)

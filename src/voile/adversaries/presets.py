"""Presets: adversaries with a name and a story. Few people can guess what an attacker knows, so a preset tells a story
and names the attacks that go with it.

Creating a preset registers it, just as defining a class registers a plug-in: a third party's module that creates one is
enough.
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
    """A named adversary: who they are, what they know and want, and the attacks they run (in the short form of the
    command line, e.g. `corruption:corrupted=0.5`).

    >>> Preset.find("neighbour").title
    'a neighbour with the voter list'
    """

    name: str
    title: str
    story: str
    attacks: tuple[str, ...]

    def __post_init__(self) -> None:
        registered_preset = _presets.setdefault(self.name, self)
        if registered_preset != self:
            raise SpecError(
                f"Two adversaries are named {self.name!r}.", code="spec.plugin-name", hint="Rename one of them."
            )

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "title": self.title, "story": self.story, "attacks": list(self.attacks)}

    @staticmethod
    def find(name: str) -> Preset:
        """Return the preset of that name, or raise an error that proposes the nearest name."""
        presets_by_name = presets()
        if name in presets_by_name:
            return presets_by_name[name]
        close_names = difflib.get_close_matches(name, presets_by_name, n=1)
        hint = f"Did you mean {close_names[0]!r}?" if close_names else "Known: " + ", ".join(presets_by_name) + "."
        raise PolicyError(f"There is no adversary named {name!r}.", code="policy.unknown-adversary", hint=hint)


def presets() -> dict[str, Preset]:
    """Return all presets by name, in the order in which they were created.

    >>> "insurer" in presets()
    True
    """
    return dict(_presets)


def find_presets(selection: str | Preset | Sequence[str | Preset] | None) -> tuple[Preset, ...]:
    """Return the presets that a user asks for: none, one or several, by name or as objects."""
    names = [] if selection is None else [selection] if isinstance(selection, (str, Preset)) else list(selection)
    return tuple(name if isinstance(name, Preset) else Preset.find(name) for name in names)


# The adversaries that voile knows by name, beginning with the one who knows least. Attacks that need a register of the
# population take the one that the user gives, or the table itself, which is the worst register there can be.
Preset(
    "neighbour",
    "a neighbour with the voter list",
    "Lives next door and knows that you are in the table. Takes your age, sex and address from the voter list, "
    "finds the rows that match, and reads off what they have in common.",
    ("linking", "homogeneity"),
)
Preset(
    "receptionist",
    "a receptionist who knows how often you came",
    "Saw you at the desk four times, and knows what a chronic disease is: every visit has the same reason. Looks for "
    "the values that occur at least four times among the rows that fit you. Only a table in which people have several "
    "rows is open to this.",
    ("linking", "homogeneity", "agreeing-rows"),
)
Preset(
    "friend",
    "a friend who can rule things out",
    "Knows you well enough to know what you do not have: two diagnoses, or an occupation, that cannot be yours. "
    "Rules these out and sees what is left in your group.",
    ("homogeneity", "elimination:values=2", "exclusion"),
)
Preset(
    "employer",
    "an employer who knows one of your secrets",
    "Has one sensitive fact about you on file, such as your occupation or your salary, and looks for another, "
    "such as your diagnosis. Only a table with several sensitive columns is open to this.",
    ("chain", "exclusion"),
)
Preset(
    "insurer",
    "an insurer with published health statistics",
    "Knows how common every disease is in the whole table and among people like you, by age, sex and district. "
    "Weights the values of your group by those rates, and raises your premium if the answer is likely enough.",
    ("homogeneity", "skewness", "prior"),
)
Preset(
    "statistician",
    "a statistician who knows the algorithm",
    "Has read the papers. Knows which method made the release and with which parameters, has a register of the "
    "people in it, and asks why the method did not group them more finely; or runs the method again; or subtracts what "
    "the release shows from exact counts of the table.",
    ("prior", "minimality", "replay", "exact-counts"),
)
Preset(
    "archivist",
    "an archivist who keeps every release",
    "Has all releases of the table since the first one, and knows who was in it when. Subtracts groups from each "
    "other, and sees what is left for the people who came, went or moved to another group.",
    ("homogeneity", "subtraction"),
)
Preset(
    "colleague",
    "a colleague who knows half of the ward",
    "Works where the data come from and knows the true values of every second person in the table. Removes them "
    "from your group: what is left is more likely to be yours.",
    ("homogeneity", "corruption:corrupted=0.5"),
)
Preset(
    "thief",
    "a thief with everybody’s file but yours",
    "Has the true value of everybody else in the table, from a leak. If true values are published, the one left "
    "over is yours; only a release of perturbed values protects against this.",
    ("corruption:corrupted=1",),
)

"""Adversaries by name. People cannot guess what an attacker knows; a preset tells a story and names its attacks.

Making a preset registers it, as defining a class registers a plug-in: a third party's module with one in it is enough.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voile.core.attack import Attack
from voile.core.plugin import build, typed
from voile.errors import PolicyError, SpecError
from voile.io.spec import short

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

    def chosen(self) -> tuple[Attack, ...]:
        """Its attacks, made from their text."""
        return tuple(typed(Attack, build("attacks", *short(text))) for text in self.attacks)

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
    importlib.import_module("voile.adversaries")
    return dict(_presets)


def understood(wanted: str | Preset | Sequence[str | Preset] | None) -> tuple[Preset, ...]:
    """What a user may write for adversaries: nothing, one, or several."""
    listed = [] if wanted is None else [wanted] if isinstance(wanted, (str, Preset)) else list(wanted)
    return tuple(one if isinstance(one, Preset) else Preset.find(one) for one in listed)

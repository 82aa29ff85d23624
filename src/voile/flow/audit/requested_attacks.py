"""Which attacks to run: those that were listed, and those of the adversaries that were named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voile.adversaries.presets import Preset, find_presets
from voile.attacks.base import Attack
from voile.plugins.parameters import parse_short_form
from voile.plugins.registry import build_plugin, narrow_type, registered_classes
from voile.releases.release import Release
from voile.tables.microdata import Microdata


@dataclass(frozen=True)
class RequestedAttack:
    """An attack, and the presets that ask for it; none if it was requested by itself."""

    attack: Attack
    presets: tuple[str, ...] = ()

    def explain_silence(self, release: Release, register: Microdata | None) -> str:
        """Say why the attack, with what it has learned by now, cannot run on a release; empty if it can."""
        who, name = " and ".join(self.presets), self.attack.name
        subject = f"{who}: the attack {name}" if who else f"The attack {name}"
        if not self.attack.applies(release):
            return f"{subject} does not apply to a {release.shape} release like this one."
        if self.presets and self.attack.needs_external and register is None:
            return f"{subject} needs the original table, or a register of the population."
        return f"{subject} needs {lacking}." if (lacking := self.attack.lacks()) else ""


def request_attacks(
    attacks: Sequence[Attack] | None, adversary: str | Preset | Sequence[str | Preset] | None
) -> list[RequestedAttack]:
    """The attacks that are listed, then those of the presets; each of them once."""
    requested = [RequestedAttack(attack) for attack in attacks or ()]
    for preset in find_presets(adversary):
        for attack in build_attacks(preset):
            same = next((position for position, other in enumerate(requested) if other.attack == attack), None)
            if same is None:
                requested.append(RequestedAttack(attack, (preset.name,)))
            else:
                requested[same] = RequestedAttack(attack, (*requested[same].presets, preset.name))
    return requested


def build_attacks(preset: Preset) -> tuple[Attack, ...]:
    """Build the attacks that a preset names."""
    return tuple(narrow_type(Attack, build_plugin("attacks", *parse_short_form(text))) for text in preset.attacks)


def list_attacks() -> list[Attack]:
    """All registered attacks with their default knobs."""
    return [narrow_type(Attack, build_plugin("attacks", name, {})) for name in registered_classes("attacks")]

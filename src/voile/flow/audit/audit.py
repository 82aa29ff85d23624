"""Audit: attack the release, and compare what is believed with what was promised.

Attacks within a claim's adversary must pass. The others are shown all the same: that list is the honest half of a
report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from voile.adversaries.adversary import Adversary, Knowledge
from voile.adversaries.presets import Preset, understood
from voile.attacks.base import Attack, Guess, PiecewiseAttack, RawTable
from voile.errors import PolicyError, SchemaError, raise_together
from voile.plugins.parameters import parse_short_form
from voile.plugins.registry import build_plugin, narrow_type, registered_classes
from voile.releases.release import Release
from voile.releases.release_pieces import in_pieces, pieces_of
from voile.results import Audit, Belief, Finding
from voile.tables.microdata import Microdata


def audit(
    release: Release,
    data: Microdata | None = None,
    attacks: Sequence[Attack] | None = None,
    *,
    external: Microdata | None = None,
    adversary: str | Preset | Sequence[str | Preset] | None = None,
) -> Audit:
    """Run attacks on a release. With the data, the risk before publishing is computed too; `external` is a register of
    the population with the quasi-identifier columns, for the journalist. `adversary` names presets ("insurer"), whose
    attacks are run beside those that are listed.
    """
    if external is not None:
        listed = [column.name for column in external.columns.quasi]
        raise_together(
            SchemaError(
                f"The external table lacks the quasi-identifier column {entry['name']!r}.",
                code="schema.external",
                hint="Read it with the quasi-identifier columns of the release.",
            )
            for entry in release.described("quasi")
            if entry["name"] not in listed
        )
    asked, notes = Asked.of(attacks, adversary), []
    if not asked:
        asked = [Asked(attack) for attack in every_attack() if attack.applies(release)]
    raise_together(
        PolicyError(
            f"The attack {one.attack.name} says nothing about a {release.shape} release like this one.",
            code="policy.attack",
            hint="Leave it out, or run every attack that applies by naming none.",
        )
        for one in asked
        if not one.by and not one.attack.applies(release)
    )
    before = RawTable(data) if data is not None else None
    findings: list[Finding] = []
    for one in asked:
        register = external or (data if one.by and one.attack.needs_external else None)
        silent = one.silent(release, register)
        if silent:
            notes.append(silent)
            continue
        attack = one.attack.learn(data)
        earlier = attack.guesses(before, register) if before is not None else []
        found = attacked(release, attack, register, {guess.title: guess.belief for guess in earlier})
        findings += [replace(finding, by=one.by) for finding in found]
    if notes and not findings:
        raise PolicyError(
            f"Nothing that was asked for applies to this release. {' '.join(notes)}",
            code="policy.adversary",
            hint="Name another adversary, or run every attack that applies by naming none.",
        )
    return Audit(tuple(findings), tuple(notes))


@dataclass(frozen=True)
class Asked:
    """An attack, and the presets that ask for it; without any it was asked for by itself."""

    attack: Attack
    by: tuple[str, ...] = ()

    @staticmethod
    def of(attacks: Sequence[Attack] | None, adversary: str | Preset | Sequence[str | Preset] | None) -> list[Asked]:
        """The attacks that are listed, then those of the presets; each one once."""
        found = [Asked(attack) for attack in attacks or ()]
        for preset in understood(adversary):
            for attack in attacks_of(preset):
                same = next((number for number, one in enumerate(found) if one.attack == attack), None)
                if same is None:
                    found.append(Asked(attack, (preset.name,)))
                else:
                    found[same] = Asked(attack, (*found[same].by, preset.name))
        return found

    def silent(self, release: Release, register: Microdata | None) -> str:
        """Why the attack of a preset says nothing here; empty where it does."""
        who = " and ".join(self.by)
        if not self.attack.applies(release):
            return f"{who}: the attack {self.attack.name} says nothing about a {release.shape} release like this one."
        if self.by and self.attack.needs_external and register is None:
            return f"{who}: the attack {self.attack.name} needs the table, or a register of the population."
        return ""


def attacks_of(preset: Preset) -> tuple[Attack, ...]:
    """Build the attacks that a preset names."""
    return tuple(narrow_type(Attack, build_plugin("attacks", *parse_short_form(text))) for text in preset.attacks)


def attacked(
    release: Release, attack: Attack, external: Microdata | None, before: Mapping[str, Belief] | None = None
) -> list[Finding]:
    """One attack, which knows already what it may learn from the table, judged by the claims of the release."""
    findings = []
    for guess in _guesses(release, attack, external):
        bound, claim = _promised(release.certificate.claims, guess)
        known = (before or {}).get(guess.title)
        findings.append(Finding(attack.name, guess.title, guess.adversary, guess.belief, bound, claim, known))
    return findings


def _guesses(release: Release, attack: Attack, external: Microdata | None) -> list[Guess]:
    """Piece by piece where the release lies in parts and the attack allows it; else it is brought into memory."""
    if not in_pieces(release) or not isinstance(attack, PiecewiseAttack) or not attack.can_divide(release, external):
        return attack.guesses(release, external)
    # the table of people travels to the pieces
    external = replace(external, rows=external.rows.collect()) if external is not None else None
    return attack.guess_pieces(release, pieces_of(release).over(attack.name), external)


def every_attack() -> list[Attack]:
    """All registered attacks that need nothing but the release, with their default knobs."""
    found = [build_plugin("attacks", name, {}) for name in registered_classes("attacks")]
    return [attack for attack in found if isinstance(attack, Attack) and not attack.needs_external]


def _promised(claims: Sequence[Mapping[str, Any]], guess: Guess) -> tuple[Fraction | None, str]:
    """The strictest bound among the claims whose adversary knows all that this one knows."""
    best: Fraction | None = None
    name = ""
    for claim in claims:
        told = claim["adversary"]
        adversary = Adversary(
            str(told["name"]), frozenset(Knowledge[item.upper()] for item in told["knows"]), int(told["excludes"])
        )
        bound = Fraction(str(claim["bound"]))
        speaks = claim["limits"] == guess.belief.limits and claim["column"] in (None, guess.belief.column)
        if claim["basis"] == "prior" and guess.prior and claim["parameters"].get("prior") != guess.prior:
            continue
        # a bound of 1 promises nothing that an attack could break
        if speaks and guess.adversary.within(adversary) and bound < 1 and (best is None or bound < best):
            best, name = bound, str(claim["model"])
    return best, name

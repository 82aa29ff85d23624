"""Audit: attack the release, and compare what is believed with what was promised.

Attacks within a claim's adversary must pass. The others are shown all the same: that list is the honest half of a
report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from voile.core.adversary import Adversary, Knowledge
from voile.core.attack import Attack, Guess, RawTable
from voile.core.microdata import Microdata
from voile.core.plugin import build, registered
from voile.core.release import Release
from voile.core.results import Audit, Finding
from voile.errors import PolicyError, SchemaError, raise_together
from voile.flow.pieces import in_pieces, pieces_of


def audit(
    release: Release,
    data: Microdata | None = None,
    attacks: Sequence[Attack] | None = None,
    *,
    external: Microdata | None = None,
) -> Audit:
    """Run attacks on a release. With the data, the risk before publishing is computed too; `external` is a register of
    the population with the quasi-identifier columns, for the journalist.
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
    chosen = attacks if attacks is not None else [attack for attack in every_attack() if attack.applies(release)]
    raise_together(
        PolicyError(
            f"The attack {attack.name} says nothing about a {release.shape} release like this one.",
            code="policy.attack",
            hint="Leave it out, or run all that apply (no --attack).",
        )
        for attack in chosen
        if not attack.applies(release)
    )
    before = RawTable(data) if data is not None else None
    findings = []
    for attack in (attack.informed(data) for attack in chosen):
        guesses = _guesses(release, attack, external)
        earlier = attack.guesses(before, external) if before is not None else []
        known = {guess.title: guess.belief for guess in earlier}
        for guess in guesses:
            bound, claim = _promised(release.certificate.claims, guess)
            findings.append(
                Finding(attack.name, guess.title, guess.adversary, guess.belief, bound, claim, known.get(guess.title))
            )
    return Audit(tuple(findings))


def _guesses(release: Release, attack: Attack, external: Microdata | None) -> list[Guess]:
    """Piece by piece where the release lies in parts and the attack allows it; else it is brought into memory."""
    if not in_pieces(release) or not attack.divides(release, external):
        return attack.guesses(release, external)
    # the table of people travels to the pieces
    external = replace(external, rows=external.rows.gathered()) if external is not None else None
    return attack.piecewise(release, pieces_of(release).over(attack.name), external)


def every_attack() -> list[Attack]:
    """All registered attacks that need nothing but the release, with their default knobs."""
    found = [build("attacks", name, {}) for name in registered("attacks")]
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

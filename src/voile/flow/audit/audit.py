"""Audit: attack a release, and compare the beliefs with the promise.

Attacks by an adversary whom a claim covers must pass. The others are reported all the same: a real adversary is not
bound by the promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from voile.adversaries.adversary import Adversary, Knowledge, join_phrases
from voile.adversaries.ledger import Ledger
from voile.adversaries.presets import Preset
from voile.attacks.base import Attack, Guess, PiecewiseAttack, RawTable, UsesHistory
from voile.errors import PolicyError, SchemaError, raise_together
from voile.flow.audit.requested_attacks import RequestedAttack, list_attacks, request_attacks
from voile.flow.checking.load import load
from voile.flow.checking.people_check import require_people_of
from voile.plugins.number_text import parse_fraction
from voile.releases.projection import project_release
from voile.releases.release import Release
from voile.releases.release_pieces import lies_in_pieces, split_into_pieces
from voile.results import Audit, Belief, Finding
from voile.tables.microdata import Microdata


def audit(
    release: Release,
    data: Microdata | None = None,
    attacks: Sequence[Attack] | None = None,
    *,
    external: Microdata | None = None,
    adversary: str | Preset | Sequence[str | Preset] | None = None,
    after: Sequence[Release | str | Path] = (),
    ledger: Ledger | None = None,
) -> Audit:
    """Run attacks on a release; by default every registered one that applies and needs no register.

    With `data`, the original table, the risk before publishing is computed too. `external` is a register of people with
    the quasi-identifier columns. `adversary` names presets ("insurer"), whose attacks run beside those listed. `after`
    are earlier releases of the same people, oldest first, or their folders, and `ledger` is the publisher's record of
    who sat in which group.
    """
    sets = release.dictionary.get("quasi_sets", ())
    if len(sets) > 1:
        request = {"external": external, "adversary": adversary, "after": after, "ledger": ledger}
        return _join_audits([_audit_set(release, names, data, attacks, request) for names in sets])
    history = tuple(load(item) if isinstance(item, (str, Path)) else item for item in after)
    if ledger is not None:
        ledger.check_beginning([*(earlier.digest for earlier in history), release.digest])
    if data is not None:
        require_people_of(release, data)
    if external is not None:
        _check_register(release, external)
    requested = request_attacks(attacks, adversary) or [
        RequestedAttack(attack)
        for attack in list_attacks()
        if not attack.needs_external and attack.applies(release) and (history or not isinstance(attack, UsesHistory))
    ]
    requested = [replace(item, attack=_attach_history(item.attack, history, ledger)) for item in requested]
    _check_applicable(release, requested)
    before = RawTable(data) if data is not None else None
    findings: list[Finding] = []
    notes: list[str] = []
    gaps: list[str] = []
    for item in requested:
        register = external
        if register is None and data is not None and item.presets and item.attack.needs_external:
            register = data.with_all_rows()
        applicable = item.attack.applies(release)
        attack = item.attack.learn(data) if applicable else item.attack
        silence = replace(item, attack=attack).explain_silence(release, register)
        if silence:
            notes.append(silence)
            continue
        earlier = attack.guesses(before, register) if before is not None else []
        found = run_attack(release, attack, register, {guess.title: guess.belief for guess in earlier})
        findings += [replace(finding, by=item.presets) for finding in found]
        gaps += [attack.describe_gaps(finding.belief) for finding in found]
    if notes and not findings:
        raise PolicyError(
            f"None of the requested attacks applies to this release. {' '.join(notes)}",
            code="policy.adversary",
            hint="Name another adversary, or run every attack that applies by naming none.",
        )
    return Audit(tuple(findings), (*notes, *dict.fromkeys(filter(None, gaps))))


def _audit_set(
    release: Release,
    names: Sequence[str],
    data: Microdata | None,
    attacks: Sequence[Attack] | None,
    request: Mapping[str, Any],
) -> Audit:
    """Attack what whoever knows one set of the quasi-identifier columns sees; other sets are no part of the promise."""
    if data is not None:
        known = tuple(column for column in data.columns.quasi if column.name in names)
        data = replace(data, columns=replace(data.columns, quasi=known))
    result = audit(project_release(release, names), data, attacks, **request)
    knowing = f" (knowing {join_phrases(names)})"
    return replace(result, findings=tuple(replace(item, title=item.title + knowing) for item in result.findings))


def _join_audits(audits: Sequence[Audit]) -> Audit:
    notes = dict.fromkeys(note for one in audits for note in one.notes)
    return Audit(tuple(finding for one in audits for finding in one.findings), tuple(notes))


def _attach_history(attack: Attack, history: Sequence[Release], ledger: Ledger | None) -> Attack:
    return attack.attach_history(history, ledger) if isinstance(attack, UsesHistory) else attack


def _check_register(release: Release, external: Microdata) -> None:
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


def _check_applicable(release: Release, requested: Sequence[RequestedAttack]) -> None:
    """An attack that was listed by name must apply; an attack of a preset is skipped with a note."""
    raise_together(
        PolicyError(
            f"The attack {item.attack.name} does not apply to a {release.shape} release like this one.",
            code="policy.attack",
            hint="Leave it out, or run every attack that applies by naming none.",
        )
        for item in requested
        if not item.presets and not item.attack.applies(release)
    )


def run_attack(
    release: Release, attack: Attack, external: Microdata | None, before: Mapping[str, Belief] | None = None
) -> list[Finding]:
    """Run one attack, which has already learned from the table, and judge it by the claims of the release."""
    findings, limit = [], release.unit.rows
    for guess in _guess(release, attack, external):
        bound, claim = _strictest_claim(release.certificate.claims, guess)
        earlier, belief = (before or {}).get(guess.title), guess.belief
        if limit > 1 and belief.exact and not attack.knows_people:
            belief = belief.count_rows(limit)
        findings.append(Finding(attack.name, guess.title, guess.adversary, belief, bound, claim, earlier))
    return findings


def _guess(release: Release, attack: Attack, external: Microdata | None) -> list[Guess]:
    """Attack piece by piece if the release lies in pieces and the attack allows it; else bring it into memory."""
    if not (lies_in_pieces(release) and isinstance(attack, PiecewiseAttack) and attack.can_divide(release, external)):
        return attack.guesses(release, external)
    # the table of people travels to the pieces
    external = external.with_rows(external.rows.collect()) if external is not None else None
    return attack.guess_pieces(release, split_into_pieces(release).mapper(attack.name), external)


def _strictest_claim(claims: Sequence[Mapping[str, Any]], guess: Guess) -> tuple[Fraction | None, str]:
    """The smallest bound among the claims whose adversary knows at least as much as this one, and its model."""
    best: Fraction | None = None
    name = ""
    for claim in claims:
        stated = claim["adversary"]
        adversary = Adversary(
            str(stated["name"]), frozenset(Knowledge[item.upper()] for item in stated["knows"]), int(stated["excludes"])
        )
        bound = parse_fraction(str(claim["bound"]))
        covers = claim["limits"] == guess.belief.limits and claim["column"] in (None, guess.belief.column)
        if claim["basis"] == "prior" and guess.prior and claim["parameters"].get("prior") != guess.prior:
            continue
        # a bound of 1 promises nothing that an attack could break
        if covers and guess.adversary.within(adversary) and bound < 1 and (best is None or bound < best):
            best, name = bound, str(claim["model"])
    return best, name

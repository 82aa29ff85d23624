"""Check a release: recount everything that its certificate claims, with nothing but what is published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from voile.adversaries.prior import Prior
from voile.errors import BrokenPromise, PolicyError, SpecError, VoileError
from voile.flow.checking.claimed_model import claimed_model
from voile.flow.checking.piece_checks import PieceVerdict, combine_verdicts, judge_pieces
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.models.kinds import SizeModel
from voile.models.policy import make_claim
from voile.releases.certificate import Certificate
from voile.releases.release import Release
from voile.releases.release_pieces import in_pieces, with_totals
from voile.results import Answer, Checked, Verdict
from voile.tables.group_counts import Counts, sizes_only

OTHERWISE = "What it says was found is not what is found."


def check_release(release: Release, evidence: Evidence) -> Verdict:
    """The tables and every claim; piece by piece where the release lies in parts and the evidence allows it."""
    if not in_pieces(release) or evidence.earlier or evidence.data is not None:
        tables = _check_tables(release)
        people, groups = (0, 0) if tables.answer is Answer.BROKEN else (release.people, release.groups)
        return Verdict((tables, *_check_claims(release, evidence)), people=people, groups=groups)
    try:
        pieces = judge_pieces(release, evidence, judge_piece)
    except BrokenPromise as error:
        return Verdict((Checked("tables", Answer.BROKEN, str(error)),))
    faults = list(dict.fromkeys(fault for piece in pieces for fault in piece.faults))
    people, groups = (sum(getattr(piece, what) for piece in pieces) for what in ("people", "groups"))
    if faults or not people:
        return Verdict((Checked("tables", Answer.BROKEN, " ".join(faults or ["The release has no rows."])),))
    checks, found = combine_verdicts(pieces)
    if not checks:
        checks = [Checked("claims", Answer.BROKEN, "Nothing is claimed.")]
    for number, (stated, told) in enumerate(zip(release.certificate.claims, found, strict=True)):
        if checks[number].answer is Answer.HOLDS and stated.get("found", {}) != told:
            checks[number] = Checked(checks[number].what, Answer.BROKEN, OTHERWISE)
    first = Checked("tables", Answer.HOLDS, f"{people} people in {groups} groups.")
    return Verdict((first, *checks), people=people, groups=groups)


def judge_piece(piece: Release, values: Mapping[str, pl.DataFrame], evidence: Evidence) -> PieceVerdict:
    """What a piece of a release says of every claim, and what is found in it."""
    try:
        faults, tallies, sizes = piece.faults(), with_totals(piece, values), piece.sizes
    except (VoileError, KeyError) as error:
        return PieceVerdict(1, 0, (str(error),), (), ())
    checks, found = [], []
    for stated in piece.certificate.claims:
        done, told = check_claim(piece, stated, tallies, sizes, evidence)
        checks.append(done)
        found.append(told)
    return PieceVerdict(piece.people, len(sizes), faults, checks, found)


def _check_tables(release: Release) -> Checked:
    """The tables must be readable and agree with each other, whatever is claimed."""
    try:
        faults = release.faults()
        if release.people == 0:
            faults.append("The release has no rows.")
        groups = release.groups
    except (VoileError, KeyError) as error:
        return Checked("tables", Answer.BROKEN, str(error))
    if faults:
        return Checked("tables", Answer.BROKEN, " ".join(faults))
    return Checked("tables", Answer.HOLDS, f"{release.people} people in {groups} groups.")


def _check_claims(release: Release, evidence: Evidence) -> list[Checked]:
    claims = release.certificate.claims
    if not claims:
        return [Checked("claims", Answer.BROKEN, "Nothing is claimed.")]
    try:
        tallies, sizes = release.tallies, release.sizes
    except (VoileError, KeyError) as error:
        return [Checked("claims", Answer.BROKEN, str(error))]
    checks = []
    for stated in claims:
        done, found = check_claim(release, stated, tallies, sizes, evidence)
        if done.answer is Answer.HOLDS and stated.get("found", {}) != found:
            done = Checked(done.what, Answer.BROKEN, OTHERWISE)
        checks.append(done)
    return checks


def check_claim(
    release: Release, stated: Mapping[str, Any], tallies: Mapping[str, Counts], sizes: np.ndarray, evidence: Evidence
) -> tuple[Checked, dict[str, Any]]:
    """One claim: it must be well formed, follow from its own model, and hold in the tables; and what is found there."""
    try:
        model, column = claimed_model(stated), stated["column"]
        what = _title(model, column)
    except PolicyError as error:
        hint = (
            "If a plug-in defines this model, load the plug-in first." if error.code == "policy.unknown-model" else ""
        )
        return Checked(f"claim {stated.get('model')!r}", Answer.BROKEN, f"{error.message} {hint}".strip()), {}
    except (KeyError, TypeError, ValueError, SpecError):
        return Checked("claim", Answer.BROKEN, "It cannot be read."), {}
    if release.shape not in model.shapes:
        return Checked(what, Answer.BROKEN, f"It has no meaning for a {release.shape} release."), {}
    only_sizes = isinstance(model, SizeModel)
    if not only_sizes and column not in tallies:
        return Checked(what, Answer.BROKEN, "It speaks of a column that is not published as sensitive."), {}
    counts = sizes_only(sizes) if only_sizes else tallies[str(column)]
    try:
        model.check(counts.column)
        quasi = [str(entry["name"]) for entry in release.described("quasi")]
        expected = make_claim(model, counts.column, quasi).as_json()
    except SpecError as error:
        return Checked(what, Answer.BROKEN, str(error)), {}
    different = [part for part in expected if part != "parameters" and expected[part] != stated.get(part)]
    if different:
        return Checked(what, Answer.BROKEN, f"Its {', '.join(different)} does not follow from the model."), {}
    try:
        result = model.verify(release, counts, evidence)
        if result.answer is Answer.NEEDS and model.basis == "process" and evidence.republish is not None:
            return Checked(what, *check_by_republishing(release, evidence.republish)), {}
        return Checked(what, result.answer, result.detail), dict(result.found) if result.answer is Answer.HOLDS else {}
    except (VoileError, KeyError) as error:
        return Checked(what, Answer.BROKEN, str(error)), {}


def check_by_republishing(release: Release, republish: Callable[[Certificate], Release]) -> tuple[Answer, str]:
    """Coins cannot be seen in a release; whoever has table and key draws them again and compares."""
    again = republish(release.certificate)
    tables = {name: table.cast(pl.String) for name, table in again.tables.items()}
    same = tables.keys() == release.tables.keys() and all(
        tables[name].equals(table.cast(pl.String)) for name, table in release.tables.items()
    )
    if same:
        return Answer.HOLDS, "Published again with the same table and key: the same release."
    return Answer.BROKEN, "Published again with this table and key, it is another release."


def with_findings(release: Release, *, prior: Sequence[Prior]) -> Release:
    """The release, its claims stating what was found where their model finds something beyond the bound."""
    if not prior:
        return release
    evidence, claims = Evidence(tuple(prior)), []
    if in_pieces(release):
        _, told = combine_verdicts(judge_pieces(release, evidence, judge_piece))
        stated_now = zip(release.certificate.claims, told, strict=True)
        claims = [{**stated, "found": found} if found else stated for stated, found in stated_now]
        return release.certified(replace(release.certificate, claims=tuple(claims)))
    for stated in release.certificate.claims:
        model = claimed_model(stated)
        if not isinstance(model, SizeModel):
            result = model.verify(release, release.tallies[str(stated["column"])], evidence)
            stated = {**stated, "found": dict(result.found)} if result.found else stated
        claims.append(stated)
    return release.certified(replace(release.certificate, claims=tuple(claims)))


def _title(model: Model, column: object) -> str:
    knobs = ", ".join(
        f"{key}={_shown(value)}" for key, value in model.parameters().items() if value not in (None, [], "")
    )
    return f"{model.name} ({knobs})" + (f" of {column!r}" if column else "")


def _shown(value: object) -> object:
    """A knob as a reader wants it: a model within a model by its name, a digest by its first letters."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key}={_shown(item)}" for key, item in value.items() if key != "name" and item is not None)
        return f"{value.get('name')} ({inner})"
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return value[:15] if isinstance(value, str) and value.startswith("sha256:") else value

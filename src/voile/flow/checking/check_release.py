"""Check a release: recount everything that its certificate claims, with nothing but what is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from voile.adversaries.adversary import join_phrases
from voile.adversaries.prior import Prior
from voile.errors import BrokenPromise, VoileError
from voile.flow.checking.claim_check import ClaimCheck
from voile.flow.checking.mean_check import check_means, note_means
from voile.flow.checking.method_check import check_method
from voile.flow.checking.people_check import check_people
from voile.flow.checking.piece_checks import check_claims, check_pieces, combine_pieces
from voile.flow.checking.tail_check import count_tails, find_thin_tails
from voile.models.evidence import Evidence
from voile.plugins.counted_nouns import count_noun
from voile.releases.certificate import PREPARATIONS
from voile.releases.partitioned_tables import PartitionedTables
from voile.releases.release import Release
from voile.releases.release_pieces import lies_in_pieces
from voile.releases.strict_reading.dictionary_faults import dictionary_faults
from voile.releases.strict_reading.distinct_cells import DistinctCells
from voile.releases.strict_reading.shown_values import collect_shown, find_unshown, merge_shown
from voile.releases.strict_reading.table_faults import find_table_faults
from voile.results import Answer, Checked, Verdict


def check_release(release: Release, evidence: Evidence) -> Verdict:
    """Check the tables and every claim; with the table, also how many rows a person has, and group means."""
    faults = list(dictionary_faults(dict(release.dictionary), release.dictionary_keys))
    if faults:
        return Verdict((Checked("dictionary.json", Answer.BROKEN, f"{'; '.join(faults)}."),))
    unit = release.unit
    if isinstance(release.tables, PartitionedTables) and not len(release.tables.parts):
        return Verdict((Checked("tables", Answer.BROKEN, "The release has no rows."),))
    method = check_method(release)
    if method is not None:
        return Verdict((method,))
    whole = evidence.earlier or evidence.data is not None or "quasi_sets" in release.dictionary
    in_pieces = lies_in_pieces(release) and not whole
    verdict = _check_in_pieces(release, evidence) if in_pieces else _check_whole(release, evidence)
    if not verdict.broken:
        means = check_means(release, evidence)
        found = [check for check in (check_people(release, evidence), means) if check is not None]
        verdict = replace(verdict, checks=(*verdict.checks, *found), notes=tuple(note_means(release, means)))
    prepared = [PREPARATIONS[step] for step in release.certificate.prepared]
    return replace(verdict, notes=(unit.describe(), *_list_gaps(release), *prepared, *verdict.notes), unit=unit)


def _list_gaps(release: Release) -> list[str]:
    """Say in one line each who is not covered, and by which claims if other claims cover them."""
    claims = release.certificate.claims
    gaps: dict[str, list[str]] = {}
    for claim in claims:
        for adversary in claim["not_covered"] if isinstance(claim.get("not_covered"), list) else ():
            gaps.setdefault(str(adversary), []).append(str(claim.get("model")))
    return [
        f"Not covered{'' if len(models) == len(claims) else f' by {join_phrases(dict.fromkeys(models))}'}: {adversary}."
        for adversary, models in gaps.items()
    ]


def _check_in_pieces(release: Release, evidence: Evidence) -> Verdict:
    """Check a release that lies in parts piece by piece."""
    assert isinstance(release.tables, PartitionedTables)
    misfits = find_table_faults(release, DistinctCells(release.tables.empty))
    if misfits:
        return Verdict((_report_misfits(misfits),))
    try:
        pieces = check_pieces(release, evidence)
    except BrokenPromise as error:
        return Verdict((Checked("tables", Answer.BROKEN, str(error)),))
    faults = list(dict.fromkeys(fault for piece in pieces for fault in piece.faults))
    if not faults:
        names = [str(entry["name"]) for entry in release.dictionary["columns"]]
        shown = {name: merge_shown([piece.shown[name] for piece in pieces if piece.shown]) for name in names}
        unshown = find_unshown(release, shown)
        if unshown:
            return Verdict((_report_misfits(unshown),))
        faults = find_thin_tails(release, [piece.tails for piece in pieces])
    people, groups = sum(piece.people for piece in pieces), sum(piece.groups for piece in pieces)
    tables = _check_tables(release, faults, people, groups)
    if tables.answer is Answer.BROKEN:
        return Verdict((tables,))
    return Verdict((tables, *_compare_findings(release, combine_pieces(pieces))), people=people, groups=groups)


def _check_whole(release: Release, evidence: Evidence) -> Verdict:
    people, groups = 0, 0
    cells = DistinctCells(release.tables)
    misfits = find_table_faults(release, cells) or find_unshown(release, collect_shown(release, cells))
    if misfits:
        return Verdict((_report_misfits(misfits),))
    try:
        faults = list(release.faults()) or find_thin_tails(release, [count_tails(release)])
        tables = _check_tables(release, faults, release.people, release.groups)
        if tables.answer is Answer.HOLDS:
            people, groups = release.people, release.groups
    except (VoileError, KeyError) as error:
        tables = Checked("tables", Answer.BROKEN, str(error))
    try:
        claims = _compare_findings(release, check_claims(release, release.tallies, evidence))
    except (VoileError, KeyError) as error:
        claims = [Checked("claims", Answer.BROKEN, str(error))]
    return Verdict((tables, *claims), people=people, groups=groups)


def _report_misfits(faults: Sequence[str]) -> Checked:
    detail = f"The tables do not fit their dictionary: {', '.join(faults)}."
    return Checked("tables", Answer.BROKEN, detail)


def _check_tables(release: Release, faults: Sequence[str], rows: int, groups: int) -> Checked:
    """The tables must be readable and agree with each other, whatever is claimed."""
    faults = faults if rows else [*faults, "The release has no rows."]
    if faults:
        return Checked("tables", Answer.BROKEN, " ".join(faults))
    left = f", {release.absent} of them of people who have left" if release.absent else ""
    if release.absent > rows:
        return Checked(
            "tables", Answer.BROKEN, "The dictionary counts more rows of people who have left than there are."
        )
    return Checked("tables", Answer.HOLDS, f"{release.unit.count(rows)} in {count_noun(groups, 'group')}{left}.")


def _compare_findings(release: Release, checks: Sequence[ClaimCheck]) -> list[Checked]:
    """A claim that holds must also state exactly what its model finds."""
    if not checks:
        return [Checked("claims", Answer.BROKEN, "The certificate claims nothing.")]
    compared = []
    for claim, answer in zip(release.certificate.claims, checks, strict=True):
        same = answer.check.answer is not Answer.HOLDS or claim.get("found", {}) == answer.findings
        wrong = Checked(answer.check.what, Answer.BROKEN, "What it states as found is not what is found.")
        compared.append(answer.check if same else wrong)
    return compared


def state_findings(release: Release, priors: Sequence[Prior]) -> Release:
    """Write into the claims what their models find beyond the bound; only models that rest on a prior find anything."""
    if not priors:
        return release
    evidence = Evidence(tuple(priors))
    if lies_in_pieces(release):
        checks = combine_pieces(check_pieces(release, evidence))
    else:
        checks = check_claims(release, release.tallies, evidence)
    claims = [
        {**claim, "found": dict(answer.findings)} if answer.findings else claim
        for claim, answer in zip(release.certificate.claims, checks, strict=True)
    ]
    return release.with_certificate(replace(release.certificate, claims=tuple(claims)))

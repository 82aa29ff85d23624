"""Check the claims of a release piece by piece, where it lies in parts, and combine the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from voile.adversaries.adversary import join_phrases
from voile.errors import VoileError
from voile.flow.checking.claim_check import ClaimCheck, check_claim
from voile.flow.checking.method_check import claims_cover_algorithm
from voile.flow.checking.tail_check import Ends, count_tails
from voile.models.evidence import Evidence
from voile.plugins.counted_nouns import count_noun
from voile.releases.projection import project_release
from voile.releases.release import Release
from voile.releases.release_pieces import ValueTotals, add_totals, split_and_check
from voile.releases.strict_reading.distinct_cells import DistinctCells
from voile.releases.strict_reading.shown_values import ShownValues, collect_shown
from voile.releases.strict_reading.table_faults import find_table_faults
from voile.results import Answer, Checked
from voile.tables.group_counts import Counts


@dataclass(frozen=True, eq=False)
class PieceChecks:
    """How many people and groups a piece has, what is wrong with its tables, what checking each claim gave, and what
    its cells show; and who is at the ends of columns with bounded tails."""

    people: int
    groups: int
    faults: Sequence[str]
    claims: Sequence[ClaimCheck] = ()
    shown: Mapping[str, ShownValues] = field(default_factory=dict)
    tails: Mapping[str, Ends] = field(default_factory=dict)


def check_claims(release: Release, tallies: Mapping[str, Counts], evidence: Evidence) -> list[ClaimCheck]:
    """Check every claim of a release, or of a piece of one, on its counts; a claim about one of several sets of
    quasi-identifiers on the groups that this set alone forms."""
    covers = claims_cover_algorithm(release.certificate)
    claims = release.certificate.claims
    if "quasi_sets" in release.dictionary:
        seen = {tuple(names): project_release(release, names) for names in release.dictionary["quasi_sets"]}
        return [_check_set_claim(seen, claim, evidence, covers) for claim in claims]
    return [check_claim(release, claim, tallies, release.sizes, evidence, covers) for claim in claims]


def _check_set_claim(
    projections: Mapping[tuple[str, ...], Release], claim: Mapping[str, Any], evidence: Evidence, covers: bool
) -> ClaimCheck:
    names = claim.get("quasi")
    projected = projections.get(tuple(names)) if isinstance(names, list) and all(map(_is_text, names)) else None
    if projected is None:
        return ClaimCheck(Checked("claim", Answer.BROKEN, "It is about columns that are none of the sets."))
    others = [len(other.certificate.claims) for other in projections.values()]
    answer = check_claim(projected, claim, projected.tallies, projected.sizes, evidence, covers)
    title = f"{answer.check.what} against whoever knows {join_phrases(projected.column_names('quasi'))}"
    if len(set(others)) > 1:
        return ClaimCheck(Checked(title, Answer.BROKEN, "Not every set has the same claims."))
    return replace(answer, check=replace(answer.check, what=title))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def check_pieces(release: Release, evidence: Evidence) -> list[PieceChecks]:
    """Check every piece of a release."""
    # a claim about sizes is checked at once; one about values must first know how often they occur in all pieces
    only_sizes = not any(claim.get("column") for claim in release.certificate.claims)
    at_once: tuple[Any, ...] = ()
    if only_sizes:
        at_once = (release.shape, release.dictionary, release.certificate, check_piece, ({}, evidence))
    pieces, answers = split_and_check(release, at_once)
    return answers if answers is not None else pieces.map("check", check_piece, pieces.values, evidence)


def check_piece(piece: Release, values: ValueTotals, evidence: Evidence) -> PieceChecks:
    """Check one piece, which is a release of its own; `values` are the totals of the whole release."""
    cells = DistinctCells(piece.tables)
    misfits = find_table_faults(piece, cells)
    if misfits:
        return PieceChecks(1, 0, [f"The tables do not fit their dictionary: {', '.join(misfits)}."])
    try:
        faults, tallies, groups = piece.faults(), add_totals(piece, values), len(piece.sizes)
    except (VoileError, KeyError) as error:
        return PieceChecks(1, 0, (str(error),))
    shown = collect_shown(piece, cells)
    claims = check_claims(piece, tallies, evidence)
    return PieceChecks(piece.people, groups, faults, claims, shown, count_tails(piece))


def combine_pieces(pieces: Sequence[PieceChecks]) -> list[ClaimCheck]:
    """Give one answer per claim: broken if it is broken in one piece. What was found is the worst of all pieces."""
    filled = [piece for piece in pieces if piece.groups or piece.faults]
    if len(filled) <= 1:
        return list(filled[0].claims) if filled else []
    groups = sum(piece.groups for piece in filled)
    return [_combine(answers, groups) for answers in zip(*(piece.claims for piece in filled), strict=True)]


def _combine(answers: Sequence[ClaimCheck], groups: int) -> ClaimCheck:
    checks = [answer.check for answer in answers]
    broken = [check for check in checks if check.answer is Answer.BROKEN]
    open_ones = [check for check in checks if check.answer is Answer.NEEDS]
    if broken:
        combined = replace(
            broken[0], detail=f"{broken[0].detail} (In {len(broken)} of {count_noun(len(checks), 'piece')}.)"
        )
    elif open_ones:
        combined = open_ones[0]
    else:
        detail = f"Recounted in {count_noun(groups, 'group')}, in {count_noun(len(checks), 'piece')}."
        counted = {name: sum(check.counted[name] for check in checks) for name in checks[0].counted}
        combined = Checked(checks[0].what, Answer.HOLDS, detail, counted)
    names = {name for answer in answers for name in answer.findings}
    worst = {name: max(one.findings[name] for one in answers if name in one.findings) for name in names}
    return ClaimCheck(combined, worst)

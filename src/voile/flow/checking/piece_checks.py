"""Check a release that lies in parts piece by piece, and combine what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from voile.models.evidence import Evidence
from voile.releases.release import Release
from voile.releases.release_pieces import Values, mark_pieces
from voile.results import Answer, Checked


@dataclass(frozen=True, eq=False)
class PieceVerdict:
    """What was found in a piece."""

    people: int
    groups: int
    faults: Sequence[str]
    checks: Sequence[Checked]
    found: Sequence[Mapping[str, Any]]


Judge = Callable[[Release, Values, Evidence], PieceVerdict]


def judge_pieces(release: Release, evidence: Evidence, judge: Judge) -> list[PieceVerdict]:
    """What `judge` says of every piece of a release."""
    # sizes can be judged at once; what looks at values must know first how often they occur in all
    sizes_only = not any(stated.get("column") for stated in release.certificate.claims)
    at_once: tuple[Any, ...] = ()
    if sizes_only:
        at_once = (release.shape, release.dictionary, release.certificate, judge, ({}, evidence))
    pieces, told = mark_pieces(release, at_once)
    return told if told is not None else pieces.map("check", judge, pieces.values, evidence)


def combine_verdicts(pieces: Sequence[PieceVerdict]) -> tuple[list[Checked], list[dict[str, Any]]]:
    """One answer a claim: broken where one piece is, and what was found is the worst of all."""
    some = [piece for piece in pieces if piece.groups or piece.faults]
    if not some:
        return [], []
    groups = sum(piece.groups for piece in some)
    checks, found = [], []
    for number, first in enumerate(some[0].checks):
        every = [piece.checks[number] for piece in some]
        worst = next((one for answer in (Answer.BROKEN, Answer.NEEDS) for one in every if one.answer is answer), None)
        broken = sum(one.answer is Answer.BROKEN for one in every)
        if len(some) == 1:
            checks.append(first)
        elif worst is None:
            checks.append(Checked(first.what, Answer.HOLDS, f"Recounted in {groups} groups, in {len(some)} pieces."))
        elif worst.answer is Answer.BROKEN:
            checks.append(replace(worst, detail=f"{worst.detail} (In {broken} of {len(some)} pieces.)"))
        else:
            checks.append(worst)
        told = [piece.found[number] for piece in some]
        found.append({key: max(one[key] for one in told if key in one) for key in {k for one in told for k in one}})
    return checks, found

"""Check in the publisher's ledger that everybody sits with the same people in all releases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.adversaries.seating import Seating
from voile.models.evidence import Evidence
from voile.releases.release import Release


def count_moved_people(release: Release, earlier: Sequence[Release], evidence: Evidence) -> int | None:
    """Count the people who do not sit with all the people with whom they sat in an earlier release; None where the
    ledger is not at hand. Others may have been added to a group, which the published counts must allow."""
    seatings = find_seatings(release, earlier, evidence)
    if seatings is None:
        return None
    *before, now = seatings
    moved = np.zeros(len(now.people), dtype=bool)
    for seating in before:
        seated = np.flatnonzero((seating.group >= 0) & (now.group >= 0))
        groups = int(max(seating.group.max(initial=-1), now.group.max(initial=-1))) + 1
        pairs, first, pair = np.unique(
            seating.group[seated].astype(np.int64) * groups + now.group[seated], return_index=True, return_inverse=True
        )
        together = np.bincount(pair, minlength=len(pairs))
        sizes = np.bincount(seating.group[seating.group >= 0], minlength=groups)
        moved[seated] |= (together < sizes[seating.group[seated[first]]])[pair]
    return int(moved.sum())


def find_seatings(release: Release, earlier: Sequence[Release], evidence: Evidence) -> list[Seating] | None:
    """Return the seats of the earlier releases and of this one, all in the order of the ledger's people; None where
    there is no ledger that has them. DataError if it is the ledger of other releases."""
    ledger = evidence.ledger
    if ledger is None:
        return None
    digests = [before.digest for before in earlier]
    seating = getattr(evidence, "seating", None)
    if seating is not None:
        ledger.check_beginning(digests)
        everybody = np.union1d(ledger.people, seating.people)
        every = [*map(ledger.seating, range(len(earlier))), seating]
        return [own.align(np.searchsorted(everybody, own.people), everybody) for own in every]
    if len(ledger.releases) <= len(earlier):
        return None
    ledger.check_beginning([*digests, release.digest])
    return [ledger.seating(number) for number in range(len(earlier) + 1)]

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
    """Return the seats of the earlier releases and of this one, all in the same order of people; None where there is no
    ledger that has them."""
    seatings = evidence.seatings([*(before.digest for before in earlier), release.digest])
    if seatings is None:
        return None
    everybody = np.unique(np.concatenate([own.people for own in seatings]))
    return [own.align(np.searchsorted(everybody, own.people), everybody) for own in seatings]

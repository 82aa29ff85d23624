"""Who certainly sits where, for an adversary who has the people of the newest table and no ledger."""

from __future__ import annotations

from collections import Counter

import numpy as np

from voile.adversaries.seating import NO_KIND, NO_SEAT, Seating
from voile.releases.release import Release
from voile.tables.microdata import Microdata


def seat_register(release: Release, people: Microdata | None) -> Seating:
    """Place the people of a table in the groups of a release, as far as it is certain that they sit there: exactly as
    many people fit a group as it has members. The others have no seat. People are numbered in the order of their
    quasi-identifiers; without a table nobody is known."""
    if people is None:
        nobody = np.zeros(0, dtype=np.int64)
        return Seating(nobody.astype(np.uint64), nobody, nobody, nobody.astype(bool), {})
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table = people.rows.histogram(names)
    counts = table.counts.astype(np.int64)
    home = np.asarray(release.locate(people)).astype(np.int64)
    if release.shows_members:
        home = np.where(counts == 1, home, NO_SEAT)
        fitting = _count_shown(release, people, names, table.codes, home)
    else:
        fitting = np.bincount(home[home >= 0], counts[home >= 0], release.groups).astype(np.int64)
    certain = np.flatnonzero(fitting == release.sizes)
    home = np.where(np.isin(home, certain), home, NO_SEAT)
    group = np.repeat(home, counts)
    number = np.arange(len(group), dtype=np.uint64)
    return Seating(number, group, np.full(len(group), NO_KIND), np.ones(len(group), dtype=bool), {})


def _count_shown(
    release: Release, people: Microdata, names: list[str], codes: np.ndarray, home: np.ndarray
) -> np.ndarray:
    """Count in each group the members whose quasi-identifier one person of the table has and nobody else shows."""
    shown = Counter(row for _, row in release.exact_texts())
    labels = [np.array(people.columns[name].domain.labels, dtype=object) for name in names]
    texts = zip(*(own[codes[:, place]] for place, own in enumerate(labels)), strict=True)
    unique = np.array([shown[row] == 1 for row in texts], dtype=bool)
    chosen = home[(home >= 0) & unique]
    return np.bincount(chosen, minlength=release.groups)

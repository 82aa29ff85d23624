"""Two sensitive columns of what is attacked, together: which pairs of values a group has, as far as the tables tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from voile.attacks.base import RawTable, Target
from voile.releases.shapes.decomposed import Decomposed
from voile.releases.shapes.expected_rows import spread_slots
from voile.releases.shapes.generalized import Generalized
from voile.tables.row_protocol import Histogram

CHUNK = 50_000  # groups that are spread out at once
Pairs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def together(target: Target, one: str, other: str) -> Iterator[Pairs] | None:
    """Pieces of (group, value of one column, value of the other, people), in this order, no group in two pieces.

    In a decomposed release people are expected ones; None where nothing links the columns (no joint table, two tables).
    """
    if isinstance(target, RawTable):
        return iter([_pairs(*target.placed().count_by_group([one, other]))])
    if isinstance(target, Generalized):
        entries = {str(entry["name"]): entry for entry in target.described("sensitive")}
        (first, a), (second, b) = (target.sensitive_column(entries[name], "table") for name in (one, other))
        key = (target.group.astype(np.int64) * first.size + a) * second.size + b
        found, people = np.unique(key, return_counts=True)
        group, rest = np.divmod(found, first.size * second.size)
        return iter([(group, *np.divmod(rest, second.size), people)])
    if isinstance(target, Decomposed) and target.linkage is not None:
        edges = range(0, target.groups, CHUNK)
        return (_between(target, one, other, low, min(low + CHUNK, target.groups)) for low in edges)
    return None


def _pairs(group: np.ndarray, table: Histogram) -> Pairs:
    codes = table.codes.astype(np.int64)
    return group, codes[:, 0], codes[:, 1], table.counts


def _between(release: Decomposed, one: str, other: str, low: int, high: int) -> Pairs:
    """The expected people of groups low..high-1."""
    group, codes, people = spread_slots(release, low, high)
    places = [release.names.index(name) for name in (one, other)]
    wide, wider = (release.listings[name].column.size for name in (one, other))
    key = (group * wide + codes[:, places[0]]) * wider + codes[:, places[1]]
    found, place = np.unique(key, return_inverse=True)
    sums = np.bincount(place, weights=people, minlength=len(found))
    group, rest = np.divmod(found[sums > 0], wide * wider)
    return (group, *np.divmod(rest, wider), sums[sums > 0])


def remarks(target: Target) -> dict[str, float]:
    """What an attack must say where beliefs were sampled: for whom, and how wide the widest interval is."""
    if not isinstance(target, Decomposed) or target.sampled is None or target.certain.all():
        return {}
    wide = target.sampled.error.max(initial=0.0)
    unsure = float(target.sizes[~target.certain].sum())
    return {"people whose belief is an estimate": unsure, "widest half of its 95 % interval": float(wide)}

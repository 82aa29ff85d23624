"""Two sensitive columns of what is attacked, together: which pairs of values a group has, as far as the tables tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from voile.core.attack import RawTable, Target
from voile.core.rows import Histogram
from voile.core.shapes.decomposed import Decomposed
from voile.core.shapes.generalized import Generalized

CHUNK = 50_000  # groups that are spread out at once
Pairs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def together(target: Target, one: str, other: str) -> Iterator[Pairs] | None:
    """Pieces of (group, value of one column, value of the other, people), in this order, no group in two pieces.

    In a decomposed release people are expected ones; None where nothing links the columns (no joint table, two tables).
    """
    if isinstance(target, RawTable):
        return iter([_pairs(*target.placed().grouped([one, other]))])
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
    group, codes, people = _spread(release, low, high)
    places = [release.names.index(name) for name in (one, other)]
    wide, wider = (release.listings[name].column.size for name in (one, other))
    key = (group * wide + codes[:, places[0]]) * wider + codes[:, places[1]]
    found, place = np.unique(key, return_inverse=True)
    sums = np.bincount(place, weights=people, minlength=len(found))
    group, rest = np.divmod(found[sums > 0], wide * wider)
    return (group, *np.divmod(rest, wider), sums[sums > 0])


def _spread(release: Decomposed, low: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows that the slots of some groups may hold: group, values (the primary first), and the chance."""
    linked, cuts = release.sampled, release.listings[release.names[0]].starts
    assert linked is not None
    slot, group = linked.slot[cuts[low] : cuts[high]], release.slots[cuts[low] : cuts[high]]
    lengths = np.diff(linked.starts)[slot]
    edges = np.concatenate([[0], np.cumsum(lengths)])
    entry = np.arange(edges[-1]) - np.repeat(edges[:-1] - linked.starts[slot], lengths)
    return np.repeat(group, lengths), linked.codes[linked.types[entry]], linked.belief[entry]


def expected_rows(release: Decomposed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The complete sensitive rows that each group is expected to have: group, values (the primary first), people.

    Without a joint table every combination of a slot's primary value and listed values is as likely.
    """
    if release.linkage is not None:
        return _spread(release, 0, release.groups)
    first, *others = release.listings.values()
    group, codes, people = release.slots, first.values.reshape(-1, 1), np.ones(len(release.slots))
    for listing in others:
        lengths = np.diff(listing.starts)[group]
        edges = np.concatenate([[0], np.cumsum(lengths)])
        entry = np.arange(edges[-1]) - np.repeat(edges[:-1] - listing.starts[group], lengths)
        people = np.repeat(people / lengths, lengths)
        group, codes = np.repeat(group, lengths), np.repeat(codes, lengths, axis=0)
        codes = np.concatenate([codes, listing.values[entry].reshape(-1, 1)], axis=1)
    return group, codes, people


def remarks(target: Target) -> dict[str, float]:
    """What an attack must say where beliefs were sampled: for whom, and how wide the widest interval is."""
    if not isinstance(target, Decomposed) or target.sampled is None or target.certain.all():
        return {}
    wide = target.sampled.error.max(initial=0.0)
    unsure = float(target.sizes[~target.certain].sum())
    return {"people whose belief is an estimate": unsure, "widest half of its 95 % interval": float(wide)}

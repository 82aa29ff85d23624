"""The complete sensitive rows that each group of a decomposed release is expected to have."""

from __future__ import annotations

import numpy as np

from voile.releases.shapes.decomposed import Decomposed


def spread_slots(release: Decomposed, low: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
        return spread_slots(release, 0, release.groups)
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

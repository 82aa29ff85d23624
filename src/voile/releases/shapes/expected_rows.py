"""The complete sensitive rows that the groups of a decomposed release are expected to have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from voile.releases.row_matching.row_matching import RowMatching
from voile.releases.shape_answers import Pairs
from voile.releases.shapes.value_lists import ValueLists

CHUNK = 50_000  # groups that are spread out at once


def matched_rows(
    matching: RowMatching, starts: np.ndarray, slots: np.ndarray, low: int, high: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows that the slots of the groups low..high-1 may hold: group, values (the primary first), and the
    chance. Group g has the slots `starts[g]:starts[g+1]`; `slots` are the groups of all slots."""
    slot, group = matching.slot[starts[low] : starts[high]], slots[starts[low] : starts[high]]
    lengths = np.diff(matching.starts)[slot]
    edges = np.concatenate([[0], np.cumsum(lengths)])
    entry = np.arange(edges[-1]) - np.repeat(edges[:-1] - matching.starts[slot], lengths)
    return np.repeat(group, lengths), matching.codes[matching.types[entry]], matching.belief[entry]


def combined_rows(lists: Sequence[ValueLists], slots: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows that groups are expected to have without a joint table: every combination of a slot's primary
    value and the values that its group lists is equally likely."""
    first, *others = lists
    group, codes, people = slots, first.values.reshape(-1, 1), np.ones(len(slots))
    for listed in others:
        lengths = np.diff(listed.starts)[group]
        edges = np.concatenate([[0], np.cumsum(lengths)])
        entry = np.arange(edges[-1]) - np.repeat(edges[:-1] - listed.starts[group], lengths)
        people = np.repeat(people / lengths, lengths)
        group, codes = np.repeat(group, lengths), np.repeat(codes, lengths, axis=0)
        codes = np.concatenate([codes, listed.values[entry].reshape(-1, 1)], axis=1)
    return group, codes, people


def matched_pairs(
    matching: RowMatching, starts: np.ndarray, slots: np.ndarray, places: tuple[int, int], sizes: tuple[int, int]
) -> Iterator[Pairs]:
    """Yield the expected pairs of values in two columns of the joint rows, some groups at a time."""
    groups, (wide, wider) = len(starts) - 1, sizes
    for low in range(0, groups, CHUNK):
        group, codes, people = matched_rows(matching, starts, slots, low, min(low + CHUNK, groups))
        key = (group * wide + codes[:, places[0]]) * wider + codes[:, places[1]]
        pairs, place = np.unique(key, return_inverse=True)
        sums = np.bincount(place, weights=people, minlength=len(pairs))
        group, rest = np.divmod(pairs[sums > 0], wide * wider)
        yield (group, *np.divmod(rest, wider), sums[sums > 0])

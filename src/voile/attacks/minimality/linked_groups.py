"""Groups that refused steps link: the parts of such a step reach over several groups, so their worlds depend on each
other.

Where there are few worlds, all are listed. Otherwise worlds are drawn and, where hardly any of them remains, split
towards those that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.drawn_worlds import CellShares, LinkedWorlds, link_worlds
from voile.attacks.minimality.linked_listing import list_linked
from voile.attacks.minimality.splitting import Splitting
from voile.attacks.minimality.value_types import ValueTypes
from voile.attacks.minimality.whole_draws import draw_whole_worlds
from voile.methods.base import SpanningStep
from voile.tables.row_protocol import WITHHELD

PEOPLE = 3_000  # groups of more people together are not split


@dataclass(frozen=True, eq=False)
class LinkedAnswer:
    """The expected people of a group by entry and type, None if there is no answer. `half_width` is that of the 95 %
    interval of each entry, None if the answer is exact. The group is not `explained` if no world remains."""

    group: int
    entries: np.ndarray
    people: np.ndarray | None = None
    half_width: np.ndarray | None = None
    explained: bool = True


def find_links(candidates: Candidates, spanning: Sequence[SpanningStep]) -> list[tuple[list[int], list[SpanningStep]]]:
    """Return the sets of groups that steps link, each with those steps; a step links the groups that it divides. Where
    people are withheld, everything is linked."""
    cell_group = np.concatenate([candidates.group, np.full(len(candidates.withheld), WITHHELD)])
    pairs = []
    for number, step in enumerate(spanning):
        group, part = cell_group[step.cells], np.unique(step.parts, return_inverse=True)[1].ravel()
        lowest, highest = np.full(candidates.release.groups + 1, len(part)), np.full(candidates.release.groups + 1, -1)
        np.minimum.at(lowest, group, part)
        np.maximum.at(highest, group, part)
        pairs += [(number, int(g)) for g in np.flatnonzero(lowest[:-1] < highest[:-1])]
    if not pairs:
        return []
    if len(candidates.withheld):
        return [(sorted({group for _, group in pairs}), list(spanning))]
    numbers, groups = (np.array(column) for column in zip(*pairs, strict=True))
    size = len(spanning) + candidates.release.groups
    graph = sparse.coo_matrix((np.ones(len(pairs)), (numbers, groups + len(spanning))), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    links = []
    for component in np.unique(label[numbers]):
        steps = [spanning[number] for number in np.unique(numbers[label[numbers] == component])]
        links.append((np.unique(groups[label[numbers] == component]).tolist(), steps))
    return links


def solve_linked(
    candidates: Candidates, types: ValueTypes, groups: list[int], spanning: Sequence[SpanningStep], max_worlds: int
) -> list[LinkedAnswer]:
    """Return the people of each of the linked groups, once the worlds are eliminated in which a step would have been
    taken: exactly if at most `max_worlds` combinations have to be judged, else by drawing worlds, else by splitting."""
    linked = link_worlds(candidates, types, groups, spanning)
    shares = list_linked(linked, max_worlds)
    if shares is None:
        random = np.random.default_rng(groups[0] + 1)
        shares = draw_whole_worlds(linked, random)
        if shares is None and len(linked.cell) <= PEOPLE:
            shares = Splitting(linked, random).estimate()
    return [_answer(candidates, types, linked, shares, group) for group in groups]


def _answer(
    candidates: Candidates, types: ValueTypes, linked: LinkedWorlds, shares: CellShares | None, group: int
) -> LinkedAnswer:
    """Turn the shares of the types by cell into people by entry and the types of the group."""
    entries = np.flatnonzero(candidates.group == group)
    if shares is None or shares.shares is None:
        return LinkedAnswer(group, entries, explained=shares is None)
    types_of_group = np.searchsorted(linked.codes, types.of_group(group)[0])
    cells = np.searchsorted(shares.cells, entries)
    people = shares.shares[cells][:, types_of_group] * candidates.count[entries][:, None]
    return LinkedAnswer(group, entries, people, None if shares.half_width is None else shares.half_width[cells])

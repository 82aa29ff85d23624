"""Groups that refused steps link: the parts of such a step reach over several groups, so their worlds depend on each
other.

Where there are few worlds, all are listed. Only what a world of a group puts into the parts of the linking steps
matters to other groups, so worlds that agree in it are merged into one state. Groups are joined one after the other:
all pairs of states are formed, a step is judged as soon as it divides no other group, and what remains is merged again.

Otherwise worlds are drawn and, where hardly any of them remains, split towards those that do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voile.attacks.minimality.assignments import PublishedGroup, bound_fillings, list_fillings
from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.drawn_worlds import CellShares, LinkedWorlds, SlotGroup, link_worlds
from voile.attacks.minimality.splitting import Splitting
from voile.attacks.minimality.value_types import ValueTypes
from voile.attacks.minimality.whole_draws import draw_whole_worlds
from voile.kernels import lazy_module
from voile.methods.refusals import SpanningStep
from voile.tables.row_protocol import WITHHELD

sparse = lazy_module("scipy.sparse")
csgraph = lazy_module("scipy.sparse.csgraph")

LISTED = 10_000  # the most worlds that are listed for one group
WORK = 3_000_000  # the most cells that a batch of pairs may have
PEOPLE = 3_000  # groups of more people together are not split
EFFORT = 12_000  # cells that may be judged in drawn worlds, for each world that may be listed
LEAST = 1_000  # as many worlds as this are paid for by drawing in any case


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
    _, label = csgraph.connected_components(graph, directed=False)
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
    shares = _list_linked(linked, max_worlds)
    if shares is None:
        random, effort = np.random.default_rng(groups[0] + 1), max(max_worlds, LEAST)
        shares = draw_whole_worlds(linked, random, EFFORT * effort)
        if shares is None and len(linked.cell) <= PEOPLE:
            shares = Splitting(linked, random, EFFORT / 2 * effort).estimate()
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


@dataclass(frozen=True, eq=False)
class _States:
    """The states of some groups: `inside[s]` counts the types that they put into the parts of step s (states x parts x
    types), `shares` are those of the types among the people of their `cells` (states x cells x types)."""

    cells: np.ndarray
    inside: Mapping[int, np.ndarray]
    weights: np.ndarray
    shares: np.ndarray


def _list_linked(linked: LinkedWorlds, max_worlds: int) -> CellShares | None:
    """Return the exact shares; None if there are too many worlds."""
    if any(group.chances is not None for group in linked.groups):
        return None
    divided = [
        [number for number, group in enumerate(linked.groups) if np.ptp(step.part[group.slots]) > 0]
        for step in linked.steps
    ]
    base = []  # what is in each part whatever the world is
    for step, groups in zip(linked.steps, divided, strict=True):
        content = step.fixed.copy()
        for number, group in enumerate(linked.groups):
            if number not in groups and step.part[group.slots[0]] >= 0:
                np.add.at(content[step.part[group.slots[0]]], group.kinds, 1)
        base.append(content)
    waiting = {}
    for number, group in enumerate(linked.groups):
        touching = [step for step, groups in enumerate(divided) if number in groups]
        own = [step for step in touching if len(divided[step]) == 1]
        state = _list_states(linked, group, touching, own, base)
        if state is None:
            return None
        waiting[number] = state
    unexplained = CellShares(np.unique(np.concatenate([state.cells for state in waiting.values()])), None)
    if not all(len(state.weights) for state in waiting.values()):
        return unexplained
    joined = waiting.pop(min(waiting, key=lambda number: len(waiting[number].weights)))
    while waiting:
        number = min(waiting, key=lambda number: (-len(waiting[number].inside.keys() & joined.inside), number))
        other = waiting.pop(number)
        if len(joined.weights) * len(other.weights) > max_worlds:
            return None
        still_divided = {step for state in waiting.values() for step in state.inside}
        joined = _join(linked, joined, other, still_divided, base)
        if not len(joined.weights):
            return unexplained
    order = np.argsort(joined.cells)
    weights = joined.weights / joined.weights.sum()
    return CellShares(joined.cells[order], np.tensordot(weights, joined.shares, axes=1)[order])


def _list_states(
    linked: LinkedWorlds, group: SlotGroup, touching: Sequence[int], own: Sequence[int], base: Sequence[np.ndarray]
) -> _States | None:
    """List the states of a group that its own steps leave; None if there are too many."""
    parts = np.stack([linked.steps[step].part[group.slots] for step in touching], axis=1)
    labels, atom = np.unique(parts, axis=0, return_inverse=True)
    atom, types = atom.ravel(), len(linked.codes)
    published = PublishedGroup(dict(enumerate(np.bincount(atom).tolist())), group.kinds.tolist())
    if bound_fillings(published) > LISTED:
        return None
    worlds, weights = _list_worlds(published, types)
    contents = {}
    for column, step in enumerate(touching):
        content = np.zeros((len(worlds), *base[step].shape), dtype=np.int64)
        for number, part in enumerate(labels[:, column]):
            content[:, part] += worlds[:, number]
        contents[step] = content
    remaining = np.ones(len(worlds), dtype=bool)
    for step in own:
        remaining &= linked.steps[step].is_refused(linked.judge(base[step] + contents[step]))
    cells, first = np.unique(linked.cell[group.slots], return_index=True)
    shares = worlds[remaining] / np.bincount(atom)[:, None]
    linking = {step: content[remaining] for step, content in contents.items() if step not in own}
    return _merge(_States(cells, linking, weights[remaining], shares[:, atom[first]]))


def _merge(states: _States) -> _States:
    """Merge the worlds that put the same into all parts."""
    first, label = _label_contents(states.inside, len(states.weights))
    weights = np.bincount(label, weights=states.weights, minlength=len(first))
    shares = np.zeros((len(first), *states.shares.shape[1:]))
    np.add.at(shares, label, states.shares * states.weights[:, None, None])
    inside = {step: content[first] for step, content in states.inside.items()}
    return _States(states.cells, inside, weights, shares / weights[:, None, None])


def _label_contents(inside: Mapping[int, np.ndarray], number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return one world of each content, and the number of each world's content; contents are told apart by two random
    sums of 64 bits."""
    keys, random = np.zeros((number, 2), dtype=np.uint64), np.random.default_rng(1)
    for content in inside.values():
        flat = content.reshape(number, math.prod(content.shape[1:])).astype(np.uint64)  # there may be no world
        keys += flat @ random.integers(0, 1 << 64, (flat.shape[1], 2), dtype=np.uint64)
    order = np.lexsort(keys.T)
    is_new = np.ones(number, dtype=bool)
    is_new[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    label = np.empty(number, dtype=np.int64)
    label[order] = np.cumsum(is_new) - 1
    return order[is_new], label


def _list_worlds(group: PublishedGroup, types: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every world of a group (worlds x atoms x types), and its weight."""
    worlds, weights = [], []
    for weight, parts in list_fillings(list(group.inside.values()), Counter(group.values)):
        worlds.append([np.bincount(part, minlength=types) for part in parts])
        weights.append(float(weight))
    return np.array(worlds, dtype=np.int64).reshape(len(weights), len(group.inside), types), np.array(weights)


def _join(
    linked: LinkedWorlds, left: _States, right: _States, still_divided: set[int], base: Sequence[np.ndarray]
) -> _States:
    """Form all pairs of states, keep those in which the steps that divide no other group are refused, and merge what
    puts the same into the parts of the others."""
    steps = left.inside.keys() | right.inside.keys()
    a, b = (index.ravel() for index in np.indices((len(left.weights), len(right.weights))))
    for step in steps - still_divided:
        batch = max(WORK // base[step].size, 1)
        refused = [
            linked.steps[step].is_refused(
                linked.judge(base[step] + _add(left, right, step, a[i : i + batch], b[i : i + batch]))
            )
            for i in range(0, len(a), batch)
        ]
        remaining = np.concatenate([np.zeros(0, dtype=bool), *refused])
        a, b = a[remaining], b[remaining]
    inside = {step: _add(left, right, step, a, b) for step in steps & still_divided}
    first, label = _label_contents(inside, len(a))
    pair_weights = left.weights[a] * right.weights[b]
    weights = np.bincount(label, weights=pair_weights, minlength=len(first))
    shares = []
    for state, index in ((left, a), (right, b)):
        shape = (len(first), len(state.weights))
        mixing = sparse.coo_matrix((pair_weights / weights[label], (label, index)), shape=shape).tocsr()
        mixed = mixing @ state.shares.reshape(len(state.weights), -1)
        shares.append(mixed.reshape(len(first), *state.shares.shape[1:]))
    cells = np.concatenate([left.cells, right.cells])
    contents = {step: content[first] for step, content in inside.items()}
    return _States(cells, contents, weights / max(weights.max(initial=0.0), 1e-300), np.concatenate(shares, axis=1))


def _add(left: _States, right: _States, step: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return what pairs of states put into the parts of a step."""
    contents = [state.inside[step][i] for state, i in ((left, a), (right, b)) if step in state.inside]
    return np.asarray(sum(contents[1:], contents[0]))

"""All worlds of linked groups, where there are few.

Only what a world of a group puts into the parts of the linking steps matters to other groups, so worlds that agree in
it are merged into one state, and all combinations of states are judged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voile.attacks.minimality.assignments import PublishedGroup, bound_fillings, list_fillings
from voile.attacks.minimality.drawn_worlds import CellShares, LinkedWorlds, SlotGroup

LISTED = 2_000  # the most worlds that are listed for one group
WORK = 3_000_000  # the most cells that a batch of combinations may have


@dataclass(frozen=True, eq=False)
class _States:
    """The states of a group: `inside[s]` counts the types that it puts into the parts of step s (states x parts x
    types), `shares` are those of the types among the people of its `cells` (states x cells x types)."""

    cells: np.ndarray
    inside: Mapping[int, np.ndarray]
    weights: np.ndarray
    shares: np.ndarray


def list_linked(linked: LinkedWorlds, max_worlds: int) -> CellShares | None:
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
    states = []
    for number, group in enumerate(linked.groups):
        touching = [step for step, groups in enumerate(divided) if number in groups]
        own = [step for step in touching if len(divided[step]) == 1]
        state = _list_states(linked, group, touching, own, base)
        if state is None:
            return None
        states.append(state)
    if math.prod(len(state.weights) for state in states) > max_worlds:
        return None
    return _combine(linked, states, [step for step, groups in enumerate(divided) if len(groups) > 1], base)


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
    flat = [content.reshape(len(states.weights), -1) for content in states.inside.values()]
    keys = np.concatenate([np.zeros((len(states.weights), 1), dtype=np.int64), *flat], axis=1)
    _, first, label = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    label = label.ravel()
    weights = np.bincount(label, weights=states.weights, minlength=len(first))
    shares = np.zeros((len(first), *states.shares.shape[1:]))
    np.add.at(shares, label, states.shares * states.weights[:, None, None])
    inside = {step: content[first] for step, content in states.inside.items()}
    return _States(states.cells, inside, weights, shares / weights[:, None, None])


def _list_worlds(group: PublishedGroup, types: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every world of a group (worlds x atoms x types), and its weight."""
    worlds, weights = [], []
    for weight, parts in list_fillings(list(group.inside.values()), Counter(group.values)):
        worlds.append([np.bincount(part, minlength=types) for part in parts])
        weights.append(float(weight))
    return np.array(worlds, dtype=np.int64).reshape(len(weights), len(group.inside), types), np.array(weights)


def _combine(
    linked: LinkedWorlds, states: Sequence[_States], steps: Sequence[int], base: Sequence[np.ndarray]
) -> CellShares:
    """Judge all combinations of the groups' states by the steps that link them."""
    numbers = [len(state.weights) for state in states]
    combinations = math.prod(numbers)
    remaining = [np.zeros(number) for number in numbers]
    batch = max(WORK // max(sum(base[step].size for step in steps), 1), 1)
    for start in range(0, combinations, batch):
        chosen = np.unravel_index(np.arange(start, min(start + batch, combinations)), numbers)
        weights = np.prod([state.weights[c] for state, c in zip(states, chosen, strict=True)], axis=0)
        alive = np.ones(len(weights), dtype=bool)
        for step in steps:
            parts = [s.inside[step][c[alive]] for s, c in zip(states, chosen, strict=True) if step in s.inside]
            alive[alive] = linked.steps[step].is_refused(linked.judge(base[step] + sum(parts)))
        for total, choice in zip(remaining, chosen, strict=True):
            total += np.bincount(choice[alive], weights=weights[alive], minlength=len(total))
    cells = np.concatenate([state.cells for state in states])
    order = np.argsort(cells)
    if not all(total.sum() > 0 for total in remaining):
        return CellShares(cells[order], None)
    pairs = zip(states, remaining, strict=True)
    shares = np.concatenate([np.tensordot(total / total.sum(), state.shares, axes=1) for state, total in pairs])
    return CellShares(cells[order], shares[order])

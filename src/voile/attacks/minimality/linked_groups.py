"""Groups that refused steps link: the parts of such a step reach over several groups, so their worlds depend on each
other.

The worlds of each group are listed, or drawn where there are too many. Only what a world puts into the parts of the
linking steps matters to other groups, so worlds that agree in it are merged into one state. Then all combinations of
states are judged, or some that are drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from voile.attacks.minimality.assignments import PublishedGroup, bound_fillings, list_fillings
from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.elimination import ENOUGH
from voile.attacks.minimality.value_types import ValueTypes
from voile.methods.base import SpanningStep

LISTED = 2_000  # the most worlds that are listed for one group
DRAWS = 4_000
WORK = 30_000_000  # the most cells that a batch of drawn worlds may have


@dataclass(frozen=True, eq=False)
class LinkedAnswer:
    """The expected people of a group by entry and type, None if there is no answer; `draws` is 0 if it is exact, and
    the group is not `explained` if no world remains."""

    group: int
    entries: np.ndarray
    people: np.ndarray | None = None
    draws: int = 0
    explained: bool = True


@dataclass(frozen=True, eq=False)
class _Steps:
    """The linking steps over all candidate entries. The parts of all steps are numbered through: `part[s, i]` is that
    of entry i in step s, -1 if the step does not concern it, and `owner` is the step of each part. `fixed[p]` counts
    the types (`codes`) that undivided groups put into part p."""

    part: np.ndarray
    owner: np.ndarray
    codes: np.ndarray
    fixed: np.ndarray


@dataclass(frozen=True, eq=False)
class _States:
    """The states of a group: `inside` counts the types that it puts into each part (states x parts x types), `people`
    are the expected people by entry and type."""

    group: int
    entries: np.ndarray
    inside: np.ndarray
    weights: np.ndarray
    people: np.ndarray
    draws: int


def find_links(candidates: Candidates, spanning: Sequence[SpanningStep]) -> list[tuple[list[int], list[SpanningStep]]]:
    """Return the sets of groups that steps link, each with those steps; a step links the groups that it divides."""
    pairs = []
    for number, step in enumerate(spanning):
        group = candidates.group[step.cells]
        divided = np.intersect1d(group[step.parts == 0], group[step.parts != 0])
        pairs += [(number, int(g)) for g in divided]
    if not pairs:
        return []
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
    taken."""
    steps = _number_parts(candidates, types, groups, spanning)
    random = np.random.default_rng(groups[0] + 1)
    entries = [np.flatnonzero(candidates.group == group) for group in groups]
    states = [
        _find_states(candidates, types, group, e, steps, random) for group, e in zip(groups, entries, strict=True)
    ]
    if any(state is not None and not len(state.weights) for state in states):
        return [LinkedAnswer(group, e, explained=False) for group, e in zip(groups, entries, strict=True)]
    known = [state for state in states if state is not None]
    if len(known) < len(states):
        return [LinkedAnswer(group, e) for group, e in zip(groups, entries, strict=True)]
    return _combine(types, known, steps, max_worlds, random)


def _number_parts(
    candidates: Candidates, types: ValueTypes, groups: list[int], spanning: Sequence[SpanningStep]
) -> _Steps:
    part = np.full((len(spanning), len(candidates.group)), -1, dtype=np.int64)
    owner: list[int] = []
    for number, step in enumerate(spanning):
        names, local = np.unique(step.parts, return_inverse=True)
        part[number, step.cells] = local.ravel() + len(owner)
        owner += [number] * len(names)
    concerned = np.unique(candidates.group[(part >= 0).any(axis=0)])
    codes = np.unique(np.concatenate([types.of_group(int(group))[0] for group in concerned]))
    fixed = np.zeros((len(owner), len(codes)), dtype=np.int64)
    first = np.searchsorted(candidates.group, concerned)  # an entry of each group; entries are in the order of groups
    for group, entry in zip(concerned.tolist(), first, strict=True):
        if group not in groups:
            where = part[:, entry][part[:, entry] >= 0]
            code, count = types.of_group(group)
            fixed[np.ix_(where, np.searchsorted(codes, code))] += count
    return _Steps(part, np.array(owner), codes, fixed)


def _find_states(
    candidates: Candidates,
    types: ValueTypes,
    group: int,
    entries: np.ndarray,
    steps: _Steps,
    random: np.random.Generator,
) -> _States | None:
    """List the states of a group, or draw some; None if too few of the drawn worlds remain."""
    assert candidates.steps is not None
    local, linking = candidates.steps.parts[entries], steps.part[:, entries].T
    local = local[:, (local != local[:1]).any(axis=0)]
    labels, atom = np.unique(np.concatenate([local, linking], axis=1), axis=0, return_inverse=True)
    atom = atom.ravel()
    sizes = np.bincount(atom, weights=candidates.count[entries]).astype(np.int64)
    code, count = types.of_group(group)
    published = PublishedGroup(dict(enumerate(sizes.tolist())), np.repeat(np.arange(len(code)), count).tolist())
    listed = bound_fillings(published) <= LISTED
    own_steps = np.unique(labels[:, : local.shape[1]], axis=1).T
    worlds, weights = _list_worlds(published, len(code)) if listed else _draw_worlds(published, len(code), random)
    remaining = _all_refused_alone(types, code, worlds, own_steps)
    worlds, weights = worlds[remaining], weights[remaining]
    if not listed and len(worlds) < ENOUGH:
        return None
    inside = np.zeros((len(worlds), len(steps.owner), len(steps.codes)), dtype=np.int64)
    place = np.searchsorted(steps.codes, code)
    for number in range(len(sizes)):
        for where in labels[number, local.shape[1] :]:
            if where >= 0:
                inside[:, where, place] += worlds[:, number]
    people = worlds[:, atom] * (candidates.count[entries] / sizes[atom])[:, None]
    states = _States(group, entries, inside, weights / max(float(weights.sum()), 1e-300), people, len(worlds))
    return _merge_states(replace(states, draws=0)) if listed else states  # drawn worlds hardly ever agree


def _all_refused_alone(types: ValueTypes, code: np.ndarray, worlds: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return the worlds of a group in which a part of each of its own steps fails."""
    remaining = np.ones(len(worlds), dtype=bool)
    for step in steps:
        parts = np.stack([worlds[remaining][:, step == part].sum(axis=1) for part in np.unique(step)], axis=1)
        remaining[remaining] = ~_hold(types, code, parts).all(axis=1)
    return remaining


def _merge_states(states: _States) -> _States:
    """Merge the worlds that put the same into all parts."""
    if not len(states.weights):
        return states
    flat = states.inside.reshape(len(states.inside), -1)
    _, first, label = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    label = label.ravel()
    weights = np.bincount(label, weights=states.weights, minlength=len(first))
    people = np.zeros((len(first), *states.people.shape[1:]))
    np.add.at(people, label, states.people * states.weights[:, None, None])
    people /= np.maximum(weights, 1e-300)[:, None, None]
    return replace(states, inside=states.inside[first], weights=weights, people=people)


def _list_worlds(group: PublishedGroup, types: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every world of a group (worlds x atoms x types), and its weight."""
    worlds, weights = [], []
    for weight, parts in list_fillings(list(group.inside.values()), Counter(group.values)):
        worlds.append([[part.count(kind) for kind in range(types)] for part in parts])
        weights.append(float(weight))
    return np.array(worlds, dtype=np.int64).reshape(len(weights), len(group.inside), types), np.array(weights)


def _draw_worlds(group: PublishedGroup, types: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw worlds of a group, all equally likely."""
    values, atom = np.asarray(group.values), np.repeat(list(group.inside), list(group.inside.values()))
    draws = int(min(max(WORK // (len(values) + len(group.inside) * types), ENOUGH), DRAWS))
    drawn = random.permuted(np.tile(values, (draws, 1)), axis=1)
    cell = (np.arange(draws)[:, None] * len(group.inside) + atom) * types + drawn
    counts = np.bincount(cell.ravel(), minlength=draws * len(group.inside) * types)
    return counts.reshape(draws, len(group.inside), types), np.ones(draws)


def _hold(types: ValueTypes, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return which of many groups, given by their counts of types (the last axis), satisfy the requirement."""
    flat = counts.reshape(-1, counts.shape[-1])
    case, kind = np.nonzero(flat)
    return types.judge(case, codes[kind], flat[case, kind], len(flat)).reshape(counts.shape[:-1])


def _combine(
    types: ValueTypes, states: Sequence[_States], steps: _Steps, max_worlds: int, random: np.random.Generator
) -> list[LinkedAnswer]:
    """Judge all combinations of the groups' states, or some that are drawn."""
    numbers = [len(state.weights) for state in states]
    batch = max(min(WORK // max(steps.fixed.size, 1) // 10, DRAWS), 1)
    listed = math.prod(numbers) <= max_worlds
    draws, most_draws = DRAWS, 5 * DRAWS
    remaining = [np.zeros(number) for number in numbers]
    accepted = 0
    for start in range(0, math.prod(numbers) if listed else most_draws, batch):
        if not listed and start >= draws and accepted >= ENOUGH:
            break  # more are drawn only where few remain
        if listed:
            chosen = np.unravel_index(np.arange(start, min(start + batch, math.prod(numbers))), numbers)
            weights = np.prod([state.weights[c] for state, c in zip(states, chosen, strict=True)], axis=0)
        else:
            chosen = tuple(random.choice(len(state.weights), batch, p=state.weights) for state in states)
            weights = np.ones(batch)
        alive = _all_refused(types, states, chosen, steps)
        accepted += int(alive.sum())
        for total, choice in zip(remaining, chosen, strict=True):
            total += np.bincount(choice[alive], weights=weights[alive], minlength=len(total))
    if not accepted or (not listed and accepted < ENOUGH):
        return [LinkedAnswer(state.group, state.entries, explained=not listed) for state in states]
    answers = []
    for state, total in zip(states, remaining, strict=True):
        people = np.tensordot(total / total.sum(), state.people, axes=1)
        sampled = [count for count in (0 if listed else accepted, *(other.draws for other in states)) if count]
        answers.append(LinkedAnswer(state.group, state.entries, people, min(sampled, default=0)))
    return answers


def _all_refused(
    types: ValueTypes, states: Sequence[_States], chosen: Sequence[np.ndarray], steps: _Steps
) -> np.ndarray:
    """Return the combinations in which some part of every step fails."""
    content = steps.fixed + sum(state.inside[choice] for state, choice in zip(states, chosen, strict=True))
    fails = ~_hold(types, steps.codes, content)
    starts = np.flatnonzero(np.diff(steps.owner, prepend=-1))
    return np.asarray(np.logical_or.reduceat(fails, starts, axis=1).all(axis=1))

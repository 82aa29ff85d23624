"""The groups in which elimination can change a belief, each with its atoms, its steps and its types of values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.elimination import STEPS
from voile.attacks.minimality.group_worlds import GroupWorlds
from voile.attacks.minimality.value_types import ValueTypes
from voile.methods.refusals import SpanningStep


@dataclass(frozen=True, eq=False)
class GroupCase:
    """A group that some step concerns. `entries` are its candidates, `atom` says which atom each of them belongs to."""

    group: int
    worlds: GroupWorlds
    entries: np.ndarray
    atom: np.ndarray

    def by_entry(self, people: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Divide the people of each atom and type among the atom's entries, in proportion to their size."""
        share = count[self.entries] / self.worlds.atoms[self.atom]
        return np.asarray(people[self.atom] * share[:, None])


def merge_whole_steps(candidates: Candidates, types: ValueTypes) -> Candidates:
    """Leave out the steps of all groups that others imply: under monotone models what fails, fails if it is cut
    further. If still more remain than groups alone can be combined over, they are taken as steps that link groups."""
    steps = candidates.steps
    if steps is None or not steps.whole:
        return candidates
    parts = np.unique(steps.parts[: len(candidates.group)], axis=1)
    cells = [np.unique(np.stack([candidates.group, part]), axis=1, return_inverse=True)[1].ravel() for part in parts.T]
    if types.policy.monotone:
        implied = [any(_is_finer(fine, i, coarse, j) for j, coarse in enumerate(cells)) for i, fine in enumerate(cells)]
        parts = parts[:, ~np.array(implied, dtype=bool)]
    if parts.shape[1] <= STEPS:
        return replace(candidates, steps=replace(steps, parts=parts))
    everybody = np.arange(len(candidates.group))
    spanning = tuple(SpanningStep(everybody, part) for part in parts.T)
    return replace(candidates, steps=replace(steps, parts=parts[:, :0], whole=False, spanning=spanning))


def _is_finer(fine: np.ndarray, number: int, coarse: np.ndarray, other: int) -> bool:
    """Return whether one partition refines another, or is the same and comes later."""
    if number == other or len(np.unique(np.stack([fine, coarse]), axis=1).T) > fine.max() + 1:
        return False
    return bool(fine.max() > coarse.max() or number > other)


def find_cases(candidates: Candidates, types: ValueTypes, excess: np.ndarray, whole: bool) -> list[GroupCase]:
    """Return the groups that a step concerns. A step that fails for its sizes alone, whatever the values, says nothing
    about them and is left out. With `whole` a step concerns all groups or none."""
    steps = _parts_by_step(candidates)
    small = _too_small(candidates, steps, types.policy.smallest(), excess)
    if whole:
        steps = steps[:, ~small.any(axis=0)][:, :STEPS]
        small = np.zeros((len(excess), steps.shape[1]), dtype=bool)
    if not steps.shape[1]:
        return []
    starts = np.searchsorted(candidates.group, np.arange(len(excess) + 1))
    cases = []
    for group in range(len(excess)):
        entries = np.arange(starts[group], starts[group + 1])
        case = _make_case(group, entries, steps[entries], small[group], candidates, types, int(excess[group]), whole)
        if case is not None:
            cases.append(case)
    return cases


def _make_case(
    group: int,
    entries: np.ndarray,
    steps: np.ndarray,
    small: np.ndarray,
    candidates: Candidates,
    types: ValueTypes,
    absent: int,
    whole: bool,
) -> GroupCase | None:
    """Return one group, or None if no step separates its people or if it shows one value only."""
    step_numbers = np.arange(steps.shape[1]) if whole else np.flatnonzero((steps != steps[:1]).any(axis=0) & ~small)
    if not len(step_numbers) or len(entries) < 2:
        return None
    parts = np.stack([np.unique(steps[:, step], return_inverse=True)[1] for step in step_numbers], axis=1)
    if not whole:
        parts = np.unique(parts, axis=1)  # two columns may ask for the same cut
    labels, atom = np.unique(parts, axis=0, return_inverse=True)
    atom = atom.ravel()
    sizes = np.bincount(atom, weights=candidates.count[entries]).astype(np.int64)
    code, count = types.of_group(group)
    if len(code) + (absent > 0) < 2:
        return None
    return GroupCase(group, GroupWorlds(sizes, labels, code, count, absent), entries, atom)


def _parts_by_step(candidates: Candidates) -> np.ndarray:
    """Return the part of every entry in every step; the original table is one step, in which every kind is a part."""
    return (
        candidates.steps.parts[: len(candidates.kind)]
        if candidates.steps is not None
        else candidates.kind.reshape(-1, 1)
    )


def _too_small(candidates: Candidates, steps: np.ndarray, smallest: int, excess: np.ndarray) -> np.ndarray:
    """Return the pairs (group, step) with a part too small for any values; not known where people may be absent."""
    small = np.zeros((len(excess), steps.shape[1]), dtype=bool)
    for step in range(steps.shape[1]):
        part = steps[:, step]
        _, cell = np.unique(np.stack([candidates.group, part], axis=1), axis=0, return_inverse=True)
        cell = cell.ravel()
        size = np.bincount(cell, weights=candidates.count)
        tiny = (size[cell] < smallest) & (part >= 0) & (excess[candidates.group] == 0)
        small[candidates.group[tiny], step] = True
    return small

"""Worlds of linked groups drawn at random: what they put into the parts of the steps, and which steps they refuse.

A *slot* is one person. A drawn world gives each slot a type: those of a group in random order, and any type to people
who are withheld, whose values nobody sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.value_types import ValueTypes
from voile.methods.refusals import SpanningStep
from voile.tables.row_protocol import WITHHELD

POOL = 20_000  # so many withheld groups of each size are drawn
FAVOUR = 0.6  # how often the favourite type of such a group is preferred to any
ENOUGH = 100  # fewer failing groups than this, weighed, are no sample


@dataclass(frozen=True, eq=False)
class DrawnStep:
    """A step over slots: `part` is the part of each slot (-1 if the step does not concern it). `fixed` counts the types
    that undivided groups put into each part; `people` and `costs` are those of each part."""

    part: np.ndarray
    fixed: np.ndarray
    people: np.ndarray
    costs: np.ndarray
    tolerance: int
    margin: float

    def is_refused(self, fails: np.ndarray) -> np.ndarray:
        """Return the worlds in which the step is refused, given which of its parts fail (worlds x parts)."""
        return np.asarray((fails @ self.people > self.tolerance) | (fails @ self.costs > self.margin))

    def count_types(self, worlds: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """Count the types that some slots put into the parts (worlds x parts x types)."""
        part = self.part[slots]
        inside = part >= 0
        parts, types = self.fixed.shape
        cell = (np.arange(len(worlds))[:, None] * parts + part[inside]) * types + worlds[:, inside]
        return np.bincount(cell.ravel(), minlength=len(worlds) * parts * types).reshape(len(worlds), parts, types)


@dataclass(frozen=True, eq=False)
class SlotGroup:
    """The slots of a group, which share its types; people who are withheld have any type, with these `chances`."""

    group: int
    slots: np.ndarray
    kinds: np.ndarray
    chances: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class CellShares:
    """The expected share of each type among the people of each cell, None if no world remains; and for each cell the
    half-width of its widest 95 % interval, None if the shares are exact."""

    cells: np.ndarray
    shares: np.ndarray | None
    half_width: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class LinkedWorlds:
    """Groups that steps link. `cell` is the cell of each slot; types are numbered as in `codes`."""

    types: ValueTypes
    codes: np.ndarray
    cell: np.ndarray
    groups: tuple[SlotGroup, ...]
    steps: tuple[DrawnStep, ...]

    def judge(self, content: np.ndarray) -> np.ndarray:
        """Return which parts fail, given their counts of types (the last axis)."""
        return ~hold(self.types, self.codes, content)

    def draw(self, number: int, random: np.random.Generator) -> np.ndarray | None:
        """Draw worlds (worlds x slots); None if withheld people fail too rarely to draw them."""
        worlds = np.empty((number, len(self.cell)), dtype=np.int64)
        pools: dict[int, np.ndarray | None] = {}
        for group in self.groups:
            if group.chances is None:
                worlds[:, group.slots] = random.permuted(np.tile(group.kinds, (number, 1)), axis=1)
                continue
            size = len(group.slots)
            if size not in pools:
                pools[size] = self._draw_failing(size, group.chances, random)
            pool = pools[size]
            if pool is None:
                return None
            worlds[:, group.slots] = pool[random.integers(0, len(pool), number)]
        return worlds

    def _draw_failing(self, size: int, chances: np.ndarray, random: np.random.Generator) -> np.ndarray | None:
        """Draw the types of withheld groups of one size: such a group fails. Groups in which one type prevails are
        drawn more often and weighed less, because hardly any other group may fail."""
        types = len(chances)
        favourite = random.integers(0, types + 1, POOL)  # the last favours none
        drawn = random.choice(types, (POOL, size), p=chances)
        favoured = (random.random((POOL, size)) < FAVOUR) & (favourite < types)[:, None]
        drawn = np.where(favoured, favourite[:, None], drawn)
        cell = np.arange(POOL)[:, None] * types + drawn
        counts = np.bincount(cell.ravel(), minlength=POOL * types).reshape(POOL, types)
        fails = self.judge(counts)
        more, less = np.log(FAVOUR / chances + 1 - FAVOUR), np.log(1 - FAVOUR)
        ratio = np.exp(counts[fails] * more + (size - counts[fails]) * less).sum(axis=1) + 1
        weights = 1 / ratio
        if not len(weights) or weights.sum() ** 2 < ENOUGH * (weights**2).sum():
            return None
        return np.asarray(drawn[fails][random.choice(len(weights), POOL, p=weights / weights.sum())])


def hold(types: ValueTypes, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return which of many groups, given by their counts of types (the last axis), satisfy the requirement."""
    flat = counts.reshape(-1, counts.shape[-1])
    case, kind = np.nonzero(flat)
    return types.judge(case, codes[kind], flat[case, kind], len(flat)).reshape(counts.shape[:-1])


def link_worlds(
    candidates: Candidates, types: ValueTypes, groups: Sequence[int], spanning: Sequence[SpanningStep]
) -> LinkedWorlds:
    """Build the slots of some groups and the steps over them: those that link them, and those of each group alone."""
    own = [step for group in groups for step in own_steps(candidates, group)]
    cell_group = np.concatenate([candidates.group, np.full(len(candidates.withheld), WITHHELD)])
    cell_count = np.concatenate([candidates.count, candidates.withheld])
    steps = [step for step in (*spanning, *own) if not _is_withheld(step, cell_group)]
    concerned = np.unique(np.concatenate([cell_group[step.cells] for step in steps]))
    codes = np.unique(np.concatenate([types.of_group(int(group))[0] for group in concerned if group != WITHHELD]))
    cells, slot_groups, start = [], [], 0
    for group in groups:
        entries = np.flatnonzero(candidates.group == group)
        code, count = types.of_group(group)
        kinds = np.repeat(np.searchsorted(codes, code), count)
        slot_groups.append(SlotGroup(group, np.arange(start, start + len(kinds)), kinds))
        cells.append(np.repeat(entries, candidates.count[entries]))
        start += len(kinds)
    for step in spanning:
        if _is_withheld(step, cell_group):
            people = np.repeat(step.cells, cell_count[step.cells])
            chances = types.share_of_values()[codes]
            slot_groups.append(
                SlotGroup(WITHHELD, np.arange(start, start + len(people)), people[:0], chances / chances.sum())
            )
            cells.append(people)
            start += len(people)
    cell = np.concatenate(cells)
    is_slot = np.zeros(len(cell_group), dtype=bool)
    is_slot[cell] = True
    drawn = tuple(_place_step(step, cell, is_slot, cell_group, cell_count, types, codes) for step in steps)
    return LinkedWorlds(types, codes, cell, tuple(slot_groups), drawn)


def own_steps(candidates: Candidates, group: int) -> list[SpanningStep]:
    """Return the steps that concern one group alone."""
    if candidates.steps is None or candidates.steps.whole:
        return []
    entries = np.flatnonzero(candidates.group == group)
    parts = candidates.steps.parts[entries]
    parts = np.unique(parts[:, (parts != parts[:1]).any(axis=0)], axis=1)
    return [SpanningStep(entries, parts[:, step]) for step in range(parts.shape[1])]


def _is_withheld(step: SpanningStep, cell_group: np.ndarray) -> bool:
    return bool((cell_group[step.cells] == WITHHELD).all())


def _place_step(
    step: SpanningStep,
    cell: np.ndarray,
    is_slot: np.ndarray,
    cell_group: np.ndarray,
    cell_count: np.ndarray,
    types: ValueTypes,
    codes: np.ndarray,
) -> DrawnStep:
    names, local = np.unique(step.parts, return_inverse=True)
    local = local.ravel()
    part_of_cell = np.full(len(cell_group), -1, dtype=np.int64)
    part_of_cell[step.cells] = local
    fixed = np.zeros((len(names), len(codes)), dtype=np.int64)
    undivided, first = np.unique(np.where(is_slot[step.cells], WITHHELD, cell_group[step.cells]), return_index=True)
    for group, position in zip(undivided.tolist(), first, strict=True):
        if group != WITHHELD:
            code, count = types.of_group(group)
            fixed[local[position], np.searchsorted(codes, code)] += count
    people = np.bincount(local, weights=cell_count[step.cells], minlength=len(names)).astype(np.int64)
    prices = np.zeros(len(local)) if step.costs is None else step.costs
    costs = np.bincount(local, weights=prices, minlength=len(names))
    margin = float("inf") if step.costs is None else step.margin
    return DrawnStep(part_of_cell[cell], fixed, people, costs, step.tolerance, margin)

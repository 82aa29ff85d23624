"""Eliminate the worlds in which the method would have shown something finer.

A step is a finer way to show a group, which the method would have taken had the policy allowed it. It was not taken, so
in the true world some part of it fails, and every world in which no part fails is eliminated. Small groups are counted
world by world, groups with one step by convolution; groups that are too large for both are sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.attacks.minimality.group_worlds import GroupWorlds, Judge, StateTable, fill_tables
from voile.kernels import lazy_module

kernel = lazy_module("voile.attacks.minimality.kernel")

WORK = 40_000_000  # the most operations that one convolution may take
DRAWS = 4_000
ENOUGH = 100  # fewer draws than this are no estimate
STEPS = 4  # of the steps that concern all groups at once, at most this many are used: fewer make the adversary weaker
ATOMS = 64  # more atoms than this have more worlds than anybody lists
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class RemainingWorlds:
    """The worlds of a group after elimination: their share, and the expected people per atom and type, jointly.

    Where steps concern all groups at once, a group alone eliminates nothing; there is then one entry per set of steps
    that a world of the group allows. Otherwise there is one entry, the worlds that allow no step.
    """

    weights: np.ndarray
    expected: np.ndarray
    draws: int = 0  # the random worlds that remain; 0 if the figures are exact

    @property
    def people(self) -> np.ndarray | None:
        """The expected people per atom and type, given the remaining worlds; None if there are none, or if too few
        were drawn."""
        if self.weights[0] <= NOTHING or 0 < self.draws < ENOUGH:
            return None
        return np.asarray(self.expected[0] / self.weights[0])

    def share_allowing(self, step_set: int) -> float:
        """Return the share of worlds that allow all of the chosen steps."""
        return float(_sum_supersets(self.weights, step_set))


def eliminate_worlds(
    groups: Sequence[GroupWorlds], judge: Judge, by_set: bool, max_worlds: int
) -> list[RemainingWorlds]:
    """Return the remaining worlds of every group. With `by_set` there is one entry per set of steps, 0 to 2^steps - 1.
    Groups with more than `max_worlds` worlds are not counted world by world."""
    tables = [StateTable.of(group) for group in groups]
    fill_tables(groups, tables, judge)
    return [
        _count_worlds(group, table, by_set, max_worlds, position)
        if table is not None
        else _sample_and_judge(group, judge, by_set, position)
        for position, (group, table) in enumerate(zip(groups, tables, strict=True))
    ]


def _count_worlds(
    group: GroupWorlds, table: StateTable, by_set: bool, max_worlds: int, position: int
) -> RemainingWorlds:
    """Count by the first way that can be afforded: listing, convolution, sampling."""
    parts, part_counts, size_rows = _number_parts(group, table)
    arguments = (group.atoms, parts, part_counts, size_rows, table.may_show, table.counts, table.last, by_set)
    if len(group.atoms) <= ATOMS:
        worlds, weights, expected = kernel.enumerate_worlds(*arguments, max_worlds)
        if worlds >= 0:
            return _in_group_order(group, table, RemainingWorlds(weights, expected))
    if group.steps == 1 and len(group.part_sizes(0)) * len(table.may_show[0]) * table.widest <= WORK:
        return _convolve(group, table, by_set)
    draws = max(int(min(DRAWS, 40_000_000 / (group.total * group.steps))), ENOUGH)
    hits, expected = kernel.sample_worlds(*arguments, draws, position + 1)
    if hits[0] < ENOUGH and not by_set:  # few worlds remain: draw more
        draws *= 10
        hits, expected = kernel.sample_worlds(*arguments, draws, position + 1)
    remaining = draws if by_set else max(int(hits[0]), 1)
    return _in_group_order(group, table, RemainingWorlds(hits / draws, expected, remaining))


def _number_parts(group: GroupWorlds, table: StateTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the part of each atom in each step, the parts per step, and the row of the table for each part."""
    parts = np.maximum(group.parts, 0)
    part_counts = parts.max(axis=0, initial=0) + 1
    size_rows = np.zeros((parts.shape[1], int(part_counts.max(initial=1))), dtype=np.int64)
    for step in range(parts.shape[1]):
        sizes = group.part_sizes(step)
        size_rows[step, : len(sizes)] = np.searchsorted(table.sizes, sizes)
    return parts, part_counts, size_rows


def _convolve(group: GroupWorlds, table: StateTable, by_set: bool) -> RemainingWorlds:
    sizes = group.part_sizes(0)
    order = np.argsort(sizes, kind="stable")
    size_rows = np.searchsorted(table.sizes, sizes[order])
    allowed_share, in_order = kernel.convolve_parts(sizes[order], size_rows, table.may_show, table.counts, table.last)
    by_part = np.empty_like(in_order)
    by_part[order] = in_order
    part = group.parts[:, 0]
    by_atom = by_part[part] * (group.atoms / sizes[part])[:, None]
    before = np.outer(group.atoms, group.all_counts[table.order]) / max(group.total, 1)
    # the difference of near equals has no correct digits: then no world remains
    share = 1 - allowed_share if allowed_share < 1 - NOTHING else 0.0
    entries = [(share, np.maximum(before - by_atom, 0))] + ([(allowed_share, by_atom)] if by_set else [])
    weights, expected = np.array([entry[0] for entry in entries]), np.array([entry[1] for entry in entries])
    return _in_group_order(group, table, RemainingWorlds(weights, expected))


def _in_group_order(group: GroupWorlds, table: StateTable, remaining: RemainingWorlds) -> RemainingWorlds:
    """Put the types into the order of the group, and drop the absent people."""
    expected = np.zeros((*remaining.expected.shape[:2], len(table.order)))
    expected[:, :, table.order] = remaining.expected
    return RemainingWorlds(remaining.weights, expected[:, :, : len(group.types)], remaining.draws)


def _sample_and_judge(group: GroupWorlds, judge: Judge, by_set: bool, position: int) -> RemainingWorlds:
    """Draw whole worlds and judge them, for groups of which not even the states can be listed."""
    steps, total = group.steps, group.total
    draws = max(int(min(DRAWS, 8_000_000 / (total * steps))), ENOUGH)
    random = np.random.default_rng(position + 1)
    kind = np.repeat(np.arange(len(group.counts) + 1), [*group.counts, group.absent])
    atom_of = np.repeat(np.arange(len(group.atoms)), group.atoms)
    worlds = np.tile(kind, (draws, 1))
    random.permuted(worlds, axis=1, out=worlds)
    mask = np.zeros(draws, dtype=np.int64)
    for step in range(steps):
        part = np.maximum(group.parts[:, step], 0)[atom_of]
        parts = int(part.max(initial=0)) + 1
        where = (np.arange(draws)[:, None] * parts + part[None, :]).ravel()
        present = worlds.ravel() < len(group.types)
        ones = np.ones(int(present.sum()), dtype=np.int64)
        may_show = judge(where[present], group.types[worlds.ravel()[present]], ones, draws * parts)
        mask |= may_show.reshape(draws, parts).all(axis=1).astype(np.int64) << step
    entries = 1 << steps if by_set else 1
    weights, expected = np.zeros(entries), np.zeros((entries, len(group.atoms), len(group.types) + 1))
    for entry in range(entries):
        matching = worlds[mask == entry]
        weights[entry] = len(matching) / draws
        cell = np.broadcast_to(atom_of, matching.shape) * (len(group.types) + 1) + matching
        sums = np.bincount(cell.ravel(), minlength=expected[entry].size)
        expected[entry] = sums.reshape(expected[entry].shape) / draws
    remaining = draws if by_set else max(round(float(weights[0]) * draws), 1)
    return RemainingWorlds(weights, expected[:, :, : len(group.types)], remaining)


def combine_groups(
    groups: Sequence[GroupWorlds], remaining: Sequence[RemainingWorlds], steps: int
) -> list[np.ndarray] | None:
    """Return the expected people per atom and type where each step concerns all groups and must fail in one of them.

    Groups are independent, so the worlds are counted by inclusion and exclusion over the steps. None if no world
    remains.
    """
    sets = range(1 << steps)
    shares = np.array([[worlds.share_allowing(step_set) for worlds in remaining] for step_set in sets])
    sign = np.array([(-1) ** bin(step_set).count("1") for step_set in sets])
    share = float((sign * shares.prod(axis=1)).sum())
    if share <= NOTHING:
        return None
    answers = []
    for position, (group, worlds) in enumerate(zip(groups, remaining, strict=True)):
        total = np.zeros_like(group.expected)
        for step_set in sets:
            other_groups = float(np.delete(shares[step_set], position).prod())
            if other_groups > 0 and step_set:
                total += sign[step_set] * other_groups * _sum_supersets(worlds.expected, step_set)
            elif not step_set:
                total += group.expected if not worlds.draws else _sum_supersets(worlds.expected, 0)
        answers.append(np.maximum(total, 0) / share)
    return answers


def _sum_supersets(entries: np.ndarray, step_set: int) -> np.ndarray:
    """Sum over all sets of steps that contain the chosen ones."""
    return np.asarray(sum(entries[superset] for superset in range(len(entries)) if superset & step_set == step_set))

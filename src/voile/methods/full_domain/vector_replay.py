"""Replay the choice of a level vector from the published groups: which vectors were refused.

What a vector loses before any row is withheld follows from quasi-identifiers alone. The groups tell the chosen vector:
each column is at the lowest level at which every group has one node. Had a vector higher up given the same groups, the
lower one would have given them too, at less loss. So every vector that loses less was refused: the rows of its failing
groups are more than may be withheld, or withholding them costs more than the chosen vector loses. Any table with the
same groups, in which all these vectors are refused and the withheld groups fail, gives the same release.

Models that compare a group with the whole table judge anew after rows are withheld; for them this is not the whole
truth where rows are withheld.
"""

from __future__ import annotations

import numpy as np

from voile.methods.full_domain.lattice import TIE, Lattice, Vector
from voile.methods.refusals import RefusedSteps, SpanningStep
from voile.tables.row_protocol import WITHHELD

VECTORS = 1_000  # if the refusal of more vectors depends on values, nothing is replayed


def replay_vectors(lattice: Lattice, group: np.ndarray, smallest: int, limit: int) -> RefusedSteps | None:
    """Return the refused vectors whose refusal depends on values, as steps; None if no vector gives these groups.

    `limit` is how many rows may be withheld. Vectors within the groups come as the columns of `parts` if there are no
    others; vectors beside the published one reach over several groups.
    """
    nothing = np.zeros((len(group), 0), dtype=np.int64)
    if not len(group):
        return RefusedSteps(nothing, whole=True)
    chosen = _find_chosen(lattice, group)
    if chosen is None:
        return None
    limit = min(limit, lattice.table.total - 1)  # somebody is published
    steps = []
    within_groups, too_small = limit == 0, np.zeros(lattice.heights, dtype=bool)
    for vector, room in _list_better(lattice, group, chosen):
        if too_small[vector]:
            continue
        part, first = lattice.number_groups(vector)
        sizes = np.bincount(part, weights=lattice.weights, minlength=len(first)).astype(np.int64)
        is_small = (sizes < smallest)[part]
        if lattice.weights[is_small].sum() > limit:
            too_small[tuple(slice(None, level + 1) for level in vector)] = True  # and everything below it
            continue
        costs = lattice.weights * (1 - lattice.cell_losses(vector))
        if costs[is_small].sum() > room:
            continue  # whatever the values are
        steps.append(SpanningStep(np.arange(len(group)), part, limit, room, costs if limit else None))
        within_groups &= all(level <= top for level, top in zip(vector, chosen, strict=True))
        if len(steps) > VECTORS:
            return None
    if within_groups:
        parts = np.stack([step.parts for step in steps], axis=1) if steps else nothing
        return RefusedSteps(parts, whole=True, complete=True)
    return RefusedSteps(nothing, spanning=(*steps, *_list_withheld(lattice, group, chosen)), complete=True)


def _find_chosen(lattice: Lattice, group: np.ndarray) -> Vector | None:
    """Return the lowest vector that gives these groups, with nobody withheld who fits one of them; None if none
    does."""
    is_published = group != WITHHELD
    vector = []
    for position, maps in enumerate(lattice.maps):
        codes = lattice.table.codes[:, position]
        level = 0
        while not _has_one_node_per_group(maps[level][codes[is_published]], group[is_published]):
            level += 1
            if level == len(maps):
                return None
        vector.append(level)
    part, first = lattice.number_groups(vector)
    groups_by_part = np.full(len(first), WITHHELD)
    groups_by_part[part[is_published]] = group[is_published]
    published_parts = len(np.unique(part[is_published]))
    same = np.array_equal(groups_by_part[part], group) and published_parts == len(np.unique(group[is_published]))
    return tuple(vector) if same else None


def _list_better(lattice: Lattice, group: np.ndarray, chosen: Vector) -> list[tuple[Vector, float]]:
    """Return the vectors that would have been chosen instead, each with what its failing groups may cost at most; the
    highest first."""
    is_published, total = group != WITHHELD, int(lattice.weights.sum())
    weights = lattice.weights[is_published]
    withheld = total - int(weights.sum())
    loss = (float(np.dot(lattice.cell_losses(chosen)[is_published], weights)) + withheld) / total
    bound = lattice.bound_losses()
    vectors = []
    for position in np.argwhere(bound <= loss + TIE):
        vector: Vector = tuple(int(level) for level in position)
        tie = TIE if vector < chosen else -TIE  # ties go to the lexicographically least
        room = (loss + tie - bound[vector]) * total
        if vector != chosen and room >= 0:
            vectors.append((vector, room))
    return sorted(vectors, key=lambda item: -sum(item[0]))


def _list_withheld(lattice: Lattice, group: np.ndarray, chosen: Vector) -> list[SpanningStep]:
    """Return one step for each withheld group of the chosen vector: it fails."""
    part, _ = lattice.number_groups(chosen)
    return [
        SpanningStep(cells, np.zeros(len(cells), dtype=np.int64))
        for cells in (np.flatnonzero(part == withheld) for withheld in np.unique(part[group == WITHHELD]))
    ]


def _has_one_node_per_group(nodes: np.ndarray, group: np.ndarray) -> bool:
    groups = int(group.max(initial=-1)) + 1
    low, high = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    np.minimum.at(low, group, nodes)
    np.maximum.at(high, group, nodes)
    return bool((low >= high).all())

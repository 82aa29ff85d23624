"""From boxes to clusters: the people of each box are clustered on their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from voile.kernels import lazy_module
from voile.methods.cluster.column_costs import frame_columns
from voile.methods.cluster.judge import Judge
from voile.methods.cluster.judged_clusters import JudgedBox, cluster_side_by_side

kernel = lazy_module("voile.methods.cluster.kernel")

PASSES = 20  # an improvement ends after so many passes even if something can still be gained
JUDGED_PASSES = 3  # the same where every change is judged: later passes gain little and are refused often


def cluster_boxes(judge: Judge, recoding: str, cells: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cluster the people of some cells, box by box; return the cell and the cluster of each person."""
    frame, points = frame_columns(judge.columns.quasi, recoding)
    order = np.argsort(box, kind="stable")
    person_cell = np.repeat(cells[order], judge.table.counts[cells[order]])
    person_box = np.repeat(box[order], judge.table.counts[cells[order]])
    bounds = np.flatnonzero(np.diff(person_box, prepend=-1, append=-1))
    clusters, number = np.empty(len(person_cell), dtype=np.int64), 0
    size = max(judge.policy.smallest(), 1)
    make_people = partial(_gather, frame, points, judge, size)
    if judge.policy.sizes_suffice:
        for start, end in pairwise(bounds):
            people = make_people(person_cell[start:end])
            clusters[start:end] = number + _cluster_by_size(frame, people, size)
            number = int(clusters[start:end].max()) + 1
        return person_cell, _number_densely(clusters)
    boxes: list[Callable[[], JudgedBox]] = [
        partial(_judged_box, frame, make_people, judge, person_cell[start:end], size) for start, end in pairwise(bounds)
    ]
    for (start, end), done in zip(pairwise(bounds), cluster_side_by_side(boxes, judge), strict=True):
        clusters[start:end] = number + done.people.cluster
        number = int(clusters[start:end].max()) + 1
    return person_cell, _number_densely(clusters)


def _number_densely(clusters: np.ndarray) -> np.ndarray:
    """Number the clusters that have members one after another."""
    used = np.bincount(clusters) > 0 if len(clusters) else np.zeros(0, dtype=bool)
    return np.asarray((np.cumsum(used) - 1)[clusters])


def _gather(frame: Any, points: list[np.ndarray], judge: Judge, size: int, cells: np.ndarray) -> Any:
    codes = judge.table.codes[cells, : len(points)].astype(np.int64)
    positions = np.column_stack([column[codes[:, number]] for number, column in enumerate(points)])
    return kernel.gather_people(frame, positions, codes, len(cells) // size + 2)


def _cluster_by_size(frame: Any, people: Any, size: int) -> np.ndarray:
    clusters = kernel.grow_all(frame, people, size)
    kernel.place_free(frame, people, clusters)
    search = kernel.start_search(*people.codes.shape)
    value = np.zeros(len(people.codes), dtype=np.int64)
    for passes in range(1, PASSES + 1):  # one at a time, since few people find something to gain in the later ones
        kernel.improve_by_size(frame, people, search, clusters, size, passes, value)
    return np.asarray(people.cluster)


def _judged_box(
    frame: Any, make_people: Callable[[np.ndarray], Any], judge: Judge, cells: np.ndarray, size: int
) -> JudgedBox:
    return JudgedBox(frame, make_people(cells), cells, judge.values(cells), size, JUDGED_PASSES)

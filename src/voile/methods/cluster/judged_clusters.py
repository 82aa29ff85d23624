"""Clusters under a policy that looks at values: every cluster is judged before it is formed or changed.

Judging one cluster costs as much as judging a hundred, so many boxes are clustered side by side, and one question of
each is asked at a time. A box as a whole satisfies the policy, so at worst all its people end in one cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from voile.kernels import lazy_module
from voile.methods.cluster.judge import Judge

kernel = lazy_module("voile.methods.cluster.kernel")

CANDIDATES = 16  # how many people of different values are tried as the last member of a cluster
SIDE_BY_SIDE = 64  # boxes

Question = tuple[np.ndarray, np.ndarray]  # the group of each entry, and the person
Answers = Iterator[Any]


class JudgedBox:
    """The people of one box on their way into clusters. Each step is a generator that yields questions (clusters as
    they would be) and receives whether they hold."""

    def __init__(self, frame: Any, people: Any, cells: np.ndarray, value: np.ndarray, size: int, passes: int) -> None:
        self.frame, self.people, self.cells, self.value = frame, people, cells, value
        self.size, self.passes, self.clusters = size, passes, 0
        self.search = kernel.start_search(*people.codes.shape)
        self.shares = np.bincount(value)

    def run(self) -> Any:
        """Grow clusters, place whoever is left, and improve."""
        yield from self._grow()
        yield from self._place()
        yield from self._improve()

    def _grow(self) -> Any:
        """Grow clusters until one cannot be finished; its people are free again."""
        while self.people.free_count[0] >= self.size:
            kernel.start_cluster(self.frame, self.people, self.clusters)
            kernel.grow_cluster(self.frame, self.people, self.clusters, self.size - 1)
            finished = yield from self._finish(self.clusters)
            if not finished:
                kernel.free_members(self.frame, self.people, self.search, self.clusters)
                return
            self.clusters += 1

    def _finish(self, number: int) -> Any:
        """Add people to a cluster until it holds: the cheapest one who completes it, else one of the value that it
        lacks most. Return whether it holds. It is given up where it would not hold with everybody who is free."""
        nearest, costs = np.empty(len(self.shares), np.int64), np.empty(len(self.shares))
        is_first = True
        while self.people.free_count[0]:
            kernel.nearest_by_value(self.frame, self.people, number, self.value, nearest, costs)
            values = np.argsort(costs, kind="stable")
            values = values[nearest[values] >= 0][:CANDIDATES]
            verdict = yield kernel.list_extended(self.people, number, nearest[values])
            if verdict.any():
                kernel.take_free(self.frame, self.people, number, nearest[values[np.argmax(verdict)]])
                return True
            if is_first and not (yield from self._holds_with_free(number)):
                return False
            is_first = False
            members = np.bincount(self.value[self.people.cluster == number], minlength=len(self.shares))
            rarest = values[np.argmin(members[values] / self.shares[values])]
            kernel.take_free(self.frame, self.people, number, nearest[rarest])
        return False

    def _place(self) -> Any:
        """Put everybody who is left into a cluster that holds with them. Those whom none of the cheapest takes form a
        cluster of their own, which is merged with others until it holds."""
        refused = self.clusters
        while self.people.free_count[0]:
            rivals, groups, members = kernel.propose_places(self.frame, self.people, self.search, refused)
            target = refused
            if len(rivals):
                verdict = yield groups, members
                target = rivals[np.argmax(verdict)] if verdict.any() else refused
            kernel.take_free(self.frame, self.people, target, self.people.free_count[0] - 1)
        if self.people.size[refused]:
            self.clusters += 1
            yield from self._merge(refused)

    def _holds(self, number: int) -> Any:
        members = np.flatnonzero(self.people.cluster == number)
        verdict = yield np.zeros(len(members), dtype=np.int64), members
        return bool(verdict[0])

    def _holds_with_free(self, number: int) -> Any:
        members = np.flatnonzero((self.people.cluster == number) | (self.people.cluster < 0))
        verdict = yield np.zeros(len(members), dtype=np.int64), members
        return bool(verdict[0])

    def _merge(self, number: int) -> Any:
        """Merge a cluster with others until it holds, or until nobody is left to add."""
        while number >= 0 and not (yield from self._holds(number)):
            number = kernel.merge_cheapest(self.frame, self.people, self.search, self.clusters, number)

    def _improve(self) -> Any:
        """Make every change that gains something and that the policy allows."""
        arguments = (self.frame, self.people, self.search, self.clusters, self.size, self.passes, self.value)
        accepted = False
        while (question := kernel.next_change(*arguments, accepted))[0].size:
            verdict = yield question
            accepted = bool(verdict.all())


def cluster_side_by_side(boxes: Sequence[Callable[[], JudgedBox]], judge: Judge) -> Iterator[JudgedBox]:
    """Cluster boxes, some at a time, and return each when it is done."""
    for start in range(0, len(boxes), SIDE_BY_SIDE):
        batch = [make_box() for make_box in boxes[start : start + SIDE_BY_SIDE]]
        waiting = [(box, steps, question) for box in batch for steps, question in _begin(box)]
        while waiting:
            waiting = _answer(waiting, judge)
        yield from batch


def _begin(box: JudgedBox) -> Iterator[tuple[Answers, Question]]:
    steps = box.run()
    question = next(steps, None)
    if question is not None:
        yield steps, question


def _answer(waiting: list[tuple[JudgedBox, Any, Question]], judge: Judge) -> list[tuple[JudgedBox, Any, Question]]:
    """Judge one question of each box together, and return the next questions."""
    lengths = [int(group[-1]) + 1 for _, _, (group, _) in waiting]
    first = np.concatenate([[0], np.cumsum(lengths)])
    groups = np.concatenate([group + start for (_, _, (group, _)), start in zip(waiting, first[:-1], strict=True)])
    cells = np.concatenate([box.cells[members] for box, _, (_, members) in waiting])
    verdict = judge.holds(cells, groups, np.ones(len(cells), dtype=np.int64))
    following = []
    for (box, steps, _), start, end in zip(waiting, first[:-1], first[1:], strict=True):
        try:
            following.append((box, steps, steps.send(verdict[start:end])))
        except StopIteration:
            continue
    return following

"""Which people of an external table fit which boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

LEAF = 8
NONE, SEVERAL = -1, -2


@njit(nogil=True, cache=True)
def _build(low, high, order, nodes, bounds):
    """A tree of bounding boxes over `order` (boxes, moved in place): children of a node are the two halves of its boxes
    by the middle of the widest column. Returns the number of nodes. O(boxes log boxes)."""
    columns = low.shape[1]
    nodes[0] = (0, order.size, -1, -1)
    total, at = 1, 0
    while at < total:
        first, last = nodes[at, 0], nodes[at, 1]
        for d in range(columns):
            bounds[at, d, 0] = low[order[first], d]
            bounds[at, d, 1] = high[order[first], d]
        for i in range(first, last):
            for d in range(columns):
                bounds[at, d, 0] = min(bounds[at, d, 0], low[order[i], d])
                bounds[at, d, 1] = max(bounds[at, d, 1], high[order[i], d])
        if last - first > LEAF:
            widest = 0
            for d in range(columns):
                if bounds[at, d, 1] - bounds[at, d, 0] > bounds[at, widest, 1] - bounds[at, widest, 0]:
                    widest = d
            middles = np.empty(last - first, np.int64)
            for i in range(first, last):
                middles[i - first] = low[order[i], widest] + high[order[i], widest]
            rank = np.argsort(middles, kind="mergesort")
            moved = order[first:last][rank]
            order[first:last] = moved
            half = (first + last) // 2
            nodes[at, 2], nodes[at, 3] = total, total + 1
            nodes[total] = (first, half, -1, -1)
            nodes[total + 1] = (half, last, -1, -1)
            total += 2
        at += 1
    return total


@njit(nogil=True, cache=True)
def _inside(members, starts, box, code):
    """Whether a code is among a box's rising members. O(log members)."""
    low, high = starts[box], starts[box + 1]
    while low < high:
        middle = (low + high) // 2
        if members[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < starts[box + 1] and members[low] == code


@njit(nogil=True, cache=True)
def _place(codes, weights, nodes, bounds, order, members, starts, found, owner):
    """Add each person's weight to every box that holds them, and note the box where it is the only one (else SEVERAL).
    About O(people * log boxes) for boxes that overlap little.

    `members` and `starts` hold the sets of all columns one after another, column d of box b at d * boxes + b.
    """
    boxes, columns = order.size, codes.shape[1]
    stack = np.empty(4096, np.int64)
    for person in range(codes.shape[0]):
        stack[0] = 0
        top, homes = 1, 0
        while top > 0:
            top -= 1
            node = stack[top]
            fits = True
            for d in range(columns):
                fits &= bounds[node, d, 0] <= codes[person, d] <= bounds[node, d, 1]
            if not fits:
                continue
            if nodes[node, 2] >= 0:
                stack[top] = nodes[node, 2]
                stack[top + 1] = nodes[node, 3]
                top += 2
                continue
            for i in range(nodes[node, 0], nodes[node, 1]):
                fits = True
                for d in range(columns):
                    if fits:
                        fits = _inside(members, starts, d * boxes + order[i], codes[person, d])
                if fits:
                    found[order[i]] += weights[person]
                    homes += 1
                    owner[person] = order[i] if homes == 1 else SEVERAL


Tree = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _flat(boxes: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ends of the boxes, and their sets, the columns one after another: low, high, members, starts."""
    number = boxes[0].shape[0]
    low, high = np.zeros((number, len(boxes)), np.int64), np.full((number, len(boxes)), -1, np.int64)
    members, starts, base = [], [np.zeros(1, np.int64)], 0
    for d, column in enumerate(boxes):
        column.sort_indices()
        pointer, inside = column.indptr.astype(np.int64), column.indices.astype(np.int64)
        filled = np.flatnonzero(np.diff(pointer))
        low[filled, d], high[filled, d] = inside[pointer[filled]], inside[pointer[filled + 1] - 1]
        members.append(inside)
        starts.append(pointer[1:] + base)
        base += len(inside)
    return low, high, np.concatenate(members), np.concatenate(starts)


def _tree(boxes: Sequence[Any]) -> Tree:
    """The tree over boxes, and their sets: nodes, bounds, order, members, starts."""
    low, high, members, starts = _flat(boxes)
    order = np.arange(len(low))
    nodes, bounds = np.empty((2 * len(low) + 1, 4), np.int64), np.empty((2 * len(low) + 1, len(boxes), 2), np.int64)
    total = _build(low, high, order, nodes, bounds)
    return nodes[:total], bounds[:total], order, members, starts


def people(boxes: Sequence[Any], codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """How many people fit each box. `boxes` has for every column a sparse matrix boxes x values (sorted indices)."""
    return _placed(boxes, codes, weights)[0]


def owners(boxes: Sequence[Any], codes: np.ndarray) -> np.ndarray:
    """The one box that each person fits, NONE where there is none, SEVERAL where more than one. `boxes` as for
    `people`."""
    return _placed(boxes, codes, np.ones(len(codes), np.int64))[1]


def _placed(boxes: Sequence[Any], codes: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found, owner = np.zeros(boxes[0].shape[0], np.int64), np.full(len(codes), NONE, np.int64)
    if len(found):
        _place(codes.astype(np.int64), weights, *_tree(boxes), found, owner)
    return found, owner


@njit(nogil=True, cache=True)
def _share(members, starts, box, others, bounds, other):
    """Whether two rising sets have a member in common. O(members)."""
    i, j = starts[box], bounds[other]
    while i < starts[box + 1] and j < bounds[other + 1]:
        if members[i] == others[j]:
            return True
        if members[i] < others[j]:
            i += 1
        else:
            j += 1
    return False


@njit(nogil=True, cache=True)
def _pairs(low, high, members, starts, nodes, bounds, order, others, places, most):
    """Every pair (box, other box) with a common value in each column, `most` at most. About O(boxes log boxes) where
    boxes overlap little."""
    columns, number, count = low.shape[1], low.shape[0], order.size
    first, second = np.empty(1024, np.int64), np.empty(1024, np.int64)
    stack = np.empty(4096, np.int64)
    found = 0
    for box in range(number):
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            fits = True
            for d in range(columns):
                fits &= bounds[node, d, 0] <= high[box, d] and low[box, d] <= bounds[node, d, 1]
            if not fits:
                continue
            if nodes[node, 2] >= 0:
                stack[top] = nodes[node, 2]
                stack[top + 1] = nodes[node, 3]
                top += 2
                continue
            for i in range(nodes[node, 0], nodes[node, 1]):
                fits = True
                for d in range(columns):
                    if fits:
                        fits = _share(members, starts, d * number + box, others, places, d * count + order[i])
                if fits:
                    if found == most:
                        return first[:found], second[:found]
                    if found == first.size:
                        first = np.concatenate((first, np.empty_like(first)))
                        second = np.concatenate((second, np.empty_like(second)))
                    first[found], second[found] = box, order[i]
                    found += 1
    return first[:found], second[:found]


def overlaps(boxes: Sequence[Any], others: Sequence[Any], most: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of boxes (number, number of the other) that have a value in common in every column; at most `most`."""
    if not boxes[0].shape[0] or not others[0].shape[0]:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    low, high, members, starts = _flat(boxes)
    return _pairs(low, high, members, starts, *_tree(others), most)  # type: ignore[no-any-return]

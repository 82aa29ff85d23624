"""Find which people fit which boxes, and which boxes overlap, with a tree of bounding boxes.

A box has a set of values per column. The tree is a bounding volume hierarchy: it finds the few boxes around a person
without looking at the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.kernels.group_scans import includes_value
from voile.kernels.sorting import order_values

LEAF = 8
NONE, SEVERAL = -1, -2


@kernel
def _write_node(nodes, at, first, last):
    """Write a leaf with the boxes first..last-1."""
    nodes[at, 0], nodes[at, 1], nodes[at, 2], nodes[at, 3] = first, last, -1, -1


@kernel(steps=10)
def _split_boxes(low, high, order, nodes, bounds):
    """Build a tree of bounding boxes over `order` (boxes, reordered in place); return the number of nodes.

    The children of a node are the two halves of its boxes by their middles in the column that is widest compared with
    the boxes, because few boxes reach into both halves there. O(boxes log^2 boxes).
    """
    columns = low.shape[1]
    _write_node(nodes, 0, 0, order.size)
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
            widest, most = 0, 0.0
            for d in range(columns):
                width = 0.0
                for i in range(first, last):
                    width += high[order[i], d] - low[order[i], d] + 1
                ratio = (bounds[at, d, 1] - bounds[at, d, 0] + 1) / max(width, 1.0)
                if ratio > most:
                    widest, most = d, ratio
            middles = np.empty(last - first, np.int64)
            for i in range(first, last):
                middles[i - first] = low[order[i], widest] + high[order[i], widest]
            rank, boxes = order_values(middles), order[first:last].copy()
            for i in range(first, last):
                order[i] = boxes[rank[i - first]]
            half = (first + last) // 2
            nodes[at, 2], nodes[at, 3] = total, total + 1
            _write_node(nodes, total, first, half)
            _write_node(nodes, total + 1, half, last)
            total += 2
        at += 1
    return total


@kernel(steps=lambda codes, weights, nodes, *_: codes.size * len(nodes))
def _match_people(codes, weights, nodes, bounds, order, members, starts, people_in, owner):
    """Add each person's weight to every box that holds them, and note the box if it is the only one (else SEVERAL).
    About O(people * log boxes) if the boxes overlap little.

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
            fits, d = True, 0
            while fits and d < columns:
                fits = bounds[node, d, 0] <= codes[person, d] <= bounds[node, d, 1]
                d += 1
            if not fits:
                continue
            if nodes[node, 2] >= 0:
                stack[top] = nodes[node, 2]
                stack[top + 1] = nodes[node, 3]
                top += 2
                continue
            for i in range(nodes[node, 0], nodes[node, 1]):
                fits, d = True, 0
                while fits and d < columns:
                    set_number = d * boxes + order[i]
                    low, high = starts[set_number], starts[set_number + 1]
                    fits = includes_value(members, low, high, codes[person, d])
                    d += 1
                if fits:
                    people_in[order[i]] += weights[person]
                    homes += 1
                    owner[person] = order[i] if homes == 1 else SEVERAL


Tree = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _flatten_sets(boxes: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of the boxes, and their sets, the columns one after another: low, high, members, starts."""
    box_count = boxes[0].shape[0]
    low, high = np.zeros((box_count, len(boxes)), np.int64), np.full((box_count, len(boxes)), -1, np.int64)
    members, starts, base = [], [np.zeros(1, np.int64)], 0
    for d, column in enumerate(boxes):
        column.sort_indices()
        pointer, inside = column.indptr.astype(np.int64), column.indices.astype(np.int64)
        nonempty = np.flatnonzero(np.diff(pointer))
        low[nonempty, d], high[nonempty, d] = inside[pointer[nonempty]], inside[pointer[nonempty + 1] - 1]
        members.append(inside)
        starts.append(pointer[1:] + base)
        base += len(inside)
    return low, high, np.concatenate(members), np.concatenate(starts)


def _build_tree(boxes: Sequence[Any]) -> Tree:
    """Return the tree over boxes, and their sets: nodes, bounds, order, members, starts."""
    low, high, members, starts = _flatten_sets(boxes)
    order = np.arange(len(low))
    nodes, bounds = np.empty((2 * len(low) + 1, 4), np.int64), np.empty((2 * len(low) + 1, len(boxes), 2), np.int64)
    total = _split_boxes(low, high, order, nodes, bounds)
    return nodes[:total], bounds[:total], order, members, starts


def count_fitting(boxes: Sequence[Any], codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return how many people fit each box. `boxes` has one sparse matrix (boxes x values) per column."""
    return _place_people(boxes, codes, weights)[0]


def find_owners(boxes: Sequence[Any], codes: np.ndarray) -> np.ndarray:
    """Return the box that each person fits, NONE if there is none, SEVERAL if there is more than one. `boxes` has the
    same form as for `count_fitting`."""
    return _place_people(boxes, codes, np.ones(len(codes), np.int64))[1]


def _place_people(boxes: Sequence[Any], codes: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    people_in, owner = np.zeros(boxes[0].shape[0], np.int64), np.full(len(codes), NONE, np.int64)
    if len(people_in):
        _match_people(codes.astype(np.int64), weights, *_build_tree(boxes), people_in, owner)
    return people_in, owner


@kernel
def _double(numbers):
    """Return an array of twice the length that starts with these numbers. O(n)."""
    doubled = np.empty(2 * numbers.size, np.int64)
    for i in range(numbers.size):
        doubled[i] = numbers[i]
    return doubled


@kernel
def _sets_meet(members, starts, box, other_members, other_starts, other_box):
    """Return whether two rising sets have a member in common. O(members)."""
    i, j = starts[box], other_starts[other_box]
    while i < starts[box + 1] and j < other_starts[other_box + 1]:
        if members[i] == other_members[j]:
            return True
        if members[i] < other_members[j]:
            i += 1
        else:
            j += 1
    return False


def _bound_pairs(low, high, members, starts, nodes, bounds, order, other_members, *_):
    """Return how many steps `_find_pairs` takes if every box has to be compared with every other."""
    return low.size * len(nodes) + len(order) * members.size + len(low) * other_members.size


@kernel(steps=_bound_pairs, enough=5 * ENOUGH)
def _find_pairs(low, high, members, starts, nodes, bounds, order, other_members, other_starts, max_pairs):
    """Return all pairs (box, other box) with a common value in every column, at most `max_pairs` of them. About
    O(boxes log boxes) if the boxes overlap little."""
    columns, box_count, other_count = low.shape[1], low.shape[0], order.size
    first, second = np.empty(1024, np.int64), np.empty(1024, np.int64)
    stack = np.empty(4096, np.int64)
    pair_count = 0
    for box in range(box_count):
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            fits, d = True, 0
            while fits and d < columns:
                fits = bounds[node, d, 0] <= high[box, d] and low[box, d] <= bounds[node, d, 1]
                d += 1
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
                        fits = _sets_meet(
                            members,
                            starts,
                            d * box_count + box,
                            other_members,
                            other_starts,
                            d * other_count + order[i],
                        )
                if fits:
                    if pair_count == max_pairs:
                        return first[:pair_count], second[:pair_count]
                    if pair_count == first.size:
                        first, second = _double(first), _double(second)
                    first[pair_count], second[pair_count] = box, order[i]
                    pair_count += 1
    return first[:pair_count], second[:pair_count]


def find_overlaps(boxes: Sequence[Any], other_boxes: Sequence[Any], max_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs (box, other box) that have a value in common in every column, at most `max_pairs` of them."""
    if not boxes[0].shape[0] or not other_boxes[0].shape[0]:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    low, high, members, starts = _flatten_sets(boxes)
    return _find_pairs(low, high, members, starts, *_build_tree(other_boxes), max_pairs)  # type: ignore[no-any-return]

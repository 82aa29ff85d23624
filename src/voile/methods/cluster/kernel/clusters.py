"""People in clusters, and what their boxes cost: the state that all steps of the search share.

A column is a range (`kind` 0), a set (1) or a tree (2). Costs are scaled so that an exact cell costs 0 and the whole
column its weight; the cost of a cluster is the sum over its columns, and everybody in it pays that cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from voile.kernels.compilation import kernel

RANGE, SET, TREE = 0, 1, 2


class Frame(NamedTuple):
    """What the kernels know of the columns.

    `scale` is the cost of one more value in a set or below a node. `offset` is where the values of a set start in
    `Clusters.seen`, or where a tree starts in `nodes` and `leaves`: the node of each code, and how many values lie
    below it, level after level. `sizes` is the number of codes.
    """

    kind: np.ndarray
    scale: np.ndarray
    offset: np.ndarray
    sizes: np.ndarray
    nodes: np.ndarray
    leaves: np.ndarray
    width: int  # of Clusters.seen


class Clusters(NamedTuple):
    """The people of one box and their clusters; the members of a cluster are a linked list.

    `points` are positions in ranges, as costs; `codes` the codes of all columns. `low` and `high` bound the cost of
    each cluster in each column, `seen` counts the values of its sets and `level` is the level of its tree nodes.
    """

    points: np.ndarray
    codes: np.ndarray
    cluster: np.ndarray  # of each person, -1 if free
    free: np.ndarray  # the free people, the first free_count[0] entries
    free_count: np.ndarray
    head: np.ndarray
    after: np.ndarray
    before: np.ndarray
    size: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: np.ndarray
    seen: np.ndarray
    cost: np.ndarray


def gather_people(frame: Frame, points: np.ndarray, codes: np.ndarray, clusters: int) -> Clusters:
    """Return the people of a box, all of them free, with room for some clusters."""
    people, columns = codes.shape
    return Clusters(
        points,
        codes,
        np.full(people, -1, dtype=np.int64),
        np.arange(people),
        np.array([people]),
        np.full(clusters, -1, dtype=np.int64),
        np.full(people, -1, dtype=np.int64),
        np.full(people, -1, dtype=np.int64),
        np.zeros(clusters, dtype=np.int64),
        np.zeros((clusters, columns)),
        np.zeros((clusters, columns)),
        np.zeros((clusters, columns), dtype=np.int64),
        np.zeros((clusters, frame.width), dtype=np.int32),
        np.zeros(clusters),
    )


@kernel
def node_cost(frame, column, level, code):
    """Return what the node above a code costs."""
    place = frame.offset[column] + level * frame.sizes[column] + code
    return (frame.leaves[place] - 1) * frame.scale[column]


@kernel
def common_level(frame, column, level, one, other):
    """Return the lowest level, from `level` up, at which two codes have the same node."""
    size = frame.sizes[column]
    place = frame.offset[column] + level * size
    while frame.nodes[place + one] != frame.nodes[place + other]:
        place += size
        level += 1
    return level


@kernel
def cost_with(frame, people, cluster, person, limit):
    """Return what a cluster would cost with one more person; any number above `limit` if it is more. O(columns)."""
    total = 0.0
    for column in range(frame.kind.shape[0]):
        kind = frame.kind[column]
        if kind == RANGE:
            point = people.points[person, column]
            total += max(people.high[cluster, column], point) - min(people.low[cluster, column], point)
        elif kind == SET:
            total += people.high[cluster, column]
            if people.seen[cluster, frame.offset[column] + people.codes[person, column]] == 0:
                total += frame.scale[column]
        else:
            code = people.codes[person, column]
            known = people.codes[people.head[cluster], column]
            level = common_level(frame, column, people.level[cluster, column], code, known)
            total += node_cost(frame, column, level, code)
        if total > limit:
            return total
    return total


@kernel
def cost_without(frame, people, cluster, person, low, high, level):
    """Return what a cluster of at least two would cost without a member, and write its bounds. O(columns * members)."""
    total = 0.0
    for column in range(frame.kind.shape[0]):
        kind = frame.kind[column]
        low[column], high[column] = people.low[cluster, column], people.high[cluster, column]
        level[column] = people.level[cluster, column]
        if kind == RANGE:
            point = people.points[person, column]
            if high[column] > low[column] and (point == low[column] or point == high[column]):
                least, greatest = np.inf, -np.inf
                member = people.head[cluster]
                while member >= 0:
                    if member != person:
                        least = min(least, people.points[member, column])
                        greatest = max(greatest, people.points[member, column])
                    member = people.after[member]
                low[column], high[column] = least, greatest
        elif kind == SET:
            if people.seen[cluster, frame.offset[column] + people.codes[person, column]] == 1:
                high[column] -= frame.scale[column]
        elif level[column] > 0:
            known, lowest = -1, 0
            member = people.head[cluster]
            while member >= 0:
                if member != person:
                    code = people.codes[member, column]
                    if known < 0:
                        known = code
                    lowest = common_level(frame, column, lowest, known, code)
                member = people.after[member]
            level[column] = lowest
            high[column] = node_cost(frame, column, lowest, known)
        total += high[column] - low[column]
    return total


@kernel
def cost_exchanged(frame, people, cluster, leaving, entering, low, high, level):
    """Return what a cluster costs with `entering` instead of `leaving`, given its bounds without `leaving`."""
    total = 0.0
    other = people.head[cluster]
    if other == leaving:
        other = people.after[other]
    for column in range(frame.kind.shape[0]):
        kind = frame.kind[column]
        if kind == RANGE:
            point = people.points[entering, column]
            total += max(high[column], point) - min(low[column], point)
        elif kind == SET:
            code = people.codes[entering, column]
            others = people.seen[cluster, frame.offset[column] + code]
            if people.codes[leaving, column] == code:
                others -= 1
            total += high[column] + (frame.scale[column] if others == 0 else 0.0)
        else:
            code, known = people.codes[entering, column], people.codes[other, column]
            total += node_cost(frame, column, common_level(frame, column, level[column], code, known), code)
    return total


@kernel
def add_person(frame, people, cluster, person):
    """Put a person into a cluster."""
    is_first = people.size[cluster] == 0
    total = 0.0
    for column in range(frame.kind.shape[0]):
        kind, code = frame.kind[column], people.codes[person, column]
        if kind == RANGE:
            point = people.points[person, column]
            people.low[cluster, column] = point if is_first else min(people.low[cluster, column], point)
            people.high[cluster, column] = point if is_first else max(people.high[cluster, column], point)
        elif kind == SET:
            place = frame.offset[column] + code
            if is_first:
                people.low[cluster, column] = people.high[cluster, column] = 0.0
            elif people.seen[cluster, place] == 0:
                people.high[cluster, column] += frame.scale[column]
            people.seen[cluster, place] += 1
        else:
            level = 0
            if not is_first:
                known = people.codes[people.head[cluster], column]
                level = common_level(frame, column, people.level[cluster, column], code, known)
            people.level[cluster, column] = level
            people.low[cluster, column], people.high[cluster, column] = 0.0, node_cost(frame, column, level, code)
        total += people.high[cluster, column] - people.low[cluster, column]
    people.cost[cluster] = total
    first = people.head[cluster]
    people.after[person], people.before[person] = first, -1
    if first >= 0:
        people.before[first] = person
    people.head[cluster] = person
    people.size[cluster] += 1
    people.cluster[person] = cluster


@kernel
def remove_person(frame, people, person, low, high, level):
    """Take a person out of a cluster; `low`, `high` and `level` are scratch space."""
    cluster = people.cluster[person]
    if people.size[cluster] > 1:
        people.cost[cluster] = cost_without(frame, people, cluster, person, low, high, level)
    else:
        people.cost[cluster] = 0.0
    for column in range(frame.kind.shape[0]):
        if people.size[cluster] > 1:
            people.low[cluster, column], people.high[cluster, column] = low[column], high[column]
            people.level[cluster, column] = level[column]
        if frame.kind[column] == SET:
            people.seen[cluster, frame.offset[column] + people.codes[person, column]] -= 1
    earlier, later = people.before[person], people.after[person]
    if earlier >= 0:
        people.after[earlier] = later
    else:
        people.head[cluster] = later
    if later >= 0:
        people.before[later] = earlier
    people.size[cluster] -= 1
    people.cluster[person] = -1

"""How many values a member of a group can have, given that all members must be served.

A group is a bipartite graph, people x values, with an edge where the rules allow the value to the person. An edge
counts if it lies in some perfect matching: nobody who knows the rules believes in any other.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel


@kernel
def _augment_matching(edges, size, first, mate, owner, parent, queue):
    """Match person `first` with a value, moving others along an augmenting path if needed; return whether there is one.
    O(edges)."""
    parent[:size] = -1
    queue[0] = first
    head, tail = 0, 1
    while head < tail:
        person = queue[head]
        head += 1
        for value in range(size):
            if edges[person, value] and parent[value] < 0:
                parent[value] = person
                if owner[value] >= 0:
                    queue[tail] = owner[value]
                    tail += 1
                    continue
                while True:
                    person = parent[value]
                    before = mate[person]
                    mate[person], owner[value] = value, person
                    if person == first:
                        return True
                    value = before
    return False


@kernel
def count_kept_values(edges, size, reach, work):
    """Return how many values the worst-off person keeps: the least number of their edges that lie in some perfect
    matching; 0 if there is no perfect matching.

    Given one perfect matching, person i may take the value of person k if and only if k can be served in turn, that
    is, if a chain of such exchanges leads from k back to i. `reach` and `work` are scratch arrays. O(size ** 3).
    """
    kept_values = size
    for i in range(size):
        degree = 0
        for j in range(size):
            degree += edges[i, j]
        kept_values = min(kept_values, degree)
    if kept_values == size or kept_values == 0:
        return kept_values  # every edge of a complete graph lies in a perfect matching
    mate, owner, parent, queue = work[0], work[1], work[2], work[3]
    mate[:size] = -1
    owner[:size] = -1
    for i in range(size):
        if edges[i, i]:  # the true values usually are a perfect matching
            mate[i] = i
            owner[i] = i
    for i in range(size):
        if mate[i] < 0 and not _augment_matching(edges, size, i, mate, owner, parent, queue):
            return 0
    for i in range(size):
        for k in range(size):
            reach[i, k] = i == k or edges[i, mate[k]]
    for via in range(size):
        for i in range(size):
            if reach[i, via]:
                for k in range(size):
                    reach[i, k] |= reach[via, k]
    for i in range(size):
        degree = 0
        for k in range(size):
            degree += edges[i, mate[k]] and reach[k, i]
        kept_values = min(kept_values, degree)
    return kept_values


@kernel
def recall_kept_values(edges, size, reach, work, memory):
    """Answer as `count_kept_values` does, from memory if possible, for graphs that differ only in the last person and
    the last value; many piles give the same graph.

    `memory` holds the edges of both and the answer, -1 if there is none yet. O(size), or O(size ** 3) for a new graph.
    """
    if size > 63:
        return count_kept_values(edges, size, reach, work)
    person, value = np.int64(0), np.int64(0)
    for i in range(size):
        person |= np.int64(edges[size - 1, i]) << i
        value |= np.int64(edges[i, size - 1]) << i
    slot = (person * 31 + value * 7919) % memory.shape[0]
    if memory[slot, 2] < 0 or memory[slot, 0] != person or memory[slot, 1] != value:
        memory[slot, 0], memory[slot, 1] = person, value
        memory[slot, 2] = count_kept_values(edges, size, reach, work)
    return memory[slot, 2]


@kernel
def scratch_arrays(max_size):
    """Return scratch arrays for a group of at most `max_size` people: edges, reachability, and some numbers."""
    return (
        np.zeros((max_size, max_size), np.bool_),
        np.zeros((max_size, max_size), np.bool_),
        np.empty((5, max_size), np.int64),
    )


@kernel
def add_person(edges, size, members, pile, home, value, allowed):
    """Add a person of a pile, and their value, to the graph of a group. O(size)."""
    for i in range(size):
        edges[i, size] = allowed[home[members[i]], value[pile]]
        edges[size, i] = allowed[home[pile], value[members[i]]]
    edges[size, size] = allowed[home[pile], value[pile]]


@kernel(steps=lambda starts, *_: int((np.diff(starts) ** 3).sum()), enough=4 * ENOUGH)
def count_kept_by_group(starts, homes, values, allowed):
    """Return, for each group, how many values its worst-off member keeps. The values of a group all differ.

    Group g has the people `starts[g]`..`starts[g+1]`-1; `homes` names the row of `allowed` that applies to each.
    O(groups * size ** 3).
    """
    answer = np.empty(starts.size - 1, np.int64)
    largest = 1
    for group in range(answer.size):
        largest = max(largest, starts[group + 1] - starts[group])
    edges, reach, work = scratch_arrays(largest)
    for group in range(answer.size):
        first, size = starts[group], starts[group + 1] - starts[group]
        for i in range(size):
            for j in range(size):
                edges[i, j] = allowed[homes[first + i], values[first + j]]
        answer[group] = count_kept_values(edges, size, reach, work)
    return answer

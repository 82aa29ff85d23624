"""Groups in which everybody keeps l values, though rules exclude some values for some people.

People who have the same value and for whom the same values are excluded are interchangeable: they are a pile. A group
takes people from piles of different values. It is a bipartite graph, people x values, with an edge where the value is
allowed; an edge counts if it lies in some perfect matching, for else nobody who knows the rules believes in it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SLOTS = 512


@njit(nogil=True, cache=True)
def _augmented(edges, size, first, mate, owner, parent, queue):
    """Give a value to person `first`, moving others if needed. O(edges)."""
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


@njit(nogil=True, cache=True)
def least_edges(edges, size, reach, work):
    """The least number of edges in some perfect matching that a person keeps; 0 if there is no perfect matching.

    With a perfect matching at hand, person i may take the value of person k if and only if k can be served in turn:
    if a chain of such takings leads from k back to i. `reach` and `work` are room to write in. O(size ** 3).
    """
    kept = size
    for i in range(size):
        degree = 0
        for j in range(size):
            degree += edges[i, j]
        kept = min(kept, degree)
    if kept == size or kept == 0:
        return kept  # every edge of a complete graph lies in a perfect matching
    mate, owner, parent, queue = work[0], work[1], work[2], work[3]
    mate[:size] = -1
    owner[:size] = -1
    for i in range(size):
        if edges[i, i]:  # mostly the true values are a perfect matching
            mate[i] = i
            owner[i] = i
    for i in range(size):
        if mate[i] < 0 and not _augmented(edges, size, i, mate, owner, parent, queue):
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
        kept = min(kept, degree)
    return kept


@njit(nogil=True, cache=True)
def _remembered(edges, size, reach, work, memory):
    """`least_edges`, for graphs that differ in the last person and the last value only; many piles give the same one.

    `memory` holds the edges of both and the answer, -1 where there is none yet. O(size), or O(size ** 3) when new.
    """
    if size > 63:
        return least_edges(edges, size, reach, work)
    person, value = np.int64(0), np.int64(0)
    for i in range(size):
        person |= np.int64(edges[size - 1, i]) << i
        value |= np.int64(edges[i, size - 1]) << i
    slot = (person * 31 + value * 7919) % memory.shape[0]
    if memory[slot, 2] < 0 or memory[slot, 0] != person or memory[slot, 1] != value:
        memory[slot, 0], memory[slot, 1] = person, value
        memory[slot, 2] = least_edges(edges, size, reach, work)
    return memory[slot, 2]


@njit(nogil=True, cache=True)
def _room(most):
    """Where a group of at most so many people is worked on: its edges, what reaches what, and some numbers."""
    return np.zeros((most, most), np.bool_), np.zeros((most, most), np.bool_), np.empty((5, most), np.int64)


@njit(nogil=True, cache=True)
def _extend(edges, size, members, pile, home, value, allowed):
    """The graph of a group with one person more. O(size)."""
    for i in range(size):
        edges[i, size] = allowed[home[members[i]], value[pile]]
        edges[size, i] = allowed[home[pile], value[members[i]]]
    edges[size, size] = allowed[home[pile], value[pile]]


@njit(nogil=True, cache=True)
def _add(bits, value):
    """Put a value into a set of bits. O(1)."""
    bits[value // 64] |= np.uint64(1) << np.uint64(value % 64)


@njit(nogil=True, cache=True)
def _has(members, size, value, wanted):
    """Whether a group has a value. O(size)."""
    found = False
    for i in range(size):
        found |= value[members[i]] == wanted
    return found


@njit(nogil=True, cache=True)
def _common(one, other):
    """How many bits two sets share, counted in parallel within each word. O(words)."""
    total = np.uint64(0)
    for word in range(one.size):
        both = one[word] & other[word]
        both -= (both >> np.uint64(1)) & np.uint64(0x5555555555555555)
        both = (both & np.uint64(0x3333333333333333)) + ((both >> np.uint64(2)) & np.uint64(0x3333333333333333))
        both = (both + (both >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (both * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return np.int64(total)


@njit(nogil=True, cache=True)
def _next(members, size, l, piles, pool, allowed, bits, joint, room):  # noqa: E741
    """The pile that leaves the most edges to the worst off, and how many; -1 if no other value is left.

    Among equals it is one that leaves at least l values to all (`joint`: those allowed for every member), of the value
    with the most people left; then the one that leaves the most, then the one for whom most is excluded.
    O(piles * size) where the graph is complete; bounds from the degrees spare most exact counts where it is not.
    """
    edges, _, work, memory = room
    for slot in range(memory.shape[0]):
        memory[slot, 2] = -1
    degree = work[4]
    ceiling = size
    for i in range(size):
        degree[i] = 0
        for j in range(size):
            degree[i] += edges[i, j]
        ceiling = min(ceiling, degree[i])
    pile, kept = -1, -1
    # nothing is better than one edge more for all with l values in common: look for that first
    for least, shared in ((ceiling + 1, l), (0, 0)):
        if pile < 0:
            pile, kept = _scan(members, size, l, least, shared, piles, pool, allowed, bits, joint, room)
    return pile, kept


@njit(nogil=True, cache=True)
def _scan(members, size, l, edges_wanted, common_wanted, piles, pool, allowed, bits, joint, room):  # noqa: E741
    """The best pile among those that leave at least so many edges and common values; where common values are wanted,
    only the first value with such a pile is looked at. O(piles * size)."""
    home, value, left, starts = piles
    order, _, remaining = pool
    edges, reach, work, memory = room
    held, with_it = np.zeros(joint.size, np.uint64), np.zeros(joint.size, np.uint64)
    for i in range(size):
        _add(held, value[members[i]])
    best, common, chosen = edges_wanted - 1, -1, -1
    for wanted in order:
        if remaining[wanted] == 0 or (chosen >= 0 and common_wanted > 0):
            break
        bound = size + 1
        for i in range(size):
            bound = min(bound, work[4, i] + allowed[home[members[i]], wanted])
        if bound < max(best, edges_wanted) or _has(members, size, value, wanted):
            continue
        for word in range(held.size):
            with_it[word] = held[word]
        _add(with_it, wanted)
        for pile in range(starts[wanted], starts[wanted + 1]):
            if left[pile] == 0:
                continue
            mine = min(bound, _common(with_it, bits[pile]))
            if mine < max(best, edges_wanted):
                continue
            shared = _common(joint, bits[pile])
            if shared < common_wanted:
                continue
            if mine == best and (shared <= common or (common >= l and value[chosen] != wanted)):
                continue
            _extend(edges, size, members, pile, home, value, allowed)
            kept = _remembered(edges, size + 1, reach, work, memory)
            if kept < max(best, edges_wanted):
                continue
            if kept > best or (shared > common and (common < l or value[chosen] == wanted)):
                best, common, chosen = kept, shared, pile
    return chosen, best


@njit(nogil=True, cache=True)
def _taken(order, place, remaining, value):
    """One person less of a value; `order` stays sorted by what remains. O(log values)."""
    low, high = place[value], order.size - 1  # the last of the values with as many
    while low < high:
        middle = (low + high + 1) // 2
        if remaining[order[middle]] < remaining[value]:
            high = middle - 1
        else:
            low = middle
    other = order[low]
    order[place[value]], order[low] = other, value
    place[other], place[value] = place[value], low
    remaining[value] -= 1


@njit(nogil=True, cache=True)
def _grown(members, l, piles, pool, allowed, bits, room):  # noqa: E741
    """Grow a group from its first member until everybody keeps l values: its size, or 0. O(size * piles * size)."""
    home, value = piles[0], piles[1]
    joint = bits[members[0]].copy()
    room[0][0, 0] = allowed[home[members[0]], value[members[0]]]
    size, kept = 1, np.int64(room[0][0, 0])
    while size < l or kept < l:
        if kept + members.size - size < l:
            return 0  # each person more gives everybody at most one edge more
        pile, kept = _next(members, size, l, piles, pool, allowed, bits, joint, room)
        if pile < 0:
            return 0
        _extend(room[0], size, members, pile, home, value, allowed)
        members[size] = pile
        for word in range(joint.size):
            joint[word] &= bits[pile, word]
        size += 1
    return size


@njit(nogil=True, cache=True)
def gather(home, value, left, starts, seeds, order, allowed, bits, l, most):  # noqa: E741
    """Groups of `l` to `most` people in which everybody keeps l values: the piles of each (as many as its size says).

    Pile p has `left[p]` people, which are used up, with `value[p]`; piles are sorted by value, value v having those
    from `starts[v]` on. Row `home[p]` of `allowed` is true where a value is not excluded for them, and so are the bits
    of `bits[p]`. Groups grow from `seeds` in this order; a pile that starts no group is left to the others. `order` are
    the values, the most frequent first. O(groups * most * piles * most) at worst.
    """
    members = np.full((left.sum() // l, most), -1, np.int64)
    sizes = np.zeros(members.shape[0], np.int64)
    remaining, place = np.zeros(order.size, np.int64), np.empty(order.size, np.int64)
    for pile in range(value.size):
        remaining[value[pile]] += left[pile]
    for i in range(order.size):
        place[order[i]] = i
    piles, pool, room = (
        (home, value, left, starts),
        (order, place, remaining),
        (*_room(most), np.empty((SLOTS, 3), np.int64)),
    )
    groups = 0
    for seed in seeds:
        while left[seed] > 0 and groups < members.shape[0]:
            picks = members[groups]
            picks[0] = seed
            size = _grown(picks, l, piles, pool, allowed, bits, room)
            if size == 0:
                break
            for i in range(size):
                left[picks[i]] -= 1
                _taken(order, place, remaining, value[picks[i]])
            sizes[groups] = size
            groups += 1
    return members[:groups], sizes[:groups]


@njit(nogil=True, cache=True)
def join(home, value, left, seeds, allowed, l, members, sizes, coins):  # noqa: E741
    """Put people who are left into groups that lack their value and in which everybody still keeps l values.

    Each pile walks once round the groups, from a random one on. `left`, `members` and `sizes` are changed.
    O(piles left * groups * size ** 3) at worst.
    """
    groups, most = members.shape
    edges, reach, work = _room(most)
    for pile in seeds:
        for step in range(groups):
            if left[pile] == 0:
                break
            group = np.int64((coins[pile] % np.uint64(groups) + np.uint64(step)) % np.uint64(groups))
            size = sizes[group]
            if size == most or _has(members[group], size, value, value[pile]):
                continue
            mine = np.int64(allowed[home[pile], value[pile]])
            for i in range(size):
                mine += allowed[home[pile], value[members[group, i]]]
            if mine < l:
                continue
            for i in range(size):
                _extend(edges, i, members[group], members[group, i], home, value, allowed)
            _extend(edges, size, members[group], pile, home, value, allowed)
            if least_edges(edges, size + 1, reach, work) >= l:
                members[group, size] = pile
                sizes[group] += 1
                left[pile] -= 1


@njit(nogil=True, cache=True)
def kept(starts, homes, values, allowed):
    """The least number of values that a member of each group keeps; the values of a group all differ.

    Group g has the people from `starts[g]` on; `homes` says which row of `allowed` speaks of each.
    O(groups * size ** 3).
    """
    answer = np.empty(starts.size - 1, np.int64)
    most = 1
    for group in range(answer.size):
        most = max(most, starts[group + 1] - starts[group])
    edges, reach, work = _room(most)
    for group in range(answer.size):
        first, size = starts[group], starts[group + 1] - starts[group]
        for i in range(size):
            for j in range(size):
                edges[i, j] = allowed[homes[first + i], values[first + j]]
        answer[group] = least_edges(edges, size, reach, work)
    return answer

"""Groups in which everybody keeps l values, although rules exclude some values for some people.

People who have the same value and for whom the same values are excluded are interchangeable: they form a pile. A group
takes people from piles of different values, until enough edges of its graph lie in a perfect matching (`matchings`).
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.methods.injector.kernel.matchings import add_person, count_kept_values, recall_kept_values, scratch_arrays

SLOTS = 512  # graphs whose answers are remembered


@kernel
def _add_bit(bits, value):
    """Put a value into a set of bits. O(1)."""
    bits[value // 64] |= np.uint64(1) << np.uint64(value % 64)


@kernel
def _has_value(members, size, value, target):
    """Return whether a group has a value. O(size)."""
    has_value = False
    for i in range(size):
        has_value |= value[members[i]] == target
    return has_value


@kernel
def _count_common(first_set, second_set):
    """Return how many bits two sets share, counted in parallel within each word. O(words)."""
    total = np.uint64(0)
    for word in range(first_set.size):
        common = first_set[word] & second_set[word]
        common -= (common >> np.uint64(1)) & np.uint64(0x5555555555555555)
        common = (common & np.uint64(0x3333333333333333)) + ((common >> np.uint64(2)) & np.uint64(0x3333333333333333))
        common = (common + (common >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (common * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return np.int64(total)


@kernel
def _choose_pile(members, size, l, piles, pool, allowed, bits, joint, room):  # noqa: E741
    """Return the pile that leaves the most values to the worst-off member, and how many; -1 if no other value is left.

    Ties go to a pile that leaves at least l values to all (`joint` are the values allowed for every member), of the
    value with the most people left; then to the one that leaves the most, then to the one with the most excluded.
    O(piles * size) if the graph is complete; otherwise bounds from the degrees spare most exact counts.
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
    pile, kept_values = -1, -1
    # nothing beats one more edge for all with l values in common: look for that first
    for least, common_values in ((ceiling + 1, l), (0, 0)):
        if pile < 0:
            pile, kept_values = _scan_piles(
                members, size, l, least, common_values, piles, pool, allowed, bits, joint, room
            )
    return pile, kept_values


@kernel
def _scan_piles(members, size, l, edges_wanted, common_wanted, piles, pool, allowed, bits, joint, room):  # noqa: E741
    """Return the best pile among those that leave at least `edges_wanted` edges and `common_wanted` common values. If
    common values are wanted, only the first value with such a pile is looked at. O(piles * size)."""
    home, value, left, starts = piles
    order, _, remaining = pool
    edges, reach, work, memory = room
    group_values, with_new_value = np.zeros(joint.size, np.uint64), np.zeros(joint.size, np.uint64)
    for i in range(size):
        _add_bit(group_values, value[members[i]])
    best, common, best_pile = edges_wanted - 1, -1, -1
    for new_value in order:
        if remaining[new_value] == 0 or (best_pile >= 0 and common_wanted > 0):
            break
        bound = size + 1
        for i in range(size):
            bound = min(bound, work[4, i] + allowed[home[members[i]], new_value])
        if bound < max(best, edges_wanted) or _has_value(members, size, value, new_value):
            continue
        for word in range(group_values.size):
            with_new_value[word] = group_values[word]
        _add_bit(with_new_value, new_value)
        for pile in range(starts[new_value], starts[new_value + 1]):
            if left[pile] == 0:
                continue
            edges_here = min(bound, _count_common(with_new_value, bits[pile]))
            if edges_here < max(best, edges_wanted):
                continue
            common_here = _count_common(joint, bits[pile])
            if common_here < common_wanted:
                continue
            if edges_here == best and (common_here <= common or (common >= l and value[best_pile] != new_value)):
                continue
            add_person(edges, size, members, pile, home, value, allowed)
            kept_values = recall_kept_values(edges, size + 1, reach, work, memory)
            if kept_values < max(best, edges_wanted):
                continue
            if kept_values > best or (common_here > common and (common < l or value[best_pile] == new_value)):
                best, common, best_pile = kept_values, common_here, pile
    return best_pile, best


@kernel
def _take_person(order, rank_of, remaining, value):
    """Take one person of a value; `order` stays sorted by the people remaining. O(log values)."""
    low, high = rank_of[value], order.size - 1  # the last value with as many people
    while low < high:
        middle = (low + high + 1) // 2
        if remaining[order[middle]] < remaining[value]:
            high = middle - 1
        else:
            low = middle
    swapped = order[low]
    order[rank_of[value]], order[low] = swapped, value
    rank_of[swapped], rank_of[value] = rank_of[value], low
    remaining[value] -= 1


@kernel
def _grow_group(members, l, piles, pool, allowed, bits, room):  # noqa: E741
    """Grow a group from its first member until everybody keeps l values; return its size, or 0.

    O(piles * size ** 2).
    """
    home, value = piles[0], piles[1]
    joint = bits[members[0]].copy()
    room[0][0, 0] = allowed[home[members[0]], value[members[0]]]
    size, kept_values = 1, np.int64(room[0][0, 0])
    while size < l or kept_values < l:
        if kept_values + members.size - size < l:
            return 0  # each further person gives everybody at most one more edge
        pile, kept_values = _choose_pile(members, size, l, piles, pool, allowed, bits, joint, room)
        if pile < 0:
            return 0
        add_person(room[0], size, members, pile, home, value, allowed)
        members[size] = pile
        for word in range(joint.size):
            joint[word] &= bits[pile, word]
        size += 1
    return size


def _bound_gathering(home, value, left, starts, seeds, order, allowed, bits, l, max_size):  # noqa: E741
    return int(left.sum()) // l * value.size * max_size**2


def _bound_joining(home, value, left, seeds, allowed, l, members, sizes, coins):  # noqa: E741
    return np.count_nonzero(left[seeds]) * int(((sizes + 1) ** 3).sum())


@kernel(steps=_bound_gathering, enough=40 * ENOUGH)
def gather_groups(home, value, left, starts, seeds, order, allowed, bits, l, max_size):  # noqa: E741
    """Form groups of `l` to `max_size` people in which everybody keeps l values; return the piles and the size of each.

    Pile p has `left[p]` people (which are used up) with `value[p]`; piles are sorted by value, those of value v being
    `starts[v]`..`starts[v+1]`-1. Row `home[p]` of `allowed` says which values are not excluded for them, and `bits[p]`
    says the same in bits. Groups grow from `seeds`, in that order; a pile that starts no group is left to the others.
    `order` lists the values, the most frequent first. O(groups * piles * max_size ** 2) at worst. Greedy, as in Li, Li:
    Injector (ICDE 2008).
    """
    members = np.full((left.sum() // l, max_size), -1, np.int64)
    sizes = np.zeros(members.shape[0], np.int64)
    remaining, rank_of = np.zeros(order.size, np.int64), np.empty(order.size, np.int64)
    for pile in range(value.size):
        remaining[value[pile]] += left[pile]
    for i in range(order.size):
        rank_of[order[i]] = i
    piles, pool, room = (
        (home, value, left, starts),
        (order, rank_of, remaining),
        (*scratch_arrays(max_size), np.empty((SLOTS, 3), np.int64)),
    )
    groups = 0
    for seed in seeds:
        while left[seed] > 0 and groups < members.shape[0]:
            picks = members[groups]
            picks[0] = seed
            size = _grow_group(picks, l, piles, pool, allowed, bits, room)
            if size == 0:
                break
            for i in range(size):
                left[picks[i]] -= 1
                _take_person(order, rank_of, remaining, value[picks[i]])
            sizes[groups] = size
            groups += 1
    return members[:groups], sizes[:groups]


@kernel(steps=_bound_joining, enough=5 * ENOUGH)
def join_groups(home, value, left, seeds, allowed, l, members, sizes, coins):  # noqa: E741
    """Put people who are left into groups that lack their value and in which everybody still keeps l values.

    Each pile tries all groups once, starting from a random one. Changes `left`, `members` and `sizes`.
    O(piles left * groups * size ** 3) at worst.
    """
    groups, max_size = members.shape
    edges, reach, work = scratch_arrays(max_size)
    for pile in seeds:
        for step in range(groups):
            if left[pile] == 0:
                break
            group = np.int64((coins[pile] % np.uint64(groups) + np.uint64(step)) % np.uint64(groups))
            size = sizes[group]
            if size == max_size or _has_value(members[group], size, value, value[pile]):
                continue
            degree = np.int64(allowed[home[pile], value[pile]])
            for i in range(size):
                degree += allowed[home[pile], value[members[group, i]]]
            if degree < l:
                continue
            for i in range(size):
                add_person(edges, i, members[group], members[group, i], home, value, allowed)
            add_person(edges, size, members[group], pile, home, value, allowed)
            if count_kept_values(edges, size + 1, reach, work) >= l:
                members[group, size] = pile
                sizes[group] += 1
                left[pile] -= 1

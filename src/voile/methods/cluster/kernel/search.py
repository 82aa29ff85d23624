"""Improve clusters until nothing is gained: move a person, exchange two people, or dissolve a cluster.

A search proposes one change after another. Where only sizes matter it makes each change at once; otherwise somebody
must judge the clusters that change. An exchange of two people with the same sensitive values changes no cluster's
counts, so nobody needs to judge it. Whoever found nothing to gain looks again only at clusters that changed since.
"""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.methods.cluster.kernel.clusters import add_person, cost_exchanged, cost_with, cost_without, remove_person
from voile.methods.cluster.kernel.growth import cheapest_cluster, list_members
from voile.methods.cluster.kernel.search_state import last_check, note_change

LEAST_GAIN = 1e-9
RIVALS = 3  # how many clusters are tried for an exchange


def _bound_search(_, people, search, clusters, size, passes, *others):
    """Return how many steps a search takes at most until it proposes a change: everybody looks at every cluster."""
    return (passes - search.position[0]) * people.codes.size * clusters


@kernel
def propose_change(frame, people, search, clusters, size, passes, value):
    """Go on to the next change that gains something and leaves every cluster at least `size` people; return whether
    there is one. Exchanges are made on the way. A pass is O(people * clusters * columns)."""
    crowd = people.codes.shape[0]
    while search.position[0] < passes:
        while search.position[1] < crowd + clusters:
            turn = search.position[1]
            search.position[1] += 1
            if turn >= crowd:
                if _propose_dissolving(frame, people, search, clusters, turn - crowd, size):
                    return True
                continue
            cluster = people.cluster[turn]
            if people.cost[cluster] == 0.0:
                continue
            if people.size[cluster] > size and _propose_move(frame, people, search, clusters, turn):
                return True
            now = search.position[3]
            if people.size[cluster] > 1:
                _exchange(frame, people, search, clusters, turn, value)
            search.checked[turn] = now
        if search.position[2] == 0:
            break
        search.position[0] += 1
        search.position[1] = 0
        search.position[2] = 0
    return False


@kernel
def make_change(frame, people, search):
    """Make the proposed change."""
    for number in range(search.length[0]):
        home, target = people.cluster[search.movers[number]], search.targets[number]
        remove_person(frame, people, search.movers[number], search.low[0], search.high[0], search.level[0])
        add_person(frame, people, target, search.movers[number])
        note_change(search, home, target)


@kernel(steps=_bound_search, enough=40 * ENOUGH)
def next_change(frame, people, search, clusters, size, passes, value, accepted):
    """Make the last proposed change, if it was accepted, and list the clusters that the next one changes; nothing if
    there is none."""
    if accepted:
        make_change(frame, people, search)
    if propose_change(frame, people, search, clusters, size, passes, value):
        return list_changed(people, search)
    return np.empty(0, np.int64), np.empty(0, np.int64)


@kernel(steps=_bound_search, enough=40 * ENOUGH)
def improve_by_size(frame, people, search, clusters, size, passes, value):
    """Make every change that gains something, where only the sizes of clusters matter."""
    while propose_change(frame, people, search, clusters, size, passes, value):
        make_change(frame, people, search)


@kernel
def _propose_move(frame, people, search, clusters, person):
    """Propose the cheapest other cluster for a person, if everybody together then pays less."""
    home = people.cluster[person]
    members = people.size[home]
    rest = cost_without(frame, people, home, person, search.low[0], search.high[0], search.level[0])
    gain = people.cost[home] * members - rest * (members - 1)
    if gain <= LEAST_GAIN:
        return False
    since = last_check(people, search, person)
    target, _ = _cheaper_cluster(frame, people, search, clusters, person, home, since, gain - LEAST_GAIN)
    if target < 0:
        return False
    search.movers[0], search.targets[0], search.length[0] = person, target, 1
    return True


@kernel
def _cheaper_cluster(frame, people, search, clusters, person, home, since, limit):
    """Return the cluster, of those that changed after `since`, that a person makes the least more expensive, and by how
    much; -1 if all cost `limit`."""
    best = -1
    for cluster in range(clusters):
        members = people.size[cluster]
        if cluster == home or members == 0 or search.changed[cluster] <= since:
            continue
        highest = (limit + people.cost[cluster] * members) / (members + 1)
        if people.cost[cluster] > highest:
            continue
        added = cost_with(frame, people, cluster, person, highest) * (members + 1) - people.cost[cluster] * members
        if added < limit:
            best, limit = cluster, added
    return best, limit


@kernel
def _exchange(frame, people, search, clusters, person, value):
    """Exchange a person for a member of one of the nearest clusters who has the same value, if that gains."""
    home = people.cluster[person]
    members = people.size[home]
    cost_without(frame, people, home, person, search.low[0], search.high[0], search.level[0])
    since = last_check(people, search, person)
    rivals = nearest_clusters(frame, people, search, clusters, person, home, since)
    partner, best_gain = -1, LEAST_GAIN
    for rival in rivals:
        if rival < 0:
            continue
        now = people.cost[home] * members + people.cost[rival] * people.size[rival]
        other = people.head[rival]
        while other >= 0:
            if value[other] == value[person]:
                mine = members * cost_exchanged(
                    frame, people, home, person, other, search.low[0], search.high[0], search.level[0]
                )
                if now - mine > best_gain:
                    cost_without(frame, people, rival, other, search.low[1], search.high[1], search.level[1])
                    theirs = people.size[rival] * cost_exchanged(
                        frame, people, rival, other, person, search.low[1], search.high[1], search.level[1]
                    )
                    if now - mine - theirs > best_gain:
                        partner, best_gain = other, now - mine - theirs
            other = people.after[other]
    if partner < 0:
        return
    target = people.cluster[partner]
    remove_person(frame, people, person, search.low[0], search.high[0], search.level[0])
    remove_person(frame, people, partner, search.low[0], search.high[0], search.level[0])
    add_person(frame, people, target, person)
    add_person(frame, people, home, partner)
    note_change(search, home, target)


@kernel
def nearest_clusters(frame, people, search, clusters, person, home, since):
    """Return the clusters, of those that changed after `since`, that a person makes the least more expensive, the
    cheapest first."""
    rivals, added = np.full(RIVALS, -1), np.full(RIVALS, np.inf)
    for cluster in range(clusters):
        members = people.size[cluster]
        if cluster == home or members < 2 or search.changed[cluster] <= since:
            continue
        limit = (added[RIVALS - 1] + people.cost[cluster] * members) / (members + 1)
        if people.cost[cluster] > limit:
            continue
        more = cost_with(frame, people, cluster, person, limit) * (members + 1) - people.cost[cluster] * members
        rank = RIVALS - 1
        if more >= added[rank]:
            continue
        while rank > 0 and more < added[rank - 1]:
            added[rank], rivals[rank] = added[rank - 1], rivals[rank - 1]
            rank -= 1
        added[rank], rivals[rank] = more, cluster
    return rivals


@kernel(steps=1, enough=4 * ENOUGH)
def propose_places(frame, people, search, clusters):
    """Return the clusters nearest to the last free person, and list each of them together with the person."""
    person = people.free[people.free_count[0] - 1]
    nearest = nearest_clusters(frame, people, search, clusters, person, -1, -1)
    rivals = nearest[nearest >= 0]
    length = rivals.size + people.size[rivals].sum()
    groups, members, end = np.empty(length, np.int64), np.empty(length, np.int64), 0
    for number in range(rivals.size):
        end = list_members(people, rivals[number], person, number, groups, members, end)
    return rivals, groups, members


@kernel
def _propose_dissolving(frame, people, search, clusters, cluster, size):
    """Propose to send the members of a small cluster to others, if together they then pay less."""
    members = people.size[cluster]
    if members == 0 or people.cost[cluster] == 0.0 or members > 2 * size:
        return False
    budget = people.cost[cluster] * members - LEAST_GAIN
    number, member = 0, people.head[cluster]
    while member >= 0:
        target, added = _cheaper_cluster(frame, people, search, clusters, member, cluster, -1, budget)
        if target < 0:
            return False
        budget -= added
        search.movers[number], search.targets[number] = member, target
        number += 1
        member = people.after[member]
    search.length[0] = number
    return True


@kernel
def merge_cheapest(frame, people, search, clusters, cluster):
    """Move all people of a cluster into the one that its first member makes the least more expensive; return it, or -1
    if there is no other."""
    target = cheapest_cluster(frame, people, clusters, people.head[cluster], cluster)
    while target >= 0 and people.size[cluster] > 0:
        person = people.head[cluster]
        remove_person(frame, people, person, search.low[0], search.high[0], search.level[0])
        add_person(frame, people, target, person)
    return target


@kernel
def list_changed(people, search):
    """List the clusters that a proposal changes, as they would be: the group of each entry, and the person. A cluster
    that would be empty is not listed."""
    changes = search.length[0]
    changed, entries, number = np.empty(2 * changes, np.int64), 0, 0
    for change in range(2 * changes):
        mover = search.movers[change // 2]
        cluster = search.targets[change // 2] if change % 2 else people.cluster[mover]
        is_new = True
        for known in range(number):
            is_new = is_new and changed[known] != cluster
        if is_new:
            changed[number] = cluster
            entries += people.size[cluster]
            number += 1
    groups, members, end, group = np.empty(entries + changes, np.int64), np.empty(entries + changes, np.int64), 0, 0
    for known in range(number):
        cluster, begin = changed[known], end
        member = people.head[cluster]
        while member >= 0:
            stays = True
            for change in range(changes):
                stays = stays and search.movers[change] != member
            if stays:
                groups[end], members[end] = group, member
                end += 1
            member = people.after[member]
        for change in range(changes):
            if search.targets[change] == cluster:
                groups[end], members[end] = group, search.movers[change]
                end += 1
        if end > begin:
            group += 1
    return groups[:end], members[:end]


@kernel(steps=2, enough=4 * ENOUGH)
def free_members(frame, people, search, cluster):
    """Make the members of a cluster free again."""
    while people.size[cluster] > 0:
        person = people.head[cluster]
        remove_person(frame, people, person, search.low[0], search.high[0], search.level[0])
        people.free[people.free_count[0]] = person
        people.free_count[0] += 1

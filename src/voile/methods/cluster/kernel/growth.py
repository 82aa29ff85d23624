"""Grow clusters one after another: each starts far from the last one and takes in whoever costs least."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import ENOUGH, kernel
from voile.methods.cluster.kernel.clusters import add_person, cost_with


@kernel(steps=1, enough=20 * ENOUGH)
def start_cluster(frame, people, cluster):
    """Start a cluster with the free person who is farthest from the cluster before it. O(free * columns)."""
    start, farthest = 0, -1.0
    if cluster > 0 and people.size[cluster - 1] > 0:
        for place in range(people.free_count[0]):
            cost = cost_with(frame, people, cluster - 1, people.free[place], np.inf)
            if cost > farthest:
                start, farthest = place, cost
    take_free(frame, people, cluster, start)


@kernel(steps=1)
def take_free(frame, people, cluster, place):
    """Move the free person at a place of the list into a cluster."""
    person = people.free[place]
    people.free_count[0] -= 1
    people.free[place] = people.free[people.free_count[0]]
    add_person(frame, people, cluster, person)


@kernel(steps=lambda _, people, cluster, size: size * people.codes.size, enough=4 * ENOUGH)
def grow_cluster(frame, people, cluster, size):
    """Add the cheapest free people until a cluster has `size` members. O(size * free * columns)."""
    while people.size[cluster] < size and people.free_count[0] > 0:
        best, cheapest = 0, np.inf
        for place in range(people.free_count[0]):
            cost = cost_with(frame, people, cluster, people.free[place], cheapest)
            if cost < cheapest:
                best, cheapest = place, cost
        take_free(frame, people, cluster, best)


@kernel(steps=lambda _, people, size: people.codes.size * len(people.codes), enough=20 * ENOUGH)
def grow_all(frame, people, size):
    """Grow clusters of `size` members while there are enough free people; return how many clusters there are."""
    clusters = 0
    while people.free_count[0] >= 2 * size or (people.free_count[0] >= size and clusters == 0):
        start_cluster(frame, people, clusters)
        grow_cluster(frame, people, clusters, size)
        clusters += 1
    if people.free_count[0] >= size:
        start_cluster(frame, people, clusters)
        grow_cluster(frame, people, clusters, people.size[clusters] + people.free_count[0])
        clusters += 1
    return clusters


@kernel(steps=lambda _, people, clusters: people.codes.size * clusters, enough=10 * ENOUGH)
def place_free(frame, people, clusters):
    """Put every free person into the cluster that then costs the least more. O(free * clusters * columns)."""
    while people.free_count[0] > 0:
        person = people.free[people.free_count[0] - 1]
        take_free(frame, people, cheapest_cluster(frame, people, clusters, person, -1), people.free_count[0] - 1)


@kernel
def cheapest_cluster(frame, people, clusters, person, excluded):
    """Return the cluster, not `excluded`, that a further person makes the least more expensive; -1 if there is none."""
    best, cheapest = -1, np.inf
    for cluster in range(clusters):
        if cluster == excluded or people.size[cluster] == 0:
            continue
        members = people.size[cluster]
        limit = (cheapest + people.cost[cluster] * members) / (members + 1)
        if people.cost[cluster] > limit:
            continue
        added = cost_with(frame, people, cluster, person, limit) * (members + 1) - people.cost[cluster] * members
        if added < cheapest:
            best, cheapest = cluster, added
    return best


@kernel(steps=1, enough=4 * ENOUGH)
def nearest_by_value(frame, people, cluster, value, nearest, costs):
    """Find the free person of each value who costs a cluster least: the place in the list, -1 if nobody is free."""
    nearest[:] = -1
    costs[:] = np.inf
    for place in range(people.free_count[0]):
        person = people.free[place]
        cost = cost_with(frame, people, cluster, person, costs[value[person]])
        if cost < costs[value[person]]:
            nearest[value[person]], costs[value[person]] = place, cost


@kernel
def list_members(people, cluster, extra, group, groups, members, start):
    """Write the members of a cluster, and `extra` unless it is -1, as people of `group`; return where the list ends."""
    member = people.head[cluster]
    while member >= 0:
        groups[start], members[start] = group, member
        start += 1
        member = people.after[member]
    if extra >= 0:
        groups[start], members[start] = group, extra
        start += 1
    return start


@kernel(steps=lambda people, _, places: places.size * len(people.codes), enough=4 * ENOUGH)
def list_extended(people, cluster, places):
    """List the members of a cluster together with each of some free people: the group of each entry, and the person."""
    length = places.size * (people.size[cluster] + 1)
    groups, members, end = np.empty(length, np.int64), np.empty(length, np.int64), 0
    for number in range(places.size):
        end = list_members(people, cluster, people.free[places[number]], number, groups, members, end)
    return groups, members

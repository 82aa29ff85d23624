"""Compiled loops of the cluster method: what clusters cost, how they grow, and how they are improved."""

from __future__ import annotations

from voile.methods.cluster.kernel.clusters import RANGE, SET, TREE, Clusters, Frame, gather_people
from voile.methods.cluster.kernel.growth import (
    cheapest_cluster,
    grow_all,
    grow_cluster,
    list_extended,
    nearest_by_value,
    place_free,
    start_cluster,
    take_free,
)
from voile.methods.cluster.kernel.search import (
    free_members,
    improve_by_size,
    make_change,
    merge_cheapest,
    next_change,
    propose_change,
    propose_places,
)
from voile.methods.cluster.kernel.search_state import Search, start_search

__all__ = [
    "RANGE",
    "SET",
    "TREE",
    "Clusters",
    "Frame",
    "Search",
    "cheapest_cluster",
    "free_members",
    "gather_people",
    "grow_all",
    "grow_cluster",
    "improve_by_size",
    "list_extended",
    "make_change",
    "merge_cheapest",
    "nearest_by_value",
    "next_change",
    "place_free",
    "propose_change",
    "propose_places",
    "start_cluster",
    "start_search",
    "take_free",
]

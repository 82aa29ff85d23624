"""People who fit several groups: boxes that overlap are solved together, world by world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voile.attacks.minimality.candidates import Candidates
from voile.attacks.minimality.exact_worlds import Requirement, compute_overlapping
from voile.attacks.minimality.value_types import sensitive_columns
from voile.kernels import lazy_module
from voile.models.policy import Policy
from voile.tables.group_counts import Counts, tally

sparse = lazy_module("scipy.sparse")
csgraph = lazy_module("scipy.sparse.csgraph")

ENTRIES = 40  # overlapping boxes with more entries than this have too many worlds


def solve_overlaps(
    candidates: Candidates,
    policy: Policy | None,
    name: str,
    max_worlds: int,
    naive: np.ndarray,
    belief: np.ndarray,
    present: np.ndarray,
) -> list[np.ndarray]:
    """Solve the boxes that overlap, and write into `naive`, `belief` and `present` what is found about their people.

    Returns the entries of boxes with too many worlds, about whose people nothing is found.
    """
    release = candidates.release
    several = np.bincount(candidates.kind)[candidates.kind] > 1
    if not several.any() or not release.shows_boxes:
        return []
    component = _connected_components(candidates)
    unsolved = []
    for label in np.unique(component[several]):
        entries = np.flatnonzero(component == label)
        answer = (
            _solve_component(candidates, policy, release.tallies[name], entries, max_worlds)
            if len(entries) <= ENTRIES
            else None
        )
        if answer is None:
            unsolved.append(entries)
        else:
            belief[entries], naive[entries], present[entries] = answer
    return unsolved


def _connected_components(candidates: Candidates) -> np.ndarray:
    """Return the component of each entry in the graph of kinds and the groups that they fit."""
    kinds = int(candidates.kind.max()) + 1
    size = kinds + candidates.release.groups
    links = (candidates.kind, candidates.group + kinds)
    graph = sparse.coo_matrix((np.ones(len(candidates.kind)), links), shape=(size, size))
    _, label = csgraph.connected_components(graph, directed=False)
    return np.asarray(label[candidates.kind])


def _solve_component(
    candidates: Candidates, policy: Policy | None, counts: Counts, entries: np.ndarray, max_worlds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return the belief, the naive belief and the people of some entries; None if there are too many worlds, or if the
    number of people of each kind is not known."""
    kind, group, release = candidates.kind[entries], candidates.group[entries], candidates.release
    people = {int(k): int(candidates.count[entries[kind == k][0]]) for k in np.unique(kind)}
    fitting = {int(g): [int(k) for k in kind[group == g]] for g in np.unique(group)}
    columns = sensitive_columns(release)
    reads = policy.columns_read(columns) if policy else []
    if sum(people.values()) != int(release.sizes[list(fitting)].sum()) or len(reads) > 1:
        return None
    could_show = _requirement(candidates, policy, counts) if policy is not None and reads else lambda table: False
    values = {group: _list_values(counts, group) for group in fitting}
    answer = compute_overlapping(people, fitting, values, could_show, max_worlds)
    if answer is None:
        return None
    assert counts.column is not None
    belief, naive = (np.zeros((len(entries), counts.column.size)) for _ in range(2))
    for table, source in ((belief, answer.belief or answer.naive), (naive, answer.naive)):
        for (person_kind, value), share in source.items():
            table[kind == person_kind, value] = float(share)
    groups_of = {k: sum(k in fit for fit in fitting.values()) for k in people}
    return belief, naive, np.array([people[int(k)] / groups_of[int(k)] for k in kind])


def _list_values(counts: Counts, group: int) -> list[int]:
    inside = slice(counts.starts[group], counts.starts[group + 1])
    return list(np.repeat(counts.values[inside], counts.counts[inside]).tolist())


def _requirement(candidates: Candidates, policy: Policy, counts: Counts) -> Requirement:
    columns = sensitive_columns(candidates.release)
    column = counts.column
    assert column is not None

    def is_satisfied(table: Mapping[Any, Sequence[int]]) -> bool:
        groups = [values for values in table.values() if len(values)]
        case = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
        value = np.concatenate([np.asarray(values, dtype=np.int64) for values in groups])
        tallied = tally(column, case, value, np.ones(len(value), dtype=np.int64), len(groups), counts.totals)
        return bool(policy.holds(columns, {column.name: tallied}, tallied.sizes).all())

    return is_satisfied

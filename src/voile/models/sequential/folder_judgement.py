"""Judge several releases together from the folders alone, without knowing who sits where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from voile.kernels import lazy_module
from voile.models.sequential.joint_judgement import JointVerdict, twins_hold
from voile.models.sequential.requirement import Requirement
from voile.plugins.counted_nouns import count_noun
from voile.releases.joint.box_overlaps import find_box_overlaps
from voile.releases.joint.closure import JointGroup
from voile.releases.joint.component import Component
from voile.releases.joint.value_types import TypedReleases
from voile.releases.release import Release
from voile.results import Answer

sparse = lazy_module("scipy.sparse")


def judge_folders(
    releases: Sequence[Release], typed: TypedReleases, requirement: Requirement, *, known_rates: bool = True
) -> JointVerdict:
    """Judge a requirement for whoever may sit in the groups. It holds where no group overlaps with another one; or, for
    adversaries who know no rates, where values of overlapping groups can be exchanged. Otherwise the ledger decides."""
    starts = np.cumsum([0, *(own.groups for own in typed.releases)])
    one, other = find_box_overlaps(releases, starts)
    total = int(starts[-1])
    graph = sparse.coo_matrix((np.ones(len(one)), (one, other)), shape=(total, total))
    number, component = sparse.csgraph.connected_components(graph, directed=False)
    groups: list[dict[int, int]] = [{} for _ in range(total)]
    for start, own in zip(starts[:-1], typed.releases, strict=True):
        for group, kind, count in zip(own.group.tolist(), own.kind.tolist(), own.count.tolist(), strict=True):
            groups[group + int(start)][kind] = count
    joint = [JointGroup(frozenset(), values) for values in groups]
    members: list[list[int]] = [[] for _ in range(number)]
    for group, own_component in enumerate(component.tolist()):
        members[own_component].append(group)
    lone = [joint[own[0]] for own in members if len(own) == 1]
    if lone and not requirement.holds(lone).all():
        return JointVerdict(Answer.BROKEN, Counter(), "A group does not satisfy it.")
    overlapping = [own for own in members if len(own) > 1]
    routes = Counter({"lone groups": len(lone)})
    open_components = [
        own
        for own in overlapping
        if known_rates or not twins_hold(requirement, Component([joint[group] for group in own]))
    ]
    routes["twins"] = len(overlapping) - len(open_components)
    if open_components:
        concerned = sum(map(len, open_components))
        return JointVerdict(
            Answer.NEEDS, routes, f"{count_noun(concerned, 'group')} may share people with groups of other releases."
        )
    return JointVerdict(Answer.HOLDS, routes)

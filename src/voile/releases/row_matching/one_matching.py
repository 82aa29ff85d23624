"""One way to match all joint rows and slots of a decomposed release."""

from __future__ import annotations

import numpy as np

from voile.kernels import lazy_module
from voile.releases.known_rows import JointTable
from voile.releases.row_matching.row_matching import RowMatching

sparse = lazy_module("scipy.sparse")
csgraph = lazy_module("scipy.sparse.csgraph")


def match_each_slot(matching: RowMatching) -> np.ndarray:
    """Return a type of row for each slot that fits it, so that every row is used once: a maximum flow from the classes
    of slots to the types of rows. O(E sqrt(V)) for single rows."""
    classes, types = len(matching.exact), len(matching.counts)
    slots = np.bincount(matching.slot, minlength=classes)
    source, sink = classes + types, classes + types + 1
    tail = np.concatenate([np.full(classes, source), matching.owner, classes + np.arange(types)])
    head = np.concatenate([np.arange(classes), classes + matching.types, np.full(types, sink)])
    most = np.minimum(slots[matching.owner], matching.counts[matching.types])
    room = np.concatenate([slots, most, matching.counts]).astype(np.int32)
    graph = sparse.csr_matrix((room, (tail, head)), shape=(sink + 1, sink + 1))
    flow = csgraph.maximum_flow(graph, source, sink, method="dinic")
    assert flow.flow_value == len(matching.slot), "a sound release has a matching"
    held = sparse.coo_matrix(flow.flow[:classes, classes:source])
    used = held.data > 0
    place = np.lexsort((held.col[used], held.row[used]))
    found = np.empty(len(matching.slot), np.int64)
    found[np.argsort(matching.slot, kind="stable")] = np.repeat(held.col[used][place], held.data[used][place])
    return found


def hand_out_rows(matching: RowMatching | None, group: np.ndarray, first: int) -> JointTable | None:
    """Return the joint rows as they may belong to people, whose groups are given, if there is a joint table; `first` is
    the place of the first of their columns among all columns."""
    if matching is None:
        return None
    codes = np.empty((matching.codes.shape[1], len(group)), np.int64)
    codes[:, np.argsort(group, kind="stable")] = matching.codes[match_each_slot(matching)].T
    return JointTable(tuple(range(first, first + len(codes))), codes)

"""Who may be behind the rows of a release: the people of a register, group by group, and what the method refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import sparse

from voile import kernels
from voile.errors import DataError, VoileError
from voile.methods.base import CompletesHierarchies, ExplainsRefusals, Method, RefusedSteps
from voile.models.policy import Policy
from voile.plugins.registry import build
from voile.releases.release import Release
from voile.releases.shapes.generalized import Generalized
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram

PAIRS = 100_000_000


@dataclass(frozen=True, eq=False)
class Crowd:
    """People by kind (one quasi-identifier) and group: `count[i]` people of one kind may be in `group[i]`.

    `kind` numbers the kinds; a kind that fits several groups has several entries. `steps` are what the method refused,
    in the order of the entries; None where only the original table is known to have been refused.
    """

    release: Release
    kind: np.ndarray
    group: np.ndarray
    count: np.ndarray
    steps: RefusedSteps | None

    @property
    def fitting(self) -> np.ndarray:
        """How many people of the register fit each group."""
        return np.bincount(self.group, weights=self.count, minlength=self.release.groups).astype(np.int64)


def crowd(release: Release, external: Microdata, policy: Policy | None, original: bool) -> Crowd:
    """The people of a register in the groups of a release. Raises DataError where the register lacks people."""
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table = external.rows.histogram(names)
    kind, group = _placed(release, external, table)
    count = table.counts[kind].astype(np.int64)
    if not isinstance(release, Generalized):
        count = _seated(release, external, kind, group)
    people = Crowd(release, kind, group, count, None)
    short = people.fitting < release.sizes
    if short.any():
        missing = int((release.sizes - people.fitting)[short].sum())
        raise DataError(
            f"The external table does not cover the release: in {int(short.sum())} of {release.groups} groups it lacks "
            f"{missing} people.",
            code="data.external-cover",
            hint="Give a register that lists everybody who is in the release.",
        )
    method = _method(release)
    explains = method if isinstance(method, ExplainsRefusals) else None
    if policy is None or not any(model.reads_values for model in policy):
        return Crowd(release, kind, group, count, RefusedSteps(np.zeros((len(kind), 0), dtype=np.int64)))
    exact = bool((people.fitting == release.sizes).all()) and len(np.unique(kind)) == len(kind)
    if explains is None or original:
        return people
    if not exact:
        blind = explains.refused_steps(external.columns, _part(table, kind[:0]), group[:0], policy.smallest())
        return Crowd(release, kind, group, count, _spread(blind, len(kind)) if _nothing(blind) else None)
    columns = external.columns
    if isinstance(method, CompletesHierarchies):
        columns = method.complete_hierarchies(columns, external.rows)
    refused = explains.refused_steps(columns, _part(table, kind), group, policy.smallest())
    return Crowd(release, kind, group, count, _spread(refused, len(kind)) if _nothing(refused) else refused)


def _nothing(refused: RefusedSteps | None) -> bool:
    return refused is not None and refused.parts.shape[1] == 0 and not refused.whole


def _spread(refused: RefusedSteps | None, entries: int) -> RefusedSteps | None:
    return refused and RefusedSteps(np.zeros((entries, 0), dtype=np.int64), refused.whole)


def _part(table: Histogram, chosen: np.ndarray) -> Histogram:
    return Histogram(table.names, table.codes[chosen], table.counts[chosen])


def _method(release: Release) -> Method | None:
    """The method that the certificate names, where it is known here."""
    made = dict(release.certificate.method)
    try:
        return cast(Method, build("methods", str(made.pop("name", "")), made))
    except VoileError:
        return None


def _placed(release: Release, external: Microdata, table: Histogram) -> tuple[np.ndarray, np.ndarray]:
    """Every pair (cell of the register, group that it fits), by group."""
    if isinstance(release, Generalized):
        boxes = [
            release.cells[name].onto(external.columns[name].domain).matrix.tocsr()[release.boxes[name]]
            for name in table.names
        ]
        single = [
            sparse.identity(external.columns[name].domain.size, format="csr")[table.codes[:, number].astype(np.int64)]
            for number, name in enumerate(table.names)
        ]
        kind, group = kernels.box_matching.overlaps(single, boxes, PAIRS)
    else:
        texts = [
            np.array(external.columns[name].domain.labels, dtype=object)[table.column(name)] for name in table.names
        ]
        number = {row: cell for cell, row in enumerate(zip(*texts, strict=True))}
        found = [(group, number[row]) for group, row in _listed(release) if row in number]
        group, kind = np.array(found, dtype=np.int64).reshape(-1, 2).T
    order = np.lexsort((kind, group))
    return kind[order], group[order]


def _listed(release: Release) -> Counter[tuple[int, tuple[str, ...]]]:
    """The people of a bucketized release: (group, quasi-identifier as text), and how many."""
    columns = []
    for entry in release.described("quasi"):
        column, codes = release.sensitive_column(entry, "quasi")
        columns.append(np.array(column.domain.labels, dtype=object)[codes])
    group = getattr(release, "group").tolist()  # noqa: B009 - bucketized shapes have it
    return Counter(zip(group, zip(*columns, strict=True), strict=True))


def _seated(release: Release, external: Microdata, kind: np.ndarray, group: np.ndarray) -> np.ndarray:
    """A bucketized release says itself how many people of a kind are in a group."""
    names = [str(entry["name"]) for entry in release.described("quasi")]
    table = external.rows.histogram(names)
    texts = [np.array(external.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
    rows = list(zip(*texts, strict=True))
    listed = _listed(release)
    return np.array([listed[int(g), rows[k]] for g, k in zip(group, kind, strict=True)], dtype=np.int64)

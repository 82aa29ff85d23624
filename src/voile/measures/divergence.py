"""KL divergence: how far the published distributions are from the table's.

An analyst who spreads every published cell evenly over the values it may stand for gets a distribution of each column
and of each pair of columns. Its divergence from the table's own, in nats, is what a model fitted to the release
starts with. One more person, spread evenly over the domain, is added to the published side, so that a withheld value
gives a large number and not infinity.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from voile.kernels import lazy_module
from voile.measures.base import Measure, View
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.microdata import Microdata

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = lazy_module("scipy.sparse")


@dataclass(frozen=True)
class Divergence(Measure):
    """The mean divergence of all single columns and pairs, and each of them."""

    name: ClassVar[str] = "divergence"

    def __call__(self, data: Microdata, release: Release) -> Loss:
        view = View(data, release)
        names = [*view.names, *(column.name for column in data.columns.sensitive)]
        sizes = {name: data.columns[name].size for name in names}
        published = _read_release(view)
        parts = {}
        for name in names:
            codes, count = _count_table(view, [name], [sizes[name]])
            parts[name] = divergence(codes, count, published.single(name).reshape(1, -1))
        for first, second in itertools.combinations(names, 2):
            codes, count = _count_table(view, [first, second], [sizes[first], sizes[second]])
            parts[f"{first} x {second}"] = divergence(codes, count, published.pair(first, second))
        return Loss(self.name, "KL divergence", float(np.mean(list(parts.values()))), parts, "nats; singles and pairs")


def _count_table(view: View, names: list[str], sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the table's own distribution: flat positions and people."""
    flat = np.zeros(len(view.original.counts), dtype=np.int64)
    for name, size in zip(names, sizes, strict=True):
        flat = flat * size + view.original.column(name)
    found, inverse = np.unique(flat, return_inverse=True)
    return found, np.bincount(inverse, weights=view.original.counts)


def divergence(flat: np.ndarray, people: np.ndarray, published: Any) -> float:
    """Return the KL divergence of counts at flat positions from a published matrix of expected counts."""
    shown = np.asarray(published.toarray() if sparse.issparse(published) else published, dtype=np.float64).ravel()
    p = people / people.sum()
    q = (shown[flat] + 1 / len(shown)) / (shown.sum() + 1)
    return float(np.sum(p * np.log(p / q)))


@dataclass(frozen=True, eq=False)
class _Published:
    """Expected people by value: each column as a sparse matrix units x values, units being groups (or rows)."""

    quasi: dict[str, Any]
    sensitive: dict[str, Any]
    joint: dict[tuple[str, str], Any]  # two sensitive columns are published row by row: their pairs are exact
    weights: np.ndarray
    owner: np.ndarray
    channel: Channel | None = None  # what the sensitive values went through, if anything

    def single(self, name: str) -> np.ndarray:
        if name in self.sensitive:
            return self._undo_channel(np.asarray(self.sensitive[name].sum(axis=0))).ravel()
        return np.asarray(self.quasi[name].T @ self.weights).ravel()

    def pair(self, first: str, second: str) -> Any:
        if first in self.sensitive:
            return self.joint[(first, second)]
        left = self.quasi[first].multiply(self.weights.reshape(-1, 1)).tocsr()
        if second in self.quasi:
            return left.T @ self.quasi[second]
        groups = self.sensitive[second].shape[0]
        gather = sparse.csr_matrix(
            (np.ones(len(self.owner)), (self.owner, np.arange(len(self.owner)))), shape=(groups, len(self.owner))
        )
        values = self.sensitive[second]
        per_group = np.maximum(np.asarray(values.sum(axis=1)).ravel(), 1)
        joint = (gather @ left).multiply(1 / per_group.reshape(-1, 1)).tocsr().T @ values
        return joint if self.channel is None else self._undo_channel(joint.toarray())

    def _undo_channel(self, counts: np.ndarray) -> np.ndarray:
        """Estimate the counts of values (the last axis) before the channel."""
        if self.channel is None:
            return counts
        return self.channel.undo(counts, np.full(counts.shape[-1], 1 / counts.shape[-1]))


def _read_release(view: View) -> _Published:
    groups = view.release.groups
    owner, codes, people = view.sensitive
    sensitive = {}
    joint = {}
    columns = view.data.columns.sensitive
    for number, column in enumerate(columns):
        shape = (groups, column.size)
        sensitive[column.name] = sparse.csr_matrix((people, (owner, codes[:, number])), shape=shape)
    for (i, a), (j, b) in itertools.combinations(enumerate(columns), 2):
        joint[(a.name, b.name)] = sparse.csr_matrix((people, (codes[:, i], codes[:, j])), shape=(a.size, b.size))
    if view.cells:
        quasi = {
            name: sparse.diags(1 / np.maximum(cells.sizes, 1)).dot(cells.matrix).tocsr()[cell]
            for name, (cells, cell) in view.cells.items()
        }
        weights, unit = view.release.sizes.astype(np.float64), np.arange(groups)
    else:
        unit, table = view.quasi
        rows = np.arange(len(unit))
        quasi = {
            name: sparse.csr_matrix(
                (np.ones(len(unit)), (rows, table[:, number])), shape=(len(unit), view.data.columns[name].size)
            )
            for number, name in enumerate(view.names)
        }
        weights = np.ones(len(unit))
    return _Published(quasi, sensitive, joint, weights, unit, view.release.channel)

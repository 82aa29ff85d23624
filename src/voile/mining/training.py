"""Turn a release into a table to learn from: one value per cell, and a class and a weight per row.

A cell that may stand for several values is filled with one of them at random, each equally likely; over many rows this
is the even spread that estimates assume. The random numbers come from a public seed: they protect nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from voile.errors import PolicyError
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.tables.domain import Domain

MAX_SINGLE_CLASSES = 10  # up to this many values are classes of their own, unless other classes are asked for


@dataclass(frozen=True, eq=False)
class Classes:
    """Runs of a domain's values: the class of each code, the name of each class, and its share of the domain."""

    of_code: np.ndarray
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Classes({len(self.names)} of {len(self.of_code)} values)"

    @property
    def shares(self) -> np.ndarray:
        return np.bincount(self.of_code, minlength=len(self.names)) / len(self.of_code)


@dataclass(frozen=True, eq=False)
class Training:
    """A table `X` of quasi-identifier values, the published class `y` of each row (a number), its weight in people, and
    the channel that the classes went through."""

    X: pl.DataFrame
    y: np.ndarray
    weight: np.ndarray
    classes: Classes
    channel: Channel

    def __repr__(self) -> str:
        return f"Training({self.X.height} rows for {self.weight.sum():.0f} people, {len(self.classes.names)} classes)"


def make_classes(domain: Domain, starts: Sequence[Any] = ()) -> Classes:
    """Return classes that begin at the first value and at each of `starts`; by default every value, or two halves.

    >>> make_classes(Domain(pl.Series(range(50)), "numeric"), [25, 37]).names
    ('0 to 24', '25 to 36', '37 to 49')
    """
    size, texts = domain.size, domain.labels
    positions = [texts.index(str(start)) if str(start) in texts else -1 for start in starts]
    if -1 in positions or 0 in positions or positions != sorted(set(positions)):
        raise PolicyError(
            "The classes must start at values of the sensitive column, in their order and after the first.",
            code="policy.classes",
            hint="E.g. starts = 25|37 for the classes below 25, from 25 to 36, and from 37 on.",
        )
    if not positions:
        positions = list(range(1, size)) if size <= MAX_SINGLE_CLASSES else [(size + 1) // 2]
    edges = [0, *positions, size]
    of_code = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    names = [texts[low] if high - low == 1 else f"{texts[low]} to {texts[high - 1]}" for low, high in pairwise(edges)]
    return Classes(of_code, tuple(names))


def training(release: Release, starts: Sequence[Any] = (), seed: int = 0) -> Training:
    """Return a table to learn from, for a release of any shape.

    `starts` are the values of the sensitive column at which a new class begins. A bucketized release is dealt out as
    one of the worlds that agree with it, at random; in a decomposed one everybody draws from their group's values.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    >>> training(vl.publish(data, vl.KAnonymity(k=5)))  # doctest: +ELLIPSIS
    Training(400 rows for 400 people, ... classes)
    """
    rng = np.random.default_rng(seed)
    counts = next(iter(release.tallies.values()))
    assert counts.column is not None
    classes = make_classes(counts.column.domain, starts)
    rows = release.training_rows(rng)
    return Training(rows.table, classes.of_code[rows.values], rows.weight, classes, rows.channel)

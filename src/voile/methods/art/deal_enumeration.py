"""All decisions that ART can take on the same buckets: one if nothing is drawn, one per deal of a block otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import factorial, prod

import numpy as np

from voile.errors import Unsatisfiable
from voile.methods.art.buckets import Buckets
from voile.methods.art.greedy_grouping import Grouping
from voile.tables.secret_key import Key

Decide = Callable[[Buckets, Key], Grouping]


class NotEnumerableError(Exception):
    """There are too many worlds or deals to go through all of them."""


class ChosenDeal(Key):
    """A key under which the first block is dealt in a chosen order. Anything else that is drawn cannot be chosen."""

    order: np.ndarray | None = None
    rows: int | None = None  # how many rows were dealt

    def shuffle(self, purpose: str, size: int) -> np.ndarray:
        if purpose != "art block 0":
            raise NotEnumerableError
        object.__setattr__(self, "rows", size)
        return np.arange(size) if self.order is None else self.order

    def stream(self, purpose: str, size: int) -> np.ndarray:
        raise NotEnumerableError


def enumerate_decisions(
    decide: Decide, buckets: Buckets, hopeless: np.ndarray, budget: int
) -> Iterator[tuple[float, Grouping]]:
    """Go through the decisions and their probabilities; a refusal is none. `hopeless` buckets are not dealt.
    NotEnumerableError if there are too many."""
    key = ChosenDeal(bytes(32))
    try:
        first: Grouping | None = decide(buckets, key)
    except Unsatisfiable:
        first = None
    if not key.rows:
        if first is not None:
            yield 1.0, first
        return
    sizes = np.where(hopeless, 0, buckets.size)
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    assert key.rows == len(kinds), "all rows but the hopeless ones are dealt, in one block"
    deals = factorial(len(kinds)) // prod(factorial(int(size)) for size in sizes)
    if deals > budget:
        raise NotEnumerableError
    for order in _distinct_orders(kinds):
        object.__setattr__(key, "order", order)
        try:
            yield 1 / deals, decide(buckets, key)
        except Unsatisfiable:
            continue


def _distinct_orders(kinds: np.ndarray) -> Iterator[np.ndarray]:
    """Go through all orders of rows that differ by more than an exchange of rows of one kind."""
    rows_of = {int(kind): np.flatnonzero(kinds == kind).tolist() for kind in np.unique(kinds)}

    def extend(prefix: list[int], used: dict[int, int]) -> Iterator[np.ndarray]:
        if len(prefix) == len(kinds):
            yield np.array(prefix, dtype=np.int64)
            return
        for kind, rows in rows_of.items():
            if used[kind] < len(rows):
                yield from extend([*prefix, rows[used[kind]]], {**used, kind: used[kind] + 1})

    return extend([], dict.fromkeys(rows_of, 0))

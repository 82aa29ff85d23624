"""Values for the rows that a channel frees. They must not depend on the group: a group that is refilled from its own
values tells how it was before.

With declared rates, every freed row gets a value drawn at these rates. Without them, values are drawn from an urn that
holds every unprotected value once and the value of every row that has an unprotected one; each value that is drawn is
put back twice. To an adversary who knows nothing about the rates beforehand (all mixes are equally likely) and takes
them as the same in all groups, drawn values are then distributed exactly as true ones are, all together: which are
which cannot be told, and neither can their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from math import lcm

import numpy as np

from voile.methods.mask.exact_choice import choose
from voile.tables.schema import Column
from voile.tables.secret_key import Key


def draw_at_rates(column: Column, rates: Mapping[str, Fraction], size: int, key: Key, purpose: str) -> np.ndarray:
    """Draw `size` values of a column independently, at declared rates (which need not add up to 1)."""
    shared = lcm(*(rate.denominator for rate in rates.values()))
    code_by_label = {label: code for code, label in enumerate(column.domain.labels)}
    codes = np.array([code_by_label[label] for label in rates])
    ends = list(accumulate(int(rate * shared) for rate in rates.values()))
    return np.asarray(codes[choose(ends, size, key, purpose)])


def draw_from_urn(counts: np.ndarray, is_protected: np.ndarray, size: int, key: Key, purpose: str) -> np.ndarray:
    """Draw `size` values one after the other from an urn with every unprotected value once, and as often again as it
    occurs (`counts`); each value that is drawn is put back twice."""
    ends = np.cumsum(np.where(is_protected, 0, counts + 1))
    tickets = key.draw_below(purpose, np.uint64(ends[-1]) + np.arange(size, dtype=np.uint64), size).astype(np.int64)
    values = np.searchsorted(ends, tickets, side="right")
    for place in np.flatnonzero(tickets >= ends[-1]):  # a value that was drawn before
        values[place] = values[tickets[place] - ends[-1]]
    return values

"""Lists of values: the sensitive values that each group of a decomposed release lists, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from voile import kernels
from voile.releases.row_matching.row_matching import RowMatching, equal_sets
from voile.tables.schema import Column


@dataclass(frozen=True, eq=False)
class ValueLists:
    """The values of one sensitive column that each group lists, rising; where each group starts; and the column's codes
    in the joint table."""

    column: Column
    starts: np.ndarray
    values: np.ndarray
    joint: np.ndarray

    def __repr__(self) -> str:
        return f"ValueLists({len(self.starts) - 1} groups of {self.column.name!r})"


@dataclass(frozen=True, eq=False)
class SlotKinds:
    """Slots with the same primary value and the same lists, which no estimate tells apart: the kind of each slot, one
    slot of each kind, and for each secondary column one group per different list and the list of each kind."""

    kind: np.ndarray
    example: np.ndarray
    lists: list[tuple[np.ndarray, np.ndarray]]


def find_slot_kinds(lists: Sequence[ValueLists], slots: np.ndarray) -> SlotKinds:
    """Number the kinds of slots; `lists` start with the primary column, `slots` are the groups of its entries."""
    first, *others = lists
    same = [equal_sets(listed.starts, listed.values, listed.column.size) for listed in others]
    columns, sizes = [first.values, *(number[slots] for _, number in same)], [first.column.size]
    kind, example = kernels.distinct_rows.rank_rows(columns, [*sizes, *(max(len(alike), 1) for alike, _ in same)])
    return SlotKinds(kind, example, [(alike, number[slots[example]]) for alike, number in same])


def matched_shares(matching: RowMatching, names: Sequence[str], wanted: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return, for queries (by column, queries x codes), the share of the joint rows that fit each class of slots and
    match; `names` are the columns of the joint rows."""
    fits = np.ones((len(wanted[names[0]]), len(matching.counts)), dtype=bool)
    for place, name in enumerate(names):
        fits &= wanted[name][:, matching.codes[:, place]].astype(bool)
    return matching.shares(fits)


def listed_shares(lists: Sequence[ValueLists], kinds: SlotKinds, wanted: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return, for queries (by column, queries x codes), the share of the listed values of each kind of slot that match,
    the columns being taken as independent."""
    first, *others = lists
    share = wanted[first.column.name][:, first.values[kinds.example]].astype(np.float64)
    for listed, (alike, number) in zip(others, kinds.lists, strict=True):
        inside = wanted[listed.column.name][:, listed.values].astype(np.float64)
        sums = np.concatenate([np.zeros((len(inside), 1)), np.cumsum(inside, axis=1)], axis=1)
        low, high = listed.starts[alike], listed.starts[alike + 1]
        share *= ((sums[:, high] - sums[:, low]) / np.maximum(high - low, 1))[:, number]
    return share

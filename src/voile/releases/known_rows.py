"""The rows behind a release as far as it shows them: one row per person, and for every column what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voile.releases.cells.cells import Cells
from voile.releases.dictionary import ALTERED_VALUE
from voile.releases.randomized_response import Channel
from voile.tables.domain import Domain
from voile.tables.value_text import format_value


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """What a release shows of a column: its dictionary entry, its cells, and the cell of each row.

    Where `tight`, every value that a cell lists occurs in its box (of a range: both ends); `grown` says that values may
    have come up after a cell was written, so that `*` does not list them. `dealt` are values that the rows of a group
    may exchange, and nothing else. `seen` are values that went through a `channel`, -1 where a row has none.
    """

    entry: Mapping[str, Any]
    cells: Cells
    cell: np.ndarray
    tight: bool = False
    grown: bool = False
    dealt: np.ndarray | None = None
    seen: np.ndarray | None = None
    channel: Channel | None = None

    def __repr__(self) -> str:
        return f"KnownColumn({self.name!r})"

    @property
    def name(self) -> str:
        return str(self.entry["name"])

    @property
    def domain(self) -> Domain:
        return self.cells.domain

    @property
    def is_plain(self) -> np.ndarray:
        """Which cells name their values themselves, one by one or by the ends of a range."""
        named = {*self.entry.get("names", {}), *self.cells.prefixes}
        labels = [label not in named for label in self.cells.labels] if named else np.ones(len(self.cells), bool)
        return np.asarray(np.asarray(labels, dtype=bool) & ~self.cells.whole)

    @property
    def is_listed(self) -> np.ndarray:
        """Which codes of the domain the dictionary lists: the table behind the release has these for certain."""
        listed = {format_value(value) for value in self.entry["domain"].get("values", ())}
        known = [label in listed for label in self.domain.labels[: len(self.domain.values)]]
        return np.array([*known, *([True] * self.domain.missing)], dtype=bool)

    @property
    def is_exact(self) -> bool:
        """Whether every row shows its value; `*` may be any value, even where a single one is known."""
        if self.dealt is not None or self.seen is not None or self.cells.prefixes:
            return False
        return self.cells.exact and not self.cells.whole.any()


@dataclass(frozen=True, eq=False)
class JointTable:
    """Complete rows of some columns, without their group: the places of the columns, and their codes (columns x rows)
    as they may belong to the people, one after another. People of a group may exchange their rows, and so may people
    with the same first value whose cells admit it."""

    places: tuple[int, ...]
    codes: np.ndarray

    def __repr__(self) -> str:
        return f"JointTable({self.codes.shape[1]} rows of {len(self.places)} columns)"


@dataclass(frozen=True, eq=False)
class KnownRows:
    """The rows of a release: the box (or group) of each, its columns, and how many rows at the end are no people but
    seats that belong to nobody. `joint` tells which combinations of values there are, if the release does.
    `assumptions` say what completions take for granted."""

    box: np.ndarray
    columns: tuple[KnownColumn, ...]
    empty_seats: int = 0
    assumptions: tuple[str, ...] = field(default=())
    joint: JointTable | None = None

    def __repr__(self) -> str:
        return f"KnownRows({self.people} of {len(self.columns)} columns)"

    @property
    def people(self) -> int:
        return len(self.box) - self.empty_seats


def explain_rows(
    columns: Sequence[KnownColumn], empty_seats: int = 0, joint: JointTable | None = None
) -> tuple[str, ...]:
    """Say what completions take for granted that the release does not tell."""
    found = []
    linked = [columns[place].name for place in joint.places] if joint is not None else []
    loose = [c.name for c in columns if not (c.tight or c.is_exact or c.dealt is not None or c.seen is not None)]
    loose = [name for name in loose if name not in linked]
    hidden = [c.name for c in columns if not len(c.domain.values)]
    loose = [name for name in loose if name not in hidden]
    altered = [c.name for c in columns if c.entry.get("cell") == ALTERED_VALUE]
    capped = [c.name for c in columns if c.entry.get("indicator") is True]
    if loose:
        found.append(
            f"{_list_names(loose)}: the release does not say which values of a cell occur in it, so any value that "
            "the cell stands for may be drawn."
        )
    means = [c.name for c in columns if "mean" in c.entry]
    if means:
        found.append(
            f"{_list_names(means)}: the means of groups are not used; a group's drawn values may have another."
        )
    if hidden:
        found.append(f"{_list_names(hidden)}: the release shows no value, so the column is empty.")
    if altered:
        found.append(
            f"{_list_names(altered)}: some values may have been replaced before publication; they stay as they are."
        )
    if capped:
        found.append(
            f"{_list_names(capped)}: the release shows only whether a value is protected, or that it is not shown."
        )
    if empty_seats:
        found.append("Values that belong to nobody are taken to be as common as they are in the whole release.")
    return tuple(found)


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)

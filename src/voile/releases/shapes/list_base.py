"""The base of the shape that lists values: its tables read back as lists, one per group and sensitive column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile.errors import BrokenPromise
from voile.releases.dictionary import LISTED_ONCE, LISTED_OR_NOISE
from voile.releases.published_tables import TableLayout
from voile.releases.shapes.linked_base import LinkedShape, find_labels, sorted_labels
from voile.releases.shapes.value_lists import ValueLists


@dataclass(frozen=True, eq=False, repr=False)
class ListShape(LinkedShape):
    """A release with a table `quasi`, a table of values for each sensitive column, and maybe a table `joint`."""

    dictionary_keys: ClassVar[tuple[str, ...]] = ("primary",)

    @property
    def layout(self) -> dict[str, TableLayout]:
        names = self.column_names("sensitive")
        lists = {f"sensitive_{name}": TableLayout(("group",), (name,)) for name in names}
        return {**super().layout, **lists, "joint": TableLayout((), names, optional=True)}

    def exact_meaning(self, entry: Mapping[str, Any]) -> str:
        if entry["role"] != "sensitive":
            return super().exact_meaning(entry)
        return LISTED_ONCE if entry["name"] == self.dictionary.get("primary") else LISTED_OR_NOISE

    @property
    def joint(self) -> bool:
        """Whether complete sensitive rows are published."""
        return "joint" in self.tables

    @property
    def sensitive_names(self) -> list[str]:
        """The sensitive columns, the primary first."""
        names = [str(entry["name"]) for entry in self.described("sensitive")]
        primary = self.dictionary.get("primary")
        if primary not in names:
            raise BrokenPromise(
                "The dictionary names no sensitive column as primary.",
                code="broken.table",
                hint="The folder was changed after publishing.",
            )
        return [str(primary), *(name for name in names if name != primary)]

    @cached_property
    def _labels(self) -> np.ndarray:
        """The group numbers in rising order."""
        homes = ["quasi", *(f"sensitive_{name}" for name in self.sensitive_names)]
        return sorted_labels(*(self.column_of(home, "group").to_numpy() for home in homes))

    def _numbered(self, home: str) -> np.ndarray:
        """Return the group of each row of a table, counted from 0."""
        return find_labels(self._labels, self.column_of(home, "group").to_numpy())

    @cached_property
    def group(self) -> np.ndarray:
        """The group of each row of the quasi table."""
        return self._numbered("quasi")

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.group, minlength=len(self._labels))

    @cached_property
    def value_lists(self) -> dict[str, ValueLists]:
        """The lists of every sensitive column, the primary first."""
        entries = {str(entry["name"]): entry for entry in self.described("sensitive")}
        return {name: self._read_lists(entries[name]) for name in self.sensitive_names}

    @property
    def primary_lists(self) -> ValueLists:
        """The lists of the primary column: one entry for each person of a group."""
        return self.value_lists[self.sensitive_names[0]]

    def _read_lists(self, entry: Mapping[str, Any]) -> ValueLists:
        name = str(entry["name"])
        home = f"sensitive_{name}"
        shown = self.column_of(home, name)
        rows = self.column_of("joint", name) if self.joint else shown.clear()
        column, codes = self.read_values(entry, pl.concat([shown, rows]))
        group, values = self._numbered(home), codes[: len(shown)].astype(np.int64)
        key = group * column.size + values
        if (key[1:] < key[:-1]).any():  # the rows were reordered after publishing
            values = values[np.argsort(key, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(self._labels)))])
        return ValueLists(column, starts, values, codes[len(shown) :])

    @cached_property
    def slots(self) -> np.ndarray:
        """The group of each slot: one slot for each entry of the primary lists, in their order."""
        return np.repeat(np.arange(len(self._labels)), np.diff(self.primary_lists.starts))

    def list_faults(self) -> list[str]:
        """List what is wrong with the lists: of whom, and how often they have a value."""
        found = []
        primary, *others = self.value_lists.values()
        wrong = int((np.diff(primary.starts) != self.sizes).sum())
        if wrong:
            found.append(f"The number of primary values is not the number of people in some groups ({wrong}).")
        deserted = int((self.sizes == 0).sum())
        if deserted:
            found.append(f"Values are listed in groups without people ({deserted}).")
        for listed in others:
            owner = np.repeat(np.arange(len(self.sizes)), np.diff(listed.starts))
            twice = int(((np.diff(owner) == 0) & (np.diff(listed.values) == 0)).sum())
            if twice:
                found.append(f"{twice} values of {listed.column.name!r} are listed twice in their group.")
            empty = int((np.diff(listed.starts) == 0).sum())
            if empty:
                found.append(f"{empty} groups list no value of {listed.column.name!r}.")
        return found

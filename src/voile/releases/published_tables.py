"""Published tables with the dictionary that explains them: columns are read back by name and role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from voile.errors import BrokenPromise
from voile.releases.cells.cell_parsing import read_domain, unexplained_cell
from voile.releases.cells.end_columns import end_names
from voile.releases.cells.group_means import mean_name
from voile.releases.certificate import Certificate
from voile.releases.dictionary import ALTERED_VALUE, OWN_VALUE, indicator_meaning
from voile.releases.partitioned_tables import PartitionedTables
from voile.tables.hierarchy import hierarchy_from_rows
from voile.tables.schema import Column
from voile.tables.unit import ONE_ROW, Unit


class TableLayout(NamedTuple):
    """The columns of a published table: whole numbers that voile adds, columns that the dictionary describes, and ends
    of ranges, which follow from them; and means of groups."""

    added: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    optional: bool = False
    ends: tuple[str, ...] = ()
    means: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class PublishedTables:
    """Tables by name, a dictionary as in dictionary.json, and a certificate as in certificate.json."""

    tables: Mapping[str, pl.DataFrame]
    dictionary: Mapping[str, Any]
    certificate: Certificate

    shape: ClassVar[str] = ""
    generalizes: ClassVar[bool] = False  # quasi-identifier cells may stand for several values
    perturbs: ClassVar[bool] = False  # sensitive values went through a channel
    dictionary_keys: ClassVar[tuple[str, ...]] = ()  # texts that its dictionary holds besides the columns

    @property
    def layout(self) -> dict[str, TableLayout]:
        """The tables of the shape and their columns: these and no others are published."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def exact_meaning(self, entry: Mapping[str, Any]) -> str:
        """Return in words what a cell of a column stands for that is published as it is, or as a method has altered it
        (which of the two is compared with the method)."""
        if entry.get("indicator") is True:
            return indicator_meaning(entry)
        may_be_altered = self.generalizes and entry["role"] == "sensitive" and entry["cell"] == ALTERED_VALUE
        return ALTERED_VALUE if may_be_altered else OWN_VALUE

    def column_names(self, *roles: str) -> tuple[str, ...]:
        """Return the names of the columns of these roles, in the order of the dictionary."""
        return tuple(str(entry["name"]) for entry in self.dictionary["columns"] if entry["role"] in roles)

    @property
    def group_columns(self) -> dict[str, list[str]]:
        """The columns of each table that tell the group of a row, where a release can be read piece by piece; empty
        where a shape cannot be cut into pieces that hold whole groups."""
        return {}

    @property
    def unit(self) -> Unit:
        """Whom the release protects: how many rows a person may have, as the dictionary states it."""
        try:
            return Unit.parse(self.dictionary.get("unit", ONE_ROW.as_json()))
        except ValueError as error:
            raise BrokenPromise(
                f"The dictionary cannot be read: {error}.",
                code="broken.unit",
                hint="The folder was changed after publishing.",
            ) from None

    @property
    def absent(self) -> int:
        """How many rows stand for people who have left the table and whose seats stay."""
        return int(self.dictionary.get("absent", 0))

    @property
    def weight_name(self) -> str | None:
        """The column that holds the survey weight, coarsened; None if there is none."""
        return next((str(entry["name"]) for entry in self.described("quasi") if entry.get("weight") is True), None)

    @property
    def shown_weight(self) -> str | None:
        """The column that holds the survey weight, unless it is `*` in every row and its domain is not declared."""
        entry = next((entry for entry in self.described("quasi") if entry.get("weight") is True), None)
        if entry is None or (entry["shown"] == "suppressed" and not entry["domain"].get("values")):
            return None
        return str(entry["name"])

    @property
    def end_names(self) -> tuple[str, ...]:
        """The columns of the ends of ranges."""
        return tuple(name for entry in self.dictionary["columns"] for name in end_names(entry))

    @property
    def mean_names(self) -> tuple[str, ...]:
        """The columns of group means."""
        return tuple(name for entry in self.dictionary["columns"] if (name := mean_name(entry)) is not None)

    def drop_ends(self) -> Mapping[str, pl.DataFrame]:
        """Return the tables without the ends of ranges, which follow from the other columns."""
        if isinstance(self.tables, PartitionedTables):
            return self.tables.drop(self.end_names)
        return {name: table.drop(self.end_names, strict=False) for name, table in self.tables.items()}

    def height(self, table: str) -> int:
        """Count the rows of a published table, wherever its parts lie."""
        if isinstance(self.tables, PartitionedTables):
            return self.tables.count(self.group_columns)[0][table]
        return self.tables[table].height

    def described(self, role: str) -> list[Mapping[str, Any]]:
        """Return the dictionary's entries for the columns of one role."""
        return [entry for entry in self.dictionary["columns"] if entry["role"] == role]

    def published_column(self, entry: Mapping[str, Any], table: str) -> tuple[Column, np.ndarray]:
        """Read an exactly published column of a table, and the code of each row."""
        return self.read_values(entry, self.column_of(table, str(entry["name"])))

    def read_values(self, entry: Mapping[str, Any], values: pl.Series) -> tuple[Column, np.ndarray]:
        """Read exactly published values as a column with its hierarchy, and the code of each value."""
        name = str(entry["name"])
        domain, codes = read_domain(entry, values)
        rows = entry.get("hierarchy")
        try:
            hierarchy = hierarchy_from_rows(domain, rows) if rows else None
        except (KeyError, ValueError, TypeError, IndexError):
            raise unexplained_cell(name) from None
        indicator = entry.get("indicator") is True
        return Column(name, str(entry["role"]), domain, hierarchy, indicator=indicator), codes

    def column_of(self, table: str, name: str) -> pl.Series:
        """Return a column of a table. BrokenPromise where it is not there."""
        if table not in self.tables or name not in self.tables[table].columns:
            raise BrokenPromise(
                f"The published table {table!r} has no column {name!r}, which its dictionary describes.",
                code="broken.table",
                hint="The folder was changed after publishing.",
            )
        return self.tables[table][name]

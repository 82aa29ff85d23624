"""Published tables with the dictionary that explains them: columns are read back by name and role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile.errors import BrokenPromise
from voile.releases.cell_parsing import read_domain, unexplained_cell
from voile.releases.certificate import Certificate
from voile.releases.partitioned_tables import PartitionedTables
from voile.tables.hierarchy import hierarchy_from_rows
from voile.tables.schema import Column
from voile.tables.unit import ONE_ROW, Unit


@dataclass(frozen=True, eq=False, repr=False)
class PublishedTables:
    """Tables by name, a dictionary as in dictionary.json, and a certificate as in certificate.json."""

    tables: Mapping[str, pl.DataFrame]
    dictionary: Mapping[str, Any]
    certificate: Certificate

    shape: ClassVar[str] = ""

    @property
    def group_columns(self) -> dict[str, list[str]]:
        """The columns of each table that tell the group of a row, where a release can be read piece by piece; empty
        where a shape cannot be cut into pieces that hold whole groups."""
        return {}

    @property
    def unit(self) -> Unit:
        """Whom the release protects: how many rows a person may have, as the dictionary states it."""
        try:
            return Unit.parse(self.dictionary["unit"]) if "unit" in self.dictionary else ONE_ROW
        except ValueError as error:
            raise BrokenPromise(
                f"The dictionary cannot be read: {error}.",
                code="broken.unit",
                hint="The folder was changed after publishing.",
            ) from None

    @property
    def weight_name(self) -> str | None:
        """The column that holds the survey weight, coarsened; None if there is none."""
        return next((str(entry["name"]) for entry in self.described("quasi") if entry.get("weight") is True), None)

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
        return Column(name, str(entry["role"]), domain, hierarchy), codes

    def column_of(self, table: str, name: str) -> pl.Series:
        """Return a column of a table. BrokenPromise where it is not there."""
        if table not in self.tables or name not in self.tables[table].columns:
            raise BrokenPromise(
                f"The published table {table!r} has no column {name!r}, which its dictionary describes.",
                code="broken.table",
                hint="The folder was changed after publishing.",
            )
        return self.tables[table][name]

"""What the shapes that show a group as a box have in common: cells read back, and who fits which box."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from voile import kernels
from voile.releases.cells import Cells
from voile.releases.published_columns import read_column
from voile.releases.release import Release
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram


@dataclass(frozen=True, eq=False, repr=False)
class Boxed(Release):
    """A release with one table whose quasi-identifier cells are boxes. A shape says which box each group has."""

    @cached_property
    def _read(self) -> dict[str, tuple[Cells, np.ndarray]]:
        return {
            str(entry["name"]): read_column(entry, self.column_of("table", str(entry["name"])))
            for entry in self.described("quasi")
        }

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """What the published cells of each quasi-identifier column stand for."""
        return {name: cells for name, (cells, _) in self._read.items()}

    @cached_property
    def boxes(self) -> dict[str, np.ndarray]:
        """For each quasi-identifier column the cell of every group."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    def _matched(self, people: Microdata) -> tuple[list[Any], Histogram]:
        """The boxes of all groups in the codes of a table of people, and its distinct quasi-identifiers."""
        domains = {name: people.columns[name].domain for name in self.cells}
        boxes = [cells.onto(domains[name]).matrix[self.boxes[name]] for name, cells in self.cells.items()]
        return boxes, people.rows.histogram(list(self.cells))

    def locate(self, people: Microdata) -> np.ndarray:
        return np.asarray(np.maximum(self.homes(people), kernels.box_matching.NONE))

    def homes(self, people: Microdata) -> np.ndarray:
        """As `locate`, but people whom more than one box fits are told from those whom none does."""
        boxes, table = self._matched(people)
        return kernels.box_matching.find_owners(boxes, table.codes)

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        boxes, table = self._matched(external)
        return kernels.box_matching.count_fitting(boxes, table.codes, table.counts), self.sizes

"""The base of the shapes that publish exact quasi-identifiers in one table and sensitive values in others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from voile import kernels
from voile.releases.cells.cell_parsing import exact_cells
from voile.releases.known_rows import KnownColumn
from voile.releases.published_tables import TableLayout
from voile.releases.randomized_response import Channel
from voile.releases.release import Release
from voile.releases.shape_answers import QuasiEntries, RegisterMatches, TrainingRows
from voile.releases.table_codes import table_codes
from voile.tables.microdata import Microdata, count_people_with
from voile.tables.schema import Column, Columns
from voile.tables.value_text import format_value


@dataclass(frozen=True, eq=False, repr=False)
class LinkedShape(Release):
    """A release whose table `quasi` has one row per person: the exact quasi-identifier and the number of the group."""

    @property
    def layout(self) -> dict[str, TableLayout]:
        return {"quasi": TableLayout(("group",), self.column_names("quasi", "other"))}

    @property
    def people(self) -> int:
        return self.height("quasi")

    @property
    def group(self) -> np.ndarray:
        """The group of each row of the quasi table."""
        raise NotImplementedError  # pragma: no cover - every shape defines it

    @property
    def quasi_names(self) -> list[str]:
        """The quasi-identifier columns."""
        return [str(entry["name"]) for entry in self.described("quasi")]

    @cached_property
    def exact_columns(self) -> list[tuple[Column, np.ndarray]]:
        """Every quasi-identifier column, and the code of each row of the quasi table."""
        return [self.published_column(entry, "quasi") for entry in self.described("quasi")]

    def known_exact(self, extra: int = 0) -> list[KnownColumn]:
        """Return what is known of the columns of the quasi table; `extra` rows follow that are no people."""
        found = []
        for entry in (*self.described("quasi"), *self.described("other")):
            column, codes = self.published_column(entry, "quasi")
            found.append(KnownColumn(entry, exact_cells(column.domain), np.append(codes, np.zeros(extra, codes.dtype))))
        return found

    def exact_rows(self, columns: Columns) -> tuple[np.ndarray, np.ndarray]:
        codes = [table_codes(column.domain, columns[column.name].domain)[code] for column, code in self.exact_columns]
        return self.group, np.stack(codes, axis=1)

    def exact_texts(self) -> list[tuple[int, tuple[str, ...]]]:
        texts = [np.array(column.domain.labels, dtype=object)[codes] for column, codes in self.exact_columns]
        return list(zip(self.group.tolist(), zip(*texts, strict=True), strict=True))

    def quasi_entries(self) -> QuasiEntries:
        """Return one entry per group and different quasi-identifier in it."""
        codes = [code for _, code in self.exact_columns]
        sizes = [max(column.size, 1) for column, _ in self.exact_columns]
        _, first = kernels.distinct_rows.rank_rows([self.group, *codes], [self.groups, *sizes])
        shown = {column.name: (exact_cells(column.domain), code[first]) for column, code in self.exact_columns}
        return QuasiEntries(shown, self.group[first])

    def locate(self, people: Microdata) -> np.ndarray:
        """A group is clear where all people with exactly this quasi-identifier are in it; else -1."""
        names = self.quasi_names
        shown = zip(*([format_value(value) for value in self.tables["quasi"][name]] for name in names), strict=True)
        homes: dict[tuple[str, ...], int] = {}
        for row, home in zip(shown, self.group.tolist(), strict=True):
            homes[row] = home if homes.get(row, home) == home else -1
        table = people.rows.histogram(names)
        texts = [np.array(people.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
        return np.array([homes.get(row, -1) for row in zip(*texts, strict=True)], dtype=np.int64)

    def candidates(self, external: Microdata) -> tuple[np.ndarray, np.ndarray]:
        """The quasi-identifier is exact, so it is clear who fits; their sensitive value is any of the group's."""
        names = self.quasi_names
        texts = [
            np.array([format_value(value) for value in self.tables["quasi"][name]], dtype=object) for name in names
        ]
        fitting = count_people_with(external, names, texts)
        return np.maximum(fitting, 1) * self.sizes[self.group], np.ones(self.people, dtype=np.int64)

    def match_register(self, register: Microdata) -> RegisterMatches:
        """The release itself says how many people of a kind are in a group."""
        names = self.quasi_names
        table = register.rows.histogram(names)
        texts = [np.array(register.columns[name].domain.labels, dtype=object)[table.column(name)] for name in names]
        kinds = {row: kind for kind, row in enumerate(zip(*texts, strict=True))}
        listed = [
            (kinds[row], group, count) for (group, row), count in Counter(self.exact_texts()).items() if row in kinds
        ]
        kind, group, count = np.array(listed, dtype=np.int64).reshape(-1, 3).T
        order = np.lexsort((kind, group))
        return RegisterMatches(kind[order], group[order], count[order])

    def training_rows(self, rng: np.random.Generator) -> TrainingRows:
        """Every person draws a value from those of their group, by its (expected) count."""
        counts = next(iter(self.tallies.values()))
        assert counts.column is not None
        reach = np.cumsum(counts.counts)
        ahead = np.append(0.0, reach)[counts.starts]
        point = ahead[self.group] + rng.random(self.people) * (ahead[self.group + 1] - ahead[self.group])
        values = counts.values[np.minimum(np.searchsorted(reach, point, side="right"), len(reach) - 1)]
        return self.exact_training(values, counts.column)

    def exact_training(self, values: np.ndarray, column: Column) -> TrainingRows:
        """Pair the exact quasi-identifiers with the sensitive values that were dealt to their rows."""
        table: pl.DataFrame = self.tables["quasi"].select(self.quasi_names)
        return TrainingRows(table, values, np.ones(len(values)), Channel(1.0, column.size))


def sorted_labels(*columns: np.ndarray) -> np.ndarray:
    """Return the group numbers of several tables in rising order, each once. Tables are in the order of their groups,
    so one of each run is enough to sort."""
    firsts = [column[np.append(True, column[1:] != column[:-1])[: len(column)]] for column in columns]
    found = np.sort(np.concatenate(firsts))
    return np.asarray(found[np.append(True, found[1:] != found[:-1])[: len(found)]])


def find_labels(labels: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return the place of each group number among all of them, which rise; mostly they have no gaps."""
    if len(labels) and labels[-1] - labels[0] + 1 == len(labels):
        return np.asarray(column - labels[0])
    return np.searchsorted(labels, column)

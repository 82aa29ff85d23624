"""A group shown as one row with a perturbed value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from voile.errors import DataError
from voile.releases.cells.cells import Cells
from voile.releases.known_rows import KnownColumn, KnownRows, explain_rows
from voile.releases.published_tables import TableLayout
from voile.releases.queries.query import Query, cell_shares
from voile.releases.randomized_response import Channel
from voile.releases.shape_answers import SensitiveRows, TrainingRows
from voile.releases.shape_contract import ShapeDescription
from voile.releases.shapes.box_base import BoxShape
from voile.releases.table_codes import table_codes
from voile.tables.group_counts import Counts
from voile.tables.schema import Columns


@dataclass(frozen=True, eq=False, repr=False)
class Sampled(BoxShape):
    """Each group is shown as its box, one perturbed sensitive value, and its size: one row per group, no box twice.

    `tallies` holds the published values, one per group; they do not count true values.
    """

    shape: ClassVar[str] = "sampled"
    covers_domain: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    description: ClassVar[ShapeDescription] = ShapeDescription(
        "one sampled row per group, with a randomly perturbed sensitive value",
        "Each group shows the value of one of its people, replaced at random with a known probability: it may belong "
        "to nobody.",
        (
            "estimates of COUNT queries, from the group sizes and the known probability of replacement",
            "models that allow for perturbed values (voile.mining has one)",
        ),
        (
            "anybody’s true value with certainty, even for someone who knows everybody else’s",
            "exact totals of sensitive values: the published ones are a perturbed sample",
            "precise estimates for small parts of the table: their error is large",
        ),
    )

    @property
    def layout(self) -> dict[str, TableLayout]:
        return {"table": TableLayout(("group_size",), self.column_names("quasi", "sensitive"), ends=self.end_names)}

    @property
    def people(self) -> int:
        return int(self.sizes.sum())

    @cached_property
    def sizes(self) -> np.ndarray:
        return self.column_of("table", "group_size").to_numpy()

    @cached_property
    def channel(self) -> Channel:
        """The channel that the sensitive values went through."""
        entry = self.described("sensitive")[0] if self.described("sensitive") else {}
        keep, listed = entry.get("keep"), entry.get("domain", {}).get("values")
        if isinstance(keep, bool) or not isinstance(keep, (int, float)) or not 0 <= keep <= 1 or not listed:
            raise DataError(
                "The dictionary does not say how the sensitive values were perturbed.",
                code="data.channel",
                hint="Its entry needs `keep`, a probability, and the list of values. Fetch the release again.",
            )
        return Channel(float(keep), len(listed))

    @cached_property
    def boxes(self) -> dict[str, np.ndarray]:
        """For each quasi-identifier column the cell of every group."""
        return {name: codes.astype(np.int64) for name, (_, codes) in self.row_cells.items()}

    @cached_property
    def published(self) -> np.ndarray:
        """The code of the perturbed value of each group, in the order of the dictionary's list."""
        return next(iter(self.tallies.values())).values

    @cached_property
    def tallies(self) -> dict[str, Counts]:
        column, codes = self.published_column(self.described("sensitive")[0], "table")
        values, sizes = codes.astype(np.int64), self.sizes
        totals = np.bincount(values, weights=sizes, minlength=column.size).astype(np.int64)
        starts, ones = np.arange(len(values) + 1), np.ones(len(values), dtype=np.int64)
        return {column.name: Counts(sizes, starts, values, ones, totals, column)}

    def sensitive_rows(self, columns: Columns) -> SensitiveRows:
        """Return the perturbed values as published: whoever counts with them must undo the channel."""
        column, codes = self.published_column(self.described("sensitive")[0], "table")
        recoded = table_codes(column.domain, columns[column.name].domain)[codes]
        return SensitiveRows(np.arange(self.groups), recoded.reshape(-1, 1), self.sizes)

    def known_rows(self) -> KnownRows:
        """Every group has as many rows as people; the first is the one whose value was published."""
        group = np.repeat(np.arange(self.groups), self.sizes)
        columns = [replace(known, cell=known.cell[group]) for known in self.known_boxes()]
        entry = self.described("sensitive")[0]
        domain = self.published_column(entry, "table")[0].domain
        every = Cells(domain, pl.Series(["*"]), starts=np.array([0, domain.size]), members=np.arange(domain.size))
        seen = np.full(len(group), -1, dtype=np.int64)
        seen[np.concatenate([[0], np.cumsum(self.sizes)[:-1]])] = self.published
        cell = np.zeros(len(group), dtype=np.int64)
        columns.append(KnownColumn(entry, every, cell, seen=seen, channel=self.channel))
        return KnownRows(group, tuple(columns), assumptions=explain_rows(columns))

    def training_rows(self, rng: np.random.Generator) -> TrainingRows:
        """Return one row per group, as heavy as the group has people."""
        return TrainingRows(self.draw_quasi(rng), self.published, self.sizes.astype(np.float64), self.channel)

    def faults(self) -> list[str]:
        found = super().faults()
        if len(self.described("sensitive")) != 1 or self.described("other"):
            found.append("It must have one sensitive column and no other ones.")
        if bool((self.sizes < 1).any()):
            found.append(f"{int((self.sizes < 1).sum())} groups have a size below 1.")
        return found

    def answer(self, query: Query) -> float:
        """Sum the shares of each group's cells times its size; a condition on perturbed values is undone in the sum.

        Of B people that satisfy the other conditions, those with a published value that satisfies this one are A; then
        (A - (1 - p) B |chosen values| / |U|) / p had it before, between 0 and B.
        """
        weight, chosen = self._matching(query)
        if chosen is None:
            return float(weight.sum())
        seen = weight[chosen[self.published]].sum()
        share = chosen.mean()
        return float(self.channel.undo(np.array([seen, weight.sum() - seen]), np.array([share, 1 - share]))[0])

    def _matching(self, query: Query) -> tuple[np.ndarray, np.ndarray | None]:
        """Return, for each group, the people who satisfy the conditions on its box (weighted, if the query is); and
        which values are asked for, if any."""
        name = str(self.described("sensitive")[0]["name"])
        self.check_query(query, [name])
        share = np.ones(len(self.sizes))
        for column, condition in query.conditions.items():
            if column in self.cells:
                share = share * cell_shares(self.cells[column], condition)[self.boxes[column]]
        people = self.sizes * share * self.group_weights(query)
        if name not in query.conditions:
            return people, None
        target = self.tallies[name].column
        assert target is not None
        return people, query.conditions[name].matches(target.domain.values)

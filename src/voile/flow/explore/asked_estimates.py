"""The estimates about the population that a user of `inspect` asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.errors import DataError, SchemaError, SpecError, option, raise_together
from voile.flow.explore.column_profiles import CodedColumns
from voile.flow.explore.inspection import Inspection
from voile.flow.explore.population.individual_risk import check_weights, refuse_normalised
from voile.flow.explore.population.population_risk import PopulationRisk, estimate_population
from voile.flow.explore.population.register_risk import RegisterRisk, compare_register
from voile.flow.explore.population.special_uniques import find_special_uniques
from voile.flow.explore.uniqueness import CodedRows
from voile.tables.schema import Schema, suggest_name


@dataclass(frozen=True)
class AskedEstimates:
    """What to estimate: from the number of people in the population, a register of it, or minimal unique sets."""

    population: int | None = None
    register: Any = None
    special_uniques: bool = False

    @property
    def _nothing(self) -> bool:
        return self.population is None and self.register is None and not self.special_uniques

    def refuse_unknown(self) -> None:
        """Raise an error if anything is asked for although no column is known to others."""
        if not self._nothing:
            raise SpecError(
                "No column is known to others, so nothing can be estimated about the population.",
                code="spec.population",
                hint=f"Name the columns that others may know, e.g. {option('quasi', ['age', 'zip'])}.",
            )

    def refuse_read_table(self) -> None:
        """Raise an error if anything is asked for about a table that was read with a schema."""
        if not self._nothing:
            raise SpecError(
                "The population is estimated from a table as it is, not from one that was read with a schema.",
                code="spec.population",
                hint="Give the file or the data frame, and the schema.",
            )

    def add_estimates(self, inspection: Inspection, rows: CodedRows, roles: Schema, coded: CodedColumns) -> Inspection:
        """Return the inspection with estimates from the rows. A survey weight is no part of what others know: nobody in
        the population has one."""
        quasi = [name for name in roles.quasi if name in coded]
        weights = None if roles.weight is None else _read_weights(roles.weight, coded)
        note = "" if weights is None or roles.weight is None else refuse_normalised(roles.weight, weights)
        risk = self._estimate_population(rows, quasi, None if note else roles.weight, weights)
        fraction = risk.sample / risk.population if risk else None
        found = find_special_uniques(rows, quasi, fraction) if self.special_uniques else None
        return replace(inspection, population=risk, special_uniques=found, weight_note="" if risk else note)

    def compare_register(self, table: pl.DataFrame, quasi: Sequence[str], source: Source) -> RegisterRisk:
        """Read the known columns of the register in the way of the table, and compare the two."""
        how = (source.delimiter, source.encoding, source.null_values, source.convert)
        people = load_frame(
            Source(self.register, None, *how), Schema(quasi=list(quasi)), lambda names: _check_register(quasi, names)
        )
        return compare_register(table, people, list(quasi))

    def _estimate_population(
        self, rows: CodedRows, quasi: Sequence[str], weight: str | None, weights: np.ndarray | None
    ) -> PopulationRisk | None:
        if weight is not None and self.population is not None:
            raise SpecError(
                "The population is given twice, by a survey weight and as a number.",
                code="spec.population",
                hint=f"Leave out {option('weight')} or {option('population')}.",
            )
        if weight is None and self.population is None:
            return None
        group, groups = rows.number_groups(quasi)
        counts = np.ones(len(rows), dtype=np.int64) if rows.weights is None else rows.weights
        sizes = np.bincount(group, weights=counts, minlength=groups).astype(np.int64)
        if weight is None or weights is None:
            return estimate_population(sizes, None, self.population)
        values = weights[rows.columns[weight]]
        return estimate_population(sizes, np.bincount(group, weights=values * counts, minlength=groups), None)


def _check_register(quasi: Sequence[str], present: Sequence[str]) -> None:
    raise_together(
        SchemaError(
            f"The register has no column {name!r}, which others are taken to know.",
            code="schema.unknown-column",
            hint=suggest_name(name, present),
        )
        for name in quasi
        if name not in present
    )


def _read_weights(name: str, coded: CodedColumns) -> np.ndarray:
    """Return the weight that each code of a column stands for."""
    if name not in coded or not coded[name][0].values.dtype.is_numeric():
        raise DataError(
            f"The survey weight {name!r} is no column of numbers.", code="data.weight", hint="Clean the column."
        )
    domain = coded[name][0]
    values = domain.values.cast(pl.Float64).to_numpy()
    return check_weights(name, np.append(values, np.nan) if domain.missing else values)

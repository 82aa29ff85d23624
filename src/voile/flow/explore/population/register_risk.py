"""What a register of the population tells: k-map and delta-presence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from voile.errors import DataError
from voile.result_tables import ResultTable


@dataclass(frozen=True, repr=False)
class RegisterRisk(ResultTable):
    """How a table looks beside a register of `people`: every row fits at least `k_map` people of the register; for an
    adversary who knows the register, the chance that somebody in it is in the table lies between `delta_low` and
    `delta_high`. `unmatched` rows fit nobody, and `overfull` groups have more rows than people in the register: there
    the register does not cover the table, and the other numbers leave them out."""

    people: int
    k_map: int
    alone: int
    delta_low: float
    delta_high: float
    unmatched: int
    overfull: int

    def __repr__(self) -> str:
        return f"RegisterRisk(k-map {self.k_map}, {self.alone:,} rows fit one person only, {self.people:,} people)"

    def _list_rows(self) -> list[dict[str, Any]]:
        return [{"measure": name, "number": number} for name, number in asdict(self).items()]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def compare_register(table: pl.DataFrame, register: pl.DataFrame, names: Sequence[str]) -> RegisterRisk:
    """Compare a table with a register on the known columns. Columns of different types are compared as text."""
    same = all(table[name].dtype == register[name].dtype for name in names)
    columns = [pl.col(name) if same else pl.col(name).cast(pl.String) for name in names]
    ours = table.select(columns).group_by(names).len("rows")
    theirs = register.select(columns).group_by(names).len("people")
    groups = theirs.join(ours, on=names, how="full", nulls_equal=True, coalesce=True).fill_null(0)
    rows, people = groups["rows"].cast(pl.Int64), groups["people"].cast(pl.Int64)
    covered = groups.filter((people > 0) & (rows <= people))
    matched = covered.filter(pl.col("rows") > 0)
    if matched.is_empty():
        raise DataError(
            "No row of the table fits anybody in the register.",
            code="data.register",
            hint="Check that its columns have the same names and hold the same codes.",
        )
    presence = covered["rows"] / covered["people"]
    return RegisterRisk(
        people=int(people.sum()),
        k_map=int(matched["people"].min()),  # type: ignore[arg-type]
        alone=int(matched.filter(pl.col("people") == 1)["rows"].sum()),
        delta_low=float(presence.min()),  # type: ignore[arg-type]
        delta_high=float(presence.max()),  # type: ignore[arg-type]
        unmatched=int(rows.filter(people == 0).sum()),
        overfull=int(((people > 0) & (rows > people)).sum()),
    )

"""The answers of all draws to a SQL query, pooled by group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from voile.releases.counts.count_answer import Count
from voile.releases.counts.counting import DEVIATIONS, INFLATION, Counting
from voile.releases.counts.known_values import explain_coding
from voile.releases.queries.query import Condition
from voile.releases.sql.session import Session
from voile.releases.sql.statement import Output, Statement, read_statement
from voile.result_tables import ResultTable
from voile.tables.domain import json_value

PARTS = ("estimate", "low", "high", "at_least", "at_most")


@dataclass(frozen=True, eq=False, repr=False)
class QueryAnswer(ResultTable):
    """The answer to a SQL query: per group its keys, and per COUNT, SUM or AVG an estimate, a 95 % interval and, for
    COUNT where WHERE joins conditions on columns by AND, certain bounds. `notes` say why a part is missing."""

    keys: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[tuple[tuple[Any, ...], tuple[Count, ...]], ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"QueryAnswer({len(self.rows)} rows of {', '.join((*self.keys, *self.values))})"

    def _list_rows(self) -> list[dict[str, Any]]:
        return self.to_frame().to_dicts()

    def _write_caption(self) -> str:
        return " ".join([repr(self), *self.notes])

    def to_frame(self) -> pl.DataFrame:
        """Return the answer as a table: the keys, then for each value `name`, `name_low`, `name_high`,
        `name_at_least` and `name_at_most`."""
        table: dict[str, list[Any]] = {
            name: [keys[place] for keys, _ in self.rows] for place, name in enumerate(self.keys)
        }
        for place, name in enumerate(self.values):
            for part in PARTS:
                title = name if part == "estimate" else f"{name}_{part}"
                table[title] = [_as_number(getattr(counts[place], part)) for _, counts in self.rows]
        return pl.DataFrame(table, strict=False)

    def as_json(self) -> dict[str, Any]:
        rows = [
            {
                **{name: json_value(key) for name, key in zip(self.keys, keys, strict=True)},
                **{
                    name: {part: getattr(count, part) for part in PARTS}
                    for name, count in zip(self.values, counts, strict=True)
                },
            }
            for keys, counts in self.rows
        ]
        return {"rows": rows, "notes": list(self.notes)}


def _as_number(value: float | None) -> float | None:
    return None if value is None else float(value)


def answer_query(counting: Counting, session: Session, text: str) -> QueryAnswer:
    """Answer a SQL query on a release from its completions."""
    names = [column.name for column in counting.draws.rows.columns]
    statement = read_statement(session.connection, text, names)
    if statement.conditions is not None:
        counting.check_conditions(statement.conditions)
    titles, drawn = session.ask(statement.text, statement.table)
    places = [place for place, output in enumerate(statement.outputs) if not output.aggregate]
    chosen = [place for place, output in enumerate(statement.outputs) if output.aggregate]
    groups = dict[tuple[Any, ...], np.ndarray]()
    for number, rows in enumerate(drawn):
        for row in rows:
            key = tuple(row[place] for place in places)
            if key not in groups:
                groups[key] = np.array(
                    [
                        [math.nan if statement.outputs[place].aggregate == "AVG" else 0.0] * len(drawn)
                        for place in chosen
                    ]
                )
            groups[key][:, number] = [math.nan if row[place] is None else float(row[place]) for place in chosen]
    obstacle = counting.find_obstacle(statement.mentioned)
    pooled = [
        (
            key,
            tuple(
                _pool(counting, statement, statement.outputs[place], places, key, groups[key][number], obstacle)
                for number, place in enumerate(chosen)
            ),
        )
        for key in sorted(groups, key=lambda key: [(cell is None, str(type(cell)), cell) for cell in key])
    ]
    coding = explain_coding(counting.draws.rows.columns[counting.places[name]] for name in statement.mentioned)
    notes = dict.fromkeys(note for _, counts in pooled for count in counts if (note := count.note))
    if coding and not any(coding in note for note in notes):
        notes[coding] = None
    titles = [output.name or title for output, title in zip(statement.outputs, titles, strict=True)]
    return QueryAnswer(
        tuple(titles[place] for place in places), tuple(titles[place] for place in chosen), tuple(pooled), tuple(notes)
    )


def _pool(
    counting: Counting,
    statement: Statement,
    output: Output,
    places: list[int],
    key: tuple[Any, ...],
    drawn: np.ndarray,
    obstacle: str,
) -> Count:
    if output.counts_rows:
        conditions = _add_keys(statement, places, key)
        if conditions is not None:
            return counting.infer_count(drawn, conditions)
    known = drawn[~np.isnan(drawn)]
    scale = counting.scale if output.aggregate != "AVG" else 1.0
    estimate = float(known.mean()) * scale if len(known) else math.nan
    if obstacle or len(known) < 2:
        return Count(estimate, None, None, None, None, obstacle)
    variance = (1 + 1 / len(known)) * float(known.var(ddof=1)) * scale**2
    half = DEVIATIONS * math.sqrt(INFLATION * variance + (0.25 if output.aggregate == "COUNT" else 0.0))
    low = max(estimate - half, 0.0) if output.aggregate == "COUNT" else estimate - half
    return Count(estimate, low, estimate + half, None, None)


def _add_keys(statement: Statement, places: list[int], key: tuple[Any, ...]) -> Mapping[str, Condition] | None:
    """Return the conditions of a group: those of the query, and that each key has its value; None where a key is no
    column, is missing, or has a condition already that does not settle it."""
    if statement.conditions is None:
        return None
    found = dict(statement.conditions)
    for place, cell in zip(places, key, strict=True):
        column = statement.outputs[place].column
        if column is None or cell is None:
            return None
        found[column] = Condition(values=(cell,))  # the group has a row, so the value satisfies the query
    return found

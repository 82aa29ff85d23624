"""Where statistics come from: counted in the table itself, or published and read with the checks that numbers from a
stranger need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from voile import kernels
from voile.adversaries.prior import SALT, SUPPORT, Prior, Statistics
from voile.adversaries.signatures import REST, split_escaped
from voile.errors import DataError
from voile.io import table_files
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

HEAD = ("columns", "signature", "value", "probability")
# columns, signature (None for the rest), value: probability
StatisticsByColumns = dict[tuple[str, ...], dict[tuple[str, ...] | None, dict[str, float]]]


def learn_statistics(
    columns: Columns,
    rows: Table,
    target: Column,
    *,
    min_support: int = SUPPORT,
    max_columns: int | None = None,
    smoothing: float = 0.0,
    salt: str = "",
) -> Prior:
    """Count the table's own statistics, for every set of up to `max_columns` quasi-identifier columns and every
    signature that at least `min_support` people share. People whose signature has less support get the rates of all
    such people of the same column set, if they are `min_support` together, and otherwise those of the whole table.
    `smoothing` pulls each row towards the whole table with the weight of that many people, and the whole table towards
    equal shares of all values of the column's domain.

    O(rows * column sets). Memory is one row of probabilities per supported signature.
    """
    names = [column.name for column in columns.quasi]
    table = rows.histogram([*names, target.name])
    weighted_rows = (table.codes[:, :-1], table.column(target.name).astype(np.int64), table.counts)
    return tabulate_statistics(columns.quasi, target, *weighted_rows, min_support, max_columns, smoothing, salt)


def tabulate_statistics(
    quasi: Sequence[Column],
    target: Column,
    codes: np.ndarray,
    value: np.ndarray,
    weights: np.ndarray,
    min_support: int = SUPPORT,
    max_columns: int | None = None,
    smoothing: float = 0.0,
    salt: str = "",
) -> Prior:
    """Count statistics in rows of codes that have a value and a weight each; a weight may be a fraction of a
    person."""
    totals = np.bincount(value, weights=weights, minlength=target.size)
    marginal = (totals + smoothing / target.size) / (totals.sum() + smoothing)
    texts = [np.array(column.domain.labels, dtype=object) for column in quasi]
    sets = []
    for size in range(1, min(max_columns or len(quasi), len(quasi)) + 1):
        for subset in combinations(range(len(quasi)), size):
            # one order for all sets, so that a file has one digest
            column_indexes = sorted(subset, key=lambda j: quasi[j].name)
            index, first_rows = kernels.distinct_rows.rank_rows(
                [codes[:, j] for j in column_indexes], [quasi[j].size for j in column_indexes]
            )
            people = np.bincount(index, weights=weights, minlength=len(first_rows))
            supported_signatures = np.flatnonzero(people >= min_support - 1e-9)
            # one more row for all people whose signature lacks support
            position = np.full(len(first_rows), len(supported_signatures))
            position[supported_signatures] = np.arange(len(supported_signatures))
            cells = (len(supported_signatures) + 1, target.size)
            key = position[index] * target.size + value
            counts = np.bincount(key, weights=weights, minlength=cells[0] * cells[1]).reshape(cells)
            shares = counts + smoothing * marginal
            shares /= np.maximum(counts.sum(axis=1, keepdims=True) + smoothing, 1e-12)
            labels = [texts[j][codes[first_rows[supported_signatures], j]] for j in column_indexes]
            names = tuple(quasi[j].name for j in column_indexes)
            rest = shares[-1] if counts[-1].sum() >= min_support - 1e-9 else None
            sets.append(Statistics(names, tuple(zip(*labels, strict=True)), shares[:-1], rest))
    return Prior(target.name, tuple(target.domain.labels), tuple(sets), marginal, salt)


def read_prior(path: str | Path, column: str) -> Prior:
    """Read published statistics about one sensitive column from a CSV or Parquet file with the columns `columns`,
    `signature`, `value` and `probability`. Several columns, and the values of a signature, are joined by `|`.

    A line without columns gives a share in the whole table. A line with the signature `*` gives a rate of all people
    whose signature is not listed for these columns; without such lines they have the shares of the whole table. A value
    that is not listed for a signature has probability 0. A single text `*` as a signature is written `\\*`.
    """
    frame = table_files.read_file(Path(path))
    return parse_prior(frame, column, Path(path).name)


def parse_prior(frame: pl.DataFrame, column: str, source: str = "the prior") -> Prior:
    """Turn a table into a prior, and raise all its faults together."""
    missing_columns = [name for name in HEAD if name not in frame.columns]
    if missing_columns:
        raise DataError(
            f"{source!r} lacks the columns {', '.join(map(repr, missing_columns))}.",
            code="data.prior",
            hint="A prior has the columns columns, signature, value and probability.",
        )
    texts = frame.select(pl.col(HEAD[:3]).cast(pl.String).fill_null(""))
    lines = texts.with_columns(frame["probability"].cast(pl.Float64, strict=False).alias("probability"))
    salt = "".join(lines.filter(pl.col("columns") == SALT)["signature"].head(1))
    statistics, problems = _collect_statistics(lines.filter(pl.col("columns") != SALT))
    heavy_signatures = sum(sum(row.values()) > 1 + 1e-9 for rows in statistics.values() for row in rows.values())
    problems += [f"the probabilities of {heavy_signatures} signatures sum to more than 1"] if heavy_signatures else []
    problems += [] if statistics or problems else ["it contains no statistics"]
    if problems:
        raise DataError(
            f"{source!r} is not a prior: {'; '.join(problems)}.",
            code="data.prior",
            hint="Each line needs columns, signature (joined by |), value and probability; sums are at most 1.",
        )
    values = tuple(sorted({value for rows in statistics.values() for row in rows.values() for value in row}))
    marginal = _fill_row(statistics[()][()], values) if () in statistics else None
    sets = []
    for names in sorted(name for name in statistics if name):
        rests = statistics[names].pop(None, None)
        rows = np.array([_fill_row(row, values) for row in statistics[names].values()]).reshape(-1, len(values))
        rest = None if rests is None else _fill_row(rests, values)
        sets.append(Statistics(names, tuple(filter(None, statistics[names])), rows, rest))
    return Prior(column, values, tuple(sets), marginal, salt)


def _collect_statistics(lines: pl.DataFrame) -> tuple[StatisticsByColumns, list[str]]:
    """Collect the statistics by columns (in rising order) and signature; and count the lines with each fault."""
    statistics: StatisticsByColumns = {}
    fault_counts: dict[str, int] = {}
    for names_text, signature_text, value, probability in lines.select(HEAD).iter_rows():
        names = split_escaped(names_text) if names_text else []
        is_rest = bool(names) and signature_text == REST
        signature = split_escaped(signature_text) if names else []
        pairs = sorted(zip(names, signature, strict=False))
        signature_key = None if is_rest else tuple(text for _, text in pairs)
        row = statistics.setdefault(tuple(sorted(names)), {}).setdefault(signature_key, {})
        faults = {
            "name more or fewer columns than values in the signature": len(names) != len(signature) and not is_rest,
            "name a column twice": len(set(names)) < len(names),
            "have a probability that is not a number between 0 and 1": probability is None or not 0 <= probability <= 1,
            "repeat a value of the same signature": value in row,
        }
        for fault in (fault for fault, is_present in faults.items() if is_present):
            fault_counts[fault] = fault_counts.get(fault, 0) + 1
        row[value] = probability or 0.0
    return statistics, [f"{count} lines {fault_text}" for fault_text, count in fault_counts.items()]


def _fill_row(row: dict[str, float], values: Sequence[str]) -> np.ndarray:
    return np.array([row.get(value, 0.0) for value in values])

"""Statistics from a table: its own, counted, or published ones, read with the checks that a stranger's numbers need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from voile import kernels
from voile.adversaries.prior import SALT, SUPPORT, Prior, Statistics, split
from voile.errors import DataError
from voile.io import table_files
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

HEAD = ("columns", "signature", "value", "probability")
Listed = dict[tuple[str, ...], dict[tuple[str, ...], dict[str, float]]]  # columns, signature, value: probability


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
    """The table's own statistics: for every set of up to `max_columns` quasi-identifier columns and every signature
    that at least `min_support` people share. `smoothing` pulls each row towards the whole table, by that many people.

    O(rows * column sets). Memory is one row of probabilities a supported signature.
    """
    names = [column.name for column in columns.quasi]
    table = rows.histogram([*names, target.name])
    counted = (table.codes[:, :-1], table.column(target.name).astype(np.int64), table.counts)
    return tabulate_statistics(columns.quasi, target, *counted, min_support, max_columns, smoothing, salt)


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
    """Statistics from rows of codes with a value and a weight each, which may be fractions of a person."""
    whole = np.bincount(value, weights=weights, minlength=target.size)
    marginal = whole / whole.sum()
    texts = [np.array(column.domain.labels, dtype=object) for column in quasi]
    sets = []
    for size in range(1, min(max_columns or len(quasi), len(quasi)) + 1):
        for some in combinations(range(len(quasi)), size):
            chosen = sorted(some, key=lambda j: quasi[j].name)  # one order for all, so that a file has one digest
            index, first = kernels.distinct_rows.rank_rows(
                [codes[:, j] for j in chosen], [quasi[j].size for j in chosen]
            )
            people = np.bincount(index, weights=weights, minlength=len(first))
            kept = np.flatnonzero(people >= min_support - 1e-9)
            place = np.full(len(first), -1)
            place[kept] = np.arange(len(kept))
            inside = place[index] >= 0
            key = place[index[inside]] * target.size + value[inside]
            counts = np.bincount(key, weights=weights[inside], minlength=len(kept) * target.size)
            shares = counts.reshape(len(kept), target.size) + smoothing * marginal
            shares /= people[kept].reshape(-1, 1) + smoothing
            found = [texts[j][codes[first[kept], j]] for j in chosen]
            names = tuple(quasi[j].name for j in chosen)
            sets.append(Statistics(names, tuple(zip(*found, strict=True)), shares))
    return Prior(target.name, tuple(target.domain.labels), tuple(sets), marginal, salt)


def read_prior(path: str | Path, column: str) -> Prior:
    """Published statistics about one sensitive column from a CSV or Parquet file with the columns `columns`,
    `signature`, `value` and `probability`. Several columns, and the values of a signature, are joined by `|`.

    A line without columns gives a share in the whole table; a value that is not listed for a signature has
    probability 0, a signature that is not listed has the shares of the whole table.
    """
    frame = table_files.read_file(Path(path))
    return parse_prior(frame, column, Path(path).name)


def parse_prior(frame: pl.DataFrame, column: str, source: str = "the prior") -> Prior:
    """A prior from its table: every line is looked at, and all that is wrong is told together."""
    lacking = [name for name in HEAD if name not in frame.columns]
    if lacking:
        raise DataError(
            f"{source!r} lacks the columns {', '.join(map(repr, lacking))}.",
            code="data.prior",
            hint="A prior has the columns columns, signature, value and probability.",
        )
    texts = frame.select(pl.col(HEAD[:3]).cast(pl.String).fill_null(""))
    lines = texts.with_columns(frame["probability"].cast(pl.Float64, strict=False).alias("probability"))
    salt = "".join(lines.filter(pl.col("columns") == SALT)["signature"].head(1))
    found, problems = _sorted_out(lines.filter(pl.col("columns") != SALT))
    heavy = sum(sum(row.values()) > 1 + 1e-9 for rows in found.values() for row in rows.values())
    problems += [f"the probabilities of {heavy} signatures exceed 1 in sum"] if heavy else []
    problems += [] if found or problems else ["there is no statistic in it"]
    if problems:
        raise DataError(
            f"{source!r} is no prior: {'; '.join(problems)}.",
            code="data.prior",
            hint="Each line has columns, signature (joined by |), value, and a probability; sums stay within 1.",
        )
    values = tuple(sorted({value for rows in found.values() for row in rows.values() for value in row}))
    matrices = {names: _dense(list(rows.values()), values) for names, rows in found.items()}
    marginal = matrices[()][0] if () in matrices else None
    sets = tuple(Statistics(names, tuple(found[names]), matrices[names]) for names in sorted(found) if names)
    return Prior(column, values, sets, marginal, salt)


def _sorted_out(lines: pl.DataFrame) -> tuple[Listed, list[str]]:
    """The statistics by columns and signature, columns in rising order; and what is wrong with how many lines."""
    found: Listed = {}
    wrong: dict[str, int] = {}
    for names_text, signature_text, value, probability in lines.select(HEAD).iter_rows():
        names = split(names_text) if names_text else []
        signature = split(signature_text) if names else []
        pairs = sorted(zip(names, signature, strict=False))
        row = found.setdefault(tuple(sorted(names)), {}).setdefault(tuple(text for _, text in pairs), {})
        faults = {
            "name more or fewer columns than values in the signature": len(names) != len(signature),
            "name a column twice": len(set(names)) < len(names),
            "have a probability that is no number between 0 and 1": probability is None or not 0 <= probability <= 1,
            "repeat a value of the same signature": value in row,
        }
        for fault in (fault for fault, there in faults.items() if there):
            wrong[fault] = wrong.get(fault, 0) + 1
        row[value] = probability or 0.0
    return found, [f"{number} lines {what}" for what, number in wrong.items()]


def _dense(rows: Sequence[dict[str, float]], values: Sequence[str]) -> np.ndarray:
    return np.array([[row.get(value, 0.0) for value in values] for row in rows])

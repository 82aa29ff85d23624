"""Learn the statistics that an adversary is assumed to know from the table itself, or read published ones."""

from __future__ import annotations

import secrets
from pathlib import Path

import polars as pl

from voile.adversaries import prior_learning
from voile.adversaries.prior import SUPPORT, Prior
from voile.errors import PolicyError
from voile.tables.microdata import Microdata
from voile.tables.schema import suggest_name


def learn_prior(
    data: Microdata,
    column: str | None = None,
    *,
    min_support: int = SUPPORT,
    max_columns: int | None = None,
    smoothing: float = 0.0,
) -> Prior:
    """Learn the table's own statistics about a sensitive column (by default the first): for every set of up to
    `max_columns` quasi-identifier columns, and every signature that at least `min_support` people share. People whose
    signature has less support share the rates of all such people.

    Pass `smoothing=1` to publish other people with these statistics (`voile prior` does so by default): each signature
    is pulled towards the whole table with the weight of one person, so that no value that occurs is ruled out.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> vl.learn_prior(data)  # doctest: +ELLIPSIS
    Prior(... signatures in 3 column sets, of 'disease')
    """
    sensitive = [item.name for item in data.columns.sensitive]
    if not sensitive or (column is not None and column not in sensitive):
        raise PolicyError(
            f"{column!r} is not a sensitive column." if column else "The schema names no sensitive column.",
            code="policy.prior-column",
            hint=suggest_name(column or "", sensitive),
        )
    checks = (
        (min_support < 1, f"min_support = {min_support} must be at least 1."),
        (max_columns is not None and max_columns < 1, f"max_columns = {max_columns} must be at least 1."),
        (smoothing < 0, f"smoothing = {smoothing} must not be negative."),
    )
    for broken, message in checks:
        if broken:
            raise PolicyError(message, code="policy.parameter")
    target = data.columns[column or sensitive[0]]
    return prior_learning.learn_statistics(
        data.columns,
        data.rows,
        target,
        min_support=min_support,
        max_columns=max_columns,
        smoothing=smoothing,
        salt=secrets.token_hex(16),
    )


def read_prior(source: str | Path | pl.DataFrame, column: str) -> Prior:
    """Read published statistics about a sensitive column from a CSV or Parquet file, or a table, with the columns
    `columns`, `signature`, `value` and `probability`. Several columns, or the values of a signature, are joined by `|`.

    >>> import polars as pl
    >>> rows = [("sex", "m", "cancer", 0.1), ("sex", "f", "cancer", 0.003)]
    >>> read_prior(pl.DataFrame(rows, ["columns", "signature", "value", "probability"], orient="row"), "disease")
    Prior(2 signatures in 1 column set, of 'disease')
    """
    if isinstance(source, pl.DataFrame):
        return prior_learning.parse_prior(source, column)
    return prior_learning.read_prior(source, column)

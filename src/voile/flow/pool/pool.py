"""Rubin's rules: one estimate with its uncertainty from the same analysis of several completions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from voile.errors import DataError
from voile.result_tables import ResultTable

NO_VARIANCES = (
    "The standard errors hold what differs between completions only: the results state no variances of their own."
)


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(ResultTable):
    """Pooled estimates, one entry per quantity: standard error, 95 % interval `low` to `high`, degrees of freedom, and
    the share of the information that is missing because the release is coarser than the table."""

    names: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    degrees_of_freedom: np.ndarray
    missing_information: np.ndarray
    draws: int
    note: str = ""

    def to_frame(self) -> pl.DataFrame:
        """Return the pooled estimates as a table, one row per quantity."""
        columns = ("estimate", "standard_error", "low", "high", "degrees_of_freedom", "missing_information")
        return pl.DataFrame({"name": list(self.names), **{name: getattr(self, name) for name in columns}})

    def _list_rows(self) -> list[dict[str, Any]]:
        return self.to_frame().to_dicts()

    def _write_caption(self) -> str:
        return f"{self!r}. {self.note}" if self.note else repr(self)

    def __repr__(self) -> str:
        return f"Pooled({len(self.names)} estimates from {self.draws} completions)"

    def __str__(self) -> str:
        heads = f"{'':<24}{'estimate':>12}{'std. error':>12}{'low':>12}{'high':>12}{'df':>10}{'missing':>9}"
        lines = [
            f"{name[:23]:<24}{e:>12.5g}{s:>12.4g}{a:>12.5g}{b:>12.5g}{d:>10.4g}{f:>9.1%}"
            for name, e, s, a, b, d, f in self.to_frame().rows()
        ]
        return "\n".join([heads, *lines, *([self.note] if self.note else [])])


def pool(estimates: Iterable[Any], variances: Iterable[Any] | None = None) -> Pooled:
    """Pool the same analysis of several completions by Rubin's rules.

    `estimates` are fitted results of statsmodels (their variances are taken from them) or of scikit-learn (which state
    none), or numbers or arrays of numbers; `variances` are the squared standard errors that belong to plain numbers.

    >>> print(pool([1.0, 1.2, 1.1], [0.04, 0.05, 0.03]).to_frame()["estimate"].to_list())
    [1.1]
    """
    results = list(estimates)
    if len(results) < 2:
        raise DataError(
            f"At least 2 results are needed to pool, not {len(results)}.",
            code="data.pool",
            hint="Analyse every completion alike, and pool what you find.",
        )
    names, values = _read_all([_read_result(result) for result in results])
    if variances is not None:
        own = [_as_numbers(variance) for variance in variances]
    else:
        own = [found for result in results if (found := _read_variances(result)) is not None]
    fits = len(own) in (0, len(values)) and all(len(one) == len(values[0]) and (one >= 0).all() for one in own)
    if not fits or (variances is not None and not own):
        raise DataError(
            "The variances do not fit the estimates.",
            code="data.pool",
            hint="Give one variance (a squared standard error) for each number of each result.",
        )
    return _combine(names, values, np.stack(own) if own else None)


def _combine(names: tuple[str, ...], values: np.ndarray, within: np.ndarray | None) -> Pooled:
    draws = len(values)
    estimate, between = values.mean(axis=0), (1 + 1 / draws) * values.var(axis=0, ddof=1)
    own = np.zeros_like(between) if within is None else within.mean(axis=0)
    total = own + between
    with np.errstate(divide="ignore", invalid="ignore"):
        increase = np.where(between > 0, between / own, 0.0)
        freedom = np.where(between > 0, (draws - 1) * (1 + 1 / increase) ** 2, np.inf)
        missing = np.where(
            np.isinf(increase), 1.0, (increase + 2 / (freedom + 3)) / (np.where(np.isinf(increase), 0, increase) + 1)
        )
    missing = np.where(between > 0, np.minimum(missing, 1.0), 0.0)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(total)
    note = NO_VARIANCES if within is None else ""
    return Pooled(names, estimate, np.sqrt(total), estimate - half, estimate + half, freedom, missing, draws, note)


def _read_all(results: Sequence[tuple[tuple[str, ...], np.ndarray]]) -> tuple[tuple[str, ...], np.ndarray]:
    names, first = results[0]
    if any(len(values) != len(first) or other != names for other, values in results):
        raise DataError(
            "The results to pool do not have the same quantities.",
            code="data.pool",
            hint="Fit the same model, with the same columns in the same order, to every completion.",
        )
    values = np.stack([values for _, values in results])
    if not np.isfinite(values).all():
        raise DataError(
            "Some of the results to pool are not finite numbers.",
            code="data.pool",
            hint="Look at the completions for which the analysis did not converge.",
        )
    return names, values


def _read_result(result: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names and the numbers of a result."""
    if hasattr(result, "params") and not callable(result.params):  # statsmodels
        values = _as_numbers(result.params)
        names = getattr(result.params, "index", None)
        if names is None:
            names = getattr(getattr(result, "model", None), "exog_names", None)
        return _name_values(names, values), values
    if hasattr(result, "coef_"):  # scikit-learn
        return _read_learner(result)
    values = _as_numbers(result)
    return _name_values(getattr(result, "index", None), values), values


def _read_learner(result: Any) -> tuple[tuple[str, ...], np.ndarray]:
    slopes = np.atleast_2d(np.asarray(result.coef_, dtype=np.float64))
    columns = [str(name) for name in getattr(result, "feature_names_in_", [f"x{n}" for n in range(slopes.shape[1])])]
    classes = [f"{name} " for name in getattr(result, "classes_", [])] if len(slopes) > 1 else [""]
    names = [f"{kind}{column}" for kind in classes for column in columns]
    values = slopes.ravel()
    if hasattr(result, "intercept_"):
        levels = np.atleast_1d(np.asarray(result.intercept_, dtype=np.float64))
        if len(levels) == len(slopes):
            names = [*(f"{kind}intercept" for kind in classes), *names]
            values = np.concatenate([levels, values])
    return tuple(names), values


def _read_variances(result: Any) -> np.ndarray | None:
    """Return the squared standard errors that a result states, or nothing."""
    errors = getattr(result, "bse", None)
    return None if errors is None else _as_numbers(errors) ** 2


def _as_numbers(values: Any) -> np.ndarray:
    try:
        return np.atleast_1d(np.asarray(values, dtype=np.float64)).ravel()
    except (TypeError, ValueError):
        raise DataError(
            f"A result of type {type(values).__name__} cannot be pooled.",
            code="data.pool",
            hint="Give numbers, or fitted results of statsmodels or scikit-learn.",
        ) from None


def _name_values(names: Any, values: np.ndarray) -> tuple[str, ...]:
    listed = [str(name) for name in names] if names is not None and not callable(names) else []
    return tuple(listed) if len(listed) == len(values) else tuple(f"x{number}" for number in range(len(values)))

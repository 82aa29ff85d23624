"""Learners: what a classifier and a regression lose that learn from completions of a release.

A boosted classifier learns the most common value of the first sensitive column, and a boosted regression the first
column of numbers, each from all other columns. They learn from tables that agree with the release, and are tested on
rows of the original table. Beside them stand the same learners of the original table, tested on rows that they have not
seen. Both parts are losses: of the area under the curve, and of the explained share of the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from voile.errors import EngineError, PolicyError
from voile.measures.base import Measure
from voile.plugins.registry import knob
from voile.releases.release import Release
from voile.results import Loss
from voile.tables.microdata import Microdata
from voile.tables.row_protocol import Histogram

ROWS = 50_000  # of the original table that are drawn, to learn from and to test on


@dataclass(frozen=True)
class Learners(Measure):
    """What a boosted classifier and a boosted regression lose, learned from completions (needs scikit-learn)."""

    name: ClassVar[str] = "learners"
    across: ClassVar[bool] = True
    on_request: ClassVar[bool] = True

    draws: int = knob(2, low=2, high=50)
    seed: int = 0

    def __call__(self, data: Microdata, release: Release) -> Loss:
        table = data.rows.histogram([column.name for column in (*data.columns.quasi, *data.columns.sensitive)])
        original = _draw_rows(data, table, np.random.default_rng(self.seed))
        is_test = np.random.default_rng([self.seed, 1]).random(original.height) < 0.5
        test, rest = original.filter(is_test), original.filter(~is_test)
        completions = [_match_types(drawn, original) for drawn in release.complete(m=self.draws)]
        parts = {}
        for title, target in _list_targets(data):
            score = _score_regression if title == "regression" else _score_classifier
            known = score([rest], test, target)
            parts[title] = max(known - score(completions, test, target), 0.0)
        if not parts:
            raise PolicyError("learners: there is nothing to learn.", code="policy.parameter")
        note = f"loss of AUC and of R², from {self.draws} completions"
        return Loss(self.name, "Loss of learners", float(np.mean(list(parts.values()))), parts, note)


def _list_targets(data: Microdata) -> list[tuple[str, str]]:
    """List what is learned: the first sensitive column, and the first column of numbers, sensitive ones first."""
    sensitive, quasi = list(data.columns.sensitive), list(data.columns.quasi)
    classes = [column.name for column in sensitive if not column.domain.uses_intervals][:1]
    numbers = [column.name for column in (*sensitive, *quasi) if column.kind == "numeric" and not column.weight][:1]
    return [*(("classifier", name) for name in classes), *(("regression", name) for name in numbers)]


def _draw_rows(data: Microdata, table: Histogram, rng: np.random.Generator) -> pl.DataFrame:
    """Return rows of the original table, all of them if there are not too many."""
    rows = np.repeat(np.arange(len(table.counts)), table.counts)
    rows = rng.permutation(rows)[:ROWS]
    return pl.DataFrame(
        {name: data.columns[name].domain.decode(table.column(name)[rows]) for name in table.names}
    ).with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))


def _match_types(table: pl.DataFrame, original: pl.DataFrame) -> pl.DataFrame:
    return table.select(pl.col(name).cast(kind, strict=False) for name, kind in original.schema.items())


def _score_classifier(tables: Sequence[pl.DataFrame], test: pl.DataFrame, target: str) -> float:
    common = test[target].mode().sort()[0]
    return _score(tables, test, target, lambda values: (values == common).fill_null(False).to_numpy(), "Classifier")


def _score_regression(tables: Sequence[pl.DataFrame], test: pl.DataFrame, target: str) -> float:
    return _score(tables, test, target, lambda values: values.cast(pl.Float64).to_numpy(), "Regressor")


def _score(tables: Sequence[pl.DataFrame], test: pl.DataFrame, target: str, label: Any, kind: str) -> float:
    """Return the mean score of learners of these tables: the area under the curve, or the explained share."""
    try:
        from sklearn import ensemble, metrics
    except ModuleNotFoundError as error:
        raise EngineError(
            f"The measure learners needs {error.name}, which is not installed.",
            code="engine.extra",
            hint="Run: pip install 'voile[mining]'.",
        ) from None
    scores = []
    for table in tables:
        table = table.drop_nulls(target)
        if table.is_empty() or len(set(label(table[target]).tolist())) < 2:  # the column is lost: guessing remains
            scores.append(0.5 if kind == "Classifier" else 0.0)
            continue
        names = [name for name in table.columns if name != target and table[name].n_unique() > 1]
        learner = getattr(ensemble, f"HistGradientBoosting{kind}")(random_state=0, max_iter=60)
        # a column of labels such as 04*** teaches nothing about values
        names = [name for name in names if not np.isnan(_features(table, [name], test)).all()]
        learner.fit(_features(table, names, test), label(table[target]))
        features = _features(test, names, test)
        truth = label(test[target])
        if kind == "Classifier":
            alone = len(set(truth.tolist())) < 2
            scores.append(0.5 if alone else metrics.roc_auc_score(truth, learner.predict_proba(features)[:, -1]))
        else:
            scores.append(max(metrics.r2_score(truth, learner.predict(features)), 0.0))
    return float(np.mean(scores))


def _features(table: pl.DataFrame, names: Sequence[str], known: pl.DataFrame) -> np.ndarray:
    """Return columns as numbers: categories by their place among those of the original table."""
    columns = []
    for name in names:
        if table.schema[name] == pl.String:
            place = {value: number for number, value in enumerate(sorted(known[name].drop_nulls().unique().to_list()))}
            columns.append(np.array([place.get(value, np.nan) for value in table[name].to_list()], dtype=np.float64))
        else:
            columns.append(table[name].to_physical().cast(pl.Float64).to_numpy().astype(np.float64))
    return np.stack(columns, axis=1) if columns else np.zeros((table.height, 1))

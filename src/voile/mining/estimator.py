"""A decision tree with the interface of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from voile.errors import DataError, PolicyError
from voile.mining.training import Classes, Training, training
from voile.mining.tree import Tree, grow
from voile.releases.randomized_response import Channel
from voile.releases.release import Release


class DecisionTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that undoes the channel: `fit(release)`, or `fit(X, y)` on a table with perturbed classes y.

    `starts` are the sensitive values at which a new class begins (for a release). For a table, `keep` is the
    probability with which a class label is that of the true value, and `shares` the part of the domain that each label
    covers (even by default).

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    >>> tree = DecisionTree(max_depth=3).fit(vl.publish(data, vl.KAnonymity(k=5)))
    >>> len(tree.predict(vl.datasets.hospital().head(2)))
    2
    """

    def __init__(
        self,
        starts: Sequence[Any] = (),
        keep: float = 1.0,
        shares: Mapping[Any, float] | None = None,
        max_depth: int = 8,
        min_weight: float | None = None,
        seed: int = 0,
    ) -> None:
        self.starts, self.keep, self.shares = starts, keep, shares
        self.max_depth, self.min_weight, self.seed = max_depth, min_weight, seed

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DecisionTree:  # noqa: N803 - the convention
        """Learn from a release (y is in it), or from a table and the classes of its rows."""
        if not 0 <= self.keep <= 1:
            raise PolicyError(f"keep = {self.keep} is no probability.", code="policy.parameter", hint="Choose 0 to 1.")
        if isinstance(X, Release):
            given = training(X, self.starts, self.seed)
            self.classes_ = np.array(given.classes.names, dtype=object)
        else:
            given = self._table(X, y, sample_weight)
        self.n_features_in_ = given.X.width
        self.feature_names_in_ = np.array(given.X.columns, dtype=object)
        self.tree_: Tree = grow(given, self.max_depth, self.min_weight)
        return self

    def _table(self, X: Any, y: Any, sample_weight: Any) -> Training:  # noqa: N803
        table = as_table(X)
        if y is None or len(y) != table.height or table.height == 0:
            raise DataError("y must have one class for each row of X.", code="data.classes", hint="Or fit a release.")
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        names = self.classes_.tolist()
        parts = self.shares or dict.fromkeys(names, 1 / len(names))
        lost = [name for name in names if name not in parts]
        if lost or abs(sum(parts.values()) - 1) > 1e-9:
            raise PolicyError(
                f"shares must name every class and sum to 1; {len(lost)} classes are missing.", code="policy.parameter"
            )
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        shares = _Shares(np.array([parts[name] for name in names]), tuple(map(str, names)))
        return Training(table, codes, weight, shares, Channel(float(self.keep), 1))

    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        """Return the share of every class among the people of each row's leaf, before the channel."""
        check_is_fitted(self)
        table = as_table(X)
        if not set(self.feature_names_in_) <= set(table.columns):
            if table.width != self.n_features_in_:
                raise DataError(
                    f"The table has {table.width} columns, the tree was learned from {self.n_features_in_}.",
                    code="data.columns",
                    hint="Give the columns that it was learned from: " + ", ".join(map(str, self.feature_names_in_)),
                )
            table = table.rename(dict(zip(table.columns, self.feature_names_in_, strict=True)))
        return self.tree_.chances(table)

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """Return the most common class of each row's leaf."""
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[likeliest])


class _Shares(Classes):
    """Classes with given shares."""

    def __init__(self, shares: np.ndarray, names: tuple[str, ...]) -> None:
        super().__init__(np.arange(len(names)), names)
        object.__setattr__(self, "_shares", shares)

    @property
    def shares(self) -> np.ndarray:
        return self._shares  # type: ignore[attr-defined, no-any-return]


def as_table(given: Any) -> pl.DataFrame:
    """Convert a polars, pandas or NumPy table to polars."""
    if isinstance(given, pl.DataFrame):
        return given
    if hasattr(given, "columns") and hasattr(given, "to_dict"):
        return pl.DataFrame({str(name): given[name].to_numpy() for name in given.columns}, strict=False)
    array = np.asarray(given)
    return pl.DataFrame({f"x{number}": array[:, number] for number in range(array.shape[1])}, strict=False)

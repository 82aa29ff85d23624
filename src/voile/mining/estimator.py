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
            raise PolicyError(
                f"keep = {self.keep} is not a probability.", code="policy.parameter", hint="Choose 0 to 1."
            )
        if isinstance(X, Release):
            training_set = training(X, self.starts, self.seed)
            self.classes_ = np.array(training_set.classes.names, dtype=object)
        else:
            training_set = self._encode_table(X, y, sample_weight)
        self.n_features_in_ = training_set.X.width
        self.feature_names_in_ = np.array(training_set.X.columns, dtype=object)
        self.tree_: Tree = grow(training_set, self.max_depth, self.min_weight)
        return self

    def _encode_table(self, X: Any, y: Any, sample_weight: Any) -> Training:  # noqa: N803
        table = as_table(X)
        if y is None or len(y) != table.height or table.height == 0:
            raise DataError("y must have one class for each row of X.", code="data.classes", hint="Or fit a release.")
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        names = self.classes_.tolist()
        share_by_name = self.shares or dict.fromkeys(names, 1 / len(names))
        missing_names = [name for name in names if name not in share_by_name]
        if missing_names or abs(sum(share_by_name.values()) - 1) > 1e-9:
            raise PolicyError(
                f"shares must name every class and sum to 1; {len(missing_names)} classes are missing.",
                code="policy.parameter",
            )
        weights = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        shares = _ClassesWithShares(np.array([share_by_name[name] for name in names]), tuple(map(str, names)))
        return Training(table, codes, weights, shares, Channel(float(self.keep), 1))

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
        class_codes = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[class_codes])


class _ClassesWithShares(Classes):
    """Classes whose shares are stated, not counted in a domain."""

    def __init__(self, shares: np.ndarray, names: tuple[str, ...]) -> None:
        super().__init__(np.arange(len(names)), names)
        object.__setattr__(self, "_shares", shares)

    @property
    def shares(self) -> np.ndarray:
        return self._shares  # type: ignore[attr-defined, no-any-return]


def as_table(table: Any) -> pl.DataFrame:
    """Convert a polars, pandas or NumPy table to polars."""
    if isinstance(table, pl.DataFrame):
        return table
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        return pl.DataFrame({str(name): table[name].to_numpy() for name in table.columns}, strict=False)
    array = np.asarray(table)
    return pl.DataFrame({f"x{index}": array[:, index] for index in range(array.shape[1])}, strict=False)

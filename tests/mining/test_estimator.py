"""The estimator keeps the conventions of scikit-learn."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, EngineError, PolicyError

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

KEY = vl.Key(bytes(32))


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return vl.datasets.census(30_000)


@pytest.fixture(scope="module")
def data(frame: pl.DataFrame) -> Any:
    names = ["age", "gender", "education", "occupation"]
    return vl.read(frame, vl.Schema(quasi=names, sensitive=["income"], domains={"income": list(range(50))}))


def accuracy(tree: Any, frame: pl.DataFrame) -> float:
    true_classes = np.where(frame["income"] < 12, tree.classes_[0], tree.classes_[1])
    return float((tree.predict(frame) == true_classes).mean())


@pytest.mark.parametrize(
    ("policy", "method", "least_accuracy"),
    [
        (vl.KAnonymity(k=5), vl.Mondrian(), 0.68),
        (vl.LDiversity(l=3), vl.Anatomy(), 0.6),
        (vl.AntiCorruption(rho1=0.2, rho2=0.9), vl.PerturbedGeneralization(s=0.25), 0.65),
    ],
)
def test_it_learns_from_every_shape(
    data: Any, frame: pl.DataFrame, policy: Any, method: Any, least_accuracy: float
) -> None:
    tree = vl.mining.DecisionTree(starts=[12]).fit(vl.publish(data, policy, method, key=KEY))
    assert tree.classes_.tolist() == ["0 to 11", "12 to 49"]
    assert accuracy(tree, frame) > least_accuracy
    chances = tree.predict_proba(frame.head(5))
    assert chances.shape == (5, 2)
    assert chances.sum(axis=1) == pytest.approx(np.ones(5))


def test_it_works_in_a_pipeline(data: Any, frame: pl.DataFrame) -> None:
    release = vl.publish(data, vl.AntiCorruption(rho1=0.2, rho2=0.9), vl.PerturbedGeneralization(s=0.25), key=KEY)
    plain_tree = vl.mining.DecisionTree(starts=[12]).fit(release)
    pipeline = Pipeline([("tree", vl.mining.DecisionTree(starts=[12]))]).fit(release)
    assert np.array_equal(pipeline.predict(frame), plain_tree.predict(frame))
    training_set = vl.mining.training(release, [12])
    shares = dict(enumerate(training_set.classes.shares))
    tree = vl.mining.DecisionTree(keep=float(training_set.channel.keep), shares=shares)
    scaled_pipeline = Pipeline([("scale", ColumnTransformer([("age", StandardScaler(), ["age"])])), ("tree", tree)])
    table = training_set.X.to_pandas()
    scaled_pipeline.fit(table, training_set.y, tree__sample_weight=training_set.weight)
    assert set(scaled_pipeline.predict(frame.to_pandas())) <= {0, 1}
    table_tree = clone(tree).fit(training_set.X, training_set.y, training_set.weight)
    assert np.array_equal(table_tree.predict(frame) == 0, plain_tree.predict(frame) == "0 to 11")


def test_parameters_scores_and_grid_search_follow_scikit_learn(frame: pl.DataFrame) -> None:
    tree = vl.mining.DecisionTree(max_depth=3)
    assert tree.get_params()["max_depth"] == 3
    assert clone(tree).get_params() == tree.get_params()
    with pytest.raises(NotFittedError):
        tree.predict(frame)
    part = frame.head(2000)
    table, y = part.select("age").to_numpy(), np.where(part["income"] < 12, "low", "high")
    assert tree.fit(table, y) is tree
    assert tree.n_features_in_ == 1
    assert tree.score(table, y) >= max((y == "low").mean(), (y == "high").mean())
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=2).fit(table, y)
    assert search.best_params_["max_depth"] in (1, 2)


def test_tables_and_parameters_that_do_not_fit_are_refused(frame: pl.DataFrame) -> None:
    table = frame.head(10).select("age")
    with pytest.raises(DataError, match="one class for each row"):
        vl.mining.DecisionTree().fit(table)
    with pytest.raises(PolicyError, match="not a probability"):
        vl.mining.DecisionTree(keep=1.5).fit(table, np.zeros(10))
    with pytest.raises(PolicyError, match="shares must name every class"):
        vl.mining.DecisionTree(shares={0: 1.0}).fit(table, np.arange(10))
    tree = vl.mining.DecisionTree().fit(table, np.arange(10) % 2)
    with pytest.raises(DataError, match="has 9 columns"):
        tree.predict(frame.rename({"age": "years"}))


def test_the_error_names_the_extra_if_scikit_learn_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def import_without_sklearn(name: str, *arguments: Any, **options: Any) -> Any:
        if name.split(".")[0] == "sklearn":
            raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn")
        return real_import(name, *arguments, **options)

    monkeypatch.delitem(sys.modules, "voile.mining.estimator", raising=False)
    monkeypatch.setattr(builtins, "__import__", import_without_sklearn)
    with pytest.raises(EngineError, match="needs sklearn") as raised:
        vl.mining.DecisionTree  # noqa: B018 - the access is the test
    assert "voile[mining]" in raised.value.hint

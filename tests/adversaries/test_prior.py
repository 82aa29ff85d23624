"""Priors are learned, read, saved, and refused if they make no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.signatures import join_escaped, split_escaped
from voile.errors import DataError, InconsistentKnowledge, PolicyError, SpecError

HEAD = ["columns", "signature", "value", "probability"]


def table(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=HEAD, orient="row")


@pytest.fixture
def data() -> Any:
    rng = np.random.default_rng(5)
    people = {"sex": rng.choice(["m", "f"], 200), "age": rng.integers(20, 24, 200)}
    people["zip"] = rng.choice(["a|b", "c"], 200)
    frame = pl.DataFrame({**people, "disease": rng.choice(["flu", "HIV", "cold"], 200, p=[0.6, 0.1, 0.3])})
    return vl.read(frame, vl.Schema(quasi=["sex", "age", "zip"], sensitive=["disease"])), frame


def test_learned_rows_are_the_shares_of_the_table(data: Any) -> None:
    prior = vl.learn_prior(data[0], min_support=5)
    assert len(prior.sets) == 7
    frame = data[1]
    for statistics in prior.sets:
        for signature, row in zip(statistics.signatures, statistics.rows, strict=True):
            matching_rows = frame
            for name, text in zip(statistics.names, signature, strict=True):
                matching_rows = matching_rows.filter(pl.col(name).cast(pl.String) == text)
            assert matching_rows.height >= 5
            for value, share in zip(prior.values, row, strict=True):
                assert share == pytest.approx(
                    matching_rows.filter(pl.col("disease") == value).height / matching_rows.height
                )


def test_learning_is_limited_by_support_and_columns_and_pulled_by_smoothing(data: Any) -> None:
    assert sum(len(statistics.signatures) for statistics in vl.learn_prior(data[0], min_support=201).sets) == 0
    assert {len(statistics.names) for statistics in vl.learn_prior(data[0], max_columns=2).sets} == {1, 2}
    smooth_prior = vl.learn_prior(data[0], min_support=1, smoothing=1e9)
    assert smooth_prior.marginal is not None
    assert all(np.allclose(statistics.rows, smooth_prior.marginal, atol=1e-6) for statistics in smooth_prior.sets)
    with pytest.raises(PolicyError):
        vl.learn_prior(data[0], smoothing=-1)
    with pytest.raises(PolicyError, match="not a sensitive column"):
        vl.learn_prior(data[0], "zip")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_saved_prior_is_the_same_prior(data: Any, tmp_path: Path, ending: str) -> None:
    prior = vl.learn_prior(data[0], min_support=5)
    read_back = vl.read_prior(prior.save(tmp_path / f"prior{ending}"), "disease")
    assert read_back.digest == prior.digest
    assert [path.name for path in tmp_path.iterdir()] == [f"prior{ending}"]
    assert vl.learn_prior(data[0], min_support=5).digest != prior.digest, "the digest is salted"
    with pytest.raises(SpecError):
        prior.save(tmp_path / "prior.json")


def test_people_get_the_row_of_their_signature_or_the_marginal(data: Any) -> None:
    columns = data[0].columns
    rows = [("sex", "m", "flu", 0.5), ("sex", "m", "HIV", 0.2), ("", "", "flu", 0.9), ("age|sex", "21|f", "cold", 1.0)]
    prior = vl.read_prior(table(rows), "disease")
    codes = np.array([[columns["sex"].domain.labels.index("m"), 1, 0], [columns["sex"].domain.labels.index("f"), 1, 0]])
    coded_prior = prior.encode(columns.quasi, codes, columns["disease"], np.zeros(3))
    by_set = dict(zip(coded_prior.sets, coded_prior.rows[coded_prior.index], strict=True))
    texts = columns["disease"].domain.labels
    assert by_set[("sex",)][0].tolist() == [{"flu": 0.5, "HIV": 0.2}.get(text, 0.0) for text in texts]
    assert by_set[("sex",)][1].tolist() == [{"flu": 0.9}.get(text, 0.0) for text in texts]
    assert by_set[("age", "sex")][1].tolist() == [{"cold": 1.0}.get(text, 0.0) for text in texts]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("sex", "m", "flu", 0.7), ("sex", "m", "HIV", 0.4)], "sum to more than 1"),
        ([("sex", "m", "flu", -0.1)], "between 0 and 1"),
        ([("sex", "m", "flu", float("nan"))], "between 0 and 1"),
        ([("sex|age", "m", "flu", 0.1)], "more or fewer columns"),
        ([("sex|sex", "m|m", "flu", 0.1)], "twice"),
        ([("sex", "m", "flu", 0.1), ("sex", "m", "flu", 0.2)], "repeat"),
        ([], "no statistic"),
    ],
)
def test_a_malformed_prior_is_refused(rows: list[Any], message: str) -> None:
    frame = table(rows) if rows else pl.DataFrame(schema=dict.fromkeys(HEAD, pl.String))
    with pytest.raises(DataError, match=message):
        vl.read_prior(frame, "disease")
    with pytest.raises(DataError, match="lacks the columns"):
        vl.read_prior(pl.DataFrame({"columns": ["sex"]}), "disease")


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (("weight", "9", "flu", 0.1), "policy.prior-column"),
        (("sex", "m", "gout", 0.1), "policy.prior-value"),
    ],
)
def test_a_prior_about_something_else_is_refused(data: Any, row: tuple[Any, ...], code: str) -> None:
    model = vl.RRobustness(r=2, prior=vl.read_prior(table([row]), "disease"))
    with pytest.raises(PolicyError) as caught:
        vl.publish(data[0], model)
    assert caught.value.code == code


def test_the_error_names_the_column_set_that_contradicts_the_table(data: Any) -> None:
    model = vl.RRobustness(r=2, prior=vl.read_prior(table([("sex", "m", "flu", 1.0)]), "disease"))
    with pytest.raises(InconsistentKnowledge, match="'sex'"):
        vl.publish(data[0], model)


def test_separators_in_values_survive_joining_and_splitting() -> None:
    for parts in (["a|b", "c\\"], ["", "x"], ["\\|", "||"]):
        assert split_escaped(join_escaped(parts)) == parts

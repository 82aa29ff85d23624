"""Priors: learned, read, saved, and refused if they make no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import join_escaped, split_escaped
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
    for known in prior.sets:
        for signature, row in zip(known.signatures, known.rows, strict=True):
            part = frame
            for name, text in zip(known.names, signature, strict=True):
                part = part.filter(pl.col(name).cast(pl.String) == text)
            assert part.height >= 5
            for value, share in zip(prior.values, row, strict=True):
                assert share == pytest.approx(part.filter(pl.col("disease") == value).height / part.height)


def test_support_columns_and_smoothing(data: Any) -> None:
    assert sum(len(known.signatures) for known in vl.learn_prior(data[0], min_support=201).sets) == 0
    assert {len(known.names) for known in vl.learn_prior(data[0], max_columns=2).sets} == {1, 2}
    smooth = vl.learn_prior(data[0], min_support=1, smoothing=1e9)
    assert smooth.marginal is not None
    assert all(np.allclose(known.rows, smooth.marginal, atol=1e-6) for known in smooth.sets)
    with pytest.raises(PolicyError):
        vl.learn_prior(data[0], smoothing=-1)
    with pytest.raises(PolicyError, match="not a sensitive column"):
        vl.learn_prior(data[0], "zip")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_saved_prior_is_the_same_prior(data: Any, tmp_path: Path, ending: str) -> None:
    prior = vl.learn_prior(data[0], min_support=5)
    again = vl.read_prior(prior.save(tmp_path / f"prior{ending}"), "disease")
    assert again.digest == prior.digest
    assert [path.name for path in tmp_path.iterdir()] == [f"prior{ending}"]
    assert vl.learn_prior(data[0], min_support=5).digest != prior.digest, "the digest is salted"
    with pytest.raises(SpecError):
        prior.save(tmp_path / "prior.json")


def test_people_get_the_row_of_their_signature_or_the_marginal(data: Any) -> None:
    columns = data[0].columns
    rows = [("sex", "m", "flu", 0.5), ("sex", "m", "HIV", 0.2), ("", "", "flu", 0.9), ("age|sex", "21|f", "cold", 1.0)]
    prior = vl.read_prior(table(rows), "disease")
    codes = np.array([[columns["sex"].domain.labels.index("m"), 1, 0], [columns["sex"].domain.labels.index("f"), 1, 0]])
    known = prior.encode(columns.quasi, codes, columns["disease"], np.zeros(3))
    by_set = dict(zip(known.sets, known.rows[known.index], strict=True))
    texts = columns["disease"].domain.labels
    assert by_set[("sex",)][0].tolist() == [{"flu": 0.5, "HIV": 0.2}.get(text, 0.0) for text in texts]
    assert by_set[("sex",)][1].tolist() == [{"flu": 0.9}.get(text, 0.0) for text in texts]
    assert by_set[("age", "sex")][1].tolist() == [{"cold": 1.0}.get(text, 0.0) for text in texts]


@pytest.mark.parametrize(
    ("rows", "what"),
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
def test_a_malformed_prior_is_refused(rows: list[Any], what: str) -> None:
    frame = table(rows) if rows else pl.DataFrame(schema=dict.fromkeys(HEAD, pl.String))
    with pytest.raises(DataError, match=what):
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


def test_a_prior_that_contradicts_the_table_is_named(data: Any) -> None:
    model = vl.RRobustness(r=2, prior=vl.read_prior(table([("sex", "m", "flu", 1.0)]), "disease"))
    with pytest.raises(InconsistentKnowledge, match="'sex'"):
        vl.publish(data[0], model)


def test_separators_in_values_survive_joining_and_splitting() -> None:
    for parts in (["a|b", "c\\"], ["", "x"], ["\\|", "||"]):
        assert split_escaped(join_escaped(parts)) == parts

"""Priors are learned, read, saved, and refused if they make no sense."""

from __future__ import annotations

from dataclasses import replace
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
    """Without a declared domain, a refusal would tell that nobody has the value."""
    domains = {"disease": sorted(set(data[1]["disease"].to_list()))}
    schema = vl.Schema(quasi=["sex", "age", "zip"], sensitive=["disease"], domains=domains)
    model = vl.RRobustness(r=2, prior=vl.read_prior(table([row]), "disease"))
    with pytest.raises(PolicyError) as caught:
        vl.publish(vl.read(data[1], schema), model)
    assert caught.value.code == code


def test_the_error_names_the_column_set_that_contradicts_the_table(data: Any) -> None:
    rows = [("sex", "m", "flu", 1.0), ("", "", "flu", 1.0)]
    model = vl.RRobustness(r=2, prior=vl.read_prior(table(rows), "disease"))
    with pytest.raises(InconsistentKnowledge, match="'sex'"):
        vl.publish(data[0], model)


def test_contradictions_are_counted_over_all_column_sets_and_smoothing_removes_them(data: Any) -> None:
    rows = [("sex", "*", "flu", 1.0), ("age", "*", "HIV", 1.0), ("", "", "flu", 0.5)]
    with pytest.raises(InconsistentKnowledge) as caught:
        vl.publish(data[0], vl.RRobustness(r=2, prior=vl.read_prior(table(rows), "disease")))
    assert "200 rows" in str(caught.value)
    assert "2 of 2 column sets" in str(caught.value)
    assert "smoothing" in caught.value.hint
    frame = data[1]
    others = frame.filter((pl.col("sex") != "m") | (pl.col("disease") != "HIV"))  # no man of them has HIV
    schema = vl.Schema(quasi=["sex", "age", "zip"], sensitive=["disease"])
    exact, smooth = (vl.learn_prior(vl.read(others, schema), smoothing=weight) for weight in (0, 1))
    with pytest.raises(InconsistentKnowledge):
        vl.publish(data[0], vl.RRobustness(r=2, protect=("HIV",), prior=exact))
    with pytest.raises(InconsistentKnowledge):
        vl.publish(data[0], vl.RRobustness(r=2, protect=("HIV",), prior=exact), vl.Art())
    vl.publish(data[0], vl.RRobustness(r=2, protect=("HIV",), prior=smooth))


def test_smoothing_leaves_no_value_of_a_declared_domain_at_zero(data: Any) -> None:
    schema = vl.Schema(quasi=["sex"], sensitive=["disease"], domains={"disease": ["HIV", "cold", "flu", "gout"]})
    prior = vl.learn_prior(vl.read(data[1].drop("age", "zip"), schema), smoothing=1)
    assert prior.marginal is not None
    assert prior.marginal.min() > 0
    assert all(statistics.rows.min() > 0 for statistics in prior.sets)
    assert prior.marginal.sum() == pytest.approx(1)


def test_people_without_support_have_the_rates_of_all_such_people() -> None:
    people = {"sex": ["m"] * 10 + ["f"] * 10 + ["x", "y", "z"], "disease": ["flu"] * 20 + ["HIV", "HIV", "flu"]}
    data = vl.read(pl.DataFrame(people), vl.Schema(quasi=["sex"], sensitive=["disease"]))
    values = tuple(data.columns["disease"].domain.labels)
    (statistics,) = vl.learn_prior(data, min_support=3).sets
    assert statistics.rest is not None
    assert dict(zip(values, statistics.rest.tolist(), strict=True)) == pytest.approx({"HIV": 2 / 3, "flu": 1 / 3})
    (statistics,) = vl.learn_prior(data, min_support=4).sets
    assert statistics.rest is None, "three people are too few to have rates, together as well"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_rest_survives_a_file_and_is_part_of_the_digest(ending: str, tmp_path: Path) -> None:
    people = {"sex": ["*"] * 3 + ["m"] * 3 + ["x", "y", "z"], "disease": ["flu", "HIV", "flu"] * 3}
    data = vl.read(pl.DataFrame(people), vl.Schema(quasi=["sex"], sensitive=["disease"]))
    prior = vl.learn_prior(data, min_support=3)
    read_back = vl.read_prior(prior.save(tmp_path / f"prior{ending}"), "disease")
    assert read_back.digest == prior.digest
    (statistics,) = read_back.sets
    assert set(statistics.signatures) == {("*",), ("m",)}
    assert statistics.rest is not None
    assert replace(prior, sets=(replace(prior.sets[0], rest=None),)).digest != prior.digest


def test_a_star_that_may_be_a_value_or_the_rest_is_refused() -> None:
    people = {"sex": ["*", "m"] * 20, "disease": ["flu", "flu", "HIV", "flu"] * 10}
    data = vl.read(pl.DataFrame(people), vl.Schema(quasi=["sex"], sensitive=["disease"]))
    rows = [("sex", "*", "flu", 0.7), ("sex", "*", "HIV", 0.3)]
    with pytest.raises(PolicyError, match="also has the value") as caught:
        vl.publish(data, vl.RRobustness(r=2, protect=("HIV",), prior=vl.read_prior(table(rows), "disease")))
    assert caught.value.code == "policy.prior-rest"
    rows += [("sex", "\\*", "flu", 0.6), ("sex", "\\*", "HIV", 0.4)]
    vl.publish(data, vl.RRobustness(r=1.5, protect=("HIV",), prior=vl.read_prior(table(rows), "disease")))


def test_a_prior_that_says_nothing_about_somebody_is_refused(data: Any) -> None:
    rows = [("sex", "m", value, 1 / 3) for value in ("flu", "HIV", "cold")]
    men = data[1].filter(pl.col("sex") == "m").height
    with pytest.raises(InconsistentKnowledge, match=f"nothing about {200 - men} rows") as caught:
        vl.publish(data[0], vl.RRobustness(r=2, prior=vl.read_prior(table(rows), "disease")))
    assert caught.value.code == "data.prior-coverage"
    whole = [("", "", value, 1 / 3) for value in ("flu", "HIV", "cold")]
    rest = [("sex", "*", value, 1 / 3) for value in ("flu", "HIV", "cold")]
    for complete in ([*rows, *whole], [*rows, *rest]):
        vl.publish(data[0], vl.RRobustness(r=1.5, protect=("HIV",), prior=vl.read_prior(table(complete), "disease")))


def test_separators_in_values_survive_joining_and_splitting() -> None:
    for parts in (["a|b", "c\\"], ["", "x"], ["\\|", "||"]):
        assert split_escaped(join_escaped(parts)) == parts

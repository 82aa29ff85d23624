"""Recommendations: they can be kept, follow the audience and the table, and say what they leave open."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.errors import SpecError
from voile.flow.explore.inspect import inspect
from voile.flow.recommend.audiences import AUDIENCES
from voile.flow.recommend.needs import NEEDS, sort_by_need
from voile.flow.recommend.recommend import recommend_all
from voile.flow.recommend.size_costs import SIZES, count_size_costs
from voile.flow.recommend.spec_promise import recommend_draft
from voile.io.spec_files import make_spec
from voile.plugins.registry import registered_classes

QUASI = ["birth", "sex", "zip"]


def make_table(shares: tuple[int, ...], rows: int = 200, people: int | None = None) -> pl.DataFrame:
    """Return people with a secret whose values occur in these shares, of a hundred rows each."""
    secrets = [value for value, share in enumerate(shares) for _ in range(share)]
    persons = people or rows
    return pl.DataFrame(
        {
            "person": [n % persons for n in range(rows)],
            "age": [20 + (7 * (n % persons)) % 60 for n in range(rows)],
            "secret": [f"v{secrets[n % 100]}" for n in range(rows)],
        }
    )


@pytest.mark.parametrize(
    "shares", [(50, 50), (99, 1), (100,), (20,) * 5, (75, 25), (1,) * 100], ids=lambda shares: str(len(shares))
)
@pytest.mark.parametrize("rows_per_person", [1, 2])
def test_what_is_recommended_can_be_published(shares: tuple[int, ...], rows_per_person: int) -> None:
    several = {"person": "person", "rows_per_person": 2} if rows_per_person == 2 else {}
    table = make_table(shares, people=200 // rows_per_person)
    data = vl.read(table, vl.Schema(quasi=["age"], sensitive=["secret"], **several))
    for found in recommend_all(data):
        assert vl.verify(vl.publish(data, found.policy, found.method)).holds
        for item in found.alternatives:
            vl.foresee(data, item.policy)
        if len(shares) == 1:
            assert "what is believed about 'secret'" in found.not_covered


def test_wider_audiences_are_promised_more() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=QUASI, sensitive=["disease"]))
    found = recommend_all(data)
    assert [item.audience.name for item in found] == list(AUDIENCES)
    assert [repr(item.policy) for item in found] == [
        "Policy(KAnonymity(k=3), LDiversity(l=2, column='disease'))",
        "Policy(KAnonymity(k=5), LDiversity(l=3, column='disease'))",
        "Policy(KAnonymity(k=10), LDiversity(l=5, column='disease'))",
    ]
    assert all("looks at the values" in item.note for item in found)


def test_a_binary_secret_gets_a_bound_within_reach() -> None:
    data = vl.read(make_table((76, 24)), vl.Schema(quasi=["age"], sensitive=["secret"]))
    policy = vl.recommend(data, "public").policy
    assert [model.name for model in policy] == ["k-anonymity", "alpha-k-anonymity"]
    assert policy.models[1].alpha == 0.88  # type: ignore[attr-defined]


def test_without_a_secret_no_value_is_looked_at() -> None:
    found = vl.recommend(vl.read(vl.datasets.hospital(), vl.Schema(quasi=QUASI)), "partner")
    assert not found.looked_at_values
    assert found.note == ""
    assert any("no column is marked as secret" in gap for gap in found.not_covered)


def test_a_small_table_gets_a_small_crowd_and_a_warning() -> None:
    found = vl.recommend(vl.read(make_table((50, 50), rows=12), vl.Schema(quasi=["age"])), "public")
    assert repr(found.policy) == "Policy(KAnonymity(k=6))"
    assert any("better not given to this audience" in reason for reason in found.reasons)


def test_the_costs_of_k_do_not_depend_on_secrets() -> None:
    """The same people with other secrets have the same numbers, counted here by hand where that is easy."""
    table = vl.datasets.hospital()
    schema = vl.Schema(quasi=["sex", "zip"], sensitive=["disease"])
    costs = [
        count_size_costs(vl.read(frame, schema))
        for frame in (table, table.with_columns(pl.col("disease").reverse()), table.with_columns(disease=pl.lit("flu")))
    ]
    assert costs[0].as_json() == costs[1].as_json() == costs[2].as_json()
    sizes = table.group_by("sex", "zip").len()["len"]
    for cost in costs[0].costs:
        assert cost.stand_out == sizes.filter(sizes < cost.k).sum()
        assert cost.loss is not None
        assert cost.groups is not None
        assert cost.groups * cost.k <= 400
    assert [cost.k for cost in costs[0].costs] == list(SIZES)
    losses = [cost.loss or 0.0 for cost in costs[0].costs]
    assert losses == sorted(losses)


def test_a_large_table_takes_the_larger_k_for_the_public() -> None:
    data = vl.read(make_table((20,) * 5, rows=5000), vl.Schema(quasi=["age"]))  # 60 ages: 20 costs nothing
    assert repr(vl.recommend(data, "public").policy) == "Policy(KAnonymity(k=20))"


def test_an_unknown_audience_is_refused_with_the_nearest_name() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=QUASI))
    with pytest.raises(SpecError, match="Did you mean 'public'"):
        vl.recommend(data, "publik")


def test_the_lines_for_a_spec_are_the_policy() -> None:
    import tomllib

    table = vl.datasets.hospital()
    found = recommend_draft(table, inspect(table), "partner", {})
    spec = make_spec(tomllib.loads("\n".join(found.write_toml())))
    assert list(spec.policy) == found.policy.as_json()
    assert spec.schema["steering"] == {"birth": {"round": "year"}, "admitted": {"round": "month"}}
    assert spec.method == {"name": "mondrian"}


def test_a_draft_without_known_columns_gets_no_recommendation() -> None:
    table = pl.DataFrame({"disease": ["flu", "cold"] * 20})
    with pytest.raises(SpecError, match="nothing to recommend"):
        recommend_draft(table, inspect(table), "public", {})


def test_every_need_is_served_by_models_that_exist_and_none_is_lost() -> None:
    listed = [name for _, names in NEEDS for name in names]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(registered_classes("models"))
    names = {*registered_classes("models"), "my-own"}
    assert {name for _, some in sort_by_need(names) for name in some} == names
    assert "my-own" in sort_by_need(names)[-1][1]

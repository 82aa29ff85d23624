"""Injector: whatever rules are mined from the table, everybody keeps l values; and clear refusals."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import voile as vl
from voile.errors import BrokenPromise, PolicyError, Unsatisfiable
from voile.methods.injector.injector import confirm_kept_values

KEY = vl.Key(bytes(32))
SCHEMA = vl.Schema(quasi=["age", "job", "city"], sensitive=["disease"])


def random_table(seed: int, rows: int) -> pl.DataFrame:
    """Return people whose age and job are related to their disease."""
    rng = np.random.default_rng(seed)
    age, job = rng.integers(20, 26, rows), rng.integers(0, 3, rows)
    disease = (job + (age > 22) + rng.integers(0, 3, rows)) % 5
    return pl.DataFrame(
        {
            "age": age,
            "job": np.array(["smith", "cook", "clerk"])[job],
            "city": rng.choice(["Bern", "Lyon"], rows),
            "disease": np.array(["flu", "HIV", "acne", "gout", "cold"])[disease],
        }
    )


def interval(ages: list[int], age: int, intervals: int) -> int:
    """Return the interval of an age: where its middle lies among all people, in `intervals` equal parts."""
    if len(set(ages)) <= intervals:
        return age
    middle = sum(other_age < age for other_age in ages) + Fraction(ages.count(age), 2)
    return int(middle * intervals / len(ages))


def excluded_by_rules(frame: pl.DataFrame, method: Any) -> dict[tuple[Any, ...], set[str]]:
    """Return the values that are excluded for each quasi-identifier, by the slow twin."""
    ages, values = frame["age"].to_list(), frame["disease"].to_list()
    people = frame.select("age", "job", "city").rows()
    rows = [(interval(ages, age, method.intervals), job, city) for age, job, city in people]
    limits = Fraction(str(method.min_conf)), Fraction(str(method.min_exp))
    excluded_values = oracle.excluded(rows, values, min(method.max_items, 3), *limits)
    return dict(zip(people, excluded_values, strict=True))


def collect_groups(release: Any) -> list[tuple[list[tuple[Any, ...]], list[str]]]:
    """Return the people and the values of each group, from the two tables."""
    quasi, sensitive = (release.tables[name].rows(named=True) for name in ("quasi", "sensitive"))
    return [
        (
            [(row["age"], row["job"], row["city"]) for row in quasi if row["group"] == group],
            [row["disease"] for row in sensitive if row["group"] == group for _ in range(row["count"])],
        )
        for group in range(1, release.groups + 1)
    ]


METHODS = st.builds(
    vl.Injector,
    min_conf=st.sampled_from([1.0, 1.0, 0.9, 0.75]),
    min_exp=st.sampled_from([0.0, 0.9, 2.0]),
    max_items=st.sampled_from([1, 2, 5]),
    intervals=st.sampled_from([2, 3, 20]),
)


def publish(frame: pl.DataFrame, l: int, method: Any) -> Any:  # noqa: E741
    """Return the release, or None if the method refuses; it must refuse if a value is too frequent."""
    try:
        release = vl.publish(vl.read(frame, SCHEMA), vl.LDiversity(l=l), method, key=KEY)
    except Unsatisfiable:
        return None
    assert max(Counter(frame["disease"].to_list()).values()) * l <= frame.height
    return release


def test_most_eligible_tables_are_published() -> None:
    """Other tests also pass for a method that always refuses, so tables without a frequent value must be published."""
    eligible_tables, published_tables = 0, 0
    for seed in range(60):
        frame, l = random_table(seed, 6 + seed % 19), 2 + seed % 2  # noqa: E741
        method = vl.Injector(min_conf=[1.0, 0.9, 0.75][seed % 3], max_items=[1, 2, 5][seed // 3 % 3])
        eligible_tables += max(Counter(frame["disease"].to_list()).values()) * l <= frame.height
        published_tables += publish(frame, l, method) is not None
    assert eligible_tables >= 30
    assert published_tables >= 0.7 * eligible_tables


@given(st.integers(0, 2**32), st.integers(6, 24), st.sampled_from([2, 3]), METHODS)
def test_everybody_keeps_l_values(seed: int, rows: int, l: int, method: Any) -> None:  # noqa: E741
    frame = random_table(seed, rows)
    release = publish(frame, l, method)
    assume(release is not None)
    assert release is not None
    excluded = excluded_by_rules(frame, method)
    published_people: Counter[Any] = Counter()
    values: Counter[str] = Counter()
    for people, group_values in collect_groups(release):
        assert len(set(group_values)) == len(group_values) == len(people) >= l
        assert oracle.fewest_kept([set(group_values) - excluded[person] for person in people], group_values) >= l
        published_people.update(people)
        values.update(group_values)
    assert published_people <= Counter(frame.select("age", "job", "city").rows())
    assert values <= Counter(frame["disease"].to_list())
    assert published_people.total() == rows - release.dictionary["withheld"]


@given(st.integers(0, 2**32), st.integers(1, 24), METHODS)
def test_mined_rules_equal_those_of_the_slow_twin(seed: int, rows: int, method: Any) -> None:
    frame = random_table(seed, rows)
    data = vl.read(frame, SCHEMA)
    table, target = data.rows.histogram([column.name for column in data.columns]), data.columns["disease"]
    sizes = np.bincount(table.column("disease"), weights=table.counts, minlength=target.size).astype(np.int64)
    class_of_row, allowed = method.mine_rules(data.columns, table, sizes)
    excluded, texts = excluded_by_rules(frame, method), np.array(target.domain.labels)
    names = [data.columns[name].domain.values for name in ("age", "job", "city")]
    for codes, class_index in zip(table.codes, class_of_row, strict=True):
        person = tuple(values[int(code)] for values, code in zip(names, codes[:3], strict=True))
        assert set(texts[~allowed[class_index]].tolist()) == excluded[person]
    assert len(np.unique(allowed, axis=0)) == len(allowed), "a class twice"


def test_men_are_not_grouped_with_breast_cancer() -> None:
    """Anatomy puts men beside women with breast cancer, which leaves them one value; Injector does not."""
    diseases = ["breast cancer"] * 10 + ["flu"] * 5 + ["cold"] * 5 + ["flu"] * 20 + ["cold"] * 20 + ["gout"] * 10
    frame = pl.DataFrame({"sex": ["f"] * 20 + ["m"] * 50, "disease": diseases})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    men_beside = {}
    for method in (vl.Anatomy(), vl.Injector()):
        release = vl.publish(data, vl.LDiversity(l=2), method, key=KEY)
        groups_with_cancer = release.tables["sensitive"].filter(pl.col("disease") == "breast cancer").select("group")
        men_beside[method.name] = (
            release.tables["quasi"].join(groups_with_cancer, on="group")["sex"].to_list().count("m")
        )
        assert release.people == 70
    assert men_beside["anatomy"] > 0
    assert men_beside["injector"] == 0


def test_l_values_are_not_a_belief_of_one_in_l() -> None:
    """In a larger group everybody may keep l values, and one of them may still be likelier: 2/3 here, with l = 2.

    This is why the certificate claims 1/l against a neighbour without the rules, and nothing against one with them.
    """
    people = ["xa", "xc", "xd", "yb", "yc", "yc", "za", "zd", "zd"]
    frame = pl.DataFrame({"job": [p[0] for p in people], "disease": [p[1] for p in people]})
    data = vl.read(frame, vl.Schema(quasi=["job"], sensitive=["disease"]))
    release = vl.publish(data, vl.LDiversity(l=2), vl.Injector(), key=KEY)
    rules = {"x": set(), "y": {"d"}, "z": {"c"}}
    rows, values = [(job,) for job in frame["job"]], frame["disease"].to_list()
    assert oracle.excluded(rows, values, 1, Fraction(1), Fraction(9, 10)) == [rules[job] for job in frame["job"]]
    beliefs = []
    for group in range(1, release.groups + 1):
        jobs = release.tables["quasi"].filter(group=group)["job"].to_list()
        group_values = release.tables["sensitive"].filter(group=group)["disease"].to_list()
        matchings = oracle.matchings([set(group_values) - rules[job] for job in jobs], group_values)
        for i in range(len(jobs)):
            value_counts = Counter(matching[i] for matching in matchings)
            assert len(value_counts) >= 2
            beliefs.append(Fraction(max(value_counts.values()), len(matchings)))
    assert max(beliefs) == Fraction(2, 3)
    assert [claim["promise"] for claim in release.certificate.claims] == [
        "Nobody can be linked to a value of 'disease' with probability above 1/2."
    ]
    assert release.certificate.claims[0]["adversary"]["name"] == "neighbour"
    assert vl.audit(release, data).passed


def test_without_rules_groups_are_as_many_as_those_of_anatomy() -> None:
    """A quasi-identifier that everybody shares gives no rules, so nobody is withheld and there are n // l groups."""
    frame = pl.DataFrame({"city": ["Bern"] * 29, "disease": list("aaaaaaabbbbbbccccccdddddeeeef")})
    data = vl.read(frame, vl.Schema(quasi=["city"], sensitive=["disease"]))
    for l in (2, 3, 4):  # noqa: E741
        release = vl.publish(data, vl.LDiversity(l=l), vl.Injector(), key=KEY)
        assert release.groups == 29 // l
        assert release.dictionary["withheld"] == 0


def test_people_whom_the_rules_do_not_distinguish_are_grouped_at_random() -> None:
    """Four people whom the rules do not distinguish: each shares a group with each possible neighbour equally often."""
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "disease": ["flu", "flu", "HIV", "HIV"]})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    pair_counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(400):
        release = vl.publish(data, vl.LDiversity(l=2), vl.Injector(), key=vl.Key(seed.to_bytes(32, "big")))
        groups = release.tables["quasi"].group_by("group").agg(pl.col("age").sort())
        pair_counts.update(tuple(ages) for ages in groups["age"].to_list())
    assert sorted(pair_counts) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert min(pair_counts.values()) > 150


def test_a_missing_cell_is_an_item_of_its_own() -> None:
    """People without an age never have gout; all others share one interval, so rules do not distinguish them."""
    ages = [None] * 12 + list(range(24))
    diseases = ["flu", "HIV", "cold"] * 4 + ["flu", "HIV", "cold", "gout"] * 6
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], missing="value")
    data = vl.read(pl.DataFrame({"age": ages, "disease": diseases}), schema)
    release = vl.publish(data, vl.LDiversity(l=2), vl.Injector(intervals=1), key=KEY)
    assert release.people == 36
    groups_with_gout = release.tables["sensitive"].filter(pl.col("disease") == "gout").select("group")
    people_beside = release.tables["quasi"].join(groups_with_gout, on="group")
    assert people_beside.height >= 12
    assert people_beside["age"].null_count() == 0


# refusals -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "knobs",
    [{"min_conf": 0.0}, {"min_conf": 1.1}, {"min_exp": -1.0}, {"max_items": 0}, {"intervals": 0}, {"max_items": 1.5}],
    ids=repr,
)
def test_parameters_out_of_range_are_refused(knobs: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=f"injector: {next(iter(knobs))} = "):
        vl.Injector(**knobs)


def test_all_faulty_parameters_are_reported_together() -> None:
    with pytest.raises(PolicyError) as caught:
        vl.Injector(min_conf=2.0, max_items=0)
    assert "min_conf" in str(caught.value)
    assert "max_items" in str(caught.value)


@pytest.mark.parametrize("model", [vl.KAnonymity(k=2), vl.TCloseness(t=0.5), vl.AlphaK(alpha=0.5, k=2)], ids=repr)
def test_models_that_injector_cannot_satisfy_are_refused(model: Any) -> None:
    with pytest.raises(PolicyError, match="injector") as caught:
        vl.publish(vl.read(random_table(0, 20), SCHEMA), model, vl.Injector())
    assert caught.value.code == "policy.method"


def test_two_sensitive_columns_are_refused() -> None:
    schema = vl.Schema(quasi=["age"], sensitive=["disease", "city"])
    with pytest.raises(PolicyError, match="injector publishes one sensitive column"):
        vl.publish(vl.read(random_table(0, 20), schema), vl.LDiversity(l=2, column="disease"), vl.Injector())


def test_a_value_that_is_too_frequent_is_out_of_reach() -> None:
    frame = pl.DataFrame({"age": range(5), "disease": list("aaabc")})
    with pytest.raises(Unsatisfiable, match="the largest possible l is 1") as caught:
        vl.publish(vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"])), vl.LDiversity(l=2), vl.Injector())
    assert caught.value.code == "unsatisfiable.injector"


def test_rules_that_leave_nobody_a_choice_are_out_of_reach() -> None:
    """The job determines the disease: every other value is excluded, and nothing can be published."""
    frame = pl.DataFrame({"job": list("xyz") * 10, "disease": list("abc") * 10})
    data = vl.read(frame, vl.Schema(quasi=["job"], sensitive=["disease"]))
    with pytest.raises(Unsatisfiable, match="the rules exclude too many") as caught:
        vl.publish(data, vl.LDiversity(l=2), vl.Injector())
    assert caught.value.code == "unsatisfiable.injector"
    assert vl.publish(data, vl.LDiversity(l=2), vl.Injector(min_exp=4.0)).people == 30  # 30 * 1/3 * 1/3 < 4: no rule


def test_the_publisher_confirms_the_values_that_everybody_keeps() -> None:
    allowed = np.array([[True, True], [True, False]])
    confirm_kept_values(np.array([0, 0]), np.array([0, 0]), np.array([0, 1]), allowed, 2)
    with pytest.raises(BrokenPromise, match="In 1 groups"):
        confirm_kept_values(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 0]), np.array([1, 0, 0, 1]), allowed, 2)


# Adult --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("sensitive", "l", "largest_withheld"), [("education", 2, 0), ("education", 3, 60), ("occupation", 5, 1400)]
)
def test_adult_withholds_few_people(adult: pl.DataFrame, sensitive: str, l: int, largest_withheld: int) -> None:  # noqa: E741
    """45,222 people; at l = 5 there are 1,061 for whom the rules allow fewer than five occupations."""
    quasi = ["age", "workclass", "marital-status", "race", "education" if sensitive == "occupation" else "occupation"]
    data = vl.read(adult, vl.Schema(quasi=quasi, sensitive=[sensitive]))
    release = vl.publish(data, vl.LDiversity(l=l), vl.Injector(), key=KEY)
    assert release.dictionary["withheld"] <= largest_withheld
    assert (release.tallies[sensitive].largest() == 1).all()
    assert l <= release.sizes.min()
    assert release.sizes.max() <= 2 * l
    assert vl.verify(release).holds


def test_adult_with_a_large_l_is_out_of_reach(adult: pl.DataFrame) -> None:
    data = vl.read(adult, vl.Schema(quasi=["age", "race"], sensitive=["education"]))
    with pytest.raises(Unsatisfiable, match="the largest possible l is 3"):
        vl.publish(data, vl.LDiversity(l=5), vl.Injector())

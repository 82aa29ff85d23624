"""Decompose: beliefs over all worlds keep the promise, no listed value can be refuted, and the tables reveal nothing
else."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from published import even_count

import voile as vl
from voile.errors import PolicyError, Unsatisfiable

POSTER = pl.DataFrame(
    {
        "name": ["Alice", "Betty", "Carl", "Diana", "Ella", "Finch", "Gavin", "Helen"],
        "occ": ["nurse", "nurse", "police", "lawyer", "clerk", "clerk", "cook", "cook"],
        "salary": [4, 6, 8, 9, 8, 7, 5, 6],
    }
)


def read(frame: pl.DataFrame, *sensitive: str) -> Any:
    quasi = [name for name in frame.columns if name not in sensitive]
    return vl.read(frame, vl.Schema(quasi=quasi, sensitive=list(sensitive)))


def make_key(seed: int) -> vl.Key:
    return vl.Key(seed.to_bytes(32, "big"))


def make_small_table(seed: int, rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "q": range(rows),
            "p": rng.permutation(np.resize(list("abcd"), rows)),
            "s": rng.choice(list("vwxyz"), rows),
            "t": rng.choice([1, 2, 3], rows),
        }
    )


METHODS = [
    vl.Decompose(primary="p"),
    vl.Decompose(),
    vl.Decompose(on_fail="lower"),
    vl.Decompose(primary="p", noise="paper"),
    vl.Decompose(publish_joint=False),
    vl.Decompose(noise="paper", publish_joint=False),
]


@settings(max_examples=120)
@given(st.integers(0, 2**32), st.integers(8, 16), st.sampled_from(METHODS), st.integers(1, 3), st.integers(1, 2))
def test_belief_over_all_worlds_keeps_the_promise(
    seed: int, rows: int, method: Any, second_level: int, third_level: int
) -> None:
    frame = make_small_table(seed, rows)
    levels = {"p": 3, "s": second_level, "t": third_level}
    assume(all(frame[name].value_counts()["count"].max() * level <= rows for name, level in levels.items()))
    primary = method.primary or "s"
    largest_count = frame[primary].value_counts()["count"].max()
    assume(largest_count <= 6)  # the worlds of a primary value are enumerated
    release = vl.publish(read(frame, "p", "s", "t"), vl.MultiDiversity(levels), method, key=make_key(seed))
    assert vl.verify(release).holds
    primary = release.sensitive_names[0]
    assume(max(Counter(release.tables[f"sensitive_{primary}"][primary].to_list()).values()) <= 6)
    beliefs = oracle.decomposed_belief(put_primary_first(release))
    bounds = {claim["column"]: Fraction(claim["bound"]) for claim in release.certificate.claims}
    for name, groups in beliefs.items():
        for belief_by_value in groups.values():
            assert sum(belief_by_value.values()) == 1
            assert max(belief_by_value.values()) <= bounds[name] + Fraction(1, 10**9)
        if method.noise == "symmetric" and method.on_fail != "lower":
            assert bounds[name] <= Fraction(1, levels[name])
    check_lists(release, frame, beliefs, method)


def put_primary_first(release: Any) -> Any:
    """Return the tables in the order that the oracle expects: the primary one is the first sensitive table."""
    names = [f"sensitive_{name}" for name in release.sensitive_names]
    order = ["quasi", *names, *(name for name in release.tables if name == "joint")]
    return type("Shown", (), {"tables": {name: release.tables[name] for name in order}})


def check_lists(release: Any, frame: pl.DataFrame, beliefs: Any, method: Any) -> None:
    """Check that the true values are listed, and that with symmetric noise no listed value can be refuted."""
    primary, *other_columns = release.sensitive_names
    quasi = release.tables["quasi"].join(frame, on="q")
    for (group,), people in quasi.group_by("group"):
        true_values = Counter(people[primary].to_list())
        listed_primary = release.tables[f"sensitive_{primary}"].filter(pl.col("group") == group)[primary].to_list()
        assert Counter(listed_primary) == true_values
        for name in other_columns:
            listed_values = release.tables[f"sensitive_{name}"].filter(pl.col("group") == group)[name].to_list()
            assert len(listed_values) == len(set(listed_values))
            assert set(people[name].to_list()) <= set(listed_values)
            if method.noise == "symmetric":
                assert all(beliefs[name][group].get(value, 0) > 0 for value in listed_values)
    if "joint" in release.tables:
        assert Counter(release.tables["joint"].select(sorted(release.sensitive_names)).iter_rows()) == Counter(
            frame.select(sorted(release.sensitive_names)).iter_rows()
        )


def test_merging_the_groups_of_the_poster_lowers_belief_to_a_quarter() -> None:
    """The poster has two groups. Belief in a salary falls to 1/4 only if they are merged."""
    data = read(POSTER, "occ", "salary")
    model = vl.MultiDiversity({"occ": 4, "salary": 4})
    merged_release = vl.publish(data, model, key=make_key(1))
    assert merged_release.groups == 1
    assert merged_release.belief_bound("salary").largest == pytest.approx(1 / 4)  # type: ignore[union-attr]
    separate_release = vl.publish(data, model, vl.Decompose(on_fail="lower"), key=make_key(1))
    assert separate_release.groups == 2
    assert separate_release.belief_bound("salary").largest == pytest.approx(3 / 8)  # type: ignore[union-attr]
    levels = set()
    for seed in range(12):
        paper_release: Any = vl.publish(data, model, vl.Decompose(primary="occ", noise="paper"), key=make_key(seed))
        assert paper_release.tables["sensitive_salary"].group_by("group").len()["len"].to_list() == [4, 4]
        levels.add(round(paper_release.belief_bound("salary").largest, 3))
    assert max(levels) >= 1 / 2  # four salaries are listed, and one of them has probability 1/2


def test_lists_of_real_values_reveal_more_than_matchings() -> None:
    """This is why groups do not simply list their own values: an adversary who knows that they do can believe more than
    the matchings alone suggest."""
    rows = {"a": [1, 2], "b": [0, 0], "c": [2, 0]}  # primary value: its value in group 1, in group 2
    lists = [{values[g] for values in rows.values()} for g in (0, 1)]
    worlds = list(itertools.product(*(set(itertools.permutations(values)) for values in rows.values())))
    fitting_worlds = [world for world in worlds if all(pair[g] in lists[g] for pair in world for g in (0, 1))]
    exact_worlds = [world for world in fitting_worlds if all({pair[g] for pair in world} == lists[g] for g in (0, 1))]
    belief, truth = (
        Fraction(sum(pair[0] == 2 for world in selection for pair in world), 3 * len(selection))
        for selection in (fitting_worlds, exact_worlds)
    )
    assert (belief, truth) == (Fraction(1, 6), Fraction(1, 3))


def test_dealing_makes_all_fitting_worlds_equally_likely() -> None:
    """With four people and four different rows, all worlds that fit a release are equally likely to have led to it."""
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    counts: Counter[tuple[Any, Any]] = Counter()
    for world in itertools.permutations(rows):
        frame = pl.DataFrame({"q": range(4), "p": [row[0] for row in world], "s": [row[1] for row in world]})
        for seed in range(24):
            release = vl.publish(
                read(frame, "p", "s"),
                vl.MultiDiversity({"p": 2, "s": 2}),
                vl.Decompose(primary="p"),
                key=make_key(seed),
            )
            people = release.tables["quasi"].group_by("group").agg(pl.col("q").sort())["q"].to_list()
            counts[tuple(sorted(map(tuple, people))), world[0][1]] += 1
    assert len({pairs for pairs, _ in counts}) == 3
    for pairs in {pairs for pairs, _ in counts}:
        count_x, count_y = counts[pairs, "x"], counts[pairs, "y"]
        assert abs(count_x - count_y) < 4 * np.sqrt(count_x + count_y)
        assert min(count_x, count_y) > 50


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_tables_do_not_depend_on_the_order_of_the_input(method: Any, tmp_path: Path) -> None:
    frame = make_small_table(3, 40)
    model = vl.MultiDiversity({"p": 3, "s": 2, "t": 1})
    release = vl.publish(read(frame, "p", "s", "t"), model, method, key=make_key(1))
    shuffled_release = vl.publish(
        read(frame.sample(fraction=1.0, shuffle=True, seed=5), "p", "s", "t"), model, method, key=make_key(1)
    )
    for name, table in release.tables.items():
        assert table.equals(shuffled_release.tables[name])
        assert table.equals(table.sort(table.columns)), name
    for format in ("parquet", "csv"):
        assert vl.verify(release.save(tmp_path / format, format=format)).holds
    release_with_fresh_key = vl.publish(read(frame, "p", "s", "t"), model, method)
    assert not release_with_fresh_key.tables["quasi"].equals(release.tables["quasi"])


def test_one_sensitive_column_is_published_without_a_joint_table() -> None:
    frame = pl.DataFrame({"q": range(23), "p": (list("abcdef") * 4)[:23]})
    release = vl.publish(read(frame, "p"), vl.MultiDiversity({"p": 5}))
    assert sorted(release.tables) == ["quasi", "sensitive_p"]
    assert release.groups == 23 // 5
    assert (release.tallies["p"].largest() == 1).all()
    assert even_count(release, p="a") == pytest.approx(4)


def test_the_error_names_the_largest_possible_level_of_each_column() -> None:
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(read(POSTER, "occ", "salary"), vl.MultiDiversity({"occ": 5, "salary": 6}))
    assert "l = 5 for 'occ'" in str(caught.value)
    assert str(caught.value.best).count("the largest possible l is 4") == 2


def test_a_constant_column_needs_level_one() -> None:
    frame = POSTER.with_columns(city=pl.lit("Bern"))
    data = read(frame, "occ", "salary", "city")
    with pytest.raises(Unsatisfiable, match=r"'city'.*largest possible l is 1"):
        vl.publish(data, vl.MultiDiversity({"occ": 2, "salary": 2}))
    release = vl.publish(data, vl.MultiDiversity({"occ": 2, "salary": 2, "city": 1}))
    claims = {claim["column"]: claim for claim in release.certificate.claims}
    assert claims["city"]["bound"] == "1"
    assert claims["city"]["promise"].startswith("Nothing is promised")
    assert release.certificate.method["primary"] != "city"


@pytest.mark.parametrize(
    ("method", "names"),
    [
        (vl.Decompose(primary="name"), ["occ", "salary"]),
        (vl.Decompose(primary="ocupation"), ["occ", "salary"]),
        (vl.Decompose(l={"nme": 2}), ["occ", "salary"]),
    ],
    ids=repr,
)
def test_columns_that_are_not_sensitive_are_refused(method: Any, names: list[str]) -> None:
    with pytest.raises(PolicyError, match="not a sensitive column"):
        vl.publish(read(POSTER, *names), vl.MultiDiversity(otherwise=1), method)


@pytest.mark.parametrize("name", ["group", "count", "a/b"])
def test_reserved_column_names_are_refused(name: str) -> None:
    with pytest.raises(PolicyError, match="name"):
        vl.publish(read(POSTER.rename({"salary": name}), "occ", name), vl.MultiDiversity(otherwise=2))


def test_parameters_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(PolicyError, match="bounds no belief"):
        vl.Decompose(noise="paper", on_fail="merge")
    with pytest.raises(PolicyError):
        vl.Decompose(l={"occ": 0})


@pytest.mark.parametrize("model", [vl.KAnonymity(k=2), vl.LDiversity(l=2), vl.TCloseness(t=0.5)], ids=repr)
def test_models_of_other_shapes_are_refused(model: Any) -> None:
    with pytest.raises(PolicyError) as caught:
        vl.publish(read(POSTER, "occ", "salary"), model, vl.Decompose())
    assert caught.value.code == "policy.method"


def test_the_default_primary_is_the_most_skewed_with_a_promise() -> None:
    frame = pl.DataFrame(
        {"q": range(12), "a": list("xxxyyyzzzuuu"), "b": list("mmmmnnnnoooo"), "c": list("rrrrrrrrrsst")}
    )
    model = vl.MultiDiversity({"a": 2, "b": 2, "c": 1})
    assert vl.publish(read(frame, "a", "b", "c"), model).certificate.method["primary"] == "b"


def test_missing_values_are_values() -> None:
    frame = pl.DataFrame({"q": range(12), "p": ["a", "b", None] * 4, "s": [1, None, 2, 3] * 3})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["p", "s"], missing="value"))
    release = vl.publish(data, vl.MultiDiversity({"p": 3, "s": 2}))
    assert vl.verify(release).holds
    assert even_count(release, s=[1, 2, 3]) == pytest.approx(9)


def test_adult_stays_within_its_bounds_by_exact_counting(adult: pl.DataFrame) -> None:
    """45,222 people, 14 occupations, 16 educations: every group stays within its bounds, by exact counting."""
    data = vl.read(adult, vl.Schema(quasi=["age", "sex"], sensitive=["occupation", "education"]))
    release = vl.publish(data, vl.MultiDiversity({"occupation": 5, "education": 3}), vl.Decompose(primary="occupation"))
    assert release.certain.all()  # type: ignore[attr-defined]
    assert release.belief_bound("education").largest <= 1 / 3 + 1e-9  # type: ignore[union-attr]
    assert (release.tallies["occupation"].largest() * 5 <= release.sizes).all()
    with pytest.raises(Unsatisfiable, match="largest possible l is 3"):
        vl.publish(data, vl.MultiDiversity({"occupation": 5, "education": 4}))

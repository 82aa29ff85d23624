"""Decompose: beliefs over all worlds keep the promise, nothing listed can be refuted, and the tables tell no more."""

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


def key(seed: int) -> vl.Key:
    return vl.Key(seed.to_bytes(32, "big"))


def small(seed: int, rows: int) -> pl.DataFrame:
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
def test_the_promise_over_all_worlds(seed: int, rows: int, method: Any, first: int, second: int) -> None:
    frame = small(seed, rows)
    levels = {"p": 3, "s": first, "t": second}
    assume(all(frame[name].value_counts()["count"].max() * number <= rows for name, number in levels.items()))
    primary = method.primary or "s"
    heavy = frame[primary].value_counts()["count"].max()
    assume(heavy <= 6)  # the worlds of a primary value are gone through one by one
    release = vl.publish(read(frame, "p", "s", "t"), vl.MultiDiversity(levels), method, key=key(seed))
    assert vl.verify(release).holds
    primary = release.sensitive_names[0]
    assume(max(Counter(release.tables[f"sensitive_{primary}"][primary].to_list()).values()) <= 6)
    slow = oracle.decomposed_belief(_primary_first(release))
    bounds = {claim["column"]: Fraction(claim["bound"]) for claim in release.certificate.claims}
    for name, groups in slow.items():
        for inside in groups.values():
            assert sum(inside.values()) == 1
            assert max(inside.values()) <= bounds[name] + Fraction(1, 10**9)
        if method.noise == "symmetric" and method.on_fail != "lower":
            assert bounds[name] <= Fraction(1, levels[name])
    check_lists(release, frame, slow, method)


def _primary_first(release: Any) -> Any:
    """The oracle expects the primary table to be the first sensitive one."""
    names = [f"sensitive_{name}" for name in release.sensitive_names]
    order = ["quasi", *names, *(name for name in release.tables if name == "joint")]
    return type("Shown", (), {"tables": {name: release.tables[name] for name in order}})


def check_lists(release: Any, frame: pl.DataFrame, slow: Any, method: Any) -> None:
    """Real values are listed, once per person; and with symmetric noise no listed value can be refuted."""
    primary, *others = release.sensitive_names
    quasi = release.tables["quasi"].join(frame, on="q")
    for (group,), people in quasi.group_by("group"):
        real = Counter(people[primary].to_list())
        shown = release.tables[f"sensitive_{primary}"].filter(pl.col("group") == group)[primary].to_list()
        assert Counter(shown) == real
        for name in others:
            listed = release.tables[f"sensitive_{name}"].filter(pl.col("group") == group)[name].to_list()
            assert len(listed) == len(set(listed))
            assert set(people[name].to_list()) <= set(listed)
            if method.noise == "symmetric":
                assert all(slow[name][group].get(value, 0) > 0 for value in listed)
    if "joint" in release.tables:
        assert Counter(release.tables["joint"].select(sorted(release.sensitive_names)).iter_rows()) == Counter(
            frame.select(sorted(release.sensitive_names)).iter_rows()
        )


def test_the_poster() -> None:
    """Both groups of the poster; only when they are merged does belief in a salary fall to 1/4."""
    data = read(POSTER, "occ", "salary")
    asked = vl.MultiDiversity({"occ": 4, "salary": 4})
    merged = vl.publish(data, asked, key=key(1))
    assert merged.groups == 1
    assert merged.belief_bound("salary").largest == pytest.approx(1 / 4)  # type: ignore[union-attr]
    apart = vl.publish(data, asked, vl.Decompose(on_fail="lower"), key=key(1))
    assert apart.groups == 2
    assert apart.belief_bound("salary").largest == pytest.approx(3 / 8)  # type: ignore[union-attr]
    levels = set()
    for seed in range(12):
        paper: Any = vl.publish(data, asked, vl.Decompose(primary="occ", noise="paper"), key=key(seed))
        assert paper.tables["sensitive_salary"].group_by("group").len()["len"].to_list() == [4, 4]
        levels.add(round(paper.belief_bound("salary").largest, 3))
    assert max(levels) >= 1 / 2  # four are listed, and one of them is had with probability 1/2


def test_lists_of_real_values_tell_more_than_matchings() -> None:
    """Why groups do not simply list their own values: an adversary who knows that they do believes more than all
    matchings together suggest."""
    rows = {"a": [1, 2], "b": [0, 0], "c": [2, 0]}  # primary value: its value in group 1, in group 2
    lists = [{values[g] for values in rows.values()} for g in (0, 1)]
    worlds = list(itertools.product(*(set(itertools.permutations(values)) for values in rows.values())))
    fitting = [world for world in worlds if all(pair[g] in lists[g] for pair in world for g in (0, 1))]
    telling = [world for world in fitting if all({pair[g] for pair in world} == lists[g] for g in (0, 1))]
    belief, truth = (
        Fraction(sum(pair[0] == 2 for world in kept for pair in world), 3 * len(kept)) for kept in (fitting, telling)
    )
    assert (belief, truth) == (Fraction(1, 6), Fraction(1, 3))


def test_the_dealing_tells_nothing() -> None:
    """Four people, four different rows: all worlds that fit a release are equally likely to have led to it."""
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    seen: Counter[tuple[Any, Any]] = Counter()
    for world in itertools.permutations(rows):
        frame = pl.DataFrame({"q": range(4), "p": [row[0] for row in world], "s": [row[1] for row in world]})
        for seed in range(24):
            release = vl.publish(
                read(frame, "p", "s"), vl.MultiDiversity({"p": 2, "s": 2}), vl.Decompose(primary="p"), key=key(seed)
            )
            people = release.tables["quasi"].group_by("group").agg(pl.col("q").sort())["q"].to_list()
            seen[tuple(sorted(map(tuple, people))), world[0][1]] += 1
    assert len({pairs for pairs, _ in seen}) == 3
    for pairs in {pairs for pairs, _ in seen}:
        first, second = seen[pairs, "x"], seen[pairs, "y"]
        assert abs(first - second) < 4 * np.sqrt(first + second)
        assert min(first, second) > 50


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_order_of_the_input_and_numbers_of_groups_tell_nothing(method: Any, tmp_path: Path) -> None:
    frame = small(3, 40)
    asked = vl.MultiDiversity({"p": 3, "s": 2, "t": 1})
    one = vl.publish(read(frame, "p", "s", "t"), asked, method, key=key(1))
    other = vl.publish(read(frame.sample(fraction=1.0, shuffle=True, seed=5), "p", "s", "t"), asked, method, key=key(1))
    for name, table in one.tables.items():
        assert table.equals(other.tables[name])
        assert table.equals(table.sort(table.columns)), name
    for format in ("parquet", "csv"):
        assert vl.verify(one.save(tmp_path / format, format=format)).holds
    fresh = vl.publish(read(frame, "p", "s", "t"), asked, method)
    assert not fresh.tables["quasi"].equals(one.tables["quasi"])


def test_one_sensitive_column_is_the_single_attribute_case() -> None:
    frame = pl.DataFrame({"q": range(23), "p": (list("abcdef") * 4)[:23]})
    release = vl.publish(read(frame, "p"), vl.MultiDiversity({"p": 5}))
    assert sorted(release.tables) == ["quasi", "sensitive_p"]
    assert release.groups == 23 // 5
    assert (release.tallies["p"].largest() == 1).all()
    assert release.estimate(p="a") == pytest.approx(4)


def test_what_is_out_of_reach_is_named_with_the_largest_possible() -> None:
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(read(POSTER, "occ", "salary"), vl.MultiDiversity({"occ": 5, "salary": 6}))
    assert "l = 5 for 'occ'" in str(caught.value)
    assert str(caught.value.best).count("the largest possible l is 4") == 2


def test_a_constant_column() -> None:
    frame = POSTER.with_columns(city=pl.lit("Bern"))
    data = read(frame, "occ", "salary", "city")
    with pytest.raises(Unsatisfiable, match=r"'city'.*largest possible l is 1"):
        vl.publish(data, vl.MultiDiversity({"occ": 2, "salary": 2}))
    release = vl.publish(data, vl.MultiDiversity({"occ": 2, "salary": 2, "city": 1}))
    told = {claim["column"]: claim for claim in release.certificate.claims}
    assert told["city"]["bound"] == "1"
    assert told["city"]["promise"].startswith("Nothing is promised")
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
def test_columns_that_are_not_sensitive(method: Any, names: list[str]) -> None:
    with pytest.raises(PolicyError, match="not a sensitive column"):
        vl.publish(read(POSTER, *names), vl.MultiDiversity(otherwise=1), method)


@pytest.mark.parametrize("name", ["group", "count", "a/b"])
def test_columns_that_need_another_name(name: str) -> None:
    with pytest.raises(PolicyError, match="name"):
        vl.publish(read(POSTER.rename({"salary": name}), "occ", name), vl.MultiDiversity(otherwise=2))


def test_knobs_that_contradict_each_other() -> None:
    with pytest.raises(PolicyError, match="bounds no belief"):
        vl.Decompose(noise="paper", on_fail="merge")
    with pytest.raises(PolicyError):
        vl.Decompose(l={"occ": 0})


@pytest.mark.parametrize("model", [vl.KAnonymity(k=2), vl.LDiversity(l=2), vl.TCloseness(t=0.5)], ids=repr)
def test_models_that_speak_of_other_shapes(model: Any) -> None:
    with pytest.raises(PolicyError) as caught:
        vl.publish(read(POSTER, "occ", "salary"), model, vl.Decompose())
    assert caught.value.code == "policy.method"


def test_the_default_primary_is_the_most_skewed_with_a_promise() -> None:
    frame = pl.DataFrame(
        {"q": range(12), "a": list("xxxyyyzzzuuu"), "b": list("mmmmnnnnoooo"), "c": list("rrrrrrrrrsst")}
    )
    asked = vl.MultiDiversity({"a": 2, "b": 2, "c": 1})
    assert vl.publish(read(frame, "a", "b", "c"), asked).certificate.method["primary"] == "b"


def test_missing_values_are_values() -> None:
    frame = pl.DataFrame({"q": range(12), "p": ["a", "b", None] * 4, "s": [1, None, 2, 3] * 3})
    data = vl.read(frame, vl.Schema(quasi=["q"], sensitive=["p", "s"], missing="value"))
    release = vl.publish(data, vl.MultiDiversity({"p": 3, "s": 2}))
    assert vl.verify(release).holds
    assert release.estimate(s=[1, 2, 3]) == pytest.approx(9)


def test_adult(adult: pl.DataFrame) -> None:
    """45,222 people, 14 occupations, 16 educations: every group within its bounds, by exact counting."""
    data = vl.read(adult, vl.Schema(quasi=["age", "sex"], sensitive=["occupation", "education"]))
    release = vl.publish(data, vl.MultiDiversity({"occupation": 5, "education": 3}), vl.Decompose(primary="occupation"))
    assert release.certain.all()  # type: ignore[attr-defined]
    assert release.belief_bound("education").largest <= 1 / 3 + 1e-9  # type: ignore[union-attr]
    assert (release.tallies["occupation"].largest() * 5 <= release.sizes).all()
    with pytest.raises(Unsatisfiable, match="largest possible l is 3"):
        vl.publish(data, vl.MultiDiversity({"occupation": 5, "education": 4}))

"""Anatomy: groups of different values that are dealt at random, and clear refusals."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.methods.anatomy import optimal_l


def read_table(values: list[str], **other_columns: Any) -> Any:
    frame = pl.DataFrame({"age": range(len(values)), "disease": values, **other_columns})
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease", *other_columns]))


def collect_groups(release: Any) -> dict[int, tuple[list[int], Counter[str]]]:
    """Return the people and the values of each group, from the two tables."""
    groups: dict[int, tuple[list[int], Counter[str]]] = {}
    for group, age in release.tables["quasi"].select("group", "age").iter_rows():
        groups.setdefault(group, ([], Counter()))[0].append(age)
    for group, value, count in release.tables["sensitive"].iter_rows():
        groups[group][1][value] += count
    return groups


@given(st.lists(st.integers(1, 7), min_size=2, max_size=7), st.integers(2, 5), st.integers(0, 99))
def test_groups_have_different_values_and_are_as_many_as_possible(sizes: list[int], l: int, seed: int) -> None:  # noqa: E741
    values = [f"value {bucket}" for bucket, size in enumerate(sizes) for _ in range(size)]
    data = read_table(values)
    largest_l = sum(sizes) // max(sizes)
    assert optimal_l(np.array(sizes)) == largest_l
    if l > largest_l:
        with pytest.raises(Unsatisfiable) as caught:
            vl.publish(data, vl.LDiversity(l=l), vl.Anatomy())
        assert f"the largest possible l is {largest_l}" in str(caught.value)
        assert str(caught.value.best) in str(caught.value)
        return
    key = vl.Key(seed.to_bytes(32, "big"))
    groups = collect_groups(vl.publish(data, vl.LDiversity(l=l), vl.Anatomy(), key=key))
    assert len(groups) == sum(sizes) // l  # as many groups as there can be
    assert sorted(groups) == list(range(1, len(groups) + 1))
    for people, counts in groups.values():
        assert max(counts.values()) == 1, "a value twice in a group"
        assert len(people) == counts.total() >= l
    assert sorted(age for people, _ in groups.values() for age in people) == list(range(len(values)))
    dealt_counts = [sum(counts[value] for _, counts in groups.values()) for value in sorted(set(values))]
    assert dealt_counts == sizes


def test_who_shares_a_group_is_random() -> None:
    """Two people have each of two values: all pairs and both group numbers are equally likely, whatever the ages."""
    data = read_table(["flu", "flu", "HIV", "HIV"])
    pair_counts: Counter[tuple[int, ...]] = Counter()
    group_counts: Counter[int] = Counter()
    for seed in range(400):
        release = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=vl.Key(seed.to_bytes(32, "big")))
        groups = collect_groups(release)
        pair_counts.update(tuple(sorted(people)) for people, _ in groups.values())
        group_counts[next(group for group, (people, _) in groups.items() if 0 in people)] += 1
    assert sorted(pair_counts) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert min(pair_counts.values()) > 150
    assert min(group_counts[1], group_counts[2]) > 150  # the number of a group does not reveal who is in it


def test_tables_are_sorted_by_their_columns() -> None:
    release = vl.publish(read_table(list("abcde") * 8), vl.LDiversity(l=3), vl.Anatomy())
    for name, columns in (("quasi", ["group", "age"]), ("sensitive", ["group", "disease"])):
        rows = release.tables[name].select(columns)
        assert rows.equals(rows.sort(columns))


def test_fresh_keys_deal_other_groups() -> None:
    data = read_table(list("abcd") * 10)
    first, second = (vl.publish(data, vl.LDiversity(l=4), vl.Anatomy()) for _ in range(2))
    assert not first.tables["quasi"].equals(second.tables["quasi"])


def test_recursive_diversity_gets_the_groups_it_needs() -> None:
    """(c, l) = (1/2, 2) needs three different values per group: 1 <= 1/2 * 2."""
    release = vl.publish(read_table(list("abc") * 5), vl.LDiversity(l=2, form="recursive", c=0.5), vl.Anatomy())
    assert release.sizes.min() == 3


@pytest.mark.parametrize(
    "policy",
    [
        vl.Policy(vl.KAnonymity(k=2)),
        vl.Policy(vl.LDiversity(l=2), vl.KAnonymity(k=2)),
        vl.Policy(vl.AlphaK(alpha=0.5, k=2)),
        vl.Policy(vl.TCloseness(t=0.5)),
    ],
    ids=repr,
)
def test_models_that_anatomy_cannot_satisfy_are_refused(policy: vl.Policy) -> None:
    """The quasi-identifier is published unchanged, so rows stay unique and k-anonymity would be false."""
    with pytest.raises(PolicyError) as caught:
        vl.publish(read_table(list("abcd")), policy, vl.Anatomy())
    assert caught.value.code == "policy.method"
    assert caught.value.hint


def test_two_sensitive_columns_are_refused() -> None:
    with pytest.raises(PolicyError, match="one sensitive column"):
        vl.publish(read_table(list("abcd"), other=list("wxyz")), vl.LDiversity(l=2, column="disease"), vl.Anatomy())


def test_a_forged_k_anonymity_claim_on_buckets_is_broken() -> None:
    from dataclasses import replace

    from voile.models.policy import make_claim

    release = vl.publish(read_table(list("abcd") * 3), vl.LDiversity(l=2), vl.Anatomy())
    forged_certificate = replace(release.certificate, claims=(make_claim(vl.KAnonymity(k=2), None).as_json(),))
    assert vl.verify(replace(release, certificate=forged_certificate)).broken


def test_adult_reaches_l_seven_and_no_more(adult: pl.DataFrame) -> None:
    """45,222 people, 14 occupations: the most frequent covers 13.3 %, so l = 7 is possible and 8 is not."""
    data = vl.read(adult, vl.Schema(quasi=["age", "sex", "education"], sensitive=["occupation"]))
    release = vl.publish(data, vl.LDiversity(l=7), vl.Anatomy())
    assert release.groups == adult.height // 7
    assert (release.tallies["occupation"].largest() == 1).all()
    with pytest.raises(Unsatisfiable, match="largest possible l is 7"):
        vl.publish(data, vl.LDiversity(l=8), vl.Anatomy())


@pytest.mark.parametrize("names", [("group", "disease"), ("age", "group"), ("age", "count"), ("count", "disease")])
def test_columns_named_like_those_of_anatomy_are_refused(names: tuple[str, str]) -> None:
    """The two tables add the columns `group` and `count`."""
    quasi, sensitive = names
    frame = pl.DataFrame({quasi: range(12), sensitive: list("pqr") * 4})
    data = vl.read(frame, vl.Schema(quasi=[quasi], sensitive=[sensitive]))
    clash = "group" if "group" in names else "count"
    with pytest.raises(PolicyError, match=f"the table has '{clash}' already") as caught:
        vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())
    assert caught.value.code == "policy.reserved"

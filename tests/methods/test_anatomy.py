"""Anatomy: groups of different values, dealt by coins and by nothing else, and clear refusals."""

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


def table(values: list[str], **more: Any) -> Any:
    frame = pl.DataFrame({"age": range(len(values)), "disease": values, **more})
    return vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease", *more]))


def groups_of(release: Any) -> dict[int, tuple[list[int], Counter[str]]]:
    """The people and the values of each group, from the two tables."""
    found: dict[int, tuple[list[int], Counter[str]]] = {}
    for number, age in release.tables["quasi"].select("group", "age").iter_rows():
        found.setdefault(number, ([], Counter()))[0].append(age)
    for number, value, count in release.tables["sensitive"].iter_rows():
        found[number][1][value] += count
    return found


@given(st.lists(st.integers(1, 7), min_size=2, max_size=7), st.integers(2, 5), st.integers(0, 99))
def test_groups_of_different_values(sizes: list[int], l: int, seed: int) -> None:  # noqa: E741
    values = [f"value {bucket}" for bucket, size in enumerate(sizes) for _ in range(size)]
    data = table(values)
    most = sum(sizes) // max(sizes)
    assert optimal_l(np.array(sizes)) == most
    if l > most:
        with pytest.raises(Unsatisfiable) as caught:
            vl.publish(data, vl.LDiversity(l=l), vl.Anatomy())
        assert f"the largest possible l is {most}" in str(caught.value)
        assert str(caught.value.best) in str(caught.value)
        return
    key = vl.Key(seed.to_bytes(32, "big"))
    found = groups_of(vl.publish(data, vl.LDiversity(l=l), vl.Anatomy(), key=key))
    assert len(found) == sum(sizes) // l  # as many groups as there can be
    assert sorted(found) == list(range(1, len(found) + 1))
    for people, counts in found.values():
        assert max(counts.values()) == 1, "a value twice in a group"
        assert len(people) == counts.total() >= l
    assert sorted(age for people, _ in found.values() for age in people) == list(range(len(values)))
    dealt = [sum(counts[value] for _, counts in found.values()) for value in sorted(set(values))]
    assert dealt == sizes


def test_chance_alone_decides_who_is_with_whom() -> None:
    """Two of each of two values: either man is dealt to either group, whatever his age."""
    data = table(["flu", "flu", "HIV", "HIV"])
    together: Counter[tuple[int, ...]] = Counter()
    numbers: Counter[int] = Counter()
    for seed in range(400):
        release = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy(), key=vl.Key(seed.to_bytes(32, "big")))
        groups = groups_of(release)
        together.update(tuple(sorted(people)) for people, _ in groups.values())
        numbers[next(number for number, (people, _) in groups.items() if 0 in people)] += 1
    assert sorted(together) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert min(together.values()) > 150
    assert min(numbers[1], numbers[2]) > 150  # nor does the number of a group say who is in it


def test_tables_are_ordered_by_what_they_show() -> None:
    release = vl.publish(table(list("abcde") * 8), vl.LDiversity(l=3), vl.Anatomy())
    for name, columns in (("quasi", ["group", "age"]), ("sensitive", ["group", "disease"])):
        shown = release.tables[name].select(columns)
        assert shown.equals(shown.sort(columns))


def test_fresh_keys_deal_afresh() -> None:
    data = table(list("abcd") * 10)
    one, other = (vl.publish(data, vl.LDiversity(l=4), vl.Anatomy()) for _ in range(2))
    assert not one.tables["quasi"].equals(other.tables["quasi"])


def test_recursive_diversity_gets_the_groups_it_needs() -> None:
    """(1/2, 2): one of each of three values, 1 <= 1/2 * 2."""
    release = vl.publish(table(list("abc") * 5), vl.LDiversity(l=2, form="recursive", c=0.5), vl.Anatomy())
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
def test_models_that_anatomy_cannot_serve(policy: vl.Policy) -> None:
    """The quasi-identifier is published as it is: every row stays unique, so k-anonymity would be a lie."""
    with pytest.raises(PolicyError) as caught:
        vl.publish(table(list("abcd")), policy, vl.Anatomy())
    assert caught.value.code == "policy.method"
    assert caught.value.hint


def test_one_sensitive_column_exactly() -> None:
    with pytest.raises(PolicyError, match="one sensitive column"):
        vl.publish(table(list("abcd"), other=list("wxyz")), vl.LDiversity(l=2, column="disease"), vl.Anatomy())


def test_a_forged_k_anonymity_claim_on_buckets_is_broken() -> None:
    from dataclasses import replace

    from voile.models.policy import make_claim

    release = vl.publish(table(list("abcd") * 3), vl.LDiversity(l=2), vl.Anatomy())
    forged = replace(release.certificate, claims=(make_claim(vl.KAnonymity(k=2), None).as_json(),))
    assert vl.verify(replace(release, certificate=forged)).broken


def test_adult(adult: pl.DataFrame) -> None:
    """45,222 people, 14 occupations: the most frequent covers 13.3 %, so l = 7 is reached and 8 is not."""
    data = vl.read(adult, vl.Schema(quasi=["age", "sex", "education"], sensitive=["occupation"]))
    release = vl.publish(data, vl.LDiversity(l=7), vl.Anatomy())
    assert release.groups == adult.height // 7
    assert (release.tallies["occupation"].largest() == 1).all()
    with pytest.raises(Unsatisfiable, match="largest possible l is 7"):
        vl.publish(data, vl.LDiversity(l=8), vl.Anatomy())


@pytest.mark.parametrize("names", [("group", "disease"), ("age", "group"), ("age", "count"), ("count", "disease")])
def test_columns_named_like_anatomys_own(names: tuple[str, str]) -> None:
    """The two tables have columns of their own, `group` and `count`: a column of the same name is refused."""
    quasi, sensitive = names
    frame = pl.DataFrame({quasi: range(12), sensitive: list("pqr") * 4})
    data = vl.read(frame, vl.Schema(quasi=[quasi], sensitive=[sensitive]))
    clash = "group" if "group" in names else "count"
    with pytest.raises(PolicyError, match=f"the table has '{clash}' already") as caught:
        vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())
    assert caught.value.code == "policy.reserved"

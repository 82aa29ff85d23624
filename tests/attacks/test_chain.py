"""Chain: knowing one sensitive value, against filtering rows by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile as vl
from voile.attacks.base import RawTable
from voile.attacks.chain import beliefs_about_person
from voile.errors import PolicyError

CARL = pl.DataFrame(
    {
        "area": ["first"] * 4 + ["second"] * 4,
        "occ": ["nurse", "nurse", "police", "lawyer", "clerk", "clerk", "cook", "cook"],
        "salary": [4, 6, 8, 9, 8, 7, 5, 6],
    }
)


def read(frame: pl.DataFrame) -> Any:
    return vl.read(frame, vl.Schema(quasi=["area"], sensitive=["occ", "salary"]))


def test_the_poster() -> None:
    """Carl is a policeman, so he earns 8000; of a group in which every occupation has two salaries, half is learned."""
    data = read(CARL)
    release = vl.publish(data, vl.KAnonymity(k=4))
    assert beliefs_about_person(release, 0, known={"occ": "police"}) == {"salary": {8: 1.0}}
    assert beliefs_about_person(release, 1, known={"occ": "cook"}) == {"salary": {5: 0.5, 6: 0.5}}
    assert beliefs_about_person(release, 0, excluded={"occ": ["nurse"]}) == {"salary": {8: 0.5, 9: 0.5}}
    guess = next(g for g in vl.attacks.Chain(known="occ").guesses(release, None))
    assert guess.belief.column == "salary"
    assert guess.belief.rows.tolist() == [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert guess.belief.baseline == pytest.approx(5 / 8)  # the occupation alone tells as much


def tables(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "area": rng.choice(["a", "b", "c"], 18),
            "occ": rng.permutation(np.resize(list("pqrs"), 18)),
            "salary": rng.permutation(np.resize([1, 2, 3], 18)),
        }
    )


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_rows_are_filtered(seed: int) -> None:
    """On a table of boxes and on the raw table the rows themselves tell."""
    frame = tables(seed)
    data = read(frame)
    release = vl.publish(data, vl.KAnonymity(k=3))
    rows: Any = release.tables["table"]
    for target, shown in ((release, rows), (RawTable(data), frame)):
        for guess in vl.attacks.Chain().guesses(target, None):
            other = str(guess.belief.column)
            one = "occ" if other == "salary" else "salary"
            risks = []
            for row in shown.iter_rows(named=True):
                same = shown.filter((pl.col("area") == row["area"]) & (pl.col(one) == row[one]))
                risks.append(max(Counter(same[other].to_list()).values()) / same.height)
            assert guess.belief.rows == pytest.approx(sorted(risks, reverse=True))


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_lists_are_matched(seed: int) -> None:
    """On decomposed tables a known primary value names the slot; the oracle takes a group of that slot alone."""
    frame = tables(seed)[:12]
    release: Any = vl.publish(read(frame), vl.MultiDiversity({"occ": 2, "salary": 2}), vl.Decompose(primary="occ"))
    table = release.tables["sensitive_occ"]
    labels = sorted(set(table["group"]))
    for group, occ in table.unique().iter_rows():
        told = beliefs_about_person(release, labels.index(group), known={"occ": occ})["salary"]
        rows = release.tables["joint"].filter(pl.col("occ") == occ)["salary"].to_list()
        inside = set(release.tables["sensitive_salary"].filter(pl.col("group") == group)["salary"])
        fitting = Counter(value for value in rows if value in inside)
        assert sum(told.values()) == pytest.approx(1)
        assert set(told) <= set(fitting)
    slow = oracle.decomposed_belief(
        type(
            "Shown",
            (),
            {
                "tables": {
                    name: release.tables[name] for name in ("quasi", "sensitive_occ", "sensitive_salary", "joint")
                }
            },
        )
    )
    for g, label in enumerate(labels):
        # averaged over the group's primary values it is the belief of who knows none
        mine = table.filter(pl.col("group") == label)["occ"].to_list()
        for value, chance in slow["salary"][label].items():
            mean = sum(
                beliefs_about_person(release, g, known={"occ": occ})["salary"].get(value, 0) for occ in mine
            ) / len(mine)
            assert mean == pytest.approx(float(chance))


def test_without_a_joint_table_nothing_links_the_columns() -> None:
    release: Any = vl.publish(read(CARL), vl.MultiDiversity({"occ": 4, "salary": 4}), vl.Decompose(publish_joint=False))
    for guess in vl.attacks.Chain().guesses(release, None):
        plain = release.tallies[guess.belief.column]
        assert guess.belief.worst == pytest.approx(float((plain.largest() / plain.sizes).max()))


def test_one_column_has_nothing_to_chain_to() -> None:
    data = vl.read(CARL, vl.Schema(quasi=["area"], sensitive=["occ"]))
    release = vl.publish(data, vl.KAnonymity(k=4))
    assert not vl.attacks.Chain().applies(release)
    assert not vl.attacks.Exclusion().applies(release)
    assert {item.attack for item in vl.audit(release, data).findings}.isdisjoint({"chain", "exclusion"})


def test_it_is_outside_the_promise_and_shown() -> None:
    data = read(tables(1))
    release = vl.publish(data, vl.MultiDiversity({"occ": 2, "salary": 2}))
    found = [item for item in vl.audit(release, data).findings if item.attack in ("chain", "exclusion")]
    assert len(found) == 4
    assert not any(item.inside for item in found)
    assert all(item.before is not None for item in found)


def test_an_unknown_column() -> None:
    with pytest.raises(PolicyError, match="'age'"):
        vl.attacks.Chain(known="age").guesses(vl.publish(read(CARL), vl.KAnonymity(k=4)), None)
    with pytest.raises(PolicyError, match="'age'"):
        vl.attacks.Exclusion(column="age").guesses(vl.publish(read(CARL), vl.KAnonymity(k=4)), None)


def test_beliefs_are_fractions() -> None:
    release = vl.publish(read(CARL), vl.KAnonymity(k=4))
    (told,) = beliefs_about_person(release, 1, known={"salary": 8}).values()
    assert {value: Fraction(chance) for value, chance in told.items()} == {"clerk": Fraction(1)}

"""Chain: knowing one sensitive value, compared with filtering rows by hand."""

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


def test_the_poster_example_knowing_an_occupation() -> None:
    """Carl is a policeman, so he earns 8000. If every occupation in a group has two salaries, belief is one half."""
    data = read(CARL)
    release = vl.publish(data, vl.KAnonymity(k=4))
    assert beliefs_about_person(release, 0, known={"occ": "police"}) == {"salary": {8: 1.0}}
    assert beliefs_about_person(release, 1, known={"occ": "cook"}) == {"salary": {5: 0.5, 6: 0.5}}
    assert beliefs_about_person(release, 0, excluded={"occ": ["nurse"]}) == {"salary": {8: 0.5, 9: 0.5}}
    guess = next(attack_guess for attack_guess in vl.attacks.Chain(known="occ").guesses(release, None))
    assert guess.belief.column == "salary"
    assert guess.belief.rows.tolist() == [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert guess.belief.baseline == pytest.approx(5 / 8)  # the belief from the occupation alone


def random_table(seed: int) -> pl.DataFrame:
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
def test_belief_is_the_largest_share_among_rows_with_the_known_value(seed: int) -> None:
    """In a table of boxes and in the raw table, the rows themselves link the two values."""
    frame = random_table(seed)
    data = read(frame)
    release = vl.publish(data, vl.KAnonymity(k=3))
    rows: Any = release.tables["table"]
    for target, published_rows in ((release, rows), (RawTable(data), frame)):
        for guess in vl.attacks.Chain().guesses(target, None):
            guessed_column = str(guess.belief.column)
            known_column = "occ" if guessed_column == "salary" else "salary"
            risks = []
            for row in published_rows.iter_rows(named=True):
                matching_rows = published_rows.filter(
                    (pl.col("area") == row["area"]) & (pl.col(known_column) == row[known_column])
                )
                risks.append(max(Counter(matching_rows[guessed_column].to_list()).values()) / matching_rows.height)
            assert guess.belief.rows == pytest.approx(sorted(risks, reverse=True))


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_on_lists_the_known_value_restricts_the_joint_rows(seed: int) -> None:
    """In decomposed tables, beliefs are over the joint rows with the known primary value and a listed salary."""
    frame = random_table(seed)[:12]
    release: Any = vl.publish(read(frame), vl.MultiDiversity({"occ": 2, "salary": 2}), vl.Decompose(primary="occ"))
    table = release.tables["sensitive_occ"]
    labels = sorted(set(table["group"]))
    for group, occ in table.unique().iter_rows():
        beliefs = beliefs_about_person(release, labels.index(group), known={"occ": occ})["salary"]
        rows = release.tables["joint"].filter(pl.col("occ") == occ)["salary"].to_list()
        listed_salaries = set(release.tables["sensitive_salary"].filter(pl.col("group") == group)["salary"])
        fitting_values = Counter(value for value in rows if value in listed_salaries)
        assert sum(beliefs.values()) == pytest.approx(1)
        assert set(beliefs) <= set(fitting_values)
    expected_beliefs = oracle.decomposed_belief(
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
    for index, label in enumerate(labels):
        # averaged over the group's primary values, belief is that of an adversary who knows none of them
        own_values = table.filter(pl.col("group") == label)["occ"].to_list()
        for value, chance in expected_beliefs["salary"][label].items():
            mean = sum(
                beliefs_about_person(release, index, known={"occ": occ})["salary"].get(value, 0) for occ in own_values
            ) / len(own_values)
            assert mean == pytest.approx(float(chance))


def test_without_a_joint_table_nothing_links_the_columns() -> None:
    release: Any = vl.publish(read(CARL), vl.MultiDiversity({"occ": 4, "salary": 4}), vl.Decompose(publish_joint=False))
    for guess in vl.attacks.Chain().guesses(release, None):
        counts = release.tallies[guess.belief.column]
        assert guess.belief.worst == pytest.approx(float((counts.largest() / counts.sizes).max()))


def test_one_column_has_nothing_to_chain_to() -> None:
    data = vl.read(CARL, vl.Schema(quasi=["area"], sensitive=["occ"]))
    release = vl.publish(data, vl.KAnonymity(k=4))
    assert not vl.attacks.Chain().applies(release)
    assert not vl.attacks.Exclusion().applies(release)
    assert {finding.attack for finding in vl.audit(release, data).findings}.isdisjoint({"chain", "exclusion"})


def test_findings_are_outside_the_promise_and_reported() -> None:
    data = read(random_table(1))
    release = vl.publish(data, vl.MultiDiversity({"occ": 2, "salary": 2}))
    findings = [finding for finding in vl.audit(release, data).findings if finding.attack in ("chain", "exclusion")]
    assert len(findings) == 4
    assert not any(finding.inside for finding in findings)
    assert all(finding.before is not None for finding in findings)


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(PolicyError, match="'age'"):
        vl.attacks.Chain(known="age").guesses(vl.publish(read(CARL), vl.KAnonymity(k=4)), None)
    with pytest.raises(PolicyError, match="'age'"):
        vl.attacks.Exclusion(column="age").guesses(vl.publish(read(CARL), vl.KAnonymity(k=4)), None)


def test_beliefs_are_fractions() -> None:
    release = vl.publish(read(CARL), vl.KAnonymity(k=4))
    (beliefs,) = beliefs_about_person(release, 1, known={"salary": 8}).values()
    assert {value: Fraction(chance) for value, chance in beliefs.items()} == {"clerk": Fraction(1)}

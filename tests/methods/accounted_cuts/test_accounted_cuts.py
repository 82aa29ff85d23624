"""Accounted cuts as a method: what it promises, serves, refuses, and how a stranger and an auditor see it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.tables.microdata import Microdata

KEY = vl.Key(bytes(range(32)))


def read_people(people: int = 600, sensitive: int = 1) -> Microdata:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, people),
            "town": [f"t{code}" for code in rng.integers(0, 6, people)],
            "sex": [f"s{code}" for code in rng.integers(0, 2, people)],
            **{f"v{j}": [f"x{code}" for code in rng.integers(0, 7, people)] for j in range(sensitive)},
        }
    )
    names = [f"v{j}" for j in range(sensitive)]
    return vl.read(frame, vl.Schema(quasi=["age", "town", "sex"], sensitive=names))


@pytest.mark.parametrize("grouping", ["mondrian", "full-domain"])
def test_the_claims_cover_the_algorithm(grouping: str) -> None:
    data, policy = read_people(), vl.Policy(vl.LDiversity(l=3), vl.KAnonymity(k=4))
    method = vl.AccountedCuts(grouping=grouping, last=("sex",))
    release = vl.publish(data, policy, method, key=KEY)
    assert release.groups > 3
    for claim in release.certificate.claims:
        assert "algorithm" in claim["adversary"]["knows"]
        assert claim["not_covered"] == []
    verdict = vl.verify(release)
    assert verdict.holds
    assert "accounted for" in str(verdict)
    confirmed = vl.verify(release, data=data, key=KEY)
    assert confirmed.holds
    assert "Publishing again" in str(confirmed)
    again = vl.publish(data, policy, method, key=KEY)
    assert again.tables["table"].equals(release.tables["table"])


def test_a_release_of_another_method_is_found_out_with_the_table_and_the_key() -> None:
    data = read_people()
    plain = vl.publish(data, vl.LDiversity(l=3), vl.Mondrian(), key=KEY)
    accounted = vl.publish(data, vl.LDiversity(l=3), vl.AccountedCuts(), key=KEY)
    forged = replace(plain, certificate=accounted.certificate)
    assert vl.verify(forged).holds
    assert "gives another release" in str(vl.verify(forged, data=data, key=KEY))


def test_the_audit_says_that_there_is_nothing_to_gain() -> None:
    data = read_people()
    for grouping in ("mondrian", "full-domain"):
        release = vl.publish(data, vl.LDiversity(l=3), vl.AccountedCuts(grouping=grouping), key=KEY)
        (finding,) = vl.audit(release, data, attacks=[vl.attacks.Minimality()], external=data).findings
        assert finding.belief.worst <= 1 / 3 + 1e-9
        assert finding.belief.details["people above the bound"] == 0
    assert finding.belief.details["people whose risk is an upper bound"] == 600


def test_columns_in_last_are_cut_last() -> None:
    rng = np.random.default_rng(4)
    town, age = rng.integers(0, 2, 2000), rng.integers(18, 80, 2000)
    value = np.where(rng.random(2000) < 0.5, town, rng.integers(2, 7, 2000))  # it goes with the town
    data = vl.read(
        pl.DataFrame({"town": town, "age": age, "v": value}).with_columns(pl.all().cast(pl.String)),
        vl.Schema(quasi=["town", "age"], sensitive=["v"]),
    )
    groups = [
        vl.publish(data, vl.LDiversity(l=3), vl.AccountedCuts(last=last), key=KEY).groups for last in ((), ("town",))
    ]
    assert groups[0] == 1  # the cut between the towns is refused
    assert groups[1] > 10


def test_a_table_is_refused_by_its_totals_alone() -> None:
    data = read_people()
    with pytest.raises(Unsatisfiable, match="even with all rows in one group"):
        vl.publish(data, vl.LDiversity(l=7), vl.AccountedCuts())


@pytest.mark.parametrize(
    ("policy", "knobs", "words"),
    [
        (vl.Policy(vl.KAnonymity(k=3)), {}, "serves frequency l-diversity"),
        (vl.Policy(vl.LDiversity(l=3, form="entropy")), {}, "serves frequency l-diversity"),
        (vl.Policy(vl.LDiversity(l=3), vl.TCloseness(t=0.5)), {}, "serves frequency l-diversity"),
        (vl.Policy(vl.LDiversity(l=3)), {"last": ("ages",)}, "'ages' in `last` is not a quasi-identifier"),
    ],
)
def test_other_requests_are_refused(policy: vl.Policy, knobs: dict[str, tuple[str, ...]], words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        vl.publish(read_people(60), policy, vl.AccountedCuts(**knobs))


def test_one_column_is_accounted_for() -> None:
    data = read_people(300, sensitive=2)
    with pytest.raises(PolicyError, match="accounts for one sensitive column"):
        vl.publish(data, vl.LDiversity(l=2), vl.AccountedCuts())
    assert vl.publish(data, vl.LDiversity(l=2, column="v1"), vl.AccountedCuts()).groups > 3


def test_people_have_one_row() -> None:
    rng = np.random.default_rng(3)
    columns = {"id": rng.integers(0, 200, 400), "age": rng.integers(18, 80, 400), "v": rng.integers(0, 7, 400)}
    schema = vl.Schema(quasi=["age"], sensitive=["v"], person="id", rows_per_person=2)
    with pytest.raises(PolicyError, match="one row per person"):
        vl.publish(vl.read(pl.DataFrame(columns), schema), vl.LDiversity(l=2), vl.AccountedCuts())

"""Auditing: what is inside the promise must pass, the rest is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import voile as vl
from voile.adversaries.adversary import Adversary, Knowledge
from voile.attacks.base import Attack, Guess, UsesHistory
from voile.errors import BrokenPromise, PolicyError
from voile.flow.audit.requested_attacks import list_attacks
from voile.releases.certificate import Certificate
from voile.results import Belief

SCHEMA = vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"])
NEIGHBOUR = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)


@pytest.fixture(scope="module")
def data() -> Any:
    return vl.read(vl.datasets.hospital(), SCHEMA)


@pytest.fixture(scope="module")
def release(data: Any) -> Any:
    return vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)), key=vl.Key(bytes(32)))


@dataclass(frozen=True)
class Certain(Attack):
    """An attack that always knows; without a name it is registered nowhere."""

    limits: str = "identity"
    column: str | None = None
    knows: tuple[Knowledge, ...] = (Knowledge.MEMBERSHIP, Knowledge.QUASI)

    def guesses(self, target: Any, external: Any) -> list[Guess]:
        who = Adversary.who("seer", *self.knows)
        return [Guess("Certain", who, Belief(self.limits, np.array([1.0]), np.array([7]), 0.1, self.column))]


def test_all_attacks_run_and_those_inside_pass(release: Any, data: Any) -> None:
    audit = vl.audit(release, data)
    assert {finding.attack for finding in audit.findings} == {
        attack.name
        for attack in list_attacks()
        if not attack.needs_external and not isinstance(attack, UsesHistory) and attack.applies(release)
    }
    assert audit.passed
    assert audit.or_raise() is audit
    inside = [finding for finding in audit.findings if finding.inside]
    assert {finding.bound for finding in inside} == {Fraction(1, 5), Fraction(1, 3)}
    assert any(not finding.inside for finding in audit.findings)
    for finding in audit.findings:
        assert finding.before is not None
        assert finding.before.worst >= finding.belief.worst - 1e-9


def test_without_the_data_there_is_no_before(release: Any) -> None:
    audit = vl.audit(release, attacks=[vl.attacks.Linking()])
    assert [finding.title for finding in audit.findings] == ["Prosecutor", "Marketer"]
    assert all(finding.before is None for finding in audit.findings)


@pytest.mark.parametrize(
    ("attack", "bound"),
    [
        (Certain(), Fraction(1, 5)),
        (Certain("belief", "disease"), Fraction(1, 3)),
        (Certain("belief", "other"), None),
        (Certain("distance", "disease"), None),
        (Certain(knows=(Knowledge.QUASI,)), Fraction(1, 5)),
        (Certain(knows=(Knowledge.QUASI, Knowledge.CORRUPTION)), None),
    ],
)
def test_the_promise_covers_who_knows_no_more(release: Any, attack: Certain, bound: Fraction | None) -> None:
    audit = vl.audit(release, attacks=[attack])
    finding = audit.findings[0]
    assert finding.bound == bound
    assert finding.inside is (bound is not None)
    assert audit.passed is (bound is None)
    if bound is not None:
        assert finding.belief.above(bound) == 7
        with pytest.raises(BrokenPromise, match=r"Certain reaches 1.0000"):
            audit.or_raise()


def test_the_strictest_claim_counts(release: Any) -> None:
    claims = release.certificate.claims
    weaker = {**claims[0], "bound": "1/2"}
    nothing = {**claims[0], "bound": "1"}
    for stated in ((weaker, claims[0]), (claims[0], weaker, nothing)):
        certificate = Certificate("generalized", {}, stated, "voile")
        audit = vl.audit(replace(release, certificate=certificate), attacks=[Certain()])
        assert audit.findings[0].bound == Fraction(1, 5)
    certificate = Certificate("generalized", {}, (nothing,), "voile")
    assert vl.audit(replace(release, certificate=certificate), attacks=[Certain()]).findings[0].bound is None


def test_a_register_of_the_population(release: Any, data: Any) -> None:
    people = pl.concat([vl.datasets.hospital(), vl.datasets.hospital()])
    register = vl.read(people, vl.Schema(quasi=["birth", "sex", "zip"]))
    audit = vl.audit(release, data, [vl.attacks.Linking()], external=register)
    assert [finding.title for finding in audit.findings][:2] == ["Prosecutor", "Journalist"]
    journalist = audit.findings[1]
    assert journalist.belief.worst <= 1 / 10 + 1e-9
    assert journalist.inside


def test_the_answer_as_json(release: Any, data: Any) -> None:
    body = json.loads(json.dumps(vl.audit(release, data).as_json()))
    assert body["passed"] is True
    assert {"attack", "worst", "mean", "bound", "inside_the_promise", "worst_before"} <= set(body["findings"][0])
    text = json.dumps(body)
    for cell in ("Influenza", "HIV", "06000", "1950"):
        assert cell not in text


def test_of_linked_tables(data: Any) -> None:
    release = vl.publish(data, vl.LDiversity(l=4), vl.Anatomy())
    audit = vl.audit(release, data)
    assert audit.passed
    homogeneity = next(finding for finding in audit.findings if finding.attack == "homogeneity")
    assert homogeneity.bound == Fraction(1, 4)
    assert homogeneity.belief.worst <= 0.25


def test_presets_run_their_attacks_beside_those_listed(data: Any, release: Any) -> None:
    found = vl.audit(release, data, [vl.attacks.Skewness()], adversary="neighbour")
    assert [finding.by for finding in found.findings if finding.attack == "skewness"] == [()]
    assert {finding.by for finding in found.findings if finding.attack != "skewness"} == {("neighbour",)}


def test_an_attack_of_several_presets_is_run_once(data: Any, release: Any) -> None:
    found = vl.audit(release, data, adversary=["insurer", "colleague"])
    same = [finding for finding in found.findings if finding.attack == "homogeneity"]
    assert [finding.by for finding in same] == [("insurer", "colleague")]


def test_the_table_serves_as_a_register_for_a_preset(data: Any, release: Any) -> None:
    with_table = vl.audit(release, data, adversary="statistician")
    assert "minimality" in {finding.attack for finding in with_table.findings}
    alone = vl.audit(release, adversary="statistician")
    assert "minimality" not in {finding.attack for finding in alone.findings}
    assert any("needs the original table, or a register of the population" in note for note in alone.notes)


@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_all_rows_of_everybody_serve_as_a_register(rows_per_person: int) -> None:
    """Which rows of a person were published is not known, so that other draws of the table would lack some."""
    rng = np.random.default_rng(0)
    patient = rng.integers(0, 40, 200)
    frame = pl.DataFrame({"patient": patient, "age": rng.integers(20, 60, 200), "ill": rng.integers(0, 6, 200)})
    schema = vl.Schema(person="patient", rows_per_person=rows_per_person, quasi=["age"], sensitive=["ill"])
    table = vl.read(frame, schema)
    published = vl.publish(table, vl.KAnonymity(k=2), key=vl.Key(bytes([7] * 32)))
    found = vl.audit(published, table, adversary="statistician")
    assert "minimality" in {finding.attack for finding in found.findings}
    compared = vl.compare(table, vl.KAnonymity(k=2), [vl.Mondrian()], [vl.attacks.Minimality()], measures=[])
    assert [item.fault for item in compared.rows[0].reached] == [None]


def test_a_preset_that_does_not_apply_says_so(data: Any, release: Any) -> None:
    with pytest.raises(PolicyError, match="employer: the attack chain does not apply") as caught:
        vl.audit(release, data, adversary="employer")
    assert caught.value.code == "policy.adversary"
    assert caught.value.hint
    both = vl.audit(release, data, adversary=["employer", "neighbour"])
    assert len(both.notes) == 2
    assert both.findings

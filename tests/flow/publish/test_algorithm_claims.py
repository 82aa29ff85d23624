"""Whether a claim covers an adversary who knows the algorithm: decided by method and models, stated everywhere, and
decided again by whoever verifies the release."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import voile as vl
from voile.errors import FIXED_BEFOREHAND, Unsatisfiable
from voile.methods.base import CoversAlgorithm
from voile.models.policy import Policy
from voile.plugins import registry
from voile.releases.certificate import WHO_KNOWS_THE_ALGORITHM
from voile.results import Answer
from voile.testing import sample

GAP = f"Not covered: {WHO_KNOWS_THE_ALGORITHM}."


@pytest.fixture(scope="module")
def data() -> vl.extend.Microdata:
    return vl.read(*sample(40, 3))


def claims_of(release: vl.Release) -> list[tuple[bool, bool]]:
    """For each claim: whether its adversary knows the algorithm, and whether it says that such a one is not covered."""
    return [
        ("algorithm" in claim["adversary"]["knows"], WHO_KNOWS_THE_ALGORITHM in claim["not_covered"])
        for claim in release.certificate.claims
    ]


COVERED = [
    (vl.Mondrian(), vl.Policy(vl.KAnonymity(k=3))),
    (vl.Mondrian(recoding="hierarchy"), vl.Policy(vl.KAnonymity(k=3), vl.KAnonymity(k=4))),
    (vl.FullDomain(suppression=0.2), vl.Policy(vl.KAnonymity(k=3))),
    (vl.PerturbedGeneralization(s=0.3), vl.Policy(vl.AntiCorruption(skew=1))),
    (vl.Mask(), vl.Policy(vl.MConfidentiality(m=2, protect=("HIV",)))),
]
NOT_COVERED = [
    (vl.Mondrian(), vl.Policy(vl.LDiversity(l=2))),
    (vl.Mondrian(), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))),
    (vl.FullDomain(), vl.Policy(vl.LDiversity(l=2))),
    (vl.Anatomy(), vl.Policy(vl.LDiversity(l=2))),
    (vl.Injector(), vl.Policy(vl.LDiversity(l=2))),
    (vl.Decompose(), vl.Policy(vl.MultiDiversity(otherwise=2))),
    (vl.Republish(), vl.Policy(vl.MInvariance(m=2))),
    (vl.Mask(sampling="paper"), vl.Policy(vl.MConfidentiality(m=2, protect=("HIV",)))),
]


@pytest.mark.parametrize(("method", "policy"), COVERED, ids=repr)
def test_a_claim_names_who_knows_the_algorithm(method: Any, policy: Any, data: Any) -> None:
    release = vl.publish(data, policy, method)
    assert set(claims_of(release)) == {(True, False)}
    assert GAP not in vl.verify(release).notes


@pytest.mark.parametrize(("method", "policy"), NOT_COVERED, ids=repr)
def test_a_claim_says_in_one_line_that_it_does_not(method: Any, policy: Any, data: Any) -> None:
    release = vl.publish(data, policy, method)
    assert set(claims_of(release)) == {(False, True)}
    assert vl.verify(release).notes.count(GAP) == 1


def test_claims_of_one_release_may_differ(data: Any) -> None:
    policy = vl.Policy(vl.KAnonymity(k=2), vl.MConfidentiality(m=2, protect=("HIV",)))
    release = vl.publish(data, policy, vl.Mask())
    assert claims_of(release) == [(False, True), (True, False)]
    assert f"Not covered by k-anonymity: {WHO_KNOWS_THE_ALGORITHM}." in vl.verify(release).notes


def forge(release: vl.Release, **parts: Any) -> vl.Release:
    claims = tuple({**claim, **parts} for claim in release.certificate.claims)
    return release.with_certificate(replace(release.certificate, claims=claims))


def test_a_forged_claim_is_broken(data: Any) -> None:
    diverse = vl.publish(data, vl.LDiversity(l=2), vl.Mondrian())
    adversary = diverse.certificate.claims[0]["adversary"]
    bold = {**adversary, "knows": [*adversary["knows"], "algorithm"]}
    for parts in ({"adversary": bold, "not_covered": []}, {"adversary": bold}, {"not_covered": []}):
        assert vl.verify(forge(diverse, **parts)).broken, parts
    alike = vl.publish(data, vl.KAnonymity(k=3), vl.Mondrian())
    shy = {"adversary": adversary, "not_covered": [WHO_KNOWS_THE_ALGORITHM]}
    assert vl.verify(forge(alike, **shy)).broken
    # a method that looks at nothing does not make a claim of values one against the algorithm
    other = replace(forge(diverse, adversary=bold, not_covered=[]).certificate, method=alike.certificate.method)
    checks = vl.verify(diverse.with_certificate(other)).checks
    assert [check.answer for check in checks if check.what.startswith("l-diversity")] == [Answer.BROKEN]


def test_folder_command_line_and_report_say_it(data: Any, tmp_path: Path) -> None:
    release = vl.publish(data, vl.LDiversity(l=2), vl.Mondrian())
    folder = release.save(tmp_path / "release")
    assert json.loads((folder / "certificate.json").read_text())["claims"][0]["not_covered"] == [
        WHO_KNOWS_THE_ALGORITHM
    ]
    assert GAP in vl.verify(folder).as_json()["notes"]
    report = vl.report(release)
    assert report.as_json()["promises"][0]["notes"] == [GAP]
    assert WHO_KNOWS_THE_ALGORITHM in report.html


def test_a_refusal_says_what_trying_again_means(data: Any) -> None:
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(data, vl.LDiversity(l=30), vl.Mondrian())
    assert caught.value.as_json()["note"] == FIXED_BEFOREHAND
    assert FIXED_BEFOREHAND in caught.value.__notes__


@dataclass(frozen=True)
class BlindArt(CoversAlgorithm, vl.Art):
    """A method that says its claims cover the algorithm where the statistics have a name.

    Claim: none. Against: nobody. Needs: nothing. Why: it is a test. Source: none.
    """

    name: ClassVar[str] = "blind-art"

    def covers_algorithm(self, policy: Policy) -> bool:
        return all(model.min_support == 7 for model in policy)  # type: ignore[attr-defined]


registry._registry["methods"].pop("blind-art")  # other tests try every method that is registered


@pytest.mark.parametrize("covers", [True, False])
def test_attacks_that_know_the_algorithm_must_pass_exactly_where_the_claim_covers_it(data: Any, covers: bool) -> None:
    prior = vl.learn_prior(data, min_support=30)
    model = vl.RRobustness(r=1.5, prior=prior, min_support=7 if covers else 8)
    registry._registry["methods"]["blind-art"] = BlindArt
    try:
        release = vl.publish(data, model, BlindArt())
        assert claims_of(release) == [(covers, not covers)]
        found = vl.audit(release, data, [vl.attacks.Replay(prior=prior), vl.attacks.Prior(prior=prior)])
    finally:
        registry._registry["methods"].pop("blind-art")
    inside = {finding.attack: finding.inside for finding in found.findings}
    assert inside == {"replay": covers, "prior": True}


def test_minimality_is_inside_no_promise_of_values_by_boxes(data: Any) -> None:
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2)), vl.Mondrian())
    found = vl.audit(release, data, [vl.attacks.Minimality(), vl.attacks.Homogeneity()], external=data)
    inside = {finding.attack: finding.inside for finding in found.findings}
    assert inside == {"minimality": False, "homogeneity": True}

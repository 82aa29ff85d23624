"""The prior attack: the examples of the papers, every shape, and a register with more people than were published."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import Prior
from voile.errors import DataError, InconsistentKnowledge
from voile.releases.release import Release

HEAD = ["columns", "signature", "value", "probability"]


def cancer_prior() -> Prior:
    chances = {"m": 0.1, "f": 0.003}
    rows = [("sex", sex, "cancer", chance) for sex, chance in chances.items()]
    rows += [("sex", sex, "flu", 1 - chance) for sex, chance in chances.items()]
    return vl.read_prior(pl.DataFrame(rows, schema=HEAD, orient="row"), "disease")


def publish_couple() -> tuple[Release, object]:
    frame = pl.DataFrame({"sex": ["m", "f"], "disease": ["cancer", "flu"]})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    return vl.publish(data, vl.LDiversity(l=2), vl.Anatomy()), data


def test_the_two_person_example_of_the_paper() -> None:
    release, _ = publish_couple()
    (finding,) = vl.audit(release, None, [vl.attacks.Prior(prior=cancer_prior())]).findings
    assert finding.belief.worst == pytest.approx(0.9736328125)
    assert finding.belief.people.sum() == 2


def test_a_box_hides_nobody_from_an_adversary_with_a_register() -> None:
    frame = pl.DataFrame({"sex": ["m", "f"], "disease": ["cancer", "flu"]})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    attacks = [vl.attacks.Prior(prior=cancer_prior())]
    (finding_without_register,) = vl.audit(release, None, attacks).findings
    assert finding_without_register.belief.worst == pytest.approx(0.5)
    register = vl.read(frame, vl.Schema(quasi=["sex"]))
    (finding_with_register,) = vl.audit(release, None, attacks, external=register).findings
    assert finding_with_register.belief.worst == pytest.approx(0.9736328125)


def test_people_who_are_not_in_the_table_dilute_belief() -> None:
    frame = pl.DataFrame({"sex": ["m", "f"], "disease": ["cancer", "flu"]})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    register = vl.read(pl.DataFrame({"sex": ["m", "m", "m", "f", "f"]}), vl.Schema(quasi=["sex"]))
    (finding,) = vl.audit(release, None, [vl.attacks.Prior(prior=cancer_prior())], external=register).findings
    # three men share the case unless a woman has it: enumerate all ways to choose two people and their values
    weights = {"m": (0.1, 0.9), "f": (0.003, 0.997)}
    people = ["m", "m", "m", "f", "f"]
    worlds = {(i, j): weights[people[i]][0] * weights[people[j]][1] for i in range(5) for j in range(5) if i != j}
    total = sum(worlds.values())
    cancer_belief = sum(weight for (i, _), weight in worlds.items() if i == 0) / total
    flu_belief = sum(weight for (_, j), weight in worlds.items() if j == 3) / total
    assert finding.belief.worst == pytest.approx(max(cancer_belief, flu_belief))
    assert finding.belief.people.sum() == 2
    incomplete_register = vl.read(pl.DataFrame({"sex": ["m"]}), vl.Schema(quasi=["sex"]))
    with pytest.raises(DataError, match="does not cover"):
        vl.audit(release, None, [vl.attacks.Prior(prior=cancer_prior())], external=incomplete_register)


def test_contradicting_knowledge_is_an_error_never_nan() -> None:
    release, _ = publish_couple()
    rows = [("sex", "m", "flu", 1.0), ("sex", "f", "flu", 1.0)]
    contradicting_prior = vl.read_prior(pl.DataFrame(rows, schema=HEAD, orient="row"), "disease")
    with pytest.raises(InconsistentKnowledge, match="group"):
        vl.audit(release, None, [vl.attacks.Prior(prior=contradicting_prior)])


def test_statistics_are_learned_from_the_table_or_from_the_release() -> None:
    frame = vl.datasets.hospital()
    data = vl.read(frame, vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    release = vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())
    with_table = vl.audit(release, data, [vl.attacks.Prior()]).findings[0]
    without_table = vl.audit(release, None, [vl.attacks.Prior()]).findings[0]
    assert with_table.belief.worst >= 1 / 3
    assert without_table.belief.worst >= 1 / 3
    assert not with_table.inside, "Anatomy promises nothing against statistics"


def test_other_statistics_are_outside_a_promise() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    prior = vl.learn_prior(data)
    release = vl.publish(data, vl.RRobustness(r=2, protect=["Asthma"], prior=prior))
    findings_by_prior = []
    for known_prior in (prior, vl.learn_prior(data, min_support=5)):
        findings = vl.audit(release, data, [vl.attacks.Prior(prior=known_prior)]).findings
        findings_by_prior.append([finding for finding in findings if "protected" in finding.title])
    same_prior, other_prior = findings_by_prior
    assert same_prior[0].inside
    assert same_prior[0].passed
    assert not other_prior[0].inside

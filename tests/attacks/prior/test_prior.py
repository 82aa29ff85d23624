"""The prior attack: the papers' examples, every shape, and a register that knows more people than were published."""

from __future__ import annotations

import polars as pl
import pytest

import voile as vl
from voile.adversaries.prior import Prior
from voile.errors import DataError, InconsistentKnowledge
from voile.releases.release import Release

HEAD = ["columns", "signature", "value", "probability"]


def cancer() -> Prior:
    chances = {"m": 0.1, "f": 0.003}
    rows = [("sex", sex, "cancer", chance) for sex, chance in chances.items()]
    rows += [("sex", sex, "flu", 1 - chance) for sex, chance in chances.items()]
    return vl.read_prior(pl.DataFrame(rows, schema=HEAD, orient="row"), "disease")


def couple() -> tuple[Release, object]:
    frame = pl.DataFrame({"sex": ["m", "f"], "disease": ["cancer", "flu"]})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    return vl.publish(data, vl.LDiversity(l=2), vl.Anatomy()), data


def test_the_two_person_example() -> None:
    release, _ = couple()
    (found,) = vl.audit(release, None, [vl.attacks.Prior(prior=cancer())]).findings
    assert found.belief.worst == pytest.approx(0.9736328125)
    assert found.belief.people.sum() == 2


def test_a_box_hides_nobody_from_who_knows_them() -> None:
    frame = pl.DataFrame({"sex": ["m", "f"], "disease": ["cancer", "flu"]})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    attack = [vl.attacks.Prior(prior=cancer())]
    (blind,) = vl.audit(release, None, attack).findings
    assert blind.belief.worst == pytest.approx(0.5)
    register = vl.read(frame, vl.Schema(quasi=["sex"]))
    (knowing,) = vl.audit(release, None, attack, external=register).findings
    assert knowing.belief.worst == pytest.approx(0.9736328125)


def test_people_who_are_not_in_the_table_dilute_belief() -> None:
    frame = pl.DataFrame({"sex": ["m", "f"], "disease": ["cancer", "flu"]})
    data = vl.read(frame, vl.Schema(quasi=["sex"], sensitive=["disease"]))
    release = vl.publish(data, vl.KAnonymity(k=2))
    town = vl.read(pl.DataFrame({"sex": ["m", "m", "m", "f", "f"]}), vl.Schema(quasi=["sex"]))
    (found,) = vl.audit(release, None, [vl.attacks.Prior(prior=cancer())], external=town).findings
    # three men share the case unless a woman has it: by hand over all ways to choose two people and their values
    weights = {"m": (0.1, 0.9), "f": (0.003, 0.997)}
    people = ["m", "m", "m", "f", "f"]
    worlds = {(i, j): weights[people[i]][0] * weights[people[j]][1] for i in range(5) for j in range(5) if i != j}
    total = sum(worlds.values())
    expected = sum(weight for (i, _), weight in worlds.items() if i == 0) / total
    flu = sum(weight for (_, j), weight in worlds.items() if j == 3) / total
    assert found.belief.worst == pytest.approx(max(expected, flu))
    assert found.belief.people.sum() == 2
    few = vl.read(pl.DataFrame({"sex": ["m"]}), vl.Schema(quasi=["sex"]))
    with pytest.raises(DataError, match="does not cover"):
        vl.audit(release, None, [vl.attacks.Prior(prior=cancer())], external=few)


def test_contradicting_knowledge_is_an_error_never_nan() -> None:
    release, _ = couple()
    rows = [("sex", "m", "flu", 1.0), ("sex", "f", "flu", 1.0)]
    wrong = vl.read_prior(pl.DataFrame(rows, schema=HEAD, orient="row"), "disease")
    with pytest.raises(InconsistentKnowledge, match="group"):
        vl.audit(release, None, [vl.attacks.Prior(prior=wrong)])


def test_learned_from_the_table_or_from_the_release() -> None:
    frame = vl.datasets.hospital()
    data = vl.read(frame, vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    release = vl.publish(data, vl.LDiversity(l=3), vl.Anatomy())
    with_table = vl.audit(release, data, [vl.attacks.Prior()]).findings[0]
    alone = vl.audit(release, None, [vl.attacks.Prior()]).findings[0]
    assert with_table.belief.worst >= 1 / 3
    assert alone.belief.worst >= 1 / 3
    assert not with_table.inside, "Anatomy promises nothing against statistics"


def test_other_statistics_are_outside_a_promise() -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    prior = vl.learn_prior(data)
    release = vl.publish(data, vl.RRobustness(r=2, protect=["Asthma"], prior=prior))
    found = []
    for known in (prior, vl.learn_prior(data, min_support=5)):
        listed = vl.audit(release, data, [vl.attacks.Prior(prior=known)]).findings
        found.append([item for item in listed if "protected" in item.title])
    same, other = found
    assert same[0].inside
    assert same[0].passed
    assert not other[0].inside

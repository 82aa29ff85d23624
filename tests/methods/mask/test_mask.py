"""MASK: groups are made without looking at values, and only values that reveal too much are changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.mask.channels import monotone_channel, slack_channel

import voile as vl
from voile.errors import PolicyError, Unsatisfiable
from voile.tables import partition_tree

QUASI = ["age", "city"]
SCHEMA = vl.Schema(quasi=QUASI, sensitive=["disease"])
KEY = vl.Key(bytes(range(32)))
HIV3 = vl.MConfidentiality(m=3, protect=("HIV",))


def make_people(seed: int, rows: int = 300, rate: float = 0.15) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], rows),
            "disease": rng.choice(["HIV", "flu", "acne", "gout"], rows, p=[rate, 0.4, 0.35, 0.25 - rate]),
        }
    )


def publish(data: Any, m: int, sampling: str, key: Any) -> Any:
    return vl.publish(data, vl.MConfidentiality(m=m, protect=("HIV",)), vl.Mask(sampling=sampling), key=key)


@given(st.integers(0, 2**32), st.sampled_from([2, 3, 4]), st.sampled_from(["monotone", "slack", "paper"]))
def test_only_groups_that_reveal_too_much_are_changed(seed: int, m: int, sampling: str) -> None:
    """The quasi-identifiers are those of the blind groups, groups that pass stay, and no count rises."""
    data = vl.read(make_people(seed), SCHEMA)
    key = vl.Key(np.random.default_rng(seed).bytes(32))
    blind_release = vl.publish(data, vl.KAnonymity(k=m), key=key)
    release = publish(data, m, sampling, key)
    assert release.tables["table"].select(QUASI).equals(blind_release.tables["table"].select(QUASI))
    before, after = (count_by_value(one) for one in (blind_release, release))
    sizes = blind_release.sizes
    assert (after["HIV"] * m <= sizes).all()
    passing_groups = before["HIV"] * m <= sizes
    for disease in before:
        assert np.array_equal(before[disease][passing_groups], after[disease][passing_groups])
        if disease != "HIV":
            assert (after[disease] >= before[disease]).all()
    assert (after["HIV"] <= before["HIV"]).all()


def count_by_value(release: Any) -> dict[str, np.ndarray]:
    counts = release.tallies["disease"]
    by_label = {label: code for code, label in enumerate(counts.column.domain.labels)}
    return {
        disease: counts.summed(np.where(counts.values == by_label.get(disease, -1), counts.counts, 0))
        for disease in ("HIV", "flu", "acne", "gout")
    }


@pytest.mark.parametrize("sampling", ["monotone", "slack"])
def test_nothing_is_refused_on_account_of_values(sampling: str) -> None:
    """Everybody has the value, or nobody in the first group has another: a refusal would tell that."""
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], domains={"disease": ["HIV", "flu", "gout"]})
    for diseases in (["HIV"] * 4, ["HIV", "HIV", "flu", "flu"], ["flu"] * 4):
        data = vl.read(pl.DataFrame({"age": [1, 1, 2, 2], "disease": diseases}), schema)
        release = publish(data, 2, sampling, KEY)
        assert (count_by_value(release)["HIV"] * 2 <= release.sizes).all()


def test_the_release_follows_the_channel() -> None:
    """Thousands of groups of five people of whom four have the value: in the release, counts are as frequent as the
    channel says, and freed rows get the values of the table."""
    groups = 6000
    sick = ["HIV", "HIV", "HIV", "HIV", "flu"]
    frame = pl.DataFrame({"age": np.repeat(np.arange(groups), 5), "disease": sick * groups})
    others = pl.DataFrame({"age": [groups] * 900, "disease": ["flu", "gout", "gout"] * 300})
    data = vl.read(pl.concat([frame, others]), vl.Schema(quasi=["age"], sensitive=["disease"]))
    for sampling, oracle in (("monotone", monotone_channel), ("slack", slack_channel)):
        model = vl.MConfidentiality(m=2, protect=("HIV",), highest_rate=0.45)
        release = vl.publish(data, model, vl.Mask(k=5, sampling=sampling), key=KEY)
        after = count_by_value(release)
        small = release.sizes == 5
        drawn = Counter(after["HIV"][small].tolist())
        expected = oracle(2, Fraction(45, 100))(5, 4)
        assert len(expected) > 1
        surprise = sum((drawn[low] - groups * p) ** 2 / (groups * p) for low, p in expected.items())
        assert set(drawn) <= set(expected)
        assert surprise < 15
        gout = after["gout"][small].sum() / (4 * groups - after["HIV"][small].sum())
        # the urn has about 6,300 flu and 600 gout, and grows as it is drawn from
        assert 0.05 < gout < 0.13


def test_every_table_of_six_people_keeps_the_bound() -> None:
    """Publish all of them. With m = 2 counts are matched one to one, so that no coin decides what a group shows: the
    posterior of an adversary who has published all tables is exact."""
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], domains={"disease": ["HIV", "flu"]})
    shown = {}
    for values in product(("HIV", "flu"), repeat=6):
        data = vl.read(pl.DataFrame({"age": [1, 1, 2, 2, 2, 2], "disease": values}), schema)
        shown[values] = tuple(count_by_value(publish(data, 2, "monotone", KEY))["HIV"].tolist())
    for rate in (Fraction(1, 10), Fraction(3, 10), Fraction(45, 100), Fraction(1, 2)):
        beliefs = []
        for release in set(shown.values()):
            worlds = [values for values, outcome in shown.items() if outcome == release]
            weights = [rate ** w.count("HIV") * (1 - rate) ** w.count("flu") for w in worlds]
            for person in range(6):
                sick = sum(weight for w, weight in zip(worlds, weights, strict=True) if w[person] == "HIV")
                beliefs.append(sick / sum(weights))
        assert max(beliefs) == Fraction(1, 2)


def test_large_groups_pass_in_blocks() -> None:
    """No digit is lost with thousands of people per group; the count still passes, and few values are changed."""
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(0, 2, 9000), "disease": rng.choice(["HIV", "flu"], 9000, p=[0.1, 0.9])})
    schema = vl.Schema(quasi=["age"], sensitive=["disease"])
    data = vl.read(frame, schema)
    release = publish(data, 10, "monotone", KEY)
    assert release.groups == 2
    assert (count_by_value(release)["HIV"] * 10 <= release.sizes).all()
    assert 0 < vl.measures.Alteration()(data, release).value < 0.01
    flooded = vl.read(frame.with_columns(disease=pl.lit("HIV")).vstack(frame.filter(disease="flu").head(1)), schema)
    assert count_by_value(publish(flooded, 10, "monotone", KEY))["HIV"].max() < 100


def test_several_protected_values_are_masked_together() -> None:
    data = vl.read(make_people(5, 2000, 0.1), SCHEMA)
    release = vl.publish(data, vl.MConfidentiality(m=3, protect=("HIV", "gout")), vl.Mask(k=4), key=KEY)
    counts = release.tallies["disease"]
    model = vl.MConfidentiality(m=3, protect=("HIV", "gout"))
    assert model.holds(counts).all()
    assert vl.measures.Alteration()(data, release).value > 0


def test_the_key_decides_whose_value_is_changed() -> None:
    data = vl.read(make_people(2), SCHEMA)
    policy = vl.MConfidentiality(m=4, protect=("HIV",))
    release, repeated_release = (vl.publish(data, policy, key=KEY) for _ in range(2))
    other_release = vl.publish(data, policy, key=vl.Key(bytes(32)))
    assert release.tables["table"].equals(repeated_release.tables["table"])
    assert not release.tables["table"].equals(other_release.tables["table"])


def test_a_value_that_nobody_has_any_more_is_declared_because_the_claim_names_it() -> None:
    """Everybody with the value is in a group that reveals too much, so after masking nobody has it."""
    frame = pl.DataFrame(
        {"age": [1, 1] + [2, 2] * 20, "city": "Bern", "disease": ["HIV", "HIV"] + ["flu", "acne"] * 20}
    )
    release = vl.publish(vl.read(frame, SCHEMA), vl.MConfidentiality(m=2, protect=("HIV",)), key=KEY)
    assert "HIV" not in release.tables["table"]["disease"].to_list()
    values = {"values": ["HIV", "acne", "flu"], "missing": False, "declared": True}
    assert release.described("sensitive")[0]["domain"] == values
    assert release.people == 42


def test_the_dictionary_says_that_values_may_be_changed() -> None:
    release = publish(vl.read(make_people(2), SCHEMA), 3, "monotone", KEY)
    (entry,) = [entry for entry in release.dictionary["columns"] if entry["name"] == "disease"]
    assert entry["cell"] == "the person's own value, or another that was put in its place"
    plain = vl.publish(vl.read(make_people(2), SCHEMA), vl.KAnonymity(k=3))
    assert plain.dictionary["columns"][-1]["cell"] == "the person's own value"


def test_declared_rates_fill_the_freed_rows() -> None:
    """Nobody has gout, and yet it is half of what others have: half of the freed rows get it."""
    schema = vl.Schema(quasi=["age"], sensitive=["disease"], domains={"disease": ["HIV", "flu", "gout"]})
    frame = pl.DataFrame({"age": np.repeat(np.arange(500), 2), "disease": ["HIV", "HIV", "flu", "flu"] * 250})
    model = vl.MConfidentiality(m=2, protect=("HIV",), other_rates={"flu": 0.2, "gout": 0.2})
    after = count_by_value(vl.publish(vl.read(frame, schema), model, key=KEY))
    assert after["HIV"].sum() == 0
    assert abs(after["gout"].sum() - 250) < 60


def test_the_paper_needs_a_group_to_imitate() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 2, 3, 3], "city": "Bern", "disease": ["a", "a", "a", "a", "b", "a"]})
    policy = vl.MConfidentiality(m=3, protect=("a",))
    with pytest.raises(Unsatisfiable, match="Raise k") as error:
        vl.publish(vl.read(frame, SCHEMA), policy, vl.Mask(k=2, sampling="paper"))
    assert error.value.code == "unsatisfiable.mask"
    assert vl.publish(vl.read(frame, SCHEMA), policy, vl.Mask(k=2)).people == 6


def test_parts_are_masked_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large table is cut into parts; without a partitionable anonymizer it is not."""
    monkeypatch.setattr(partition_tree, "LARGEST_PART", 400)
    frame = make_people(7, 2000).with_columns(
        disease=pl.when(pl.col("age").is_in([20, 59])).then(pl.lit("rare")).otherwise("disease")
    )
    data = vl.read(frame, SCHEMA)
    policy = vl.MConfidentiality(m=4, protect=("HIV", "rare"))
    release = vl.publish(data, policy, key=KEY)
    assert release.people == 2000
    assert vl.verify(release, data=data, key=KEY).holds
    assert vl.Mask().works_in_parts
    assert not vl.Mask(anonymizer=vl.FullDomain()).works_in_parts
    whole = vl.publish(data, policy, vl.Mask(anonymizer=vl.FullDomain()), key=KEY)
    assert vl.verify(whole, data=data, key=KEY).holds


@pytest.mark.parametrize(
    ("policy", "method", "message"),
    [
        (vl.Policy(vl.LDiversity(l=2)), vl.Mask(), "without looking at values"),
        (vl.Policy(vl.KAnonymity(k=2)), vl.Mask(), "nothing to mask for"),
        (vl.Policy(HIV3), vl.Mask(l=2), "l = 2 is below m = 3"),
        (vl.Policy(HIV3), vl.Mask(anonymizer=vl.Anatomy()), "it needs a k-anonymizer"),
        (vl.Policy(vl.MConfidentiality(m=2)), vl.Mask(), "all values of 'disease' are protected"),
        (vl.Policy(vl.MConfidentiality(m=2)), vl.Mask(sampling="paper"), "all values of 'disease' are protected"),
        (vl.Policy(replace(HIV3, highest_rate=0.34)), vl.Mask(), "highest_rate = 0.34 is above 1/3"),
        (vl.Policy(replace(HIV3, highest_rate=0.3)), vl.Mask(l=4), "above 1/4"),
        (vl.Policy(replace(HIV3, protect=("HIV", "flu"), highest_rate=0.3)), vl.Mask(), "above 1/4, .* 2 protected"),
        (vl.Policy(replace(HIV3, highest_rate=0.1)), vl.Mask(sampling="paper"), "paper uses no rates"),
        (vl.Policy(replace(HIV3, other_rates={"flu": 0.5})), vl.Mask(), "2 of 3 are not named, and 0 of 1"),
        (vl.Policy(vl.MConfidentiality(m=3)), vl.Mondrian(), "mondrian cannot promise m-confidentiality"),
    ],
)
def test_policies_and_parameters_that_do_not_fit_are_refused(policy: Any, method: Any, message: str) -> None:
    data = vl.read(make_people(1), SCHEMA)
    with pytest.raises(PolicyError, match=message):
        vl.publish(data, policy, method)


def test_the_attack_learns_nothing_from_blind_groups() -> None:
    data = vl.read(make_people(3), SCHEMA)
    release = vl.publish(data, vl.MConfidentiality(m=3, protect=("HIV",)), vl.Mask(k=5), key=KEY)
    audit = vl.audit(release, data, [vl.attacks.Minimality()], external=data)
    promised_findings = [finding for finding in audit.findings if finding.inside]
    assert promised_findings
    assert audit.passed
    assert all(
        finding.belief.details["people with a higher risk than their group shows"] == 0 for finding in audit.findings
    )

"""MASK: groups are made without looking at values, and only values that reveal too much are changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import voile as vl
from voile.errors import PolicyError, Unsatisfiable

QUASI = ["age", "city"]
SCHEMA = vl.Schema(quasi=QUASI, sensitive=["disease"])
KEY = vl.Key(bytes(range(32)))


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
    """Return the release, or None if the method refuses."""
    try:
        return vl.publish(data, vl.MConfidentiality(m=m, protect=("HIV",)), vl.Mask(sampling=sampling), key=key)
    except Unsatisfiable:
        return None


@pytest.mark.parametrize("sampling", ["slack", "paper"])
def test_most_tables_are_published(sampling: str) -> None:
    """Other tests also pass for a method that always refuses; with a base rate of 0.15 most tables can be published."""
    tables = [(seed, m) for seed in range(6) for m in (2, 3, 4)]
    is_published = [publish(vl.read(make_people(seed), SCHEMA), m, sampling, KEY) is not None for seed, m in tables]
    assert sum(is_published) >= 15


@given(st.integers(0, 2**32), st.sampled_from([2, 3, 4]), st.sampled_from(["slack", "paper"]))
def test_quasi_identifiers_are_those_of_the_blind_groups(seed: int, m: int, sampling: str) -> None:
    data = vl.read(make_people(seed), SCHEMA)
    key = vl.Key(np.random.default_rng(seed).bytes(32))
    blind_release = vl.publish(data, vl.KAnonymity(k=m), key=key)
    release = publish(data, m, sampling, key)
    assume(release is not None)
    assert release is not None
    assert release.tables["table"].select(QUASI).equals(blind_release.tables["table"].select(QUASI))
    counts = release.tallies["disease"]
    assert counts.column is not None
    is_hiv = np.array([text == "HIV" for text in counts.column.domain.labels])
    hiv_counts = counts.summed(np.where(is_hiv[counts.values], counts.counts, 0))
    assert (hiv_counts * m <= counts.sizes).all()
    # groups that passed are unchanged
    counts_before = blind_release.tallies["disease"]
    assert counts_before.column is not None
    code_by_text = {text: code for code, text in enumerate(counts_before.column.domain.labels)}
    code_map = np.array([code_by_text[text] for text in counts.column.domain.labels])
    old_counts, new_counts = (
        np.zeros((counts.groups, counts_before.column.size)),
        np.zeros((counts.groups, counts_before.column.size)),
    )
    old_counts[counts_before.owner, counts_before.values] = counts_before.counts
    new_counts[counts.owner, code_map[counts.values]] = counts.counts
    passing_groups = old_counts[:, code_by_text["HIV"]] * m <= counts_before.sizes
    assert np.array_equal(old_counts[passing_groups], new_counts[passing_groups])
    assert (new_counts[:, code_by_text["HIV"]] <= np.maximum(old_counts[:, code_by_text["HIV"]], 0)).all()


def test_several_protected_values_are_masked_together() -> None:
    data = vl.read(make_people(5, 2000, 0.1), SCHEMA)
    release = vl.publish(data, vl.MConfidentiality(m=3, protect=("HIV", "gout")), vl.Mask(k=4), key=KEY)
    counts = release.tallies["disease"]
    model = vl.MConfidentiality(m=3, protect=("HIV", "gout"))
    assert model.holds(counts).all()
    assert vl.measures.Alteration()(data, release).value > 0


def test_all_values_can_be_protected() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 60, 900), "city": "Bern", "disease": rng.integers(0, 8, 900).astype(str)}
    )
    for sampling in ("slack", "paper"):
        release = vl.publish(vl.read(frame, SCHEMA), vl.MConfidentiality(m=2), vl.Mask(k=4, sampling=sampling), key=KEY)
        assert vl.LDiversity(l=2).holds(release.tallies["disease"]).all()


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


def test_the_error_states_the_base_rate() -> None:
    frame = make_people(0).with_columns(
        pl.when(pl.int_range(300) < 200).then(pl.lit("HIV")).otherwise("disease").alias("disease")
    )
    with pytest.raises(
        Unsatisfiable, match=r"base rate of a protected value of 'disease' is 0\.\d+, above 1/l"
    ) as error:
        vl.publish(vl.read(frame, SCHEMA), vl.MConfidentiality(m=2, protect=("HIV",)))
    assert error.value.code == "unsatisfiable.base-rate"
    assert error.value.best


def test_the_error_proposes_a_larger_k_if_no_group_passes() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 2, 3, 3], "city": "Bern", "disease": ["a", "a", "b", "b", "c", "c"]})
    with pytest.raises(Unsatisfiable, match="Raise k") as error:
        vl.publish(vl.read(frame, SCHEMA), vl.MConfidentiality(m=2), vl.Mask(k=2))
    assert error.value.code == "unsatisfiable.mask"


def test_the_error_states_the_rate_over_groups() -> None:
    """Few people have the value, but most groups do: a large group without it counts as one group."""
    ages = [*np.repeat(np.arange(16), 2).tolist(), *[99] * 100]
    diseases = ["HIV", "HIV"] * 8 + ["HIV", "flu"] * 8 + ["flu"] * 100
    frame = pl.DataFrame({"age": ages, "city": "Bern", "disease": diseases})
    with pytest.raises(Unsatisfiable, match=r"over the 17 groups is 0\.7059, above 1/l") as error:
        vl.publish(vl.read(frame, SCHEMA), vl.MConfidentiality(m=2, protect=("HIV",)), vl.Mask(k=2))
    assert error.value.code == "unsatisfiable.base-rate"


@pytest.mark.parametrize(
    ("policy", "method", "message"),
    [
        (vl.Policy(vl.LDiversity(l=2)), vl.Mask(), "without looking at values"),
        (vl.Policy(vl.KAnonymity(k=2)), vl.Mask(), "nothing to mask for"),
        (vl.Policy(vl.MConfidentiality(m=3)), vl.Mask(l=2), "l = 2 is below m = 3"),
        (vl.Policy(vl.MConfidentiality(m=3)), vl.Mask(anonymizer=vl.Anatomy()), "it needs a k-anonymizer"),
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

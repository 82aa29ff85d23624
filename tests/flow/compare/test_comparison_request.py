"""Read a comparison from a spec with [compare]."""

from __future__ import annotations

from typing import Any

import pytest

import voile as vl
from voile.adversaries.presets import Preset
from voile.errors import SpecError
from voile.flow.compare.comparison_request import read_comparison_request
from voile.io.spec_files import Spec

SCHEMA = {"quasi": ["age"], "sensitive": ["disease"]}
POLICY = ({"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2})


def read_request(**compare: Any) -> Any:
    return read_comparison_request(Spec(SCHEMA, POLICY, compare=compare))


def test_compare_decides_what_a_spec_leaves_open() -> None:
    found = read_request()
    assert (found.methods, found.attacks, found.measures, found.adversary, found.by) == (None,) * 5
    assert [list(policy) for policy in found.policies] == [[vl.KAnonymity(k=5), vl.LDiversity(l=2)]]


def test_short_forms_and_tables() -> None:
    found = read_request(
        methods=["mondrian", "full-domain:suppression=0.05", {"name": "art", "grouping": "block"}],
        attacks=["elimination:values=2"],
        measures=[{"name": "query-error", "queries": 10}],
        adversary="insurer",
        by="query-error",
    )
    assert found.methods == (vl.Mondrian(), vl.FullDomain(suppression=0.05), vl.Art(grouping="block"))
    assert found.attacks == (vl.attacks.Elimination(values=2),)
    assert found.measures == (vl.measures.QueryError(queries=10),)
    assert found.adversary == (Preset.find("insurer"),)
    assert found.by == "query-error"


def test_parameters_vary_in_the_models_that_have_them() -> None:
    found = read_request(vary={"k": ["3", 5], "l": [2, 3]})
    assert [tuple(policy) for policy in found.policies] == [
        (vl.KAnonymity(k=k), vl.LDiversity(l=number)) for k in (3, 5) for number in (2, 3)
    ]


@pytest.mark.parametrize(
    ("compare", "code", "said"),
    [
        ({"methods": ["mondrain"]}, "policy.unknown-method", "mondrain"),
        ({"attacks": ["linking:x"]}, "spec.short", "without '='"),
        ({"measures": ["certainty:x=1"]}, "policy.parameter", "no parameter 'x'"),
        ({"adversary": ["insuror"]}, "policy.unknown-adversary", "insuror"),
        ({"vary": {"t": [0.1]}}, "spec.vary", "'t' is to be varied"),
        ({"vary": {"k": [1]}}, "policy.parameter", "at least 2"),
    ],
)
def test_faults(compare: dict[str, Any], code: str, said: str) -> None:
    with pytest.raises(SpecError, match=said) as caught:
        read_request(**compare)
    assert caught.value.code == code


def test_all_faults_together() -> None:
    with pytest.raises(SpecError) as caught:
        read_request(methods=["a", "b"], attacks=["c"], adversary=["d"])
    assert len(caught.value.problems) == 4


def test_a_method_to_publish_with_cannot_matter() -> None:
    with pytest.raises(SpecError, match="does not use") as caught:
        read_comparison_request(Spec(SCHEMA, POLICY, method={"name": "mondrian"}))
    assert caught.value.code == "spec.compare-method"
    assert "[compare]" in caught.value.hint


def test_how_to_publish_cannot_matter() -> None:
    with pytest.raises(SpecError, match=r"does not use \[release\]") as caught:
        read_comparison_request(Spec(SCHEMA, POLICY, release={"format": "csv"}))
    assert caught.value.code == "spec.compare-release"


def test_earlier_releases_and_their_ledger_matter() -> None:
    found = read_comparison_request(Spec(SCHEMA, POLICY, release={"after": ["one"], "ledger": "ledger.json"}))
    assert (found.request.after, found.request.ledger) == (("one",), "ledger.json")

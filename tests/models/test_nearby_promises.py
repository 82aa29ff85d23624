"""Promises out of reach come with others that the table can keep."""

from __future__ import annotations

import pickle

import polars as pl
import pytest

import voile as vl
from voile.cli.flag_wording import write_flag
from voile.errors import Unsatisfiable, speaking
from voile.io.spec_files import make_spec
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin

TABLE = pl.DataFrame(
    {"age": [20 + n % 40 for n in range(200)], "result": ["yes" if n % 4 else "no" for n in range(200)]}
)
OUT_OF_REACH = [
    vl.Policy(vl.LDiversity(l=5)),
    vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=5)),
    vl.Policy(vl.KAnonymity(k=1000), vl.LDiversity(l=2)),
    vl.Policy(vl.AlphaK(alpha=0.1, k=5)),
    vl.Policy(vl.AlphaK(alpha=0.9, k=5000)),
    vl.Policy(vl.LDiversity(l=3, form="distinct")),
    vl.Policy(vl.LDiversity(l=3, form="entropy")),
    vl.Policy(vl.LDiversity(l=2, form="recursive", c=0.1)),
    vl.Policy(vl.CKSafety(c=0.2, k=1)),
]


def refuse(policy: Policy, **schema: object) -> Unsatisfiable:
    data = vl.read(TABLE, vl.Schema(quasi=["age"], sensitive=["result"], **schema))  # type: ignore[arg-type]
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(data, policy)
    with pytest.raises(Unsatisfiable) as foreseen:
        vl.foresee(data, policy)
    assert foreseen.value.as_json() == caught.value.as_json()
    return caught.value


@pytest.mark.parametrize("policy", OUT_OF_REACH, ids=str)
def test_every_alternative_can_be_published(policy: Policy) -> None:
    error = refuse(policy)
    assert error.alternatives
    data = vl.read(TABLE, vl.Schema(quasi=["age"], sensitive=["result"]))
    for item in error.alternatives:
        release = vl.publish(data, item.policy)
        assert vl.verify(release).holds
        assert release.groups > 1, "one group of everybody is no advice"
        assert item.reason


def test_a_binary_secret_is_offered_a_bound_or_closeness() -> None:
    """Three quarters have one value, so no l above 1 is in reach: alpha lies above 0.75."""
    error = refuse(vl.Policy(vl.LDiversity(l=5)))
    assert [[model.name for model in item.policy] for item in error.alternatives] == [
        ["alpha-k-anonymity"],
        ["k-anonymity", "t-closeness"],
    ]
    stated = error.as_json()["alternatives"][0]
    assert stated["policy"] == [{"model": "alpha-k-anonymity", "alpha": 0.88, "k": 5}]
    assert "Within reach is vl.AlphaK(alpha=0.88, k=5)." in str(error)
    with speaking(write_flag):
        assert "Within reach is --model alpha-k-anonymity:alpha=0.88,k=5." in str(error)


@pytest.mark.parametrize("policy", OUT_OF_REACH, ids=str)
def test_the_data_of_an_alternative_is_a_part_of_a_spec(policy: Policy) -> None:
    for item in refuse(policy).as_json()["alternatives"]:
        for entry in make_spec({"policy": item["policy"]}).policy:
            build_plugin("models", str(entry["model"]), {key: entry[key] for key in entry if key != "model"})


def test_people_with_several_rows_are_offered_what_counts_them() -> None:
    table = TABLE.with_columns(person=pl.int_range(200) % 100)
    data = vl.read(table, vl.Schema(quasi=["age"], sensitive=["result"], person="person", rows_per_person=2))
    with pytest.raises(Unsatisfiable) as caught:
        vl.publish(data, vl.KAnonymity(k=150))
    (only,) = caught.value.alternatives
    assert repr(only.policy) == "Policy(KAnonymity(k=50))"
    assert vl.verify(vl.publish(data, only.policy)).holds


def test_an_error_with_alternatives_crosses_processes() -> None:
    error = refuse(vl.Policy(vl.LDiversity(l=5)))
    assert pickle.loads(pickle.dumps(error)).as_json() == error.as_json()

"""The plan of a publication: what is decided before anybody is grouped."""

from __future__ import annotations

import pytest

import voile as vl
from voile.errors import PolicyError
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.flow.publish.plan import check_request, default_method, make_plan

DATA = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
KEY = vl.Key(bytes(32))


def test_a_model_names_the_method_that_serves_it() -> None:
    assert default_method(vl.Policy(vl.KAnonymity(k=5))) == vl.Mondrian()
    assert default_method(vl.Policy(vl.RRobustness(r=2))) == vl.Art()


def test_a_plan_has_what_follows_from_table_and_key() -> None:
    plan = make_plan(DATA, vl.RRobustness(r=2, min_support=30), None, KEY, EarlierReleases())
    assert plan.method == vl.Art()
    assert len(plan.policy.priors()) == 1
    assert plan.evidence.priors == plan.policy.priors()
    again = make_plan(DATA, vl.RRobustness(r=2, min_support=30), None, KEY, EarlierReleases())
    assert again.policy.priors()[0].digest == plan.policy.priors()[0].digest


def test_the_columns_are_as_the_method_needs_them() -> None:
    policy = vl.Policy(vl.KAnonymity(k=5))
    assert all(column.hierarchy is None for column in DATA.columns.quasi)
    complete = check_request(DATA.columns, DATA.rows, policy, vl.FullDomain())
    assert all(column.hierarchy is not None for column in complete.quasi)
    assert check_request(DATA.columns, DATA.rows, policy, vl.Mondrian()) is DATA.columns


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(PolicyError, match="no meaning"):
        make_plan(DATA, vl.KAnonymity(k=5), vl.Anatomy(), KEY, EarlierReleases())

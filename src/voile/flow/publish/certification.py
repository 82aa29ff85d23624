"""Certify a release: state what it promises, and what was found where a model finds more than its bound."""

from __future__ import annotations

from dataclasses import replace

from voile.flow.checking.check_release import state_findings
from voile.flow.checking.method_check import claims_cover_algorithm
from voile.flow.publish.plan import Plan
from voile.methods.base import complete_promise
from voile.plugins.registry import as_plain_value
from voile.releases.release import Release
from voile.tables.schema import Columns


def certify(release: Release, columns: Columns, plan: Plan) -> Release:
    """Fill in the certificate: the claims of the method under the policy, and those about earlier releases."""
    claims = (
        *plan.method.claims(columns, plan.policy, release),
        *plan.history.joint_claims(plan.policy, columns),
    )
    claims = tuple(
        replace(claim, unit=plan.data.unit, promise=complete_promise(plan.method, release, claim.promise))
        for claim in claims
    )
    certified = release.with_claims(claims, as_plain_value(plan.method))
    if claims_cover_algorithm(certified.certificate):
        certified = release.with_claims([claim.against_algorithm() for claim in claims], as_plain_value(plan.method))
    return state_findings(certified, plan.policy.priors())

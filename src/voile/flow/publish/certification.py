"""Certify a release: state what it promises, and what was found where a model finds more than its bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from voile.flow.checking.check_release import state_findings
from voile.flow.checking.claim_check import find_undeclared
from voile.flow.checking.method_check import claims_cover_algorithm
from voile.flow.publish.plan import Plan
from voile.methods.base import KeepsSeats, complete_promise
from voile.models.abilities import NamesValues
from voile.plugins.registry import as_plain_value
from voile.releases.dictionary import add_titles
from voile.releases.release import Release
from voile.releases.strict_reading.shown_values import lists_value
from voile.tables.domain import Domain
from voile.tables.domain_trimming import trim_column
from voile.tables.schema import Columns


def certify(release: Release, columns: Columns, plan: Plan) -> Release:
    """Fill in the certificate: the claims of the method under the policy, and those about earlier releases."""
    claims = plan.method.claims(columns, plan.policy, release)
    if not isinstance(plan.method, KeepsSeats):  # which states itself what holds together with earlier releases
        claims = (*claims, *plan.history.joint_claims(plan.policy, columns))
    claims = tuple(
        replace(claim, unit=plan.data.unit, promise=complete_promise(plan.method, release, claim.promise))
        for claim in claims
    )
    release = declare_protected_values(release, plan)
    titled = add_titles(release.dictionary["columns"], plan.data.reading.titles)
    release = replace(release, dictionary={**release.dictionary, "columns": titled})
    certified = release.with_claims(claims, as_plain_value(plan.method))
    if claims_cover_algorithm(certified.certificate):
        certified = release.with_claims([claim.against_algorithm() for claim in claims], as_plain_value(plan.method))
    certified = state_findings(certified, plan.policy.priors())
    return certified.with_certificate(replace(certified.certificate, prepared=plan.data.prepared))


def declare_protected_values(release: Release, plan: Plan) -> Release:
    """Declare the protected values that no published row has: the request names them, so they are public."""
    added: dict[str, set[str]] = {}
    for model in plan.policy:
        for column in model.targets(plan.columns) if isinstance(model, NamesValues) else ():
            if column is not None:
                added.setdefault(column.name, set()).update(find_undeclared(model, release, column.name))
    if not any(added.values()):
        return release
    entries = [
        _declare(entry, added[entry["name"]], plan.columns) if added.get(entry["name"]) else entry
        for entry in release.dictionary["columns"]
    ]
    return replace(release, dictionary={**release.dictionary, "columns": entries})


def _declare(entry: Mapping[str, Any], values: set[str], columns: Columns) -> dict[str, Any]:
    """Return the entry of a column with its values and some others as a declared domain, in the order of the table."""
    column = columns[str(entry["name"])]
    is_listed = [text in values or lists_value(entry, text) for text in column.domain.labels]
    trimmed = trim_column(column, np.flatnonzero(is_listed))
    domain = Domain(trimmed.domain.values, column.kind, bool(entry["domain"]["missing"]), declared=True)
    hierarchy = {"hierarchy": trimmed.hierarchy.rows()} if "hierarchy" in entry and trimmed.hierarchy else {}
    return {**entry, "domain": domain.as_json(), **hierarchy}

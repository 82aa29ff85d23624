"""Risk before and after: every attack, inside and outside the promise, and how many people are at risk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from voile.adversaries.adversary import Knowledge
from voile.flow.report.charts import AXES, draw_curve, draw_risks, draw_widths, over_people, scale_of
from voile.flow.report.subject import Subject
from voile.results import Audit


def fill(subject: Subject) -> dict[str, Any]:
    return {"audit": _describe_audit(subject.audit) if subject.audit is not None else None}


def _describe_audit(audit: Audit) -> dict[str, Any]:
    described = audit.as_json()
    for item, finding in zip(described["findings"], audit.findings, strict=True):
        item["limit"] = float(finding.bound) if finding.bound is not None else None
        item["scale"] = scale_of(finding.belief.limits)
        item["knows"] = [part.value for part in Knowledge if part in finding.adversary.knows]
    return {**described, "curve": over_people(audit.findings)}


def draw(content: Mapping[str, Any]) -> dict[str, Any]:
    """One chart per side of the promise and scale, and the curve. Only probabilities share an axis."""
    audit, charts = content["audit"], {}
    for inside in (True, False):
        findings = [item for item in audit["findings"] if item["inside_the_promise"] is inside] if audit else []
        for scale in AXES:
            part = [item for item in findings if scale_of(item["limits"]) == scale]
            if part:
                charts[f"{'inside' if inside else 'outside'}_{scale}"] = draw_widths(partial(draw_risks, part))
    if audit and audit["curve"]:
        curve = audit["curve"]
        charts["curve"] = draw_widths(partial(draw_curve, curve["before"], curve["after"], curve["limit"]))
    return charts

"""Who might try: a matrix of adversaries, what each of them tries, and what they come to believe."""

from __future__ import annotations

from typing import Any

from voile.adversaries.adversary import Knowledge
from voile.adversaries.presets import Preset
from voile.flow.report.subject import Subject
from voile.results import Audit, Finding


def fill(subject: Subject) -> dict[str, Any]:
    return {"adversaries": _list_adversaries(subject.audit) if subject.audit is not None else []}


def _list_adversaries(audit: Audit) -> list[dict[str, Any]]:
    """One row per adversary, those whom a promise covers first. If presets were requested, each preset is an adversary;
    otherwise everybody with the same knowledge is one."""
    rows: dict[Any, dict[str, Any]] = {}
    for finding in audit.findings:
        who = finding.adversary
        for key in finding.by or ((who.name, who.knows, who.excludes),):
            preset = Preset.find(key).as_json() if isinstance(key, str) else None
            row = rows.setdefault(
                key, {"name": preset["title"] if preset else who.name, "preset": preset, "knows": set(), "tries": []}
            )
            row["knows"] |= who.knows
            row["tries"].append(_describe_attempt(finding))
    listed = [{**row, "knows": [item.value for item in Knowledge if item in row["knows"]]} for row in rows.values()]
    return sorted(listed, key=lambda row: not any(item["inside"] for item in row["tries"]))


def _describe_attempt(finding: Finding) -> dict[str, Any]:
    return {
        "title": finding.title,
        "limits": finding.belief.limits,
        "worst": finding.belief.worst,
        "worst_before": finding.before.worst if finding.before else None,
        "bound": str(finding.bound) if finding.bound is not None else None,
        "inside": finding.inside,
        "passed": finding.passed,
    }

"""What is promised: each claim of the certificate, with its adversary spelled out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voile.adversaries.adversary import Knowledge
from voile.flow.report.subject import Subject


def fill(subject: Subject) -> dict[str, Any]:
    return {"promises": [describe_claim(claim) for claim in subject.release.certificate.claims]}


def describe_claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Spell out a claim. In a certificate from elsewhere it may be anything."""
    try:
        adversary, excludes = claim["adversary"], int(claim["adversary"]["excludes"])
        known = [item for item in Knowledge if item.name.lower() in adversary["knows"]]
        used = {key: value for key, value in claim["parameters"].items() if value not in (None, [], "")}
        words = {part: str(claim[part]) for part in ("model", "promise", "limits", "bound", "basis")}
        against, column = str(adversary["name"]), claim["column"] and str(claim["column"])
    except (KeyError, TypeError, ValueError, AttributeError):
        words = dict.fromkeys(("model", "limits", "bound", "basis"), "") | {"promise": "This claim cannot be read."}
        known, used, against, column, excludes = [], {}, "", None, 0
    names = claim.get("quasi") if isinstance(claim, Mapping) else None
    listed = ", ".join(map(str, names)) if isinstance(names, list) else ""
    remarks = {
        Knowledge.EXCLUSION: f" (up to {excludes})" if excludes else "",
        Knowledge.QUASI: f" ({listed})" if listed else "",
    }
    beyond = [item.value for item in Knowledge if item not in known]
    if Knowledge.EXCLUSION in known:
        beyond.append(f"more than {excludes} sensitive values that the person does not have")
    return {
        **words,
        "parameters": used,
        "column": column,
        "against": against,
        "knows": [item.name.lower() for item in known],
        "may_know": [item.value + remarks.get(item, "") for item in known],
        "not_covered": beyond,
        "notes": [f"Not covered: {adversary}." for adversary in _list_adversaries(claim)],
    }


def _list_adversaries(claim: Any) -> list[str]:
    """The adversaries whom a claim names as not covered; in a certificate from elsewhere it may be anything."""
    listed = claim.get("not_covered") if isinstance(claim, Mapping) else None
    return [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []

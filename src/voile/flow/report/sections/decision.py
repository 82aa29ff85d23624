"""Who decided on the release, when and why, and a place for the second pair of eyes."""

from __future__ import annotations

from typing import Any

from voile.flow.report.subject import Subject


def fill(subject: Subject) -> dict[str, Any]:
    return {"decision": subject.decision.as_json()}

"""The head of the page: the verdict, and the release in a few figures."""

from __future__ import annotations

from typing import Any

from voile.flow.report.sections.groups import describe_groups
from voile.flow.report.subject import Subject
from voile.models.r_robustness import describe_own_exceptions

FORMAT = 1


def fill(subject: Subject) -> dict[str, Any]:
    release, groups = subject.release, describe_groups(subject)
    counted = subject.verdict.counted or dict(release.counted)
    words = describe_own_exceptions(release.with_counted(counted)) if counted else ""
    return {
        "format": FORMAT,
        "tool": release.certificate.tool,
        "headline": {
            "answer": subject.answer,
            "people": groups["people"],
            "unit": groups["unit"],
            "groups": groups["groups"],
            "smallest_group": groups["smallest"],
            "shape": release.shape,
            "shown": release.description.contents,
            "hides": release.description.protection,
            "method": dict(release.certificate.method),
            **({"exceptions": {**counted, "words": words}} if counted else {}),
        },
        "verdict": subject.verdict.as_json(),
    }

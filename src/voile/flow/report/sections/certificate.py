"""The certificate, and how to check it."""

from __future__ import annotations

from typing import Any

from voile.flow.report.subject import Subject


def fill(subject: Subject) -> dict[str, Any]:
    return {"certificate": subject.release.certificate.as_json()}

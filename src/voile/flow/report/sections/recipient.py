"""What the recipient can and cannot compute from the release, and how well, if that was measured."""

from __future__ import annotations

from typing import Any

from voile.flow.report.subject import Subject
from voile.plugins.registry import registered_classes


def fill(subject: Subject) -> dict[str, Any]:
    words, losses = subject.release.description, subject.losses
    across = [name for name, cls in registered_classes("measures").items() if getattr(cls, "across", False)]
    measured = [item.as_json() for item in losses.items if item.measure in across] if losses else []
    return {"recipient": {"can": list(words.computable), "cannot": list(words.not_computable), "measured": measured}}

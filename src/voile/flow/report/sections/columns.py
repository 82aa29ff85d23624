"""The columns: their roles, and what a published cell of each stands for."""

from __future__ import annotations

from typing import Any

from voile.flow.report.subject import Subject


def fill(subject: Subject) -> dict[str, Any]:
    return {
        "columns": [
            {part: str(entry.get(part, "")) for part in ("name", "role", "kind", "shown", "cell")}
            for entry in subject.release.dictionary["columns"]
        ]
    }

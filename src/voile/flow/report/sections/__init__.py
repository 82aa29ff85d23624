"""The sections of a report, in the order of the page. A section is one module and one template of the same name.

The module's `fill` returns the section's part of the report's JSON; `draw`, if there is one, returns its charts. The
template writes the section from that JSON and those charts, and from nothing else. To add a section, write both files
and add the module's name to `SECTIONS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from voile.flow.report.subject import Subject

SECTIONS = (
    "summary",
    "overview",
    "decision",
    "promises",
    "adversaries",
    "risks",
    "losses",
    "recipient",
    "groups",
    "columns",
    "limits",
    "certificate",
)


def fill_sections(subject: Subject) -> dict[str, Any]:
    """Fill all sections: the content of the report as JSON can hold it."""
    content: dict[str, Any] = {}
    for name in SECTIONS:
        content |= _module(name).fill(subject)
    return content


def draw_sections(content: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the charts of all sections from the content."""
    charts: dict[str, Any] = {}
    for name in SECTIONS:
        module = _module(name)
        if hasattr(module, "draw"):
            charts |= module.draw(content)
    return charts


def _module(name: str) -> Any:
    return importlib.import_module(f"voile.flow.report.sections.{name}")

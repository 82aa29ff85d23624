"""All cases by name, and the files that hold what is pinned of them: one line for each field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pinned import commands, errands, followed, knobs, methods, models, places, schemas, verbs

PLACE = Path(__file__).parent
FAMILIES = {
    "methods": methods,
    "models": models,
    "schemas": schemas,
    "places": places,
    "followed": followed,
    "knobs": knobs,
    "verbs": verbs,
    "commands": commands,
    "errands": errands,
}

# Behaviour that was changed on purpose since the pins were written: case -> field -> why.
# The field "*" stands for every field of the case. `write.py` makes the exceptions needless: remove them with it.
EXCEPTIONS: dict[str, dict[str, str]] = {}


def cases() -> dict[str, Callable[[], dict[str, Any]]]:
    """Every case, as `family: name`."""
    return {f"{name}: {case}": work for name, family in FAMILIES.items() for case, work in family.cases().items()}


def observed(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a case gives now, as JSON gives it back."""
    return json.loads(json.dumps(work(), ensure_ascii=False))


def pinned() -> dict[str, dict[str, Any]]:
    """What is pinned of every case."""
    found: dict[str, dict[str, Any]] = {}
    for name in FAMILIES:
        path = PLACE / f"{name}.json"
        told = json.loads(path.read_text("utf-8")) if path.exists() else {}
        found |= {f"{name}: {case}": fields for case, fields in told.items()}
    return found


def write(found: dict[str, dict[str, Any]]) -> None:
    """Write the files of all families."""
    for name in FAMILIES:
        own = {case.removeprefix(f"{name}: "): told for case, told in found.items() if case.startswith(f"{name}: ")}
        (PLACE / f"{name}.json").write_text(text_of(own), encoding="utf-8")


def text_of(told: dict[str, dict[str, Any]]) -> str:
    """JSON with one line for each field."""
    parts = []
    for case, fields in told.items():
        lines = [f"  {_line(field)}: {_line(value)}" for field, value in fields.items()]
        parts.append(f" {_line(case)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

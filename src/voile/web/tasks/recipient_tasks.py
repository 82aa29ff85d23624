"""A release from elsewhere: verified, and counted with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voile.errors import SpecError
from voile.flow.checking.load import load
from voile.flow.report.report import report
from voile.flow.verify.verify import verify
from voile.releases.release import Release
from voile.web.received_files import unpacked
from voile.web.tasks.session_data import Payload, Tell


def receive(payload: Payload, tell: Tell) -> dict[str, Any]:
    """A release from elsewhere: verified first; what is broken is not counted with."""
    place = Path(payload["place"])
    if payload.get("zip"):
        tell(0, 2, "Unpacking")
        unpacked(Path(payload["zip"]), place)
    tell(1, 2, "Verifying")
    verdict = verify(place)
    found: dict[str, Any] = {"verdict": verdict.as_json(), "broken": verdict.broken, "columns": [], "promises": []}
    if verdict.broken:
        return found
    release = load(place)
    content = report(release, verdict=verdict).as_json()
    listed = [
        {"name": entry["name"], "kind": entry["kind"], "role": entry["role"], "domain": entry["domain"]}
        for entry in release.dictionary["columns"]
    ]
    return {**found, "columns": listed, **{key: content[key] for key in ("promises", "headline", "groups", "limits")}}


def count(payload: Payload, tell: Tell) -> dict[str, Any]:
    """How many people satisfy a query, and how far off that may be."""
    release = load(Path(payload["place"]))
    query = payload["query"] if isinstance(payload["query"], str) else _conditions(payload["query"], release)
    return {"estimate": release.estimate(query), "margin": release.margin(query), "people": release.people}


def _conditions(asked: Sequence[Mapping[str, str]], release: Release) -> dict[str, Any]:
    kinds = {entry["name"]: (entry["kind"], entry["type"]) for entry in release.dictionary["columns"]}
    found: dict[str, Any] = {}
    for one in asked:
        name, how, text = one["column"], one["how"], one["value"]
        if name in found:
            raise SpecError(f"There are two conditions on {name!r}.", code="spec.query", hint="Keep one a column.")
        values = [_literal(part.strip(), *kinds.get(name, ("", ""))) for part in text.split("|")]
        if how == "between" and len(values) != 2:
            hint = "Write the two ends with | between them, e.g. 30|40."
            raise SpecError(f"A range of {name!r} has two ends.", code="spec.query", hint=hint)
        ends = {"least": (values[0], None), "most": (None, values[0]), "between": tuple(values)}
        found[name] = ends.get(how, values)
    return found


def _literal(text: str, kind: str, dtype: str) -> Any:
    if kind != "numeric":
        return text
    try:
        return float(text) if dtype.startswith("Float") or "." in text or "e" in text.lower() else int(text)
    except ValueError:
        raise SpecError("A number is asked for, and this is none.", code="spec.query", hint="E.g. 42.") from None

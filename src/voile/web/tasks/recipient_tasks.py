"""Tasks of a recipient: verify a received release, count with it, and draw plain tables from it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from voile.errors import SpecError, VoileError
from voile.flow.checking.check_folder import check_folder
from voile.flow.checking.load import load
from voile.flow.guide.guide import describe_release
from voile.flow.guide.packing import READ_ME
from voile.io.release_folder import CERTIFICATE
from voile.releases.cross_table import make_cross_table
from voile.releases.release import Release
from voile.web.release_zips import unpack_release
from voile.web.tasks.session_data import Payload, Progress

LINES = 50  # groups of a SQL query that are shown


def receive(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Verify a received release, and describe it unless it is broken."""
    folder, packed = Path(payload["place"]), list[str]()
    if payload.get("zip"):
        progress(0, 2, "Unpacking")
        packed = _unpack(Path(payload["zip"]), folder, payload)
    progress(1, 2, "Verifying")
    verdict, release = check_folder(folder)
    answer: dict[str, Any] = {"verdict": verdict.as_json(), "broken": verdict.broken, "columns": [], "promises": []}
    other = [name for name in packed if name != READ_ME]  # the guide is made anew, from what was checked
    answer |= {"counted": verdict.unit.count(verdict.people), "packed": other[:20], "more_packed": len(other[20:])}
    if verdict.broken or release is None:
        return answer
    guide = describe_release(release, verdict, Path(payload["name"]).stem if payload.get("zip") else folder.name)
    if payload.get("guide"):
        guide.save(payload["guide"])
    columns = [
        {"name": entry["name"], "kind": entry["kind"], "role": entry["role"], "domain": entry["domain"]}
        for entry in release.dictionary["columns"]
    ]
    said = {key: guide.content[key] for key in ("promises", "adversaries", "limits")}
    return {**answer, "columns": columns, **said}


def _unpack(archive: Path, folder: Path, payload: Payload) -> list[str]:
    """Unpack a zip and return the names of files in it that are not part of the release; delete it if it was sent."""
    try:
        return unpack_release(archive, folder, payload["room"])
    except VoileError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if payload.get("delete_zip"):
            archive.unlink(missing_ok=True)


def count(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Count how many rows satisfy conditions, or answer a SQL query: one line per number."""
    release, said = _open_release(payload["place"]), payload["said"]
    if not isinstance(payload["query"], str):
        return {"counts": [{"query": said, **release.count(_read_conditions(payload["query"], release)).as_json()}]}
    answer = release.query(payload["query"])
    lines = []
    for keys, counts in answer.rows[:LINES]:
        group = ", ".join(
            f"{name} {'missing' if key is None else key}" for name, key in zip(answer.keys, keys, strict=True)
        )
        for name, found in zip(answer.values, counts, strict=True):
            lines.append({"query": f"{said} – {group}: {name}" if group else f"{said}: {name}", **found.as_json()})
    return {"counts": lines}


def cross(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Count every pair of values of two columns."""
    table = make_cross_table(_open_release(payload["place"]), payload["first"], payload["second"])
    cells = [[count.as_json() for count in line] for line in table.counts]
    return {"names": table.names, "rows": table.rows, "columns": table.columns, "counts": cells}


def complete(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Draw plain tables that agree with the release, and write them to a file."""
    progress(0, 2, "Drawing")
    tables = _open_release(payload["place"]).complete(payload["draws"])
    progress(1, 2, "Writing")
    path = tables.save(Path(payload["file"]))
    return {"bytes": path.stat().st_size, "draws": len(tables), "assumptions": list(tables.assumptions)}


def _open_release(place: str) -> Release:
    """Open a received release; the last one stays open, with what was drawn from it."""
    folder = Path(place)
    return _open_folder(place, (folder / CERTIFICATE).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _open_folder(place: str, written: int) -> Release:
    return load(Path(place))


def _read_conditions(conditions: Sequence[Mapping[str, str]], release: Release) -> dict[str, Any]:
    """Turn the conditions of the form into a query, with values of the columns' types."""
    kinds = {entry["name"]: (entry["kind"], entry["type"]) for entry in release.dictionary["columns"]}
    query: dict[str, Any] = {}
    for condition in conditions:
        name, how, text = condition["column"], condition["how"], condition["value"]
        if name in query:
            raise SpecError(f"There are two conditions on {name!r}.", code="spec.query", hint="Keep one per column.")
        values = [_parse_value(part.strip(), *kinds.get(name, ("", ""))) for part in text.split("|")]
        if how == "between" and len(values) != 2:
            hint = "Separate the two ends with |, e.g. 30|40."
            raise SpecError(f"A range of {name!r} needs two ends.", code="spec.query", hint=hint)
        ends = {"least": (values[0], None), "most": (None, values[0]), "between": tuple(values)}
        query[name] = ends.get(how, values)
    return query


def _parse_value(text: str, kind: str, dtype: str) -> Any:
    if kind != "numeric":
        return text
    try:
        return float(text) if dtype.startswith("Float") or "." in text or "e" in text.lower() else int(text)
    except ValueError:
        raise SpecError(
            "The column holds numbers, but this value is not a number.", code="spec.query", hint="E.g. 42."
        ) from None

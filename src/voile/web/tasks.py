"""What the worker can do: the verbs of flow, with plain values in and out. Nothing else decides anything here."""

from __future__ import annotations

import importlib
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from voile.core.adversary import Knowledge
from voile.core.attack import Attack
from voile.core.measure import Measure
from voile.core.method import Method
from voile.core.microdata import Microdata
from voile.core.plugin import build, knobs_of, load_plugin, registered
from voile.core.policy import Model
from voile.core.release import Release
from voile.core.results import Audit
from voile.core.schema import Schema
from voile.errors import SpecError, VoileError
from voile.flow import charts
from voile.flow.audit import audit
from voile.flow.compare import compare as comparing
from voile.flow.comparison_charts import frontier
from voile.flow.distributions import beside, distributions
from voile.flow.foresee import foresee, reach, start_of
from voile.flow.inspect import inspect as inspecting
from voile.flow.measure import measure
from voile.flow.publish import publish as publishing
from voile.flow.read import load_frame, read
from voile.flow.report import report
from voile.flow.request import Request, request
from voile.flow.verify import load, verify
from voile.io import hierarchies
from voile.io.spec import outlined
from voile.web.places import unpacked

Tell = Callable[[int, int, str], None]
Payload = Mapping[str, Any]
LEAVES = 5_000  # of a tree that a person may edit by hand
ROWS = 8  # of a table that are shown, when a visitor asks for them


@dataclass
class Memory:
    """What was read or made last; the next task often needs it again."""

    asked: str = ""
    data: Microdata | None = None
    made: str = ""
    release: Release | None = None
    audit: Audit | None = None


_memory = Memory()


def warm() -> None:
    """Load what every task needs, and the compiled kernels, before somebody waits for them."""
    from voile import datasets

    data = read(datasets.hospital(), Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    inspecting(datasets.hospital())
    foresee(data, cast(Model, build("models", "k-anonymity", {"k": 5})))
    for drawing in ("altair", "vl_convert"):
        importlib.import_module(drawing)


def load_plugins(sources: Sequence[str]) -> None:
    for source in sources:
        load_plugin(source)


def _request(payload: Payload) -> Request:
    return request(outlined(payload["spec"]))


def _state(payload: Payload) -> list[Any]:
    """The file, as it is now: who changes it is not shown what was."""
    try:
        found = Path(payload["source"]).stat()
    except OSError:
        return [payload["source"]]  # reading it will say what is wrong
    return [payload["source"], found.st_mtime_ns, found.st_size]


def _data(payload: Payload) -> Microdata:
    """The table under its schema, as it was read last or read anew."""
    told = [_state(payload), payload["spec"]["schema"], payload["spec"].get("read")]
    asked = json.dumps(told, sort_keys=True)
    if _memory.asked != asked or _memory.data is None:
        schema = Schema(**outlined({"schema": payload["spec"]["schema"]}).schema)
        _memory.data = read(payload["source"], schema, **payload["spec"].get("read", {}))
        _memory.asked = asked
    return _memory.data


# step 1: the table as it is ---------------------------------------------------------------------------------------
def inspect(payload: Payload, tell: Tell) -> dict[str, Any]:
    tell(0, 1, "Reading the table")
    found = inspecting(payload["source"], columns=payload.get("columns") or None, **payload.get("read", {}))
    return found.as_json()


def peek(payload: Payload, tell: Tell) -> dict[str, Any]:
    """The first rows, as text; of identifiers nothing."""
    shown = [name for name in payload["names"] if name not in payload["hidden"]]
    frame = load_frame(payload["source"], Schema(quasi=shown), **payload.get("read", {})).head(ROWS)
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    return {"names": list(frame.columns), "rows": rows}


# step 2: what the columns are for, and the promise ----------------------------------------------------------------
def mark(payload: Payload, tell: Tell) -> dict[str, Any]:
    """The table under its roles: the risk on the marked columns, advice, and how far each model can go."""
    tell(0, 3, "Reading the marked columns")
    data = _data(payload)
    schema = Schema(**outlined({"schema": payload["spec"]["schema"]}).schema)
    tell(1, 3, "Counting who stands out")
    found = inspecting(data)
    tell(2, 3, "Asking how far each promise can go")
    return {
        **found.as_json(),
        "dropped": data.dropped,
        "advice": found.advice(schema),
        "trees": {column.name: column.hierarchy is not None for column in data.columns.quasi},
        "reach": _reaches(data),
    }


def _reaches(data: Microdata) -> dict[str, dict[str, Any]]:
    """For every model that can be counted at once: how far its numbers can go, beginning from usual values."""
    found: dict[str, dict[str, Any]] = {}
    for name, cls in registered("models").items():
        try:
            usual = {knob.name: start_of(knob) for knob in knobs_of(cls)}
            model = cast(Model, build("models", name, {key: value for key, value in usual.items() if _given(value)}))
            found[name] = {one.knob: asdict(one) for one in reach(data, model)}
        except VoileError:
            continue  # it asks for something that only a person can say
    return found


def _given(value: Any) -> bool:
    return value is not None and type(value).__name__ != "_MISSING_TYPE"


def tree(payload: Payload, tell: Tell) -> dict[str, Any]:
    """The hierarchy of one column as an outline: as given, or as an automatic one would be."""
    name = payload["column"]
    schema = {**payload["spec"]["schema"]}
    given = schema.get("hierarchies", {})
    asked = {**given, name: payload.get("hierarchy") or given.get(name, "auto")}
    data = read(payload["source"], Schema(**{**schema, "hierarchies": asked}), **payload["spec"].get("read", {}))
    made = data.columns[name].hierarchy
    assert made is not None
    leaves = len(data.columns[name].domain.values)
    drawn = hierarchies.outline(made.rows()[:leaves]) if leaves <= LEAVES else ""
    return {"outline": drawn, "levels": made.height, "leaves": leaves}


def promise(payload: Payload, tell: Tell) -> dict[str, Any]:
    """What the chosen models promise on this table in plain words; and whether it can be kept."""
    asked, data = _request(payload), _data(payload)
    said = [_said(model, data) for model in asked.policy]
    fault = None
    try:
        foresee(data, asked.policy, asked.method)
    except VoileError as error:
        fault = {**error.as_json(), "kind": type(error).__name__}
    reached = [{"model": model.name, **asdict(one)} for model in asked.policy for one in reach(data, model)]
    return {"promises": said, "fault": fault, "reach": reached}


def _said(model: Model, data: Microdata) -> dict[str, Any]:
    adversary = model.adversary()
    columns = [column.name if column else "" for column in model.targets(data.columns)]
    known = ", ".join(column.name for column in data.columns.quasi)
    told = {Knowledge.QUASI: f"what the table says of the person in {known}"}
    return {
        "model": model.name,
        "promise": [model.of(name or None).promise(name) for name in columns],
        "against": adversary.name,
        "knows": [told.get(item, item.value) for item in Knowledge if item in adversary.knows],
        "beyond": [item.value for item in Knowledge if item not in adversary.knows],
        "basis": model.basis,
    }


# step 3: methods against attacks ----------------------------------------------------------------------------------
def compare(payload: Payload, tell: Tell) -> dict[str, Any]:
    data, asked = _data(payload), _request(payload)
    chosen: dict[str, list[Any] | None] = {}
    for family in ("methods", "attacks", "measures"):
        listed = payload.get(family)
        chosen[family] = [build(family, one["name"], _knobs(one)) for one in listed] if listed else None
    found = comparing(
        data,
        asked.policy,
        cast("list[Method] | None", chosen["methods"]),
        cast("list[Attack] | None", chosen["attacks"]),
        cast("list[Measure] | None", chosen["measures"]),
        adversary=payload.get("adversary") or None,
        progress=tell,
        by=payload.get("by") or None,
    )
    tell(len(found.rows), len(found.rows), "Drawing")
    drawn = charts.both(lambda width: frontier(found, width)) if found.frontier() else None
    return {**found.as_json(), "frontier_chart": drawn}


def _knobs(told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key != "name"}


def look(payload: Payload, tell: Tell) -> dict[str, Any]:
    """One method in detail: what attacks reach before and after, and each column before and after."""
    data, release = _data(payload), _release(payload, tell)
    tell(2, 4, "Attacking it")
    found = audit(release, data)
    tell(3, 4, "Drawing the columns before and after")
    drawn = [
        {"column": one.column, "role": one.role, "moved": one.moved, "chart": beside(one)}
        for one in distributions(data, release)
    ]
    _memory.audit = found
    return {**report(release, found).as_json(), "distributions": drawn}


def _release(payload: Payload, tell: Tell) -> Release:
    """The release of a request; the one that was looked at is the one that is published."""
    told = {part: value for part, value in payload["spec"].items() if part != "release"}
    made = json.dumps([_state(payload), told], sort_keys=True)
    if _memory.made != made or _memory.release is None:
        asked, data = _request(payload), _data(payload)
        tell(1, 5, "Making the release")
        _memory.release = publishing(data, asked.policy, asked.method)
        _memory.made, _memory.audit = made, None
    return _memory.release


# step 4: the folder -----------------------------------------------------------------------------------------------
def publish(payload: Payload, tell: Tell) -> dict[str, Any]:
    """Write the release and its report, verify what was written, and pack it."""
    data, release = _data(payload), _release(payload, tell)
    place, packed = Path(payload["place"]), Path(payload["zip"])
    if _memory.audit is None:
        tell(1, 5, "Attacking it, for the report")
        _memory.audit = audit(release, data)
    tell(2, 5, "Measuring what is lost, for the report")
    losses = measure(data, release)
    tell(3, 5, "Writing the folder")
    release.save(place, format=payload["format"], force=bool(payload.get("force")))
    tell(4, 5, "Verifying what was written")
    verdict = verify(place, prior=_request(payload).policy.informed(data.columns, data.rows).priors())
    report(release, _memory.audit, losses, verdict).save(place / "report.html")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for found in sorted(place.iterdir()):
            # a fixed date: when a file was made tells nothing
            entry = zipfile.ZipInfo(f"{payload['name']}/{found.name}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with found.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target)
    withheld = int(release.dictionary.get("withheld", 0))
    facts = {"people": release.people, "groups": release.groups, "withheld": withheld, "dropped": data.dropped}
    files = sorted(found.name for found in place.iterdir())
    return {**facts, "verdict": verdict.as_json(), "files": files, "bytes": packed.stat().st_size}


# step 5: for recipients -------------------------------------------------------------------------------------------
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


TASKS: dict[str, Callable[[Payload, Tell], Any]] = {
    one.__name__: one for one in (inspect, peek, mark, tree, promise, compare, look, publish, receive, count)
}

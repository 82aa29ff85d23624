"""The table before anything is published: as it is, under its roles, its trees, what can be promised."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, cast

from voile.adversaries.adversary import Knowledge
from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.errors import VoileError
from voile.flow.explore.column_profiles import RepeatedValues
from voile.flow.explore.foresee import foresee, reach, suggest_value
from voile.flow.explore.inspect import inspect as inspecting
from voile.flow.explore.rows_per_person import compare_rows_per_person
from voile.flow.read.read import read
from voile.io import hierarchy_outlines
from voile.io.spec_files import make_spec
from voile.models.abilities import narrow_to_column
from voile.models.base import Model
from voile.plugins.registry import build_plugin, knob_fields, registered_classes
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.web.tasks.session_data import Payload, Progress, read_data, read_task_request

LEAVES = 5_000  # of a tree that a person may edit by hand
ROWS = 8  # of a table that are shown, when a visitor asks for them


def inspect(payload: Payload, progress: Progress) -> dict[str, Any]:
    progress(0, 1, "Reading the table")
    found = inspecting(payload["source"], columns=payload.get("columns") or None, **payload.get("read", {}))
    return found.as_json()


def peek(payload: Payload, progress: Progress) -> dict[str, Any]:
    """The first rows, as text; of identifiers nothing."""
    shown = [name for name in payload["names"] if name not in payload["hidden"]]
    frame = load_frame(Source(payload["source"], **payload.get("read", {})), Schema(quasi=shown)).head(ROWS)
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    return {"names": list(frame.columns), "rows": rows}


# step 2: what the columns are for, and the promise ----------------------------------------------------------------
def mark(payload: Payload, progress: Progress) -> dict[str, Any]:
    """The table under its roles: the risk on the marked columns, advice, and how far each model can go."""
    progress(0, 3, "Reading the marked columns")
    data = read_data(payload)
    schema = Schema(**make_spec({"schema": payload["spec"]["schema"]}).schema)
    progress(1, 3, "Counting who stands out")
    repeats = tuple(RepeatedValues(**entry) for entry in payload.get("repeats", ()))
    found = replace(inspecting(data), repeats=repeats)
    progress(2, 3, "Asking how far each promise can go")
    return {
        **found.as_json(),
        "dropped": data.dropped,
        "who": _count_people(data),
        "advice": found.advice(schema),
        "trees": {column.name: column.hierarchy is not None for column in data.columns.quasi},
        "reach": _reaches(data),
    }


def _count_people(data: Microdata) -> dict[str, int] | None:
    """How many rows and people the table has, and how many rows of people with too many are left out."""
    if data.people is None:
        return None
    most = len(data.people.people_by_rows) - 1
    counts = {"people": data.people.people, "rows": data.people.total, "most": most}
    return {**counts, "rows_per_person": data.unit.rows, "left_out": data.count_left_out()}


def people(payload: Payload, progress: Progress) -> dict[str, Any]:
    """What each number of rows per person would cost, under the chosen promise."""
    asked, data = read_task_request(payload), read_data(payload)
    return compare_rows_per_person(data, asked.policy, asked.method, progress=progress).as_json()


def _reaches(data: Microdata) -> dict[str, dict[str, Any]]:
    """For every model that can be counted at once: how far its numbers can go, beginning from usual values."""
    found: dict[str, dict[str, Any]] = {}
    for name, cls in registered_classes("models").items():
        try:
            usual = {knob.name: suggest_value(knob) for knob in knob_fields(cls)}
            model = cast(
                Model, build_plugin("models", name, {key: value for key, value in usual.items() if _given(value)})
            )
            found[name] = {one.knob: asdict(one) for one in reach(data, model)}
        except VoileError:
            continue  # it asks for something that only a person can say
    return found


def _given(value: Any) -> bool:
    return value is not None and type(value).__name__ != "_MISSING_TYPE"


def tree(payload: Payload, progress: Progress) -> dict[str, Any]:
    """The hierarchy of one column as an outline: as given, or as an automatic one would be."""
    name = payload["column"]
    schema = {**payload["spec"]["schema"]}
    given = schema.get("hierarchies", {})
    asked = {**given, name: payload.get("hierarchy") or given.get(name, "auto")}
    data = read(payload["source"], Schema(**{**schema, "hierarchies": asked}), **payload["spec"].get("read", {}))
    made = data.columns[name].hierarchy
    assert made is not None
    leaves = len(data.columns[name].domain.values)
    drawn = hierarchy_outlines.render_outline(made.rows()[:leaves]) if leaves <= LEAVES else ""
    return {"outline": drawn, "levels": made.height, "leaves": leaves}


def promise(payload: Payload, progress: Progress) -> dict[str, Any]:
    """What the chosen models promise on this table in plain words; and whether it can be kept."""
    asked, data = read_task_request(payload), read_data(payload)
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
        "promise": [narrow_to_column(model, name or None).promise(name) for name in columns],
        "against": adversary.name,
        "knows": [told.get(item, item.value) for item in Knowledge if item in adversary.knows],
        "beyond": [item.value for item in Knowledge if item not in adversary.knows],
        "basis": model.basis,
    }

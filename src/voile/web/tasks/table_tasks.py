"""Tasks about the table before anything is published: its columns, its roles, its trees, and possible promises."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any, cast

from voile.adversaries.adversary import Knowledge
from voile.engines.base import Source
from voile.engines.memory import load_frame
from voile.errors import FIXED_BEFOREHAND, VoileError
from voile.flow.explore.column_profiles import RepeatedValues
from voile.flow.explore.foresee import foresee, reach, suggest_value
from voile.flow.explore.improvements import suggest_improvements
from voile.flow.explore.inspect import inspect as inspect_table
from voile.flow.explore.inspection import Inspection
from voile.flow.explore.rows_per_person import compare_rows_per_person
from voile.flow.prepare.prepare import PreparedTable, prepare_as_asked
from voile.flow.publish.plan import default_method
from voile.flow.read.read import read
from voile.flow.recommend.recommend import recommend_all
from voile.io import hierarchy_outlines
from voile.io.spec_files import make_spec
from voile.methods.base import Method, covers_algorithm
from voile.models.abilities import LearnsFromTable, count_people, narrow_to_column
from voile.models.base import Model
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin, knob_fields, registered_classes
from voile.tables.microdata import Microdata
from voile.tables.schema import Schema
from voile.web.tasks.session_data import (
    Payload,
    Progress,
    open_history,
    prepare_table,
    read_data,
    read_task_request,
)

LEAVES = 5_000  # the most values of a tree that can be edited by hand
ROWS = 8  # rows of the table that a visitor can see on request


def inspect(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Inspect the table as it is, or as it is after changes at the border. Dates are shifted row by row here: what
    tells people apart is marked later."""
    progress(0, 1, "Reading the table")
    table, reading = prepare_as_asked(payload["source"], payload.get("prepare", {}), payload.get("read", {}))
    estimates = {name: payload[name] for name in ("population", "special_uniques") if payload.get(name)}
    columns = payload.get("columns") or None
    return _describe(inspect_table(table, payload.get("roles"), columns=columns, **estimates, **reading))


def _describe(inspection: Inspection) -> dict[str, Any]:
    """Return an inspection with the words that explain its numbers."""
    anonymity = inspection.anonymity
    mixed = [
        {"column": item.column, "kind": item.kind, "measures": item.describe()}
        for item in (anonymity.sensitive if anonymity else ())
    ]
    return {**inspection.as_json(), "mixed": mixed}


def peek(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Return the first rows as text, without identifiers."""
    names = [name for name in payload["names"] if name not in payload["hidden"]]
    table, options = prepare_as_asked(payload["source"], payload.get("prepare", {}), payload.get("read", {}))
    options.pop("merge", None)
    source = Source(table.frame) if isinstance(table, PreparedTable) else Source(table, **options)
    frame = load_frame(source, Schema(quasi=names)).head(ROWS)
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    return {"names": list(frame.columns), "rows": rows}


# step 2: the roles of the columns, and the promise ----------------------------------------------------------------
def mark(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Inspect the table under its roles: the risk on the marked columns, advice, and how far each model can go."""
    progress(0, 4, "Reading the marked columns")
    data = read_data(payload)
    schema = Schema(**make_spec({"schema": payload["spec"]["schema"]}).schema)
    progress(1, 4, "Counting who stands out")
    repeats = tuple(RepeatedValues(**entry) for entry in payload.get("repeats", ()))
    inspection = replace(inspect_table(data), repeats=repeats)
    progress(2, 4, "Checking how far each promise can go")
    reached = _reach_by_model(data)
    progress(3, 4, "Weighing promises for each audience")
    return {
        **_describe(inspection),
        "dropped": data.dropped,
        "who": _count_people(data),
        "advice": inspection.advice(schema),
        "trees": {column.name: column.hierarchy is not None for column in data.columns.quasi},
        "reach": reached,
        "recommendations": _list_recommendations(data),
    }


def _list_recommendations(data: Microdata) -> list[dict[str, Any]]:
    """Return what is recommended for each audience; nothing where the table asks for a promise of its own."""
    try:
        return [found.as_json() for found in recommend_all(data)]
    except VoileError:
        return []


def _count_people(data: Microdata) -> dict[str, int] | None:
    """Count the rows and people of the table, and the rows left out because a person has too many."""
    if data.people is None:
        return None
    largest = len(data.people.people_by_rows) - 1
    counts = {"people": data.people.people, "rows": data.people.total, "most": largest}
    return {**counts, "rows_per_person": data.unit.rows, "left_out": data.count_left_out()}


def people(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Compare the cost of each number of rows per person, under the chosen promise."""
    request, data = read_task_request(payload), read_data(payload)
    return compare_rows_per_person(data, request.policy, request.method, progress=progress).as_json()


def _reach_by_model(data: Microdata) -> dict[str, dict[str, Any]]:
    """Return how far the numbers of each model can go, starting from suggested values; only for models that counts
    decide."""
    by_model: dict[str, dict[str, Any]] = {}
    for name, cls in registered_classes("models").items():
        try:
            values = {knob.name: suggest_value(knob) for knob in knob_fields(cls)}
            model = cast(
                Model, build_plugin("models", name, {key: value for key, value in values.items() if _is_set(value)})
            )
            by_model[name] = {item.knob: asdict(item) for item in reach(data, model)}
        except VoileError:
            continue  # it has a parameter that only a person can choose
    return by_model


def _is_set(value: Any) -> bool:
    return value is not None and type(value).__name__ != "_MISSING_TYPE"


def tree(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Return the hierarchy of one column as an outline: the requested one, or else an automatic one."""
    name = payload["column"]
    schema = {key: value for key, value in payload["spec"]["schema"].items() if key != "guarding"}  # nodes come later
    saved = schema.get("hierarchies", {})
    hierarchies = {**saved, name: payload.get("hierarchy") or saved.get(name, "auto")}
    table, reading = prepare_table(payload, schema.get("person"))
    data = read(table, Schema(**{**schema, "hierarchies": hierarchies}), **reading)
    hierarchy = data.columns[name].hierarchy
    assert hierarchy is not None
    leaves = len(data.columns[name].domain.values)
    outline = hierarchy_outlines.render_outline(hierarchy.rows()[:leaves]) if leaves <= LEAVES else ""
    return {"outline": outline, "levels": hierarchy.height, "leaves": leaves}


def promise(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Return the chosen promises in plain words, and whether this table can keep them."""
    request, data = read_task_request(payload), read_data(payload)
    method = request.method or default_method(request.policy)
    covered = _covers_algorithm(method, request.policy, data)
    promises = [_describe_promise(model, data, method, covered) for model in request.policy]
    fault = None
    try:
        foresee(data, request.policy, request.method)
        open_history(payload).check_table(data, request.policy, method)
    except VoileError as error:
        fault = {**error.as_json(), "kind": type(error).__name__}
    decided = [column.name for column in data.columns]  # the step before asks what each holds
    advice = [] if fault else suggest_improvements(data, request.policy, decided)
    return {"promises": _join_alike(promises), "fault": fault, "advice": advice}


def _join_alike(promises: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join promises that hold against the same adversary, so that a page describes each adversary once."""
    joined: dict[str, dict[str, Any]] = {}
    for entry in promises:
        parts = {part: entry[part] for part in ("against", "knows", "beyond", "gaps", "note")}
        same = joined.setdefault(json.dumps(parts), {**parts, "promise": [], "reach": []})
        same["promise"] += entry["promise"]
        same["reach"] += entry["reach"]
    return list(joined.values())


def _covers_algorithm(method: Method, policy: Policy, data: Microdata) -> bool:
    """Return whether the claims of this method hold against somebody who knows it; given statistics are read for it."""
    try:
        models = [
            model.learn(data.columns, data.rows) if isinstance(model, LearnsFromTable) and _is_given(model) else model
            for model in policy
        ]
    except VoileError:
        return False  # what is wrong with the statistics is said elsewhere
    return covers_algorithm(method, Policy(*models))


def _is_given(model: Model) -> bool:
    return isinstance(getattr(model, "prior", None), str)


def _count_its_people(model: Model, data: Microdata) -> Model:
    """Return the model as it is promised to people with several rows; where it has no such form, it is refused
    elsewhere."""
    try:
        return count_people(model, data.unit.rows)
    except VoileError:
        return model


def _describe_promise(model: Model, data: Microdata, method: Method, covered: bool) -> dict[str, Any]:
    adversary = model.adversary()
    knows = adversary.knows | ({Knowledge.ALGORITHM} if covered else set())
    columns = [column.name if column else "" for column in model.targets(data.columns)]
    stated = _count_its_people(model, data)
    quasi, named = ", ".join(column.name for column in data.columns.quasi), getattr(model, "column", None) or ""
    by_method = f"{Knowledge.ALGORITHM.value} (with the method {method.name})" if covered else None
    wording = {Knowledge.QUASI: f"the person's values in {quasi}", Knowledge.ALGORITHM: by_method}
    return {
        "promise": [narrow_to_column(stated, name or None).promise(name) for name in columns],
        "against": adversary.name,
        "knows": [wording.get(item) or item.value for item in Knowledge if item in knows],
        "beyond": [item.value for item in Knowledge if item not in knows],
        "gaps": list(model.gaps),
        "note": FIXED_BEFOREHAND if Knowledge.ALGORITHM in knows else "",
        "reach": [{"column": named, **asdict(item)} for item in reach(data, model)],
    }

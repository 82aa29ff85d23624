"""Step 2: the role of each column, and how its values may be shown more coarsely."""

from __future__ import annotations

import re
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SchemaError, VoileError
from voile.tables.roles.role_guessing import UNSURE, is_near_unique
from voile.web.form_labels import LABELS
from voile.web.forms import read_index
from voile.web.jobs import wait_for
from voile.web.page_rendering import KINDS, ROLES, render_page
from voile.web.steps.load import PATIENCE
from voile.web.steps.wishes import read_quasi_sets, read_steering, read_weight
from voile.web.visits import Visit

USUAL_POLICY = [{"model": "k-anonymity", "k": 5}]


async def show(request: Request, visit: Visit) -> Response:
    visit.collect_result()
    if visit.inspection is None:
        return RedirectResponse("/", 303)
    schema, people = visit.spec.get("schema", {}), visit.inspection["people"]
    columns = visit.inspection["columns"]
    nearly_unique = [c["name"] for c in columns if is_near_unique(c["distinct"], people - c["missing"])]
    choices = {
        "person": visit.person(),
        "guard": next(iter(schema.get("guarding", {}).values()), None),
        "chosen_kinds": schema.get("kinds", {}),
        "confirmed": schema.get("confirmed", ()),
        "steering": schema.get("steering", {}),
        "quasi_sets": "\n".join(", ".join(names) for names in schema.get("quasi_sets", ())),
    }
    return render_page("mark", visit, chosen_roles=visit.roles(), nearly_unique=nearly_unique, **choices)


async def save(request: Request, visit: Visit, form: FormData) -> Response:
    if visit.inspection is None:
        return RedirectResponse("/", 303)
    previous = visit.spec.get("schema", {})
    try:
        visit.spec["schema"] = _read_schema(visit, form, previous.get("hierarchies", {}))
    except VoileError as error:
        visit.problems = []
        visit.show_problem(error.as_json())
        return RedirectResponse("/mark", 303)
    if {**previous, "rows_per_person": 1} != {**visit.spec["schema"], "rows_per_person": 1}:
        visit.forget("row_limits")
    await _read_marked(visit)
    return RedirectResponse("/mark#risk", 303)


async def _read_marked(visit: Visit) -> None:
    """Read the marked columns anew, and drop results that depend on them."""
    assert visit.inspection is not None
    visit.forget("marking", "forecast", "comparison", "closer_look", "preview", "publication")
    payload = visit.payload(repeats=visit.inspection["repeats"])
    await wait_for(visit.start_job("mark", "Reading the marked columns", payload), PATIENCE)


def _read_schema(visit: Visit, form: FormData, trees: dict[str, Any]) -> dict[str, Any]:
    """Read the schema from the form. Its fields are numbered, because the name of a column may be anything."""
    assert visit.inspection is not None
    schema: dict[str, Any] = {role: [] for role in ROLES if role not in ("", UNSURE)}
    kinds, confirmed = {}, []
    schema |= read_weight(visit.inspection["columns"], form)
    _refuse_undecided(visit, form, schema.get("weight"))
    for number, column in enumerate(visit.inspection["columns"]):
        role, kind = str(form.get(f"role.{number}", "")), str(form.get(f"kind.{number}", ""))
        if role in schema:
            schema[role].append(column["name"])
            if role == "other" and form.get(f"confirmed.{number}"):
                confirmed.append(column["name"])
            if kind in KINDS and kind not in ("none", column["kind"]) and role != "identifier":
                kinds[column["name"]] = kind
    _add_person(visit, form, schema)
    _add_guard(visit, form, schema)
    steering = read_steering(visit.inspection["columns"], form, schema)
    sets = read_quasi_sets(form)
    published = {name for role in ("quasi", "sensitive", "other") for name in schema[role]}
    missing = str(form.get("missing", "error"))
    return {
        **{key: value for key, value in schema.items() if value != []},
        **({"kinds": kinds} if kinds else {}),
        **({"confirmed": confirmed} if confirmed else {}),
        **({"steering": steering} if steering else {}),
        **({"quasi_sets": sets} if sets else {}),
        "missing": missing if missing in ("error", "drop", "value") else "error",
        "hierarchies": {name: tree for name, tree in trees.items() if name in published},
    }


def _refuse_undecided(visit: Visit, form: FormData, weight: str | None) -> None:
    """Raise if a column has no role yet because nothing could be suggested; a survey weight needs none."""
    assert visit.inspection is not None
    columns = visit.inspection["columns"]
    open_columns = [column["name"] for number, column in enumerate(columns) if form.get(f"role.{number}") == UNSURE]
    undecided = [name for name in open_columns if name != weight]
    if undecided:
        raise SchemaError(
            f"{', '.join(map(repr, undecided))}: nobody has decided what to do with it yet.",
            code="schema.undecided",
            hint="Choose a role for each, or leave it out.",
        )


def _add_person(visit: Visit, form: FormData, schema: dict[str, Any]) -> None:
    """Add the column that tells people apart. It becomes an identifier, unless the form gives it another role; then
    reading the table raises an error."""
    assert visit.inspection is not None
    columns = visit.inspection["columns"]
    number = read_index(form.get("person"), len(columns))
    if number is not None:
        schema["person"] = columns[number]["name"]
        if not any(schema["person"] in schema[role] for role in ROLES if role in schema):
            schema["identifier"].append(schema["person"])
    limit = str(form.get("rows_per_person", "")).strip() or "1"
    if not re.fullmatch(r"-?[0-9]{1,9}", limit):
        label = LABELS["rows_per_person"]
        raise SchemaError(f"“{label}” must be a whole number.", code="schema.type", hint="E.g. 1.")
    schema |= {"rows_per_person": int(limit)} if int(limit) != 1 else {}
    schema |= {"rows_are": "people"} if form.get("rows_are") == "people" else {}


def _add_guard(visit: Visit, form: FormData, schema: dict[str, Any]) -> None:
    """Add the column of guarding nodes, which belongs to the one sensitive column and has no other role."""
    assert visit.inspection is not None
    number = read_index(form.get("guard"), len(visit.inspection["columns"]))
    if number is None:
        return
    if len(schema["sensitive"]) != 1:
        raise SchemaError(
            f"“{LABELS['guarding']}” needs one sensitive column, and {len(schema['sensitive'])} are marked.",
            code="schema.guarding",
            hint="Mark one column as secret; several are possible at the command line or in Python.",
        )
    schema["guarding"] = {schema["sensitive"][0]: visit.inspection["columns"][number]["name"]}


# how many rows per person -----------------------------------------------------------------------------------------
async def compare_limits(request: Request, visit: Visit, form: FormData) -> Response:
    """Try every number of rows per person under the promise, or under a usual one if none is chosen yet."""
    if not visit.marking or visit.marking["who"] is None:
        return RedirectResponse("/mark", 303)
    payload = visit.payload()
    payload["spec"] = {"policy": USUAL_POLICY, **payload["spec"]}
    visit.forget("row_limits")
    await wait_for(visit.start_job("people", "Comparing the numbers of rows per person", payload), PATIENCE)
    return RedirectResponse("/mark#people", 303)


async def choose_limit(request: Request, visit: Visit, form: FormData) -> Response:
    """Choose one number of rows per person."""
    limit = str(form.get("rows_per_person", ""))
    if not visit.marking or visit.marking["who"] is None or not re.fullmatch("[1-9][0-9]{0,8}", limit):
        return RedirectResponse("/mark", 303)
    visit.spec["schema"] = {**visit.spec["schema"], "rows_per_person": int(limit)}
    await _read_marked(visit)
    return RedirectResponse("/mark#people", 303)

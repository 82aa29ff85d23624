"""Step 2: what each column is for, and how its values may be shown more coarsely."""

from __future__ import annotations

import re
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SchemaError, VoileError
from voile.io.hierarchy_outlines import parse_outline
from voile.web.jobs import settled
from voile.web.pages import KINDS, ROLES, page
from voile.web.steps.load import PATIENCE
from voile.web.visitor import Desk

RECIPES = re.compile(r"(auto|dates|frequency|intervals|prefixes)(:[\d.,\s]*)?")  # never a path


async def show(request: Request, desk: Desk) -> Response:
    desk.collect()
    if desk.seen is None:
        return RedirectResponse("/", 303)
    return page("mark", desk, chosen=desk.roles(), kinds_chosen=desk.spec.get("schema", {}).get("kinds", {}))


async def save(request: Request, desk: Desk, form: FormData) -> Response:
    if desk.seen is None:
        return RedirectResponse("/", 303)
    old = desk.spec.get("schema", {}).get("hierarchies", {})
    desk.spec["schema"] = _schema(desk, form, old)
    desk.forget("marked", "foreseen", "compared", "looked", "published")
    await settled(desk.begin("mark", "Reading the marked columns", desk.payload()), PATIENCE)
    return RedirectResponse("/mark#risk", 303)


def _schema(desk: Desk, form: FormData, trees: dict[str, Any]) -> dict[str, Any]:
    """The schema that the form tells. Fields are numbered: a name of a column may be anything."""
    assert desk.seen is not None
    schema: dict[str, Any] = {role: [] for role in ROLES if role}
    kinds = {}
    for number, column in enumerate(desk.seen["columns"]):
        role, kind = str(form.get(f"role.{number}", "")), str(form.get(f"kind.{number}", ""))
        if role in schema:
            schema[role].append(column["name"])
            if kind in KINDS and kind not in ("none", column["kind"]) and role != "identifier":
                kinds[column["name"]] = kind
    published = {name for role in ("quasi", "sensitive", "other") for name in schema[role]}
    missing = str(form.get("missing", "error"))
    return {
        **{role: names for role, names in schema.items() if names},
        **({"kinds": kinds} if kinds else {}),
        "missing": missing if missing in ("error", "drop", "value") else "error",
        "hierarchies": {name: tree for name, tree in trees.items() if name in published},
    }


# hierarchies ------------------------------------------------------------------------------------------------------
async def tree(request: Request, desk: Desk) -> Response:
    """The tree of one column, to look at and to edit."""
    desk.collect()
    name = _column(request, desk)
    if name is None:
        return RedirectResponse("/mark", 303)
    given = desk.spec["schema"].get("hierarchies", {}).get(name, "auto")
    typed = desk.typed.pop("tree", None)
    found: dict[str, Any] = {}
    if not desk.worker.busy:
        job = desk.worker.submit("tree", f"Drawing the tree of {name}", desk.payload(column=name))
        await settled(job, PATIENCE)
        found = job.result or {}
    recipe = given if isinstance(given, str) else ""
    number = request.path_params["number"]
    return page("mark_tree", desk, name=name, number=number, recipe=recipe, found=found, typed=typed)


async def save_tree(request: Request, desk: Desk, form: FormData) -> Response:
    """A recipe, or the tree as it was typed. What does not fit the column is said, and nothing is changed."""
    name = _column(request, desk)
    if name is None:
        return RedirectResponse("/mark", 303)
    text = str(form.get("outline", ""))
    try:
        wanted: Any = _recipe(form, name) if form.get("how") == "recipe" else parse_outline(text, name)
    except VoileError as error:
        desk.problems, desk.typed["tree"] = [], text
        desk.complain(error.as_json())
        return RedirectResponse(request.url.path, 303)
    job = desk.begin("tree", f"Fitting the tree of {name}", desk.payload(column=name, hierarchy=wanted, save=True))
    await settled(job, PATIENCE)
    desk.collect()
    if job.state == "done":
        desk.forget("foreseen", "compared", "looked", "published")
        return RedirectResponse(f"{request.url.path}?saved=yes", 303)
    desk.typed["tree"] = text
    return RedirectResponse(request.url.path, 303)


def _recipe(form: FormData, name: str) -> str:
    text = str(form.get("recipe", "")).strip()
    if not RECIPES.fullmatch(text):
        raise SchemaError(
            f"There is no such recipe for {name!r}.",
            code="schema.hierarchy",
            hint="E.g. auto, prefixes:5,3,1, intervals:5,10,20, dates or frequency:3.",
        )
    return text


def _column(request: Request, desk: Desk) -> str | None:
    """The column of a number; numbers stand in addresses, names of columns do not."""
    if desk.seen is None or not desk.marked:
        return None
    columns, number = desk.seen["columns"], int(request.path_params["number"])
    name = columns[number]["name"] if number < len(columns) else None
    return name if name in desk.spec["schema"].get("quasi", ()) else None

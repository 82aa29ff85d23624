"""Part of step 2: the tree of one column, edited by hand, typed, imported, or built from a recipe."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SchemaError, SpecError, VoileError
from voile.io.hierarchy_outlines import parse_outline, parse_tree_file
from voile.plugins.counted_nouns import count_noun
from voile.tables.hierarchy import RECIPES
from voile.tables.tree_edits.nested_labels import list_paths, unfold_tree
from voile.tables.tree_edits.tree_edits import merge_groups, move_labels, rename_group
from voile.web.forms import read_index
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.steps.load import PATIENCE
from voile.web.tree_history import TreeHistory
from voile.web.visits import Visit

RECIPE = re.compile(rf"({'|'.join(RECIPES)})(:[0-9., ]{{0,100}})?")  # never a path
FILE_BYTES = 4 << 20
FOLDED = 60  # labels from which on groups are shown folded


async def show(request: Request, visit: Visit) -> Response:
    """Show the tree of one column, to look at and to edit."""
    visit.collect_result()
    name = _find_column(request, visit)
    if name is None:
        return RedirectResponse("/mark", 303)
    saved, typed, note = _find_saved(visit, name), visit.draft.pop("tree", None), ""
    tree: dict[str, Any] = {}
    if not visit.worker.busy:
        job = visit.worker.submit("tree", f"Drawing the tree of {name}", visit.payload(column=name))
        await wait_for(job, PATIENCE)
        tree, note = job.result or {}, visit.draft.pop("tree-note", "")
    nested = parse_outline(tree["outline"], name) if tree.get("outline") else {}
    history = visit.trees.setdefault(name, TreeHistory())
    history.put(saved, saved)
    history.shown = nested
    refused = {part: visit.draft.pop(f"tree-{part}", "") for part in ("drawn", "name", "to", "label")}
    return render_page(
        "mark_tree",
        visit,
        name=name,
        number=request.path_params["number"],
        recipe=saved if isinstance(saved, str) else "",
        tree=tree,
        labels_below=_number_labels(nested),
        groups=[(number, path) for number, (path, is_group) in enumerate(list_labels(nested)) if is_group],
        drawn=_digest(nested),
        history=history,
        refused=refused,
        ticked=set(refused["label"].split()) if refused["drawn"] == _digest(nested) else set(),
        typed=typed,
        note=note,
        folded=len(list_labels(nested)) > FOLDED,
    )


def list_labels(nested: dict[str, Any]) -> list[tuple[tuple[str, ...], bool]]:
    """List the paths of all labels, and whether each is a group; a form names a label by its place in this list."""
    return list(list_paths(unfold_tree(nested)))


def _number_labels(nested: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the labels as the page draws them: each with its number and those below it."""
    numbers = {path: number for number, (path, _) in enumerate(list_labels(nested))}

    def number_below(labels: dict[str, Any], above: tuple[str, ...]) -> list[dict[str, Any]]:
        return [
            {"number": numbers[(*above, name)], "name": name, "below": number_below(below, (*above, name))}
            for name, below in labels.items()
        ]

    return number_below(unfold_tree(nested), ())


def _digest(nested: dict[str, Any]) -> str:
    """Name a drawn tree, so that the numbers of a form belong to the tree that its page showed."""
    return hashlib.blake2b(json.dumps(nested).encode(), digest_size=8).hexdigest()


async def save(request: Request, visit: Visit, form: FormData) -> Response:
    """Save a tree that was edited, typed, imported or built. If it does not fit the column, show the problem and change
    nothing."""
    name = _find_column(request, visit)
    if name is None:
        return RedirectResponse("/mark", 303)
    address, how = f"/tree/{int(request.path_params['number'])}", str(form.get("how", ""))
    history, text = visit.trees.setdefault(name, TreeHistory()), str(form.get("outline", ""))
    before = _find_saved(visit, name)
    try:
        hierarchy, note = await _read_tree(form, name, history)
    except VoileError as error:
        visit.problems = []
        visit.draft |= {"tree": text} if text else {}
        if form.get("drawn"):
            visit.draft |= {f"tree-{part}": str(form.get(part, "")) for part in ("drawn", "name", "to")}
            visit.draft["tree-label"] = " ".join(map(str, form.getlist("label")))
        visit.show_problem(error.as_json())
        return RedirectResponse(address, 303)
    payload = visit.payload(column=name, hierarchy=hierarchy, save=True)
    job = visit.start_job("tree", f"Fitting the tree of {name}", payload)
    await wait_for(job, PATIENCE)
    visit.collect_result()
    if job.state != "done":
        visit.draft |= {"tree": text} if text else {}
        return RedirectResponse(address, 303)
    if how in ("undo", "redo"):
        history.move(-1 if how == "undo" else 1)
    else:
        history.put(before, hierarchy)
    visit.forget("forecast", "comparison", "closer_look", "preview", "publication")
    visit.draft["tree-note"] = note
    return RedirectResponse(f"{address}?saved=yes" + ("#edit" if how not in ("tree", "recipe") else ""), 303)


async def _read_tree(form: FormData, name: str, history: TreeHistory) -> tuple[Any, str]:
    """Return the tree or the recipe that a form asks for, and a sentence about the edit."""
    how = form.get("how")
    if how == "recipe":
        return _read_recipe(form, name), "The tree was built from the recipe."
    if how == "import":
        return await _read_file(form, name), "The tree was imported."
    if how in ("undo", "redo"):
        version = history.at(-1 if how == "undo" else 1)
        if version is None:
            raise SpecError(f"There is nothing to {how} in the tree of {name!r}.", code="spec.tree")
        return version, "The last edit was undone." if how == "undo" else "The edit was made again."
    if how in ("move", "merge", "rename"):
        return _edit(form, str(how), history)
    return parse_outline(str(form.get("outline", "")), name), "The tree was saved."


def _edit(form: FormData, how: str, history: TreeHistory) -> tuple[dict[str, Any], str]:
    """Move, merge or rename the labels that are ticked."""
    nested = history.shown
    if form.get("drawn") != _digest(nested):
        hint = "Look at it, and make the edit once more; nothing was changed."
        raise SpecError("The tree has changed since this page was drawn.", code="spec.tree", hint=hint)
    labels = [path for path, _ in list_labels(nested)]
    ticked = [read_index(text, len(labels)) for text in form.getlist("label")]
    chosen = [labels[number] for number in ticked if number is not None]
    name, to = str(form.get("name", "")), read_index(form.get("to"), len(labels))
    if how == "rename":
        if len(chosen) != 1:
            hint = "Tick one to rename it; to put several into one group, merge them."
            raise SchemaError(f"{count_noun(len(chosen), 'label')} are ticked.", code="schema.tree-edit", hint=hint)
        return rename_group(nested, chosen[0], name), "The group was renamed."
    if how == "merge":
        return merge_groups(nested, chosen, name), f"{count_noun(len(chosen), 'label')} were merged."
    if to is None and form.get("to") != "top":
        raise SchemaError("No group to move to was chosen.", code="schema.tree-edit", hint="Choose one in the list.")
    target = labels[to] if to is not None else ()
    moved = move_labels(nested, chosen, target)
    verb = "was" if len(chosen) == 1 else "were"
    return moved, f"{count_noun(len(chosen), 'label')} {verb} moved to {target[-1] if target else 'the top'}."


async def _read_file(form: FormData, name: str) -> dict[str, Any]:
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise SpecError("No file was chosen.", code="spec.file", hint="Choose a file first.")
    content = await file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise SpecError("This file is too large for a tree.", code="spec.file", hint="Choose a recipe instead.")
    return parse_tree_file(file.filename, content, name)


def _read_recipe(form: FormData, name: str) -> str:
    text = str(form.get("recipe", "")).strip()
    if not RECIPE.fullmatch(text):
        raise SchemaError(
            f"There is no such recipe for {name!r}.",
            code="schema.hierarchy",
            hint="E.g. auto, prefixes:5,3,1, intervals:5,10,20, dates or frequency:3.",
        )
    return text


def _find_saved(visit: Visit, name: str) -> Any:
    """Return the tree of a column as it is saved: nested labels, or the recipe of it."""
    return visit.spec["schema"].get("hierarchies", {}).get(name, "auto")


def _find_column(request: Request, visit: Visit) -> str | None:
    """Find the column by its number; an address holds the number, never the name."""
    if visit.inspection is None or not visit.marking:
        return None
    columns = visit.inspection["columns"]
    number = read_index(request.path_params["number"], len(columns))
    name = columns[number]["name"] if number is not None else None
    schema = visit.spec["schema"]
    return name if name in (*schema.get("quasi", ()), *schema.get("sensitive", ())) else None
